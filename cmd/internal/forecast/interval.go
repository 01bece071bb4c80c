package forecast

import (
	"math"
	"slices"
)

// What nobody draws makes real times differ more than drawn ones do: chosen on the recorded runs so
// that 8 of 10 starts lie within the interval.
const (
	widening = 1.4 // of the interval of the runs
	slack    = 120 // seconds on each side
)

// settle finds the median and the interval of a job's starts.
func (j *Job) settle(now float64) {
	low, median, high := quantile(j.Starts, .1), quantile(j.Starts, .5), quantile(j.Starts, .9)
	if j.Low, j.Median, j.High = low, median, high; math.IsInf(median, 1) {
		return
	}
	j.Low = j.notBefore(now, median-widening*(median-low)-slack)
	j.Median = j.notBefore(now, median) // which may lie between two starts
	j.High = j.notBefore(now, median+widening*(high-median)+slack)
}

// notBefore returns a time, or the first one after it at which the rules let the job start that is forecast now.
func (j *Job) notBefore(now, at float64) float64 {
	at = max(now, float64(j.Came), at)
	if j.opens == nil || math.IsInf(at, 1) {
		return at
	}
	if next := j.opens(at); !math.IsInf(next, 1) {
		return next
	}
	return at
}

// quantile returns a quantile of sorted numbers, of which the last ones may be infinite.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low, high := sorted[int(math.Floor(at))], sorted[int(math.Ceil(at))]
	if part := at - math.Floor(at); part > 0 && !math.IsInf(high, 1) {
		return low + part*(high-low)
	}
	return low
}

// Within returns the part of the runs in which a job starts by a time.
func (j *Job) Within(at float64) float64 {
	if len(j.Starts) == 0 {
		return 0
	}
	k, _ := slices.BinarySearch(j.Starts, at)
	return float64(k) / float64(len(j.Starts))
}
