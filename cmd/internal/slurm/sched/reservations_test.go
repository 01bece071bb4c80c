package sched

import "testing"

// A node that a reservation keeps from 100 to 200 goes to jobs that are over by then, or begin no earlier
// than it ends.
func TestExclude(t *testing.T) {
	node := NewSet(1)
	node.Add(0)
	for _, test := range []struct {
		start, end int64
		isKept     bool
	}{{50, 100, false}, {50, 101, true}, {120, 150, true}, {199, 250, true}, {200, 250, false}, {50, 300, true}} {
		among := node.clone()
		exclude([]Reservation{{Nodes: node, Start: 100, End: 200, ID: 1}}, among, test.start, test.end, 0)
		if isKept := !among.Has(0); isKept != test.isKept {
			t.Errorf("a job from %d to %d: %v", test.start, test.end, isKept)
		}
	}
}
