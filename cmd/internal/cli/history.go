package cli

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
)

// logFlags name accounting logs.
type logFlags struct {
	Logs []string `arg:"" name:"logs" help:"Accounting logs: a snapshot, a directory, or files (also packed), - for standard input; or a trace in the Standard Workload Format."`
	TZ   string   `name:"tz" placeholder:"ZONE" help:"The time zone of the logs, such as Europe/Berlin; else as their records tell, and this machine's."`

	cpus       int64            // that the site of the logs has, 0 if that is not known
	continuity trace.Continuity // of what was read
	isLacking  bool             // whether something among the logs could not be read as one
	opened     []*snapshot.Snapshot
}

type historyCmd struct {
	logFlags
	From   *moment  `placeholder:"TIME" help:"The time from TIME on: what was occupied then, the waits of jobs that started and the core hours of those that ended."`
	To     *moment  `placeholder:"TIME" help:"The time before TIME; likewise."`
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
	if err := c.checkPeriod(zone); err != nil {
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
	p, err := c.period(t, zone)
	if err != nil {
		return err
	}
	chosen, held := c.selected(t)
	jobs := slices.DeleteFunc(chosen, func(j *trace.Job) bool { return !p.touches(j) })
	if held > 0 {
		s.diag.Note("left out: %s that could never run: held, or deleted before", report.Count(held, "job"))
	}
	c.sayMissing(s, t)
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
	return c.print(s, t, jobs, p, zone)
}

// sources returns the logs.
func (c *logFlags) sources(s *session) ([]file.Source, error) {
	var logs []file.Source
	var without error
	var links []diag.Remark // of snapshots without logs
	for _, name := range c.Logs {
		if name == "-" {
			if err := s.takeInput("the log"); err != nil {
				return nil, err
			}
		}
		more, remarks, err := snapshot.Logs(name, s.in)
		var none *snapshot.NoLogsError
		switch {
		case errors.As(err, &none):
			without, links = failure{exitUnreadable, err}, append(links, remarks...) // it may be the site that the logs are of
			continue
		case err != nil:
			return nil, failure{exitUnreadable, err}
		}
		s.say(remarks...)
		c.isLacking = c.isLacking || len(remarks) > 0
		logs = append(logs, more...)
	}
	if len(logs) == 0 && without != nil {
		s.say(links...)
		return nil, without
	}
	return logs, nil
}

// snapshots returns those of the logs that are snapshots of a site, which have more of it
// than logs.
func (c *logFlags) snapshots() []*snapshot.Snapshot {
	if c.opened == nil {
		c.opened = []*snapshot.Snapshot{}
		for _, name := range c.Logs {
			if name == "-" {
				continue // it is read once, as a log
			}
			if snap, err := snapshot.Open(name, nil); err == nil && !snap.IsFile() {
				c.opened = append(c.opened, snap)
			}
		}
	}
	return c.opened
}

// countCPUs returns the cpus of the site that the logs come from, 0 where nothing tells.
func (c *logFlags) countCPUs() int64 {
	for _, snap := range c.snapshots() {
		if !snap.Nodes().IsGiven() {
			continue
		}
		const most = 1 << 30
		text, err := snap.Nodes().Text(most)
		if err != nil {
			continue
		}
		if nodes, err := cluster.Parse(text, cluster.Checks{}, true); err == nil {
			return int64(nodes.Total("ncpus"))
		}
	}
	return 0
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

// read reads logs, or a single trace in the Standard Workload Format, and says first what is
// missing of them.
func (c *logFlags) read(s *session, logs []file.Source, zone *time.Location, keep trace.Keep) (*trace.Trace, error) {
	keep.ZoneTold = c.TZ == ""
	t, err := trace.Read(logs, zone, keep)
	if err != nil {
		return nil, s.failed(err)
	}
	c.cpus = c.countCPUs()
	c.continuity = t.Continuity(c.cpus)
	s.say(c.continuity.Remarks()...)
	switch off := t.ZoneOff(); {
	case off != 0 && c.TZ == "":
		s.diag.Note("local times of the logs are %s off this machine's: they are read as the times since 1970 in them tell, and printed in %s (--tz)", signed(float64(off)), zoneName(zone, t.Last))
	case off != 0:
		s.diag.Warning("local times of the logs are %s off the times since 1970 in them: %s is not their zone (--tz)", signed(float64(off)), zone)
	}
	const most = 10 // problems that are told one by one
	for i, problem := range t.Problems {
		if i == most {
			more := len(t.Problems) - most + t.Unlisted
			are := "are"
			if more == 1 {
				are = "is"
			}
			s.diag.Warning("and %s that %s not read", report.Count(more, "more line"), are)
			break
		}
		s.diag.Warning("%v", problem)
	}
	s.partly = s.partly || len(t.Problems) > 0
	s.isCut = s.isCut || slices.ContainsFunc(t.Problems, trace.Problem.IsCut)
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
			problem := trace.Problem{File: log.Name, Line: number, Detail: why}
			s.partly, s.isCut = true, s.isCut || problem.IsCut()
			s.diag.Warning("%v", problem)
		}
		clock := trace.NewClock(zone, c.TZ == "")
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
				out := lineOfLog{Time: clock.Unix(l), Type: l.Type, ID: l.ID, Attributes: map[string]string{}, Text: strings.TrimRight(l.Text, " ")}
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

// period is the time that is asked for.
type period struct {
	from, to int64 // cut to that of the logs
	isWhole  bool  // whether it is all of that
}

// has reports whether a time lies in the period.
func (p period) has(at int64) bool { return at != trace.Unknown && at >= p.from && at < p.to }

// touches reports whether a job has waited or run in the period.
func (p period) touches(j *trace.Job) bool {
	if p.isWhole {
		return true
	}
	first, last := j.Arrival, j.End
	if first == trace.Unknown {
		first = j.Start
	}
	for _, r := range j.Earlier() {
		first = min(first, r.Start)
	}
	return first < p.to && (last == trace.Unknown || last >= p.from)
}

// stateOf returns what a job is at the end of the period.
func (p period) stateOf(j *trace.Job) trace.State {
	switch {
	case j.State == trace.Deleted && j.End >= p.to, j.Start != trace.Unknown && j.Start >= p.to:
		return trace.Waiting
	case j.State == trace.Ended && j.End >= p.to:
		return trace.Running
	}
	return j.State
}

// checkPeriod returns what is wrong with --from and --to beside each other.
func (c *historyCmd) checkPeriod(zone *time.Location) error {
	if c.From == nil || c.To == nil {
		return nil
	}
	from, err := c.From.in(zone)
	if err != nil {
		return err
	}
	to, err := c.To.in(zone)
	if err == nil && !from.Before(to) {
		return fail(exitUsage, "--from %s is not earlier than --to %s", from.In(zone).Format(timeLayout), to.In(zone).Format(timeLayout))
	}
	return err
}

// sayMissing says which of the names that are asked for no job of the logs has.
func (c *historyCmd) sayMissing(s *session, t *trace.Trace) {
	if !c.chooses() || len(t.Jobs) == 0 {
		return
	}
	for _, kind := range []struct {
		name   string
		wanted []string
		of     func(*trace.Job) int32
	}{
		{"user", c.User, func(j *trace.Job) int32 { return j.User }},
		{"group", c.Group, func(j *trace.Job) int32 { return j.Group }},
		{"queue", c.Queue, func(j *trace.Job) int32 { return j.Queue }},
	} {
		names := map[int32]string{}
		for _, j := range t.Jobs {
			if name := t.Names.List[kind.of(j)]; name != "" {
				names[kind.of(j)] = name
			}
		}
		s.sayMissing(kind.name, kind.wanted, slices.Collect(maps.Values(names)))
	}
}

// period returns what --from and --to name.
func (c *historyCmd) period(t *trace.Trace, zone *time.Location) (period, error) {
	p := period{from: t.First, to: t.Last + 1, isWhole: c.From == nil && c.To == nil}
	for _, end := range []struct {
		flag *moment
		at   *int64
		cut  func(x ...int64) int64
	}{{c.From, &p.from, func(x ...int64) int64 { return slices.Max(x) }}, {c.To, &p.to, func(x ...int64) int64 { return slices.Min(x) }}} {
		if end.flag == nil {
			continue
		}
		at, err := end.flag.in(zone)
		if err != nil {
			return p, err
		}
		*end.at = end.cut(*end.at, at.Unix())
	}
	return p, nil
}

// selected returns the jobs of those that the flags ask for, whenever they ran, without those
// that could never run, and how many those are.
func (c *historyCmd) selected(t *trace.Trace) (jobs []*trace.Job, held int) {
	has := func(wanted []string, name int32) bool {
		return wanted == nil || slices.Contains(wanted, t.Names.List[name])
	}
	for _, j := range t.Jobs {
		hasCome := j.Arrival != trace.Unknown || j.Start != trace.Unknown || len(j.Earlier()) > 0
		if !j.IsArray && !hasCome {
			held++
		}
		if !j.IsArray && hasCome && has(c.User, j.User) && has(c.Group, j.Group) && has(c.Queue, j.Queue) {
			jobs = append(jobs, j)
		}
	}
	return jobs, held
}

// chooses reports whether the flags ask for the jobs of some only.
func (c *historyCmd) chooses() bool { return c.User != nil || c.Group != nil || c.Queue != nil }

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

// print prints the summary: the machine, and figures by queue, user, group and size. The
// machine is what all jobs occupied in the period; waits are those of jobs that started in
// it, core hours those of jobs that ended in it.
func (c *historyCmd) print(s *session, t *trace.Trace, jobs []*trace.Job, p period, zone *time.Location) error {
	if len(jobs) == 0 || p.from >= p.to {
		return nil
	}
	c.printMachine(s, t, jobs, p, zone)
	for _, kind := range t.TellingKinds(jobs) {
		if err := c.printFigures(s, kind, jobs, p); err != nil {
			return err
		}
	}
	return nil
}

// printMachine prints how many jobs there were, and what was occupied as a picture.
func (c *historyCmd) printMachine(s *session, t *trace.Trace, jobs []*trace.Job, p period, zone *time.Location) {
	states := map[trace.State]int{}
	for _, j := range jobs {
		states[p.stateOf(j)]++
	}
	clock := func(at int64) string { return time.Unix(at, 0).In(zone).Format(timeLayout) }
	fmt.Fprintf(s.out, "%s from %s to %s", report.Count(len(jobs), "job"), clock(p.from), clock(p.to-1))
	for _, state := range []struct {
		state trace.State
		words string
	}{{trace.Running, "still running"}, {trace.Waiting, "still waiting"}, {trace.Deleted, "deleted while they waited"}} {
		if n := states[state.state]; n > 0 {
			fmt.Fprintf(s.out, ", %d %s", n, state.words)
		}
	}
	fmt.Fprintln(s.out)
	everybody := t.Occupations(slices.DeleteFunc(slices.Clone(t.Jobs), func(j *trace.Job) bool { return j.IsArray }))
	cpus := c.cpus
	of := fmt.Sprintf("the %d that the site has", cpus)
	if cpus == 0 {
		cpus = trace.Largest(everybody)
		of = fmt.Sprintf("the %d that were in use at most", cpus)
	}
	if cpus == 0 {
		return
	}
	mean, note := trace.Mean, ""
	if p.isWhole {
		mean, note = trace.MeanInside, ", without the first and the last tenth of the time"
	}
	part := func(list []trace.Occupation) float64 { return 100 * mean(list, p.from, p.to) / float64(cpus) }
	fmt.Fprintf(s.out, "cpus in use on average%s: %.1f%% of %s", note, part(everybody), of)
	shown := everybody
	if c.chooses() {
		shown = t.Occupations(jobs)
		fmt.Fprintf(s.out, ", %.1f%% by %s", part(shown), strings.Join(slices.Concat(c.User, c.Group, c.Queue), ", "))
	}
	const columns = 60
	fmt.Fprintf(s.out, "\n\ncpus in use  |%s|\n", report.Spark(trace.Means(shown, p.from, p.to, columns), float64(cpus)))
}

// printFigures prints the figures of the names of a kind, those with the most core
// hours first, with the mean wait as a bar.
func (c *historyCmd) printFigures(s *session, kind trace.Kind, jobs []*trace.Job, p period) error {
	type row struct {
		name string
		trace.Figures
	}
	var rows []row
	longest := 0.
	for name, some := range kind.Groups(jobs) {
		f := trace.FiguresIn(some, p.has)
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
