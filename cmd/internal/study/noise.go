package study

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// confidence is that of all intervals.
const confidence = .95

// Interval is what some runs come to.
type Interval struct {
	Mean float64

	// Low and High is where a further run would fall, 19 times of 20, if runs are
	// distributed normally; no figure is below 0. NaN for a single run.
	Low, High float64
}

// IntervalOf returns the interval of runs.
func IntervalOf(runs []float64) Interval {
	if len(runs) < 2 {
		x := math.NaN()
		if len(runs) == 1 {
			x = runs[0]
		}
		return Interval{x, math.NaN(), math.NaN()}
	}
	mean, _, high := stats.MeanCI(runs, confidence) // Student's t
	half := (high - mean) * math.Sqrt(float64(len(runs))+1)
	return Interval{mean, max(0, mean-half), mean + half}
}

// Difference is how a policy differs from the first one, run by run on the same work.
type Difference struct {
	Mean      float64
	Low, High float64 // where the mean of many runs would be, 19 times of 20; NaN for a single run
	Above     int     // runs in which the figure is larger than the first policy's
	Below     int     // in which it is smaller
}

// DifferenceOf returns the difference of runs that belong together in pairs.
func DifferenceOf(runs, base []float64) Difference {
	n := min(len(runs), len(base))
	differences := make([]float64, n)
	d := Difference{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	for i := range n {
		differences[i] = runs[i] - base[i]
		switch {
		case differences[i] > 0:
			d.Above++
		case differences[i] < 0:
			d.Below++
		}
	}
	switch {
	case n == 1:
		d.Mean = differences[0]
	case n > 1:
		d.Mean, d.Low, d.High = stats.MeanCI(differences, confidence)
	}
	return d
}

// IsNoise reports whether a difference may be chance: several runs do not tell that it is
// other than none.
func (d Difference) IsNoise() bool { return d.Low <= 0 && d.High >= 0 }
