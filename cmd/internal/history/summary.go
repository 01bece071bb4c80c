package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// Summary says in a sentence what a report comes to, "" where it has no rows.
func (s *Sheet) Summary() string {
	if len(s.Lines) == 0 {
		return ""
	}
	all := Line{cell: &cell{occupied: []float64{0}}, supply: []float64{0}}
	var last Span
	for _, r := range s.Lines {
		all.occupied[0] += r.occupied[0]
		if r.Span != last {
			all.supply[0] += r.supply[0]
			last = r.Span
		}
		all.ended += r.ended
		all.started += r.started
		all.coreSeconds += r.coreSeconds
		all.waits = append(all.waits, r.waits...)
	}
	slices.Sort(all.waits)
	text := fmt.Sprintf("From %s to %s, ", moment.Clock(s.Lines[0].Begin, s.Zone), moment.Clock(last.End-1, s.Zone))
	if use := ratio(all.occupied[0], all.supply[0]); !math.IsNaN(use) {
		text += Ratio.Text(use) + " of the cpus were in use, "
	} else {
		text += "jobs occupied " + Hours.Text(all.occupied[0]/secondsOfHour) + " cpu hours, "
	}
	text += fmt.Sprintf("%s ended after %s core hours", report.Count(all.ended, "job"), Hours.Text(all.coreSeconds/secondsOfHour))
	if median := quantile(.5)(&all); !math.IsNaN(median) {
		text += fmt.Sprintf(", and of %s that started half waited no longer than %s", report.Count(all.started, "job"), Seconds.Text(median))
	}
	if names := s.Choice.Names(); len(names) > 0 {
		text += " (only those of " + strings.Join(names, ", ") + ")"
	}
	return text + "."
}
