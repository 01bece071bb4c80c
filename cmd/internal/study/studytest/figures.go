package studytest

import (
	"math"
	"slices"
	"testing"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/study"
)

// AskAll lets a study tell all figures of the whole, beside the standard ones.
func AskAll(t *testing.T, s *study.Study) {
	t.Helper()
	s.Figures = slices.Clone(s.Standard)
	for _, name := range []string{"share_distance", "convergence", "started", "left_waiting", "left_core_hours", "preempted", "sum(core_hours)", "max(response)"} {
		f, err := figure.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Ask(f)
	}
}

// SameFigures fails a test unless all policies under which the jobs start and end as under the first one have the same figures, but for a
// distance from shares that are tried. There have to be so many such policies.
func SameFigures(t *testing.T, s *study.Study, all []*study.Measured, least int) {
	t.Helper()
	first, n := all[1].First, 0
	for _, m := range all[2:] {
		of := m.First
		if !slices.Equal(of.Result.Start, first.Result.Start) || !slices.Equal(of.Result.End, first.Result.End) {
			continue
		}
		n++
		for k, f := range s.Figures {
			x, y := m.Figures[k][0], all[1].Figures[k][0]
			isOwn := f.NeedsShares() && of.HasOtherShares(first) || f.Quantity == "utilisation" && m.Policy.On != ""
			if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && !isOwn {
				t.Errorf("%s: %v is %v, and %v with the same starts under policy 1", m.Policy.Name, f, x, y)
			}
		}
	}
	if n < least {
		t.Errorf("%d policies start all jobs as the first one does, want %d", n, least)
	}
}
