package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/qstat"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// logFlags name accounting logs.
type logFlags struct {
	Logs []string `arg:"" name:"logs" help:"Accounting logs: a snapshot, a directory, or files (also packed), or - for standard input. Or what qstat -xf prints (a file, or a folder with it), a trace in the Standard Workload Format, a table of sacct, a list of flux jobs -a -A --json, or a site of Slurm or flux."`
	TZ   string   `name:"tz" placeholder:"ZONE" help:"The time zone of what is printed and typed, such as Europe/Berlin, and of local times of the logs where their records tell none. Without it: the zone that they tell, or else this machine's."`
}

type historyCmd struct {
	logFlags
	reportFlags
	From    *pastFlag `placeholder:"TIME" help:"Look only at the time from TIME on, such as now-7days: what was occupied, the waits of jobs that started, and the core hours of jobs that ended."`
	To      *pastFlag `placeholder:"TIME" help:"Look only at the time before TIME, in the same way."`
	User    []string  `placeholder:"NAME" help:"Only this user's jobs; several may be given."`
	Group   []string  `placeholder:"NAME" help:"Only this group's jobs; several may be given."`
	Queue   []string  `aliases:"partition" placeholder:"NAME" help:"Only this queue's jobs, or this partition's (--partition); several may be given."`
	Project []string  `placeholder:"NAME" help:"Only this project's jobs; several may be given."`
	Account []string  `placeholder:"NAME" help:"Only this account's jobs; several may be given."`
	QOS     []string  `name:"qos" placeholder:"NAME" help:"Of Slurm: only the jobs of this QOS; several may be given."`
	Job     []string  `placeholder:"ID" help:"Only this job: what it was given of time, cpus and memory, and what it used of it, as seff has it. Several may be given, and an array is all of its tasks, in a row each."`
	Charge  []string  `sep:"none" placeholder:"QUEUE=FACTOR" help:"Charge the core hours of a queue or partition by a factor, such as gpu=8, and of all others with *=FACTOR: a column more, and what is spent of budgets. May be given more than once."`
	Output  string    `short:"o" enum:"table,csv,json,swf" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top     int       `default:"10" of:"table" placeholder:"N" help:"How many names of each kind the table shows (0: all)."`
	Lines   bool      `hidden:"" help:"Print each line of the logs as JSON."`
}

func (c *historyCmd) Run(s *session) error {
	if c.HTML != nil && !c.isGiven() && c.Budget == "" {
		c.By = []string{"user"}
		s.say(diag.Notef("the report is by user, for nothing says by what (--by)"))
	}
	if err := c.checkReport(); err != nil {
		return fail(exitUsage, "%v", err)
	}
	if c.Top < 0 {
		return fail(exitUsage, "--top needs a number that is not negative")
	}
	from, to := c.From.moment(), c.To.moment()
	if timed := c.timed(s); timed != nil {
		return c.printTimed(s, timed)
	}
	logs, recorder, err := s.records(c.Logs, c.TZ)
	if err != nil {
		return err
	}
	zone, err := logs.Zone()
	if err == nil {
		err = history.CheckMoments(from, to, zone)
	}
	isOfPart := c.From != nil || c.To != nil || c.choice().IsOfSome()
	switch {
	case err != nil:
		return err
	case c.Lines && (isOfPart || c.isGiven() || c.Budget != "" || c.Output != "table"):
		return fail(exitUsage, "--lines is of all lines, without --from, --to, --by, --budget, --user and its like, and --output")
	case c.Lines:
		return c.eachLine(s, logs)
	}
	s.keepsMuch() // of a long log much is kept
	if c.Budget != "" {
		return c.budgets(s, logs, recorder, zone)
	}
	if c.isGiven() {
		return c.report(s, logs, recorder, zone)
	}
	p, err := history.NewPeriod(from, to, zone)
	if err != nil {
		return err
	}
	h, t, err := c.read(s, logs, c.nested(recorder), p, c.Output != "table" || len(c.Job) > 0)
	if err != nil {
		return err
	}
	if isEmpty := h.Count == 0 || h.Period.From >= h.Period.To; isEmpty && !c.choice().IsOfSome() {
		s.sayNoJob(t, from, to, zone)
	}
	switch c.Output {
	case "csv":
		return c.listing(h).WriteCSV(s.out)
	case "json":
		return c.listing(h).WriteJSON(s.out)
	case "swf":
		return t.WriteSWF(s.out, h.Jobs)
	}
	if err := checkRecord(logs, t); err != nil {
		return err
	}
	if len(c.Job) > 0 {
		return c.printJobs(s, h, recorder, zone)
	}
	return c.print(s, h, logs.CPUs, zone)
}

// read returns the history of the jobs of logs that are chosen, in a period, and the trace that it is of. keepsAll says whether each of
// these jobs is asked for, and not sums alone.
func (c *historyCmd) read(s *session, logs *pbssite.Logs, choice history.Choice, p history.Period, keepsAll bool) (*history.History, *trace.Trace, error) {
	charges, err := history.ParseCharges(c.Charge)
	if err != nil {
		return nil, nil, fail(exitUsage, "--charge: %v", err)
	}
	h := history.New(choice, p, charges)
	t, err := s.readLogs(logs, h.Keep(keepsAll))
	if err != nil {
		return nil, nil, err
	}
	remarks, err := h.Close(t)
	if s.say(remarks...); err != nil {
		return nil, nil, s.failed(err)
	}
	return h, t, nil
}

// checkRecord returns an error for a list of the jobs of now: figures of what ran would be none, as if nobody had used anything.
func checkRecord(logs *pbssite.Logs, t *trace.Trace) error {
	if !t.IsOfNow {
		return nil
	}
	return fmt.Errorf("%s is a list of jobs of now, of which none has ended, and no record of what ran: accounting logs are (server_priv/accounting, which root may read), and %s", logs.Sources[0].Name, qstat.PrintsEnded)
}

// sayNoJob says that no job of logs is what was asked for of a time, and what time they cover. Of logs without any job it is said before.
func (s *session) sayNoJob(t *trace.Trace, from, to *moment.Moment, zone *time.Location) {
	if t.Begin() == trace.Unknown {
		return
	}
	begin, last := moment.Clock(t.Begin(), zone), moment.Clock(t.Last, zone)
	beside := ""
	if isPast(from, zone, func(at int64) bool { return at > t.Last }) {
		beside = ", all of it before --from"
	} else if isPast(to, zone, func(at int64) bool { return at <= t.Begin() }) {
		beside = ", all of it after --to"
	}
	s.say(diag.Warningf("the logs have no such job: they go from %s to %s%s", begin, last, beside))
}

// isPast reports whether a moment is given of which something is so.
func isPast(m *moment.Moment, zone *time.Location, is func(at int64) bool) bool {
	if m == nil {
		return false
	}
	at, err := m.In(zone)
	return err == nil && is(at.Unix())
}

// choice returns whose jobs are asked for.
func (c *historyCmd) choice() history.Choice {
	return history.Choice{Users: c.User, Groups: c.Group, Queues: c.Queue, Projects: c.Project, Accounts: c.Account, QOS: c.QOS, Jobs: c.Job}
}

// nested returns whose jobs are asked for, with the tree of accounts of the site where some of these are chosen and it tells one.
func (c *historyCmd) nested(recorder site.Recorder) history.Choice {
	choice := c.choice()
	if len(c.Account) > 0 {
		choice.Parents = parentsOf(recorder)
	}
	return choice
}

// parentsOf returns the account that each is directly below at a site with a record, nil where nothing tells it.
func parentsOf(recorder site.Recorder) trace.Parents {
	if tree, ok := recorder.(site.Nested); ok {
		return tree.Parents()
	}
	return nil
}

// readLogs reads logs, and says what is missing of them. An interrupt ends them early.
func (s *session) readLogs(logs *pbssite.Logs, keep trace.Keep) (*trace.Trace, error) {
	r, watched := s.watched(logs.Sources)
	logs.Sources = watched
	t, remarks, err := logs.Read(keep)
	s.progress.end()
	if s.ctx.Err() != nil && (err != nil || t.Begin() == trace.Unknown) {
		return nil, s.ctx.Err() // nothing is read
	}
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	s.say(site.Interrupted(s.ctx, r.left())...)
	return t, nil
}

// print prints the summary: the machine, and figures by queue, user, group and size. The
// machine is what all jobs occupied in the period; waits are those of jobs that started in
// it, core hours those of jobs that ended in it.
func (c *historyCmd) print(s *session, h *history.History, cpus int64, zone *time.Location) error {
	if h.Count == 0 || h.Period.From >= h.Period.To {
		return nil
	}
	c.printMachine(s, h, cpus, zone)
	for _, kind := range h.Kinds() {
		if err := c.printFigures(s, h.Trace.WordFor(kind.Name), h.Rows(kind)); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, "\nJOBS are those that started in this time, CORE HOURS those of jobs that ended in it, both with runs that were lost since the job was requeued; a bar is the mean wait.")
	return nil
}

// printCount prints how many jobs there are, and of which time, with those that have not ended, and what is said behind those that run.
func printCount(s *session, h *history.History, times, running string) {
	fmt.Fprint(s.out, report.Count(h.Count, "job"), times)
	for _, are := range []struct {
		jobs  int
		words string
	}{{h.States[trace.Running], "still running" + running}, {h.States[trace.Waiting], "still waiting"}, {h.States[trace.Deleted] - h.Failed, "deleted while waiting"}, {h.Failed, "failed before they started"}} {
		if are.jobs > 0 {
			fmt.Fprintf(s.out, ", %d %s", are.jobs, are.words)
		}
	}
	fmt.Fprintln(s.out)
}

// printMachine prints how many jobs there were, and what was occupied as a picture.
func (c *historyCmd) printMachine(s *session, h *history.History, cpus int64, zone *time.Location) {
	printCount(s, h, " from "+moment.Clock(h.Period.From, zone)+" to "+moment.Clock(h.Period.To-1, zone), soFar(h.Running, h.RunningUpTo, zone))
	if of := c.choice().OfOneUser(h.Trace); of != "" {
		fmt.Fprintf(s.out, "%s: the figures are of these jobs alone\n", report.Capital(of))
	}
	c.printUsed(s, h)
	const columns = 60
	m, ok := h.Machine(cpus, columns)
	if !ok {
		return
	}
	of, note := fmt.Sprintf("the %d that the site has", m.CPUs), ""
	if m.IsAtMost {
		of = fmt.Sprintf("the %d that were in use at most", m.CPUs)
	}
	if h.Period.IsWhole {
		note = ", without the first and the last tenth of the time"
	}
	fmt.Fprintf(s.out, "cpus in use on average%s: %.1f%% of %s", note, m.All, of)
	if names := c.choice().Names(); len(names) > 0 {
		fmt.Fprintf(s.out, ", %.1f%% by %s", m.Chosen, strings.Join(names, ", "))
	}
	fmt.Fprintf(s.out, "\n\ncpus in use  |%s|\n", report.Spark(m.Means, float64(m.CPUs)))
}

// soFar says behind jobs that run how many core hours they have used, which figures of jobs that ended do not have, up to a time if it is
// known; "" for none.
func soFar(hours float64, upTo int64, zone *time.Location) string {
	if !(hours > 0) {
		return ""
	}
	until := ""
	if upTo != trace.Unknown {
		until = ", up to " + moment.Clock(upTo, zone)
	}
	return fmt.Sprintf(" (%s core hours so far%s, beside those below)", report.Fixed(hours, 1), until)
}

// printFigures prints the figures of the names of a kind, with the mean wait as a bar.
func (c *historyCmd) printFigures(s *session, kind string, rows []history.Row) error {
	longest := 0.
	for _, r := range rows {
		if r.WaitMean > longest { // and no NaN
			longest = r.WaitMean
		}
	}
	const width = 20 // columns of the longest bar
	isCharged := len(c.Charge) > 0
	with := func(cells []string, charged string) []string { // the column of what is charged stands behind the core hours
		if isCharged {
			return slices.Insert(cells, 3, charged)
		}
		return cells
	}
	table := [][]string{with([]string{strings.ToUpper(kind), "JOBS", "CORE HOURS", "WAIT MEDIAN", "P90", "P95", "P99", "MEAN", "SLOWDOWN", ""}, "CHARGED")}
	for _, r := range rows {
		bar := ""
		if r.WaitMean > 0 && longest > 0 {
			bar = strings.Repeat("█", int(math.Round(r.WaitMean/longest*width)))
		}
		table = append(table, with([]string{report.DashIfEmpty(r.Name), strconv.Itoa(r.Jobs), report.Fixed(r.CoreHours, 1), report.Duration(r.WaitMedian), report.Duration(r.WaitP90), report.Duration(r.WaitP95),
			report.Duration(r.WaitP99), report.Duration(r.WaitMean), report.Decimals(r.Slowdown, 1), bar}, report.Fixed(r.Charged, 1)))
	}
	table = report.FirstRows(table, c.Top, "")
	fmt.Fprintln(s.out)
	isFigure := func(column int) bool { return column > 0 && column < len(table[0])-1 }
	return s.print(report.Table{Rows: table, Right: isFigure, IsDetail: func(column int) bool { return column > 1 }})
}
