package slurmsched

import (
	"cmp"
	"slices"
)

// Kept is a time for which nodes are kept by a reservation: they go to no job that would not be over
// by then, or that begins before it ends.
type Kept struct {
	Nodes      Set
	Start, End int64
}

// exclude takes the nodes out of a set that are kept at some time between two moments.
func exclude(kept []Kept, among Set, start, end int64) {
	for _, k := range kept {
		if k.Start < end && k.End > start {
			among.subtract(k.Nodes)
		}
	}
}

// release lets a pass and a cycle follow the end of a reservation.
func (e *engine) release() {
	for len(e.kept) > 0 && e.kept[0].End <= e.now {
		e.kept = e.kept[1:]
		e.change()
		e.wantPass()
	}
}

// byEnd returns what is kept, the first that ends first.
func byEnd(kept []Kept) []Kept {
	return slices.SortedStableFunc(slices.Values(kept), func(a, b Kept) int { return cmp.Compare(a.End, b.End) })
}
