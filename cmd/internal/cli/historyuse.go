package cli

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/report"
)

// usedOf says how much of what they were given jobs used that have ended, "" where nothing tells it.
func usedOf(p history.Parts) string {
	var list []string
	for _, x := range []struct {
		of   history.Efficiency
		what string
	}{{p.CPU, "cpu time"}, {p.Memory, "memory"}, {p.Walltime, "walltime"}} {
		if part := x.of.Part(); !math.IsNaN(part) {
			list = append(list, atLeast(x.of.IsAtLeast, report.Percent(part, 1))+" of their "+x.what)
		}
	}
	if list == nil {
		return ""
	}
	return "the jobs that ended used " + report.Listed(list) + " (long jobs count for more)"
}

// printUsed prints how much of what they were given jobs used that have ended: all together, and single ones.
func (c *historyCmd) printUsed(s *session, h *history.History) {
	if text := usedOf(h.Used); text != "" {
		fmt.Fprintln(s.out, text)
	}
	c.printLimits(s, h)
}

// printLimits prints what single jobs used of their memory and walltime, which says what to ask for, where there is more than one.
func (c *historyCmd) printLimits(s *session, h *history.History) {
	isTold := false
	for _, x := range []struct {
		of   history.Limit
		what string
		text func(float64) string
	}{{h.Limits.Memory, "memory", history.Memory.Text}, {h.Limits.Walltime, "walltime", history.Seconds.Text}} {
		if x.of.Jobs() < 2 {
			continue
		}
		isTold = true
		const few = 10 // jobs, of fewer of which a part says less than the largest
		most := fmt.Sprintf("job %s used the most of %d jobs", report.Printable(x.of.Job), x.of.Jobs())
		if x.of.Jobs() >= few {
			most = fmt.Sprintf("half of %d jobs used up to %s, 9 of 10 up to %s, and job %s the most", x.of.Jobs(), report.Percent(x.of.UpTo(.5), 1), report.Percent(x.of.UpTo(.9), 1), report.Printable(x.of.Job))
		}
		fmt.Fprintf(s.out, "of their %s, %s: %s, %s of %s", x.what, most, atLeast(x.of.IsAtLeast, report.Percent(x.of.Part(), 1)), x.text(x.of.Used), x.text(x.of.Given))
		if x.of.Ended > 0 {
			fmt.Fprintf(s.out, "; %d ran into that limit", x.of.Ended)
		}
		fmt.Fprintln(s.out)
	}
	if isOfOne := len(c.User) == 1 || c.choice().OfOneUser(h.Trace) != "" || h.Trace.IsTimed; isTold && isOfOne && !c.isGiven() {
		fmt.Fprintln(s.out, "what jobs of one name used at most: --by name")
	}
}
