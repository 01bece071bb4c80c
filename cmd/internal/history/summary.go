package history

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// Summary says in a sentence what a report comes to, "" where it has no rows. Where the logs lack a
// part of some periods, the part of the cpus that was in use is that in the others.
func (s *Sheet) Summary() string {
	if len(s.Lines) == 0 {
		return ""
	}
	of := together(s.Lines) // all jobs
	var all, whole machine
	for _, r := range s.Lines {
		all.add(r)
		if r.Lacks == "" {
			whole.add(r)
		}
	}
	text := fmt.Sprintf("From %s to %s, ", moment.Clock(s.Record.Begin, s.Zone), moment.Clock(s.Record.End-1, s.Zone))
	inUse := " of the cpus were in use"
	if s.OfOneUser != "" {
		inUse += " by jobs of " + s.user
	}
	switch use := ratio(whole.occupied, whole.supply); {
	case math.IsNaN(ratio(all.occupied, all.supply)):
		text += "jobs occupied " + report.Grouped(Hours.Text(all.occupied/secondsOfHour)) + " cpu hours, "
	case whole.periods == all.periods:
		text += Ratio.Text(use) + inUse + ", "
	case whole.periods > 0:
		text += fmt.Sprintf("%s%s (in the %d of %d periods that the logs have in full), ", Ratio.Text(use), inUse, whole.periods, all.periods)
	default:
		text += Ratio.Text(ratio(all.occupied, all.supply)) + inUse + " in the time that the logs cover, "
	}
	text += fmt.Sprintf("%s ended after %s core hours", report.Count(of.ended, "job"), report.Grouped(Hours.Text(of.coreSeconds/secondsOfHour)))
	if median := quantile(.5)(of); !math.IsNaN(median) {
		text += fmt.Sprintf(", and of %s that started half waited no longer than %s and one in ten longer than %s", report.Count(of.started, "job"), Seconds.Text(median), Seconds.Text(quantile(.9)(of)))
		if of.waiting > 0 {
			text += fmt.Sprintf(", beside %s still waiting at the end, whose waits are not in these", report.Count(of.waiting, "job"))
		}
	}
	if names := s.Choice.Names(); len(names) > 0 {
		text += " (only those of " + strings.Join(names, ", ") + ")"
	}
	if s.OfOneUser != "" {
		text += " (all jobs of the logs are of " + s.user + ": those of others may be missing)"
	}
	return text + "."
}

// MedianWait returns the wait in seconds that half of all jobs had at most, NaN where none started.
func (s *Sheet) MedianWait() float64 { return quantile(.5)(together(s.Lines)) }

// HardlyWaits reports whether half of all jobs, or of those of most rows, start within a minute: a picture of medians says nothing then.
func (s *Sheet) HardlyWaits() bool {
	const short = 60 // seconds
	median := quantile(.5)
	rows, brief := 0, 0
	for _, r := range s.Lines {
		wait := median(r)
		if wait >= 0 { // and not NaN
			rows++
		}
		if wait < short {
			brief++
		}
	}
	return s.MedianWait() < short || rows > 0 && 2*brief > rows
}

// Leaders says who occupied most in all periods, "" where rows have no names or there is one.
func (s *Sheet) Leaders() string {
	const most = 3
	if s.Kind == "" {
		return ""
	}
	sums, all := map[string]float64{}, 0.
	for _, r := range s.Lines {
		sums[r.Name] += r.occupied[0]
		all += r.occupied[0]
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b)) })
	if len(names) < 2 || !(all > 0) {
		return ""
	}
	leaders := names[:min(most, len(names)-1)]
	parts := make([]string, len(leaders))
	for i, name := range leaders {
		parts[i] = fmt.Sprintf("%s (%s)", report.DashIfEmpty(name), Ratio.Text(sums[name]/all))
	}
	if len(parts) == 1 {
		return "The largest part of the cpu hours went to " + parts[0] + "."
	}
	return "The largest parts of the cpu hours went to " + report.Listed(parts) + "."
}

// Movers says who occupied more and who less in the last whole period than in the one before, "" where no two whole periods
// follow each other.
func (s *Sheet) Movers() string {
	if s.Kind == "" || s.Step == Whole {
		return ""
	}
	var more, less *Line
	var least, most float64
	for i := len(s.Lines) - 1; i >= 0; i-- {
		r := s.Lines[i]
		if r.Lacks != "" || r.Before == nil || r.Before.Lacks != "" || more != nil && r.Span != more.Span || less != nil && r.Span != less.Span {
			continue
		}
		switch by := r.occupied[0] - r.Before.occupied[0]; {
		case by > most:
			more, most = r, by
		case by < least:
			less, least = r, by
		}
	}
	if more == nil && less == nil {
		return ""
	}
	of := cmp.Or(more, less)
	text := "From " + s.Title(of.Before) + " to " + s.Title(of) + ", "
	if more != nil {
		text += fmt.Sprintf("%s grew most (+%s cpu hours)", report.DashIfEmpty(more.Name), report.Grouped(Hours.Text(most/secondsOfHour)))
	}
	if less != nil {
		if more != nil {
			text += ", and "
		}
		text += fmt.Sprintf("%s fell most (%s cpu hours)", report.DashIfEmpty(less.Name), report.Grouped(Hours.Text(least/secondsOfHour)))
	}
	return text + "."
}

// machine is what was occupied in some periods, and what there was, in cpus times seconds.
type machine struct {
	occupied, supply float64
	periods          int
	last             Span
}

// add adds a row, after those of the periods before and others of its own.
func (m *machine) add(r *Line) {
	m.occupied += r.occupied[0]
	if r.Span != m.last {
		m.supply += r.supply[0]
		m.periods++
		m.last = r.Span
	}
}
