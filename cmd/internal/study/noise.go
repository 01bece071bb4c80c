package study

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"

	"fairshare/cmd/internal/figure"
)

// confidence is that of all intervals.
const confidence = .95

// Interval is what a figure comes to in some runs.
type Interval struct {
	Mean float64

	// A further run would fall between Low and High 19 times of 20, if runs are distributed
	// normally. Low is never below 0, since no figure is. Both are NaN for a single run.
	Low, High float64
}

// IntervalOf returns the mean of some runs and where a further one would fall.
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

// Text returns the mean as people read it, with where a further run would fall if there are
// several runs and they differ.
func (i Interval) Text(unit figure.Unit) string {
	text := unit.Text(i.Mean)
	if math.IsNaN(i.Low) || i.Low == i.High {
		return text
	}
	high := i.High
	if unit == figure.Fraction {
		high = min(1, high)
	}
	return fmt.Sprintf("%s (%s to %s)", text, unit.Text(i.Low), unit.Text(high))
}

// Difference is by how much a figure of a policy is larger than that of the first policy,
// run by run on the same work.
type Difference struct {
	Mean      float64
	Low, High float64 // the mean of many runs would be between them, 19 times of 20; NaN for a single run
	Above     int     // runs in which the figure is larger than the first policy's
	Below     int     // in which it is smaller
	IsLonger  bool    // whether it is only known to be larger, since jobs are left waiting
}

// DifferenceOf returns by how much runs differ from those of the first policy, of which each
// is on the same work as the run with its number.
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

// IsNoise reports whether a difference may be chance: there are several runs, and by them
// the mean of many could be none.
func (d Difference) IsNoise() bool { return d.Low <= 0 && d.High >= 0 }

// Text returns a difference as people read it: with its sign, and with how exact it is or
// that it is noise if there are several runs.
func (d Difference) Text(unit figure.Unit) string {
	switch {
	case math.IsNaN(d.Mean):
		return "-"
	case d.Mean == 0 && d.Low == d.High:
		return "none"
	case d.Mean < 0 && d.IsLonger: // it is less than it may be, by nobody knows how much
		return "not known"
	}
	text := unit.Difference(d.Mean)
	if d.Mean > 0 {
		text = "+" + text
	}
	text = MarkLonger(text, d.IsLonger)
	switch {
	case math.IsNaN(d.Low):
		return text
	case d.IsNoise() && d.IsLonger: // what is not known of the waits may make it more than chance
		return text + " (may be noise)"
	case d.IsNoise():
		return text + " (noise)"
	}
	return fmt.Sprintf("%s (±%s)", text, unit.Difference(d.High-d.Mean))
}
