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
	j.Low, j.Median, j.High = quantile(j.Starts, .1), quantile(j.Starts, .5), quantile(j.Starts, .9)
	if math.IsInf(j.Median, 1) {
		return
	}
	j.Low = j.notBefore(now, j.Median-widening*(j.Median-j.Low)-slack)
	j.High = j.Median + widening*(j.High-j.Median) + slack
}

// notBefore returns a time, or the first one at which the job may start that is forecast now.
func (j *Job) notBefore(now, at float64) float64 { return max(now, float64(j.Came), at) }

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
