package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Starts that lie twice as far from the middle as their intervals say make the intervals twice as
// wide, on the side on which they do; few moments change little; jobs that have not started yet count
// as later than now and not as early.
func TestCalibrate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const tenth = 1.2815515655446004
	draw := func(moments int, late float64, seen func(x float64) (float64, bool)) *Calibration {
		var list []observedStart
		for moment := range moments {
			for range 20 {
				x := random.NormFloat64() / tenth
				if x > 0 {
					x *= late
				}
				at, started := seen(x)
				list = append(list, observedStart{"q", int64(moment), at, started})
			}
		}
		return calibrate(list)
	}
	whole := func(x float64) (float64, bool) { return x, true }
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > .15*math.Abs(want) {
			t.Errorf("%s: %.2f, not %.2f", what, got, want)
		}
	}
	asIs := draw(200, 1, whole)
	near("as drawn, before", asIs.all.low, -1)
	near("as drawn, behind", asIs.all.high, 1)
	late := draw(1000, 2, whole)
	near("later, before", late.all.low, -1)
	near("later, behind", late.all.high, 2)
	near("later, of the queue", late.queues["q"].high, 2)
	near("two moments", draw(2, 2, whole).all.high, 1.1)
	// Half are looked at so early that only the others are known to have started.
	cut := draw(1000, 2, func(x float64) (float64, bool) {
		if now := random.Float64() * 4; x > now {
			return now, false
		}
		return x, true
	})
	near("not started, behind", cut.all.high, 2)
	// Each queue is as its own forecasts tell, as far as there are enough.
	var both []observedStart
	for moment := range 1000 {
		for range 20 {
			x := random.NormFloat64() / tenth
			both = append(both, observedStart{"even", int64(moment), x, true}, observedStart{"late", int64(moment), max(x, 2*x), true})
		}
	}
	two := calibrate(both)
	near("one of two queues", two.queues["even"].high, 1)
	near("the other one", two.queues["late"].high, 2)
	if c := calibrate(nil); c.all != asDrawn || c.Forecasts != 0 {
		t.Errorf("of nothing: %+v", c)
	}
}

// What is calibrated keeps its middle, is never in the past, and leaves alone what has no end.
func TestCalibrated(t *testing.T) {
	c := &Calibration{all: positions{-2, 3}}
	j := &Job{Queue: "q", Low: 900, Median: 1000, High: 1200, Starts: []float64{900, 1000, 1200, math.Inf(1)}}
	e, starts := c.calibrated(j, 850)
	if want := (estimate{850, 1000, 1600}); e != want {
		t.Errorf("%v, not %v", e, want)
	}
	for i, want := range []float64{850, 1000, 1600, math.Inf(1)} {
		if starts[i] != want {
			t.Errorf("run %d: %v, not %v", i, starts[i], want)
		}
	}
	j.High = math.Inf(1)
	if e, _ := c.calibrated(j, 850); e != (estimate{900, 1000, math.Inf(1)}) {
		t.Errorf("without an end: %v", e)
	}
}
