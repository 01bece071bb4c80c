package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

type whenCmd struct {
	Site string   `arg:"" optional:"" help:"A snapshot (.tgz or directory). Without it: the PBS complex of this host."`
	Job  []string `arg:"" optional:"" help:"Only these jobs."`
	queueFlags
	Logs    []string    `sep:"none" placeholder:"FILE" help:"Accounting logs of the days before, from which run times and arrivals are learned. Without it: those of the snapshot. May be given more than once."`
	Nodes   string      `placeholder:"FILE" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV. Without it: the snapshot's."`
	At      *momentFlag `placeholder:"TIME" help:"When the list of jobs was made. Without it: when the snapshot was taken."`
	TZ      string      `name:"tz" placeholder:"ZONE" help:"The time zone of the list and of what is printed, such as Europe/Berlin. Without it: this machine's."`
	User    []string    `placeholder:"NAME" help:"Only this user's jobs; several may be given."`
	Runs    int         `default:"100" placeholder:"N" help:"Draw what is to come N times."`
	Seed    uint64      `default:"1" placeholder:"N" help:"The runs are drawn from this number (${default}). Another number makes other runs."`
	Horizon string      `default:"14d" placeholder:"TIME" help:"How far to look ahead, such as 36h or 14d (${default}). What starts later has no time."`
	Output  string      `short:"o" enum:"table,csv,json" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
}

func (c *whenCmd) Run(s *session) error {
	const mostRuns = 10_000
	if c.Runs < 1 || c.Runs > mostRuns {
		return fail(exitUsage, "--runs needs a number from 1 to %d", mostRuns)
	}
	if err := c.check(); err != nil {
		return err
	}
	horizon, err := parseHorizon(c.Horizon)
	if err != nil {
		return err
	}
	zone, err := moment.Zone(c.TZ)
	if err != nil {
		return err
	}
	of, err := c.read(s, zone)
	if err != nil {
		return err
	}
	f, err := forecast.Make(s.ctx, of, forecast.Options{Runs: c.Runs, Seed: c.Seed, Horizon: horizon})
	if err != nil {
		return err
	}
	s.say(f.Remarks()...)
	jobs, err := c.choose(f)
	if err != nil {
		return err
	}
	switch c.Output {
	case "csv":
		return c.printCSV(s, jobs)
	case "json":
		return c.printJSON(s, f, jobs)
	}
	return c.printTable(s, jobs, zone, of.At)
}

// read returns the site that is named, as it is now.
func (c *whenCmd) read(s *session, zone *time.Location) (*forecast.Site, error) {
	named := c.names(c.Site)
	named.Vnodes = c.Nodes == ""
	p, err := s.find(named, true)
	if err != nil {
		return nil, err
	}
	if c.Nodes != "" {
		p.Nodes = s.in.Source(c.Nodes, "--nodes")
	}
	if c.At != nil {
		if p.Taken, err = c.At.In(zone); err != nil {
			return nil, err
		}
	}
	at, err := c.siteOf(s, p)
	if err != nil {
		return nil, err
	}
	at.NonPrime, at.Closed = c.NonPrime, nil // what holds later matters as well
	plan, err := c.plan(s, at)
	if err != nil {
		return nil, err
	}
	names := c.Logs
	if len(names) == 0 && c.Site != "" && c.Site != "-" {
		names = []string{c.Site}
	}
	var logs *site.Logs
	if len(names) > 0 {
		found, remarks, err := site.FindLogs(names, c.TZ, s.in)
		switch {
		case err == nil:
			logs = found
			s.say(remarks...)
		case len(c.Logs) > 0:
			return nil, s.failed(err)
		}
	}
	of, remarks, err := forecast.Read(p, at, plan, logs, zone)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	return of, nil
}

// parseHorizon reads a time such as 14d or 36h, in seconds.
func parseHorizon(text string) (int64, error) {
	const longest = 366 * 24 * time.Hour
	var span time.Duration
	days, isDays := strings.CutSuffix(text, "d")
	n, err := strconv.ParseFloat(days, 64)
	if isDays {
		span = time.Duration(n * float64(24*time.Hour))
	} else {
		span, err = time.ParseDuration(text)
	}
	if err != nil || !(span >= time.Minute && span <= longest) {
		return 0, fail(exitUsage, "--horizon needs a time from 1m to 366d, such as 36h or 14d")
	}
	return int64(span / time.Second), nil
}

// choose returns the jobs of a forecast that are asked for.
func (c *whenCmd) choose(f *forecast.Forecast) ([]*forecast.Job, error) {
	matches := func(j *forecast.Job, id string) bool {
		number, _, _ := strings.Cut(j.ID, ".")
		array, _, isSubjob := strings.Cut(number, "[")
		return j.ID == id || number == id || isSubjob && (array == id || array+"[]" == id || strings.HasPrefix(id, array+"[]."))
	}
	for _, id := range c.Job {
		if !slices.ContainsFunc(f.Jobs, func(j *forecast.Job) bool { return matches(j, id) }) {
			return nil, fail(exitUsage, "no job %s waits", id)
		}
	}
	users := map[string]bool{}
	for _, j := range f.Jobs {
		users[j.User] = true
	}
	for _, user := range c.User {
		if !users[user] {
			return nil, fail(exitUsage, "no job of user %s waits", user)
		}
	}
	var jobs []*forecast.Job
	for _, j := range f.Jobs {
		isAsked := len(c.Job) == 0 || slices.ContainsFunc(c.Job, func(id string) bool { return matches(j, id) })
		if isAsked && (len(c.User) == 0 || slices.Contains(c.User, j.User)) {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// unixOrEmpty returns a time in seconds since 1970, "" for one after the horizon.
func unixOrEmpty(at float64) string {
	if math.IsInf(at, 1) {
		return ""
	}
	return strconv.FormatInt(int64(math.Round(at)), 10)
}

func placeOrEmpty(place int) string {
	if place == 0 {
		return ""
	}
	return strconv.Itoa(place)
}

func (c *whenCmd) printCSV(s *session, jobs []*forecast.Job) error {
	out := report.NewCSV(s.out)
	out.Write("job", "queue", "user", "place", "p10", "p50", "p90", "requested", "reason")
	for _, j := range jobs {
		out.Write(j.ID, j.Queue, j.User, placeOrEmpty(j.Place), unixOrEmpty(j.Low), unixOrEmpty(j.Median), unixOrEmpty(j.High), unixOrEmpty(j.Requested), j.Reason)
	}
	return out.Flush()
}

// whenLine is a job of a forecast in JSON; times are in seconds since 1970, null if after the
// horizon.
type whenLine struct {
	Job       string         `json:"job"`
	Queue     string         `json:"queue"`
	User      string         `json:"user"`
	Place     int            `json:"place"` // 0 for one that the scheduler does not look at
	P10       *report.Number `json:"p10"`
	P50       *report.Number `json:"p50"`
	P90       *report.Number `json:"p90"`
	Requested *report.Number `json:"requested"`
	Today     float64        `json:"today"` // the part of the runs in which it starts within a day
	Reason    string         `json:"reason"`
}

func (c *whenCmd) printJSON(s *session, f *forecast.Forecast, jobs []*forecast.Job) error {
	lines := []whenLine{}
	at := func(x float64) *report.Number {
		if math.IsInf(x, 1) {
			return nil
		}
		return report.Optional(math.Round(x))
	}
	for _, j := range jobs {
		lines = append(lines, whenLine{j.ID, j.Queue, j.User, j.Place, at(j.Low), at(j.Median), at(j.High), at(j.Requested), j.Within(float64(f.At) + 24*3600), j.Reason})
	}
	return s.encode(map[string]any{"at": f.At, "runs": f.Runs, "seed": c.Seed, "learned_from": f.Past, "jobs": lines})
}

func (c *whenCmd) printTable(s *session, jobs []*forecast.Job, zone *time.Location, now int64) error {
	clock := func(at float64) string {
		if math.IsInf(at, 1) {
			return "after " + c.Horizon
		}
		return time.Unix(int64(at), 0).In(zone).Format("Mon 02 Jan 15:04")
	}
	table := [][]string{{"PLACE", "JOB", "USER", "QUEUE", "STARTS ABOUT", "8 OF 10 FROM", "TO", "WITHIN A DAY", "AS REQUESTED", "WAITS FOR"}}
	for _, j := range jobs {
		if j.Held != "" {
			table = append(table, []string{"", j.ID, j.User, j.Queue, "", "", "", "", "", j.Reason})
			continue
		}
		table = append(table, []string{placeOrEmpty(j.Place), j.ID, j.User, j.Queue, clock(j.Median), clock(j.Low), clock(j.High),
			fmt.Sprintf("%.0f %%", 100*j.Within(float64(now)+24*3600)), clock(j.Requested), j.Reason})
	}
	if len(jobs) == 0 {
		fmt.Fprintln(s.out, "no job waits")
		return nil
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column == 7 }})
}
