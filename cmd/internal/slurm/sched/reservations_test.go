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

// A reservation for maintenance of all nodes from 100 to 200 puts a job off to its very end, and another one does not:
// there, a job is tested anew a second after the end, rounded up.
func TestOverMaintenance(t *testing.T) {
	all, one := NewSet(2), NewSet(2)
	all.Add(0)
	all.Add(1)
	one.Add(1)
	for _, test := range []struct {
		name           string
		nodes, kept    Set
		isMaint        bool
		at, limit      int64
		want, freeWant int64
	}{
		{"maintenance of all nodes", all, all, true, 50, 100, 200, 241},
		{"of the nodes of the job", one, all, true, 50, 100, 200, 241},
		{"of one of two nodes", all, one, true, 50, 100, 50, 241},
		{"no maintenance", all, all, false, 50, 100, 50, 241},
		{"a job that is over by then", all, all, true, 50, 50, 50, 0},
		{"a job that comes after it", all, all, true, 200, 50, 200, 0},
	} {
		list := []Reservation{{Nodes: test.kept, Start: 100, End: 200, ID: 1, IsMaint: test.isMaint}}
		if at := overMaintenance(list, test.nodes, test.at, test.limit, 0); at != test.want {
			t.Errorf("%s: from %d on, want %d", test.name, at, test.want)
		}
		if at := freeAfter(list, test.nodes, test.at, test.at+test.limit, 60, 0); at != test.freeWant {
			t.Errorf("%s: tested anew at %d, want %d", test.name, at, test.freeWant)
		}
	}
}
