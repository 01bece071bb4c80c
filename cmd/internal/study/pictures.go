package study

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Pictures are what can be drawn of an outcome: some numbers for each of equal parts of the
// time, and how waits are distributed.
type Pictures struct {
	InUse    []float64 // cpus that are occupied on average
	Waiting  []float64 // jobs that wait on average
	Waits    []float64 // how many jobs wait up to each of WaitBounds and longer than the one before; in the end, longer than all
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
		InUse:   trace.Means(w.Trace.Occupations(o.Jobs), w.First, w.Last, n),
		Waiting: trace.Means(o.waiting(), w.First, w.Last, n),
		Waits:   make([]float64, len(WaitBounds)+1),
	}
	for _, j := range o.Counted {
		if wait, ok := j.Wait(); ok {
			at, _ := slices.BinarySearch(WaitBounds, float64(wait))
			p.Waits[at]++
		}
	}
	if shares := o.Shares(); !math.IsNaN(shares.Mean) {
		for i := range n {
			p.Distance = append(p.Distance, shares.Distance[i*len(shares.Distance)/n])
		}
	}
	return p
}

// waiting returns how many jobs wait from each time on at which that changes.
func (o *Outcome) waiting() []trace.Occupation {
	type change struct{ at, by int64 }
	var changes []change
	for i, j := range o.Jobs {
		changes = append(changes, change{j.Arrival, 1})
		if j.Start != trace.Unknown || o.study.Work.Jobs[i].Deleted != trace.Unknown { // else it still waits
			changes = append(changes, change{max(o.leftAt(i), j.Arrival), -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var list []trace.Occupation
	n := int64(0)
	for i, c := range changes {
		if n += c.by; i+1 == len(changes) || changes[i+1].at != c.at {
			list = append(list, trace.Occupation{From: c.at, CPUs: n})
		}
	}
	return list
}
