package study

import (
	"math"
	"testing"

	"fairshare/cmd/internal/outcome"
)

// However short the decay time is, usage decays in each period, and is at hand at once.
func TestDecayingUsage(t *testing.T) {
	for _, period := range []int64{1, 7, 10, 100, 1000, 5000} {
		f := &flow{UsageCourse: &outcome.UsageCourse{DecayTime: period, DecayFactor: .9, LastDecay: -3, Least: 1}, usage: []float64{1000}, rate: []float64{2}, since: []int64{0}}
		f.settle(0, 5000)
		usage, next := 1000., -3+period
		for next < 0 {
			next += period
		}
		for at := int64(0); at < 5000; at++ { // second by second
			if at == next {
				usage = max(1, usage*.9)
				next += period
			}
			usage += 2
		}
		if math.Abs(f.usage[0]-usage) > 1e-6*usage {
			t.Errorf("every %d s: %v, want %v", period, f.usage[0], usage)
		}
	}
}
