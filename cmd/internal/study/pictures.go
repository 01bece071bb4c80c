package study

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Pictures are what can be drawn of an outcome: some numbers for each of equal parts of the
// time, and how waits are distributed.
type Pictures struct {
	InUse    []float64 // cpus that are occupied on average
	Waiting  []float64 // jobs that wait on average
	Waits    []float64 // how many jobs wait up to each of WaitBounds and longer than the one before; in the end, longer than all, or still at the end
	Distance []float64 // of usage from what shares promise, NaN where nobody with shares has demand; nil without a tree
}

// WaitBounds are the waits, in seconds, that part the jobs in Pictures.Waits.
var WaitBounds = []float64{10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 16 * 3600, 24 * 3600, 2 * 24 * 3600, 4 * 24 * 3600, 7 * 24 * 3600}

// Pictures returns what can be drawn of an outcome, with the time in n parts. It is empty if
// nothing was observed.
func (o *Outcome) Pictures(n int) Pictures {
	if o.isUnknown() {
		return Pictures{}
	}
	w := o.study.Work
	p := Pictures{
		InUse:   w.Trace.OccupancyOf(o.Jobs).Means(w.First, o.study.last(), n),
		Waiting: o.waiting().Means(w.First, o.study.last(), n),
		Waits:   make([]float64, len(WaitBounds)+1),
	}
	for _, w := range o.Counted {
		at, _ := slices.BinarySearch(WaitBounds, float64(w.Seconds))
		if w.IsLonger {
			at = len(WaitBounds) // how long it waits is not known
		}
		p.Waits[at]++
	}
	if shares := o.Shares(); !math.IsNaN(shares.Mean) {
		for i := range n {
			p.Distance = append(p.Distance, shares.Distance[i*len(shares.Distance)/n])
		}
	}
	return p
}

// waiting returns how many jobs wait over time, as cpus in use are counted.
func (o *Outcome) waiting() *trace.Occupancy {
	waiting := &trace.Occupancy{}
	for i, j := range o.Jobs {
		waiting.Change(j.Arrival, 1)
		if left := o.leftAt(i); left != trace.Unknown { // else it still waits
			waiting.Change(max(left, j.Arrival), -1)
		}
	}
	return waiting
}
