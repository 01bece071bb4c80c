package sched

import (
	"slices"
	"sort"
)

// slot is a span of the plan, and the nodes that no planned job has in it.
type slot struct {
	begin, end int64
	free       Set
}

// slots are the spans of a plan, without gaps, from the begin of a cycle to the end of its window.
type slots []slot

// newSlots returns a plan without jobs.
func newSlots(begin, end int64, free Set) slots { return slots{{begin, end, free.clone()}} }

// narrow takes what is planned in any slot that a job from start to end touches out of the nodes that
// it may run on, and puts the rest into among. It returns when the job is to be tested next: where, in
// the slots that it touches or at the end of the one that follows them, a node is planned no longer.
// It is 0 if there is no such moment: Slurm before 24.11 then looks no further, even if nodes become free later. It does
// where isFar is set.
func (s slots) narrow(among, nodes Set, start, end int64, isFar bool) (next int64) {
	copy(among, nodes)
	for i := sort.Search(len(s), func(i int) bool { return s[i].end > start }); i < len(s); i++ {
		if next == 0 && i+1 < len(s) && s[i+1].free.gains(s[i].free, nodes) {
			next = s[i].end
		}
		switch isBehind := s[i].begin > end; {
		case !isBehind:
			if isEmpty := among.cut(s[i].free); isEmpty && next > 0 {
				return next // whatever the others have
			}
		case !isFar || next > 0:
			return next
		}
	}
	return next
}

// overlap reports whether nodes are planned between two moments.
func (s slots) overlap(nodes Set, start, end int64) bool {
	for i := range s {
		if s[i].end > start && s[i].begin < end && !nodes.within(s[i].free) {
			return true
		}
	}
	return false
}

// reserve plans nodes for a job. Slurm's search depends on which slots there are, see narrow.
func (s *slots) reserve(nodes Set, start, end int64) {
	start = max(start, (*s)[0].begin)
	s.split(start)
	s.split(end)
	for i := range *s {
		if x := &(*s)[i]; x.begin >= start && x.end <= end {
			x.free.subtract(nodes)
		} else if x.begin >= end {
			break
		}
	}
	// Of neighbours with the same nodes, Slurm joins the first two, and no more.
	for i := 1; i < len(*s); i++ {
		if slices.Equal((*s)[i-1].free, (*s)[i].free) {
			(*s)[i-1].end = (*s)[i].end
			*s = slices.Delete(*s, i, i+1)
			break
		}
	}
}

// split makes a slot begin at some time.
func (s *slots) split(at int64) {
	i := sort.Search(len(*s), func(i int) bool { return (*s)[i].end > at })
	if i == len(*s) || (*s)[i].begin >= at {
		return
	}
	x := &(*s)[i]
	end := x.end
	x.end = at
	*s = slices.Insert(*s, i+1, slot{at, end, x.free.clone()})
}
