package compare

import (
	"math"
	"testing"
)

func TestLeastWhole(t *testing.T) {
	for _, test := range []struct {
		name string
		gain func(float64) float64
		want float64 // 0 for none
	}{
		{"grows", func(x float64) float64 { return x - 1000.5 }, 1001},
		{"at once", func(x float64) float64 { return x - 0.5 }, 1},
		{"at the end", func(x float64) float64 { return x - 999_999.5 }, 1_000_000},
		{"steps", func(x float64) float64 { return math.Floor(x/64) - 3 }, 256},
		{"never", func(x float64) float64 { return -1 / (x + 1) }, 0},
		{"falls", func(x float64) float64 { return -x }, 0},
		{"falls again", func(x float64) float64 { return math.Sin(x/1e5) - .5 }, 0},
		{"falls between samples", func(x float64) float64 { return x - 10 - 2*max(0, x-300_000) }, 0},
		{"falls once turned", func(x float64) float64 { return x - 10 - 1.2*max(0, x-300_000) }, 11},
		{"falls and recovers", func(x float64) float64 {
			if 1e4 <= x && x < 1e5 {
				return -20
			}
			return x - 10
		}, 0},
		{"rounded", func(x float64) float64 { return math.Floor(x/10)/100 - math.Floor(x/7+.5)/1000 - 6 }, 7010},
		{"no number", func(x float64) float64 { return math.NaN() }, 0},
		{"turned already", func(x float64) float64 { return 1 }, 0},
	} {
		got, ok := LeastWhole(1e6, func(x float64) Trial { return Trial{test.gain(x), test.gain(x) > 0} })
		if ok != (test.want != 0) || ok && got != test.want {
			t.Errorf("%s: %v %v, want %v", test.name, got, ok, test.want)
		}
	}
	// In a small interval every number is tried, so that no dip is missed.
	dip := func(x float64) Trial {
		gain := x - 3
		if x == 1001 {
			gain = -2
		}
		return Trial{gain, gain > 0}
	}
	if got, ok := LeastWhole(2048, dip); ok {
		t.Errorf("a dip at one number: %v", got)
	}
	if _, ok := LeastWhole(0.5, func(float64) Trial { return Trial{1, true} }); ok {
		t.Error("an interval without a whole number")
	}
}
