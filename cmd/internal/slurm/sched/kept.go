package sched

import (
	"cmp"
	"slices"
)

// Kept is a time for which nodes are kept by a reservation: they go to no job of others that would not be
// over by then, or that begins before it ends.
type Kept struct {
	Name       string
	Nodes      Set
	Start, End int64
	Known      int64 // since when the scheduler knows of it
	ID         int32 // by which jobs ask for it, see Job.In; 0 where none does
	IsFlex     bool  // whether its jobs may run before it, after it and on other nodes as well
}

// overlaps reports whether a reservation keeps its nodes from a job between two moments. in is what the
// job asks for.
func (k *Kept) overlaps(start, end int64, in int32) bool {
	return k.Start < end && k.End > start && (in == 0 || k.ID != in)
}

// exclude takes the nodes out of a set that reservations keep from a job at some time between two moments.
func exclude(kept []Kept, among Set, start, end int64, in int32) {
	for i := range kept {
		if kept[i].overlaps(start, end, in) {
			among.subtract(kept[i].Nodes)
		}
	}
}

// confine takes the nodes out of a set on which a job may not start at a time that asks for a reservation:
// those of others, and all while it has not begun or is over.
func confine(kept []Kept, among Set, at int64, in int32) {
	if in == 0 {
		return
	}
	k := keptAs(kept, in)
	switch {
	case k == nil || !k.IsFlex && (at < k.Start || at >= k.End):
		clear(among)
	case !k.IsFlex:
		among.intersect(k.Nodes)
	}
}

// keptAs returns the reservation that a job asks for, nil if it is over.
func keptAs(kept []Kept, in int32) *Kept {
	for i := range kept {
		if kept[i].ID == in {
			return &kept[i]
		}
	}
	return nil
}

// areKept reports whether a reservation keeps one of some nodes from a job between two moments.
func areKept(kept []Kept, nodes Set, start, end int64, in int32) bool {
	for i := range kept {
		if kept[i].overlaps(start, end, in) && kept[i].Nodes.Meets(nodes) {
			return true
		}
	}
	return false
}

// freeAfter returns when a cycle tests a job anew that some of its nodes are kept from between two moments, 0 where none
// are: a second after the first end of any reservation, rounded up to the resolution of plans (Slurm's reservation.c,
// find_resv_end).
func freeAfter(kept []Kept, nodes Set, start, end, resolution int64, in int32) int64 {
	if !areKept(kept, nodes, start, end, in) {
		return 0
	}
	for i := range kept { // by end
		if k := &kept[i]; k.End >= start {
			return (k.End+resolution-1)/resolution*resolution + 1
		}
	}
	return 0
}

// release makes reservations known, and lets a pass and a cycle follow the end of a reservation, and the begin of one that jobs ask for.
func (e *engine) release() {
	follow := func() {
		e.change()
		e.wantPass()
	}
	for ; len(e.unmade) > 0 && e.unmade[0].Known <= e.now; e.unmade = e.unmade[1:] {
		e.kept = byEnd(append(slices.Clone(e.kept), e.unmade[0]))
		e.change()
	}
	for ; len(e.kept) > 0 && e.kept[0].End <= e.now; e.kept = e.kept[1:] {
		follow()
	}
	for ; len(e.begins) > 0 && e.begins[0] <= e.now; e.begins = e.begins[1:] {
		follow()
	}
}

// beginsOf returns when the reservations begin that jobs ask for, in the order of time.
func beginsOf(kept []Kept, isAsked map[int32]bool) (list []int64) {
	for _, k := range kept {
		if k.ID != 0 && isAsked[k.ID] {
			list = append(list, k.Start)
		}
	}
	slices.Sort(list)
	return list
}

// byKnown returns reservations in the order in which they become known.
func byKnown(kept []Kept) []Kept {
	return slices.SortedStableFunc(slices.Values(kept), func(a, b Kept) int { return cmp.Compare(a.Known, b.Known) })
}

// byEnd returns what is kept, the first that ends first.
func byEnd(kept []Kept) []Kept {
	return slices.SortedStableFunc(slices.Values(kept), func(a, b Kept) int { return cmp.Compare(a.End, b.End) })
}
