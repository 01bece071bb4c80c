package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// standingLine is where a group or an entity stands, in JSON. Times are in seconds since 1970;
// what never comes is null.
type standingLine struct {
	Name    string         `json:"name"`
	IsGroup bool           `json:"is_group"`
	Usage   report.Number  `json:"usage"`
	Share   *report.Number `json:"share"`
	Target  report.Number  `json:"target"`
	Rate    report.Number  `json:"usage_per_day"`
	Half    *int64         `json:"half_at"`
	Stopped *int64         `json:"target_at_if_it_stops"`
	GoingOn *int64         `json:"target_at_if_all_go_on"`
	Ahead   report.Number  `json:"usage_ahead_if_it_stops"`
	Shares  int32          `json:"shares"`
	Fitting *report.Number `json:"fitting_shares"`
}

// fairness prints where everybody stands.
func (c *usageCmd) fairness(s *session, db *accrual.Database, priv site.Priv, now int64, zone *time.Location) error {
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
	const secondsOfDay = 86400
	at := func(seconds float64) *int64 {
		if math.IsNaN(seconds) || seconds > math.MaxInt32 {
			return nil
		}
		when := now + int64(math.Ceil(seconds))
		return &when
	}
	var lines []standingLine
	for _, x := range standings {
		lines = append(lines, standingLine{x.Name, x.IsGroup, report.Number(x.Usage), report.Optional(x.Part), report.Number(x.Target), report.Number(x.Rate * secondsOfDay),
			at(x.Half), at(x.Stopped), at(x.GoingOn), report.Number(x.Ahead), x.Shares, report.Optional(x.Fitting)})
	}
	switch c.Output {
	case "json":
		return report.WriteArray(s.out, slices.Values(lines))
	case "csv":
		return printStandingsCSV(s, lines)
	}
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

`, days(float64(db.Seconds)), strings.ToUpper(days(float64(ahead))))
	return printStandings(s, lines, days(float64(ahead)), zone)
}

// days returns a time in days, or in hours where it is short.
func days(seconds float64) string {
	const hour, day = 3600, 86400
	if seconds < 2*day {
		return report.Significant(seconds/hour, 3) + " hours"
	}
	return report.Significant(seconds/day, 3) + " days"
}

func printStandings(s *session, lines []standingLine, ahead string, zone *time.Location) error {
	clock := func(at *int64) string {
		if at == nil {
			return "never"
		}
		return time.Unix(*at, 0).In(zone).Format("2006-01-02 15:04")
	}
	percent := func(x *report.Number) string {
		if x == nil {
			return "-"
		}
		return report.Fixed(100*float64(*x), 1) + "%"
	}
	header := []string{"NAME", "USAGE", "SHARE", "TARGET", "DISTANCE", "HALF", "STOPS", "GOES ON", "IN " + strings.ToUpper(ahead), "SHARES", "FITTING"}
	rows := [][]string{header}
	for i, l := range lines {
		if i > 0 && lines[i-1].IsGroup && !l.IsGroup {
			rows = append(rows, make([]string, len(header)))
		}
		distance, half, stopped, fitting := "-", "", "", "-"
		if l.Share != nil {
			by := 100 * float64(*l.Share-l.Target)
			distance = report.Fixed(by, 1) + " pt"
			if by > 0 {
				distance, half, stopped = "+"+distance, clock(l.Half), clock(l.Stopped)
			}
		}
		if l.Fitting != nil {
			fitting = report.Fixed(float64(*l.Fitting), 1)
		}
		rows = append(rows, []string{l.Name, report.Fixed(float64(l.Usage), 0), percent(l.Share), percent(&l.Target), distance, half, stopped, clock(l.GoingOn),
			report.Fixed(float64(l.Ahead), 0), strconv.Itoa(int(l.Shares)), fitting})
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 0 }})
}

func printStandingsCSV(s *session, lines []standingLine) error {
	w := report.NewCSV(s.out)
	w.Write("name", "is_group", "usage", "share", "target", "usage_per_day", "half_at", "target_at_if_it_stops", "target_at_if_all_go_on", "usage_ahead_if_it_stops", "shares", "fitting_shares")
	orEmpty := func(at *int64) string {
		if at == nil {
			return ""
		}
		return strconv.FormatInt(*at, 10)
	}
	for _, l := range lines {
		w.Write(l.Name, strconv.FormatBool(l.IsGroup), report.Plain(float64(l.Usage)), report.OrEmpty(l.Share), report.Plain(float64(l.Target)), report.Plain(float64(l.Rate)),
			orEmpty(l.Half), orEmpty(l.Stopped), orEmpty(l.GoingOn), report.Plain(float64(l.Ahead)), strconv.Itoa(int(l.Shares)), report.OrEmpty(l.Fitting))
	}
	return w.Flush()
}
