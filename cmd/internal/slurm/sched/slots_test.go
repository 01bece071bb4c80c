package sched

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNarrow is where a search for a start goes on, as slurmctld was recorded to do it (S2a, 50,927 and
// 50,966 seconds, job 94): it sees that node 0 becomes free at 152 from 8 on, if the slot before 152 is
// among those that the job touches or follows them. A slot more, which a job on another node makes, and it does not.
func TestNarrow(t *testing.T) {
	set := func(nodes ...int) Set {
		s := NewSet(3)
		for _, n := range nodes {
			s.Add(n)
		}
		return s
	}
	all := set(0, 1, 2)
	s := new(workspace).newSlots(0, 1000, all)
	s.reserve(set(0), 8, 152)
	s.reserve(set(1), 24, 115) // of another partition
	for _, x := range []struct {
		start, end, next, far int64 // far: next since 24.11, which looks at all slots (K0a, 1,795,570,327 seconds, job 54)
		free                  int
	}{
		{0, 5, 0, 152, 1}, // the next slot is [8, 24)
		{0, 72, 152, 152, 0},
		{0, 23, 0, 152, 0},
		{0, 24, 152, 152, 0},
		{152, 300, 0, 0, 1},
	} {
		for isFar, next := range map[bool]int64{false: x.next, true: x.far} {
			among := NewSet(3)
			if got := s.narrow(among, set(0), x.start, x.end, isFar); got != next || among.count() != x.free {
				t.Errorf("from %d to %d: %d nodes, and next at %d, not %d and %d", x.start, x.end, among.count(), got, x.free, next)
			}
		}
	}
	if s.count() != 5 {
		t.Fatalf("%d slots", s.count())
	}
	s.reserve(set(0), 152, 200)
	s.reserve(set(1), 115, 152) // 115 divides nothing any more
	if s.count() != 5 || s.begin(2) != 24 || s.end(2) != 152 {
		t.Errorf("slots of the same nodes are not joined: %v", s)
	}
}

// TestSlotsOfManyNodes plans the same on ten nodes and on ten of 150, and asks both when a job is to be tested. To leap over the
// moments at which no node is free comes to what narrow comes to from one of them to the next.
func TestSlotsOfManyNodes(t *testing.T) {
	const nodes, window, scenarios = 10, 1000, 2000
	r := rand.New(rand.NewPCG(46, 1))
	any := func(few int) (small, large Set) {
		small, large = NewSet(nodes), NewSet(nodes*15)
		for i := range nodes {
			if r.IntN(few) == 0 {
				small.Add(i)
				large.Add(i*15 + 7)
			}
		}
		return small, large
	}
	equal := func(small, large Set) bool {
		for i := range nodes {
			if small.Has(i) != large.Has(i*15+7) {
				return false
			}
		}
		return small.count() == large.count()
	}
	leapt := 0
	for range scenarios {
		up, ups := any(1)
		few, many := new(workspace).newSlots(0, window, up), new(workspace).newSlots(0, window, ups)
		for range r.IntN(30) {
			small, large := any(2)
			start := int64(r.IntN(window))
			end := start + int64(r.IntN(500))
			if from, to := start+int64(r.IntN(20)), end+int64(r.IntN(20)); few.overlap(small, from, to) != many.overlap(large, from, to) {
				t.Fatalf("from %d to %d, %v and %v are not both free of plans", from, to, small, large)
			}
			few.reserve(small, start, end)
			many.reserve(large, start, end)
		}
		if !slices.Equal(few.bounds, many.bounds) {
			t.Fatalf("slots %v and %v", few.bounds, many.bounds)
		}
		small, large := any(2)
		among, amongs := NewSet(nodes), NewSet(nodes*15)
		limit, isFar := int64(r.IntN(400)), r.IntN(2) == 0
		for at := int64(0); ; {
			next, nexts := few.narrow(among, small, at, at+limit, isFar), many.narrow(amongs, large, at, at+limit, isFar)
			if next != nexts || !equal(among, amongs) {
				t.Fatalf("at %d for %d: %v and then %d of few nodes, %v and then %d of many", at, limit, among, next, amongs, nexts)
			}
			if at = next; at == 0 {
				break
			}
			step := at
			for step > 0 {
				after := few.narrow(among, small, step, step+limit, isFar)
				if !among.isEmpty() {
					break
				}
				step = after
				leapt++
			}
			if got, other := few.leap(small, at, limit, isFar, nil), many.leap(large, at, limit, isFar, nil); got != step || other != step {
				t.Fatalf("from %d for %d: a leap to %d and %d, step by step to %d", at, limit, got, other, step)
			}
		}
	}
	if leapt < scenarios {
		t.Errorf("only %d moments were left out: the test says little", leapt)
	}
}
