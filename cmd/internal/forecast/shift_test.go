package forecast

import (
	"math"
	"testing"
)

// A job that starts in no run, with a change or without, has no time by which it starts sooner.
func TestStartsInNoRun(t *testing.T) {
	const bound = 4000
	of := func(starts ...float64) *Job { return &Job{Drawn: starts} }
	never := &Job{}
	for _, test := range []struct {
		base, job              *Job
		isWon, isLost, isLeast bool
	}{
		{of(1000, 2000), of(900, 3000), false, false, false},
		{of(1000, 2000), of(5000, 3000), false, false, true},
		{of(1000, 2000), of(5000, math.Inf(1)), false, true, true},
		{of(1000, 2000), never, false, true, true},
		{never, of(1000, 5000), true, false, true},
	} {
		if s := (&Forecast{numbers: []int{0, 1}}).shiftOf(test.job, test.base, bound); s.IsWon != test.isWon || s.IsLost != test.isLost || s.IsLeast != test.isLeast {
			t.Errorf("%v, then %v: %+v", test.base.Drawn, test.job.Drawn, s)
		}
		unordered := &Forecast{numbers: []int{0, 1}, Unordered: "nobody knows"}
		if s := unordered.shiftOf(test.job, test.base, bound); s.IsUnknown == (test.isWon || test.isLost) || s.IsUnknown && s.IsNoise() {
			t.Errorf("%v, then %v, without the order: %+v", test.base.Drawn, test.job.Drawn, s)
		}
	}
}

// By how much a job starts sooner than another one, run by run, and what of that may be chance.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		base, other    []float64
		sooner, chance float64
		isNoise        bool
	}{
		{[]float64{1000, 1000}, []float64{900, 700}, 200, 200, true},
		{[]float64{1000, 1000}, []float64{900, 720}, 190, 180, false},
		{[]float64{1000, 1000}, []float64{1100, 1300}, -200, 200, true},
		{[]float64{1000, 2000}, []float64{940, 1940}, 60, 0, true}, // a minute
		{[]float64{1000, 2000}, []float64{939, 1939}, 61, 0, false},
		{[]float64{math.Inf(1), 5000}, []float64{3000, math.Inf(1)}, 500, 1000, true}, // neither is later than 4000
		{[]float64{1000}, []float64{500}, 500, math.Inf(1), true},
	} {
		var f Forecast
		for number := range test.base {
			f.numbers = append(f.numbers, number)
		}
		a := f.shiftOf(&Job{Drawn: test.other}, &Job{Drawn: test.base}, 4000)
		if math.Abs(a.Sooner-test.sooner) > 1e-9 || a.Chance != test.chance && math.Abs(a.Chance-test.chance) > 1e-9 || a.IsNoise() != test.isNoise {
			t.Errorf("%v, then %v: %v ± %v, noise %v; want %v ± %v, %v", test.base, test.other, a.Sooner, a.Chance, a.IsNoise(), test.sooner, test.chance, test.isNoise)
		}
	}
}
