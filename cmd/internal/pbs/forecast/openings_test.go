package forecast

import (
	"context"
	"math"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
)

// No interval of a forecast, nor its median, begins at a time at which prime time, non-prime time or dedicated time lets
// the job not start, whose walltime it may also be too long for. Without what the rules say it does.
func TestIntervalsBeginWhenTheRulesLetThem(t *testing.T) {
	s := open(t, replays+"/V2/snapshot", false)
	h, _, err := s.History("")
	if err != nil {
		t.Fatal(err)
	}
	wrong, wrongWithout, held := 0, 0, 0
	for hours := int64(2); hours <= 8; hours += 2 {
		at := s.Past.Begin() + hours*hour
		st, scheduler, err := h.Then(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		if st == nil {
			continue
		}
		lengths := map[string]float64{}
		for _, j := range s.Past.Jobs {
			lengths[j.ID] = float64(j.Walltime)
		}
		count := func(with forecast.Scheduler) (wrong int) {
			f, err := forecast.MakeOf(context.Background(), st, with, forecast.Options{Runs: 10, Seed: 1, Horizon: 4 * day})
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range f.Jobs {
				for _, when := range []float64{j.Low, j.Median} {
					if j.Held == "" && !math.IsInf(when, 1) && !mayStart(s, j.Queue, lengths[j.ID], int64(when)) {
						wrong++
					}
				}
				if j.Low > j.Median || j.Median > j.High {
					t.Errorf("%s: from %.0f to %.0f, and %.0f in the middle", j.ID, j.Low, j.High, j.Median)
				}
			}
			held += len(f.Jobs)
			return wrong
		}
		wrong += count(scheduler)
		wrongWithout += count(struct{ forecast.Scheduler }{scheduler})
	}
	t.Logf("%d of %d, %d without", wrong, held, wrongWithout)
	if wrong > 0 || wrongWithout < 5 {
		t.Errorf("%d of %d begin when the job may not start, %d without what the rules say", wrong, held, wrongWithout)
	}
}

// mayStart reports whether the hours of the recorded site let a job start that ends before dedicated time, by their names.
func mayStart(s *Site, queue string, length float64, at int64) bool {
	dedicated, isIn := s.Hours.Dedicated(at)
	switch {
	case isIn || strings.HasPrefix(queue, "ded"):
		return isIn && strings.HasPrefix(queue, "ded")
	case strings.HasPrefix(queue, "p_") && !s.Hours.IsPrime(at), strings.HasPrefix(queue, "np_") && s.Hours.IsPrime(at):
		return false
	}
	return dedicated.From == 0 || float64(at)+length <= float64(dedicated.From)
}
