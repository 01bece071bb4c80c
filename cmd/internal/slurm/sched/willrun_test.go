package sched

import "testing"

// When a job that needs one of two busy nodes could run, as the ends of their jobs tell: those of a window
// are taken away at once, and one that should be over by now is expected to go on for half a minute.
func TestFirst(t *testing.T) {
	const now = 100
	for _, test := range []struct {
		name          string
		first, second int64 // the ends of what runs
		want          int64
	}{
		{"one end", 150, 9000, 150},
		{"both ends in the first window, which ends 30 s after 180", 150, 210, 210},
		{"the second end behind it", 150, 211, 150},
		{"a first end just before a multiple of 30, 30 s after which its window ends", 149, 180, 180},
		{"the second end behind that", 149, 181, 149},
		{"an end a second ago", 99, 9000, 129},
		{"an end now", 100, 9000, 130},
		{"an end in a second", 101, 9000, 101},
		{"an end long ago", 10, 9000, 101},
	} {
		nodes := []Node{{Name: "n0", CPUs: 4}, {Name: "n1", CPUs: 4}}
		o := outlook{machine: NewMachine(&Cluster{Nodes: nodes}), overrun: 30}
		whole := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 4, Tasks: 4, CPUsPerTask: 1}
		both := NewSet(2)
		for i, end := range []int64{test.first, test.second} {
			j := &Job{Request: whole, Shares: []Share{{int32(i), 4}}}
			both.Add(i)
			o.machine.take(whole, j.Shares)
			o.running = append(o.running, runningJob{j, end, nodesOf(j.Shares, 2)})
		}
		if start, shares := o.first(whole, both, now); start != test.want || len(shares) != 1 {
			t.Errorf("%s: at %d on %v, want %d", test.name, start, shares, test.want)
		}
	}
}
