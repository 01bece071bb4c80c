package cli

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// printCounts prints how many jobs of each name ended, and how, of which nothing tells when they ran, nor for how long.
func (c *historyCmd) printCounts(s *session, h *history.History) error {
	all := h.Counts(trace.Kind{Of: func(*trace.Job) string { return "" }})[0]
	fmt.Fprintf(s.out, "%s, of which nothing tells when they came and ran, and for how long: there are no hours and no waits (%s)\n", report.Count(all.Jobs, "job"), h.Trace.TimesBy())
	fmt.Fprintf(s.out, "%d ended well, %d otherwise, %d still running, %d still waiting\n", all.Well, all.Badly, all.Running, all.Awaiting)
	if ends := h.BadEnds(); ends != nil {
		fmt.Fprintf(s.out, "ended otherwise: %s\n", report.Printable(strings.Join(ends, ", ")))
	}
	kinds, err := c.kindsOfUse(h, "name")
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if kind.Name == "size" && !c.isGiven() { // of which few tell something of those that never ran
			continue
		}
		rows := [][]string{{strings.ToUpper(h.Trace.WordFor(kind.Name)), "JOBS", "ENDED WELL", "OTHERWISE", "STILL RUN", "STILL WAIT"}}
		for _, x := range h.Counts(kind) {
			row := []string{report.DashIfEmpty(x.Name)}
			for _, n := range []int{x.Jobs, x.Well, x.Badly, x.Running, x.Awaiting} {
				row = append(row, strconv.Itoa(n))
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
