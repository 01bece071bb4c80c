package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// timed returns the logs that are named where they tell how long jobs ran and not when, and what is asked for needs no more; nil for others.
func (c *historyCmd) timed(s *session) *pbssite.Logs {
	step, _, err := history.ParseBy(c.By)
	isReport := err != nil || step != history.Whole || c.HTML != nil || c.isGiven() && (c.Output != "table" || len(c.Resource) > 0 || c.Cluster != "")
	if isReport || c.Budget != "" || c.From != nil || c.To != nil || c.Lines || c.Output == "swf" {
		return nil
	}
	var trees []*file.Tree
	for _, name := range c.Logs {
		t, err := s.in.Tree(name, "") // a look alone, since others may read it
		if err != nil {
			return nil
		}
		trees = append(trees, t)
	}
	for _, f := range s.in.Formats {
		if f.Timed == nil {
			continue
		}
		sources, begins, remarks := onlyParts(trees, f)
		if format := f.Timed(begins); format != nil {
			s.say(remarks...)
			return pbssite.LogsOf(sources, c.TZ, []trace.Format{*format}, 0, nil)
		}
	}
	return nil
}

// onlyParts returns the files that are named, or stand in folders and archives, or among other texts in one, with their begins; none
// where one is no part of a record in a format.
func onlyParts(trees []*file.Tree, format trace.Format) (sources []file.Source, begins [][]byte, remarks []diag.Remark) {
	isPart := format.IsPart
	if isPart == nil {
		isPart = format.IsLike
	}
	for _, t := range trees {
		if tables, firsts, said := tablesAmong(t, format); tables != nil {
			sources, begins, remarks = append(sources, tables...), append(begins, firsts...), append(remarks, said...)
			continue
		}
		if t.FS == nil {
			sources, begins = append(sources, t.Single), append(begins, t.First)
			continue
		}
		var paths []string
		for at, err := range t.Files() {
			if err != nil {
				return nil, nil, nil
			}
			head, err := t.Head(at)
			if err != nil || !isPart([]byte(head)) {
				return nil, nil, nil
			}
			paths, begins = append(paths, at), append(begins, []byte(head))
		}
		sources = append(sources, t.Sources(paths)...)
	}
	return sources, begins, remarks
}

// tablesAmong returns the tables of a format that stand among other texts in a file of its own, with their begins; nil where there are none, or
// the first of several does not tell when jobs ran as others do.
func tablesAmong(t *file.Tree, format trace.Format) (tables []file.Source, begins [][]byte, remarks []diag.Remark) {
	if t.FS != nil || format.Among == nil {
		return nil, nil, nil
	}
	tables, remarks, err := format.Among(t)
	if err != nil {
		return nil, nil, nil
	}
	for _, table := range tables {
		head, err := table.Head()
		if err != nil {
			return nil, nil, nil
		}
		begins = append(begins, []byte(head))
	}
	if format.IsPart(t.First) && format.Timed(begins) == nil {
		return nil, nil, nil
	}
	return tables, begins, remarks
}

// printTimed prints what jobs used of which nothing tells when they ran: there are core hours and efficiencies, and neither waits nor days.
func (c *historyCmd) printTimed(s *session, logs *pbssite.Logs) error {
	zone, err := logs.Zone()
	if err != nil {
		return err
	}
	p, err := history.NewPeriod(nil, nil, zone)
	if err != nil {
		return err
	}
	h, _, err := c.read(s, logs, c.choice(), p, true)
	if err != nil {
		return err
	}
	switch {
	case h.Count == 0:
		return nil
	case c.Output == "csv":
		return c.listing(h).WriteCSV(s.out)
	case c.Output == "json":
		return c.listing(h).WriteJSON(s.out)
	case len(c.Job) > 0:
		return c.printJobs(s, h, nil, zone)
	case h.HasNoLengths():
		return c.printCounts(s, h)
	}
	return c.printUse(s, h)
}

// kindsOfUse returns the kinds of names by which jobs are summed up of which nothing tells when they ran: the one that is asked for, or those
// that tell something, and some beside them.
func (c *historyCmd) kindsOfUse(h *history.History, more ...string) ([]trace.Kind, error) {
	if _, asked, err := history.ParseBy(c.By); asked != "" {
		if err = cmp.Or(err, h.Trace.CheckKind(asked)); err != nil {
			return nil, err
		}
		return []trace.Kind{history.KindNamed(h.Trace, asked)}, nil
	}
	kinds := h.Trace.TellingKinds(h.Jobs)
	for _, name := range more {
		if h.Trace.CheckKind(name) == nil {
			kinds = append(kinds, history.KindNamed(h.Trace, name))
		}
	}
	return kinds, nil
}

// printUse prints how many core hours the jobs of each name used, and how much of them their cpus were busy.
func (c *historyCmd) printUse(s *session, h *history.History) error {
	var all history.NameUse
	if list := h.UseBy(trace.Kind{Of: func(*trace.Job) string { return "" }}); list != nil {
		all = list[0]
	}
	never := map[trace.State]int{}
	for _, j := range h.Jobs {
		if history.NeverRan(j) {
			never[j.State]++
		}
	}
	waiting, over := never[trace.Waiting], never[trace.Deleted]
	fmt.Fprintf(s.out, "%s that ended with %s core hours, of which nothing tells when they came and ran: there are no waits, and nothing by day (%s)\n", report.Count(h.Count-waiting-over-all.Runs, "job"), report.Fixed(all.CoreHours, 1), h.Trace.TimesBy())
	if all.Runs > 0 {
		fmt.Fprintf(s.out, "%s still running%s\n", report.Count(all.Runs, "job"), soFar(all.Running, trace.Unknown, nil))
	}
	c.printUsed(s, h)
	if all.Untimed > 0 {
		fmt.Fprintf(s.out, "of unknown length, and without core hours: %s\n", report.Count(all.Untimed, "job"))
	}
	if waiting+over > 0 {
		fmt.Fprintf(s.out, "never ran, and not counted: %s (%d still waiting, %d over)\n", report.Count(waiting+over, "job"), waiting, over)
	}
	if of := c.choice().OfOneUser(h.Trace); of != "" {
		fmt.Fprintf(s.out, "%s: the figures are of these jobs alone\n", report.Capital(of))
	}
	kinds, err := c.kindsOfUse(h)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		rows := [][]string{{strings.ToUpper(h.Trace.WordFor(kind.Name)), "ENDED", "CORE HOURS", "CPU EFFICIENCY"}}
		if history.TellsMost(kind.Name) {
			rows[0] = append(rows[0], "LONGEST RUN", "OF", "MOST MEMORY", "OF")
		}
		if all.Runs > 0 {
			rows[0] = append(rows[0], "RUNNING", "SO FAR")
		}
		for _, u := range h.UseBy(kind) {
			row := []string{report.DashIfEmpty(u.Name), strconv.Itoa(u.Ended), report.Fixed(u.CoreHours, 1), report.Percent(u.CPU.Part(), 1)}
			if history.TellsMost(kind.Name) {
				run, memory := u.LongestRun(), u.MostMemory()
				row = append(row, history.Seconds.Text(run.Used), history.Seconds.Text(run.Given), atLeast(memory.IsAtLeast, history.Memory.Text(memory.Used)), history.Memory.Text(memory.Given))
			}
			if all.Runs > 0 {
				row = append(row, strconv.Itoa(u.Runs), report.Fixed(u.Running, 1))
			}
			rows = append(rows, row)
		}
		fmt.Fprintln(s.out)
		if err := s.print(report.Table{Rows: report.FirstRows(rows, c.Top, ""), Right: func(column int) bool { return column > 0 }}); err != nil {
			return err
		}
	}
	return nil
}
