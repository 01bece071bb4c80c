package sched

import "testing"

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
	s := newSlots(0, 1000, all)
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
	if len(s) != 5 {
		t.Fatalf("%d slots", len(s))
	}
	s.reserve(set(0), 152, 200)
	s.reserve(set(1), 115, 152) // 115 divides nothing any more
	if len(s) != 5 || s[2].begin != 24 || s[2].end != 152 {
		t.Errorf("slots of the same nodes are not joined: %v", s)
	}
}
