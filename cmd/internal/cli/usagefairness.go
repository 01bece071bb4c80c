package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/accrual"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
)

// fairness prints where everybody stands.
func (c *usageCmd) fairness(s *session, db *accrual.Database, priv pbssite.Priv, now int64, zone *time.Location) error {
	records, lastDecay, of := db.Records(), db.LastDecay, "rebuilt from the logs"
	if priv.Usage != nil && !priv.IsOther && c.At == nil {
		records, lastDecay, of = priv.Recorded(), priv.Usage.LastDecay, "that the site has recorded"
	}
	course := accrual.NewCourse(now, lastDecay, priv.Config.DecayTime, float64(priv.Config.DecayFactor))
	ahead := int64(c.Ahead / time.Second)
	standings, err := accrual.Standings(priv.Tree, records, db.Rates(), course, ahead)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	if c.Top > 0 {
		standings = standings[:min(c.Top, len(standings))]
	}
	var lines []accrual.StandingLine
	for _, x := range standings {
		lines = append(lines, x.Line(now))
	}
	return printLines(s, c.Output, lines, func() error {
		printCourse(s, course, now, of, db.Seconds, ahead, zone)
		return printStandings(s, lines, days(float64(ahead)), zone)
	})
}

// printCourse says of when the usage is, how it goes on, and what the columns of the table are.
func printCourse(s *session, course accrual.Course, now int64, of string, seconds, ahead int64, zone *time.Location) {
	fmt.Fprintf(s.out, "The usage is that at %s, %s.\n", moment.Clock(now, zone), of)
	if half := course.HalfLife(); math.IsNaN(half) {
		fmt.Fprintln(s.out, "It does not decay.")
	} else {
		fmt.Fprintf(s.out, "Half of any usage has decayed after %s. It decays next at %s.\n", days(half), moment.Clock(now+course.Next, zone))
	}
	fmt.Fprintf(s.out, `
HALF, STOPS  when half of what it is above its target has gone, and when all of it has, if nothing of it runs from now on;
             the others go on at the rates of the logs, which are of %s
GOES ON      when it is at its target, if all go on at those rates
IN %-8s  its usage then, if nothing of it runs from now on
FITTING      the shares which, given to all at once, would make the target what was used

`, days(float64(seconds)), strings.ToUpper(days(float64(ahead))))
}

// days returns a time in days, or in hours where it is short.
func days(seconds float64) string {
	const hour, day = 3600, 86400
	if seconds < 2*day {
		return report.Significant(seconds/hour, 3) + " hours"
	}
	return report.Significant(seconds/day, 3) + " days"
}

func printStandings(s *session, lines []accrual.StandingLine, ahead string, zone *time.Location) error {
	clock := func(at *int64) string {
		if at == nil {
			return "never"
		}
		return time.Unix(*at, 0).In(zone).Format("2006-01-02 15:04")
	}
	header := []string{"NAME", "USAGE", "SHARE", "TARGET", "DISTANCE", "HALF", "STOPS", "GOES ON", "IN " + strings.ToUpper(ahead), "SHARES", "FITTING"}
	rows := [][]string{header}
	for i, l := range lines {
		if i > 0 && lines[i-1].IsGroup && !l.IsGroup {
			rows = append(rows, make([]string, len(header)))
		}
		share, distance, half, stopped, fitting := "-", "-", "", "", "-"
		if l.Share != nil {
			by := 100 * float64(*l.Share-l.Target)
			share, distance = report.Percent(float64(*l.Share), 1), report.Fixed(by, 1)+" pt"
			if by > 0 {
				distance, half, stopped = "+"+distance, clock(l.Half), clock(l.Stopped)
			}
		}
		if l.Fitting != nil {
			fitting = report.Fixed(float64(*l.Fitting), 1)
		}
		rows = append(rows, []string{l.Name, report.Fixed(float64(l.Usage), 0), share, report.Percent(float64(l.Target), 1), distance, half, stopped, clock(l.GoingOn),
			report.Fixed(float64(l.Ahead), 0), strconv.Itoa(int(l.Shares)), fitting})
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 0 }})
}
