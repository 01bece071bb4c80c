package main

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
)

// logFlags name accounting logs.
type logFlags struct {
	Logs []string `arg:"" name:"logs" help:"Accounting logs: a snapshot, a directory, or files (also packed), - for standard input; or a trace in the Standard Workload Format."`
	TZ   string   `name:"tz" placeholder:"ZONE" help:"The time zone of the logs, such as Europe/Berlin; else this machine's."`
}

type historyCmd struct {
	logFlags
	From   *moment  `placeholder:"TIME" help:"Only jobs that arrived at TIME or later."`
	To     *moment  `placeholder:"TIME" help:"Only jobs that arrived before TIME."`
	User   []string `placeholder:"NAME" help:"Only this user's jobs; several may be given."`
	Group  []string `placeholder:"NAME" help:"Only this group's jobs; several may be given."`
	Queue  []string `placeholder:"NAME" help:"Only this queue's jobs; several may be given."`
	Output string   `short:"o" enum:"table,csv,json,swf" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top    int      `default:"10" placeholder:"N" help:"How many names of each kind the table has (0: all)."`
	Lines  bool     `help:"Print each line of the logs as JSON."`
	Check  bool     `help:"Report each line that is not read and printed back alike."`
}

func (c *historyCmd) Run(s *session) error {
	if c.Top < 0 {
		return fail(exitUsage, "--top needs a number that is not negative")
	}
	zone, err := c.zone()
	if err != nil {
		return err
	}
	logs, err := c.sources(s)
	switch {
	case err != nil:
		return err
	case c.Lines && c.Check:
		return fail(exitUsage, "--lines and --check are two things to do, give one of them")
	case (c.Lines || c.Check) && (c.From != nil || c.To != nil || len(c.User)+len(c.Group)+len(c.Queue) > 0 || c.Output != "table"):
		return fail(exitUsage, "--lines and --check are of all lines, without --from, --to, --user, --group, --queue and --output")
	case c.Lines || c.Check:
		return c.eachLine(s, logs, zone)
	}
	debug.SetGCPercent(60) // of a long log much is kept
	t, err := c.read(s, logs, zone, trace.Keep{})
	if err != nil {
		return err
	}
	jobs, held := c.selected(t, zone)
	if held > 0 {
		s.diag.Note("left out: %s that could never run: held, or deleted before", report.Count(held, "job"))
	}
	switch {
	case len(t.Jobs) == 0:
		s.diag.Warning("there is no job in the logs")
	case len(jobs) == 0:
		s.diag.Warning("the logs have %s, but none that is asked for", report.Count(len(t.Jobs), "job"))
	}
	switch c.Output {
	case "csv":
		return printHistoryCSV(s, t, jobs)
	case "json":
		return report.WriteArray(s.out, historyLines(t, jobs))
	case "swf":
		return t.WriteSWF(s.out, jobs)
	}
	return c.print(s, t, jobs, zone)
}

// sources returns the logs.
func (c *logFlags) sources(s *session) ([]file.Source, error) {
	var logs []file.Source
	var without error
	for _, name := range c.Logs {
		if name == "-" {
			if err := s.takeInput("the log"); err != nil {
				return nil, err
			}
		}
		more, err := snapshot.Logs(name, s.in)
		var none *snapshot.NoLogsError
		switch {
		case errors.As(err, &none):
			without = failure{exitUnreadable, err} // it may be the site that the logs are of
		case err != nil:
			return nil, failure{exitUnreadable, err}
		}
		logs = append(logs, more...)
	}
	if len(logs) == 0 && without != nil {
		return nil, without
	}
	return logs, nil
}

// snapshots yields those of the logs that are snapshots of a site, which have more of it
// than logs.
func (c *logFlags) snapshots() iter.Seq[*snapshot.Snapshot] {
	return func(yield func(*snapshot.Snapshot) bool) {
		for _, name := range c.Logs {
			if name == "-" {
				continue // it is read once, as a log
			}
			snap, err := snapshot.Open(name, nil)
			if err == nil && !snap.IsFile() && !yield(snap) {
				return
			}
		}
	}
}

// zone returns the time zone of the logs.
func (c *logFlags) zone() (*time.Location, error) {
	if c.TZ == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(c.TZ)
	if err != nil {
		return nil, fail(exitUsage, "--tz %s is no time zone that this machine knows", c.TZ)
	}
	return zone, nil
}

// read reads logs, or a single trace in the Standard Workload Format.
func (c *logFlags) read(s *session, logs []file.Source, zone *time.Location, keep trace.Keep) (*trace.Trace, error) {
	t, err := trace.Read(logs, zone, keep)
	if err != nil {
		return nil, s.failed(err)
	}
	if off := t.ZoneOff(); off != 0 {
		s.diag.Warning("local times of the logs are %s off the times since 1970 in them: %s is not their zone (--tz)", signed(float64(off)), zone)
	}
	const most = 10 // problems that are told one by one
	for i, problem := range t.Problems {
		if i == most {
			s.diag.Warning("and %d more lines that are not read", len(t.Problems)-most+t.Unlisted)
			break
		}
		s.diag.Warning("%v", problem)
	}
	s.partly = s.partly || len(t.Problems) > 0
	if len(t.Jobs) == 0 && len(t.Problems) > 0 {
		return nil, fail(exitUnreadable, "%s is neither an accounting log nor a trace in the Standard Workload Format", logs[0].Name)
	}
	return t, nil
}

// lineOfLog is a line of a log in JSON.
type lineOfLog struct {
	Time       int64             `json:"time"`
	Type       string            `json:"type"`
	ID         string            `json:"id"`
	Attributes map[string]string `json:"attributes"`
	Text       string            `json:"text"`
}

// eachLine prints the lines of logs as JSON, or checks that they print back.
func (c *historyCmd) eachLine(s *session, logs []file.Source, zone *time.Location) error {
	for _, log := range logs {
		damaged := func(number int, why string) {
			s.partly = true
			s.diag.Warning("%v", trace.Problem{File: log.Name, Line: number, Detail: why})
		}
		clock := trace.NewClock(zone)
		err := trace.EachLine(log, func(number int, line []byte) error {
			if len(strings.TrimSpace(string(line))) == 0 {
				return nil
			}
			if number == 1 && (trace.IsSWF(line) || trace.IsQstat(line)) {
				return fail(exitUsage, "%s is no accounting log, and --lines and --check are for those", log.Name)
			}
			l, why := trace.ParseLine(line)
			switch {
			case why != "":
				damaged(number, why)
			case c.Check && l.String() != string(line):
				damaged(number, "it prints back as "+l.String())
			case c.Lines:
				out := lineOfLog{Time: clock.Unix(l.Stamp), Type: l.Type, ID: l.ID, Attributes: map[string]string{}, Text: strings.TrimRight(l.Text, " ")}
				for _, a := range l.Attributes {
					out.Attributes[a.Name] = a.Value
				}
				return report.WriteLine(s.out, out)
			}
			return nil
		}, damaged)
		if err != nil {
			return s.failed(err)
		}
	}
	return nil
}

// span returns the times of --from and --to, or ones beyond all others.
func (c *historyCmd) span(zone *time.Location) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if c.From != nil {
		from = c.From.in(zone).Unix()
	}
	if c.To != nil {
		to = c.To.in(zone).Unix()
	}
	return from, to
}

// selected returns the jobs that the flags ask for, without those that could never
// run, and how many those are.
func (c *historyCmd) selected(t *trace.Trace, zone *time.Location) (jobs []*trace.Job, held int) {
	from, to := c.span(zone)
	isAll := c.From == nil && c.To == nil
	has := func(wanted []string, name int32) bool {
		return wanted == nil || slices.Contains(wanted, t.Names.List[name])
	}
	for i := range t.Jobs {
		j := t.Jobs[i]
		hasCome := j.Arrival != trace.Unknown || j.Start != trace.Unknown || len(j.Earlier()) > 0
		isInTime := isAll || j.Arrival != trace.Unknown && j.Arrival >= from && j.Arrival < to
		if !j.IsArray && !hasCome {
			held++
		}
		if !j.IsArray && hasCome && isInTime && has(c.User, j.User) && has(c.Group, j.Group) && has(c.Queue, j.Queue) {
			jobs = append(jobs, j)
		}
	}
	return jobs, held
}

// historyLine is a job in JSON. What is not known is null.
type historyLine struct {
	Job       string `json:"job"`
	Queue     string `json:"queue"`
	User      string `json:"user"`
	Group     string `json:"group"`
	Account   string `json:"account"`
	Project   string `json:"project"`
	Name      string `json:"name"`
	Arrival   *int64 `json:"arrival"`
	Start     *int64 `json:"start"`
	End       *int64 `json:"end"`
	Wait      *int64 `json:"wait"`
	Run       *int64 `json:"run"`
	NCPUs     *int64 `json:"ncpus"`
	Nodes     *int64 `json:"nodes"`
	Mem       *int64 `json:"mem"` // kb
	Walltime  *int64 `json:"walltime"`
	Exit      *int64 `json:"exit"`
	Runs      int    `json:"runs"`
	Suspended int64  `json:"suspended"`
	State     string `json:"state"`
}

func newHistoryLine(t *trace.Trace, j *trace.Job) historyLine {
	orNull := func(n int64, ok bool) *int64 {
		if !ok || n == trace.Unknown {
			return nil
		}
		return &n
	}
	names := t.Names.List
	wait, hasWait := j.Wait()
	run, hasRun := j.Run()
	runs := len(j.Earlier())
	if j.Start != trace.Unknown {
		runs++
	}
	return historyLine{
		j.ID, names[j.Queue], names[j.User], names[j.Group], names[j.Account], names[j.Project], names[j.Name],
		orNull(j.Arrival, true), orNull(j.Start, true), orNull(j.End, true), orNull(wait, hasWait), orNull(run, hasRun),
		orNull(j.NCPUs, true), orNull(j.Nodes, true), orNull(j.Mem, true), orNull(j.Walltime, true), orNull(j.Exit, true),
		runs, j.Suspended(), string(rune(j.State)),
	}
}

func historyLines(t *trace.Trace, jobs []*trace.Job) iter.Seq[historyLine] {
	return func(yield func(historyLine) bool) {
		for _, j := range jobs {
			if !yield(newHistoryLine(t, j)) {
				return
			}
		}
	}
}

func printHistoryCSV(s *session, t *trace.Trace, jobs []*trace.Job) error {
	w := report.NewCSV(s.out)
	w.Write("job", "queue", "user", "group", "account", "project", "name", "arrival", "start", "end", "wait", "run", "ncpus", "nodes", "mem", "walltime", "exit", "runs", "suspended", "state")
	orEmpty := func(n *int64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatInt(*n, 10)
	}
	for _, j := range jobs {
		l := newHistoryLine(t, j)
		w.Write(l.Job, l.Queue, l.User, l.Group, l.Account, l.Project, l.Name, orEmpty(l.Arrival), orEmpty(l.Start), orEmpty(l.End), orEmpty(l.Wait), orEmpty(l.Run),
			orEmpty(l.NCPUs), orEmpty(l.Nodes), orEmpty(l.Mem), orEmpty(l.Walltime), orEmpty(l.Exit), strconv.Itoa(l.Runs), strconv.FormatInt(l.Suspended, 10), l.State)
	}
	return w.Flush()
}

// print prints the summary: figures by queue, user, group and size, and occupation
// over time.
func (c *historyCmd) print(s *session, t *trace.Trace, jobs []*trace.Job, zone *time.Location) error {
	if len(jobs) == 0 {
		return nil
	}
	from, to := c.span(zone)
	printTimes(s, t, jobs, max(t.First, from), min(t.Last, to), zone)
	for _, kind := range t.TellingKinds(jobs) {
		if err := c.printFigures(s, kind, jobs); err != nil {
			return err
		}
	}
	return nil
}

// printTimes prints how many jobs came between two times, and the occupation as a
// picture.
func printTimes(s *session, t *trace.Trace, jobs []*trace.Job, first, last int64, zone *time.Location) {
	states := map[trace.State]int{}
	for _, j := range jobs {
		states[j.State]++
	}
	fmt.Fprintf(s.out, "%s from %s to %s", report.Count(len(jobs), "job"), time.Unix(first, 0).In(zone).Format(timeLayout), time.Unix(last, 0).In(zone).Format(timeLayout))
	for _, state := range []struct {
		state trace.State
		words string
	}{{trace.Running, "still running"}, {trace.Waiting, "still waiting"}, {trace.Deleted, "deleted while they waited"}} {
		if n := states[state.state]; n > 0 {
			fmt.Fprintf(s.out, ", %d %s", n, state.words)
		}
	}
	occupations := t.Occupations(jobs)
	largest := trace.Largest(occupations)
	if largest == 0 {
		fmt.Fprintln(s.out)
		return
	}
	mean := trace.MeanInside(occupations, first, last)
	fmt.Fprintf(s.out, "\nat most %s at once; %.1f%% of that in use on average, without the first and the last tenth of the time\n\n", report.Count(int(largest), "cpu"), 100*mean/float64(largest))
	const columns = 60
	fmt.Fprintf(s.out, "cpus in use  |%s|\n", report.Spark(trace.Means(occupations, first, last, columns), float64(largest)))
}

// printFigures prints the figures of the names of a kind, those with the most core
// hours first, with the mean wait as a bar.
func (c *historyCmd) printFigures(s *session, kind trace.Kind, jobs []*trace.Job) error {
	type row struct {
		name string
		trace.Figures
	}
	var rows []row
	longest := 0.
	for name, some := range kind.Groups(jobs) {
		f := trace.FiguresOf(some)
		rows = append(rows, row{name, f})
		if f.WaitMean > longest {
			longest = f.WaitMean
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.CoreHours != b.CoreHours {
			return int(math.Copysign(1, b.CoreHours-a.CoreHours))
		}
		return strings.Compare(a.name, b.name)
	})
	const width = 20 // columns of the longest bar
	table := [][]string{{strings.ToUpper(kind.Name), "JOBS", "CORE HOURS", "WAIT MEDIAN", "P90", "P95", "P99", "MEAN", "SLOWDOWN", ""}}
	for _, r := range rows {
		bar := ""
		if r.WaitMean > 0 && longest > 0 {
			bar = strings.Repeat("█", int(math.Round(r.WaitMean/longest*width)))
		}
		table = append(table, []string{report.DashIfEmpty(r.name), strconv.Itoa(r.Jobs), report.Fixed(r.CoreHours, 1), duration(r.WaitMedian), duration(r.WaitP90), duration(r.WaitP95),
			duration(r.WaitP99), duration(r.WaitMean), decimals(r.Slowdown, 1), bar})
	}
	if c.Top > 0 && len(table) > c.Top+1 {
		table = append(table[:c.Top+1], append([]string{fmt.Sprintf("… %d more", len(table)-1-c.Top)}, make([]string, 9)...))
	}
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 && column < 9 }})
}

// duration returns seconds as hours, minutes and seconds, "-" for NaN.
func duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return "-"
	}
	n := int64(math.Round(seconds))
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// decimals returns a number with some decimals, "-" for NaN.
func decimals(x float64, n int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return report.Fixed(x, n)
}

// signed returns a difference in time with its sign.
func signed(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case seconds < 0:
		return "-" + duration(-seconds)
	}
	return "+" + duration(seconds)
}
