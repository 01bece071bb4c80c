package cli

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// timed returns the logs that are named where they tell how long jobs ran and not when, and what is asked for needs no more; nil for others.
func (c *historyCmd) timed(s *session) *pbssite.Logs {
	if c.isGiven() || c.Budget != "" || c.From != nil || c.To != nil || c.Lines || c.Output == "swf" {
		return nil
	}
	var sources []file.Source
	var begins [][]byte
	for _, name := range c.Logs {
		t, err := s.in.Tree(name, "") // a look alone, since others may read it
		if err != nil || t.FS != nil {
			return nil
		}
		sources, begins = append(sources, t.Single), append(begins, t.First)
	}
	for _, f := range s.in.Formats {
		if f.Timed == nil {
			continue
		}
		if format := f.Timed(begins); format != nil {
			return pbssite.LogsOf(sources, c.TZ, []trace.Format{*format}, 0)
		}
	}
	return nil
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
	charges, err := history.ParseCharges(c.Charge)
	if err != nil {
		return fail(exitUsage, "--charge: %v", err)
	}
	h := history.New(c.choice(), p, charges)
	t, err := s.readLogs(logs, h.Keep(true))
	if err != nil {
		return err
	}
	remarks, err := h.Close(t)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	switch {
	case h.Count == 0:
		return nil
	case c.Output == "csv":
		return newHistoryListing(h, charges != nil).WriteCSV(s.out)
	case c.Output == "json":
		return newHistoryListing(h, charges != nil).WriteJSON(s.out)
	case len(c.Job) > 0:
		return c.printJobs(s, h, zone)
	}
	return c.printUse(s, h)
}

// printUse prints how many core hours the jobs of each name used, and how much of them their cpus were busy.
func (c *historyCmd) printUse(s *session, h *history.History) error {
	all := h.UseBy(trace.Kind{Of: func(*trace.Job) string { return "" }})[0]
	fmt.Fprintf(s.out, "%s with %s core hours, of which nothing tells when they came and ran: there are no waits, and nothing by day (%s)\n", report.Count(h.Count, "job"), report.Fixed(all.CoreHours, 1), h.Trace.TimesBy())
	if of := c.choice().OfOneUser(h.Trace); of != "" {
		fmt.Fprintf(s.out, "%s: the figures are of these jobs alone\n", report.Capital(of))
	}
	for _, kind := range h.Trace.TellingKinds(h.Jobs) {
		rows := [][]string{{strings.ToUpper(h.Trace.WordFor(kind.Name)), "JOBS", "CORE HOURS", "CPU EFFICIENCY"}}
		for _, u := range h.UseBy(kind) {
			rows = append(rows, []string{report.DashIfEmpty(u.Name), strconv.Itoa(u.Jobs), report.Fixed(u.CoreHours, 1), report.Percent(u.CPU.Part(), 1)})
		}
		fmt.Fprintln(s.out)
		if err := s.print(report.Table{Rows: report.FirstRows(rows, c.Top, ""), Right: func(column int) bool { return column > 0 }}); err != nil {
			return err
		}
	}
	return nil
}
