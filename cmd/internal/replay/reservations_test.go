package replay

import (
	"math"
	"testing"

	"fairshare/cmd/internal/trace"
)

// waits returns the mean wait of the jobs that start both in the record and in a replay, in
// each of them, in seconds.
func (r run) waits(result *Result) (observed, replayed float64) {
	n := 0.
	for i, j := range r.work.Jobs {
		if j.Start == trace.Unknown || result.Start[i] == 0 {
			continue
		}
		observed += float64(j.Start - j.Arrival)
		replayed += result.Start[i] - float64(j.Arrival)
		n++
	}
	return observed / n, replayed / n
}

// Runs with reservations: the bounds are one and a half times what another recording of the
// same is off, and for the mean wait a tenth.
func TestRecordedReservations(t *testing.T) {
	for _, test := range []struct {
		name           string
		mean, inverted float64 // at most, in seconds and percent
	}{
		{"V1", 914, 3.2},
		{"V6", 2414, 8.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := openRun(t, test.name)
			for _, of := range r.options.World.Reservations {
				t.Log(*of)
			}
			result := r.replay(t)
			trust := result.Trust()
			observed, replayed := r.waits(result)
			t.Logf("%d jobs, mean shift %.1f s, inverted %.2f %%, equal %d, waits %.0f and %.0f s, fork %.2f", trust.Jobs, trust.Mean, 100*trust.Inverted, trust.Equal, observed, replayed, fork(r.starts, r.startsOf(result), 60))
			if trust.Mean > test.mean || 100*trust.Inverted > test.inverted || math.Abs(replayed-observed) > observed/10 {
				t.Errorf("mean shift %.1f s, inverted %.2f %%, waits %.0f and %.0f s", trust.Mean, 100*trust.Inverted, observed, replayed)
			}
		})
	}
}
