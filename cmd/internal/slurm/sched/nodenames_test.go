package sched

import (
	"fmt"
	"strings"
	"testing"
)

// A job has all of the nodes that it wants (sbatch -w). Where these have too few CPUs for its tasks as they are, and it may have
// more, others come beside them, first those behind the first of them, as slurmctld was recorded to do it (K6a, jobs 141, 149
// and 152, -w n02 -n4).
func TestNamedNodes(t *testing.T) {
	for _, x := range []struct {
		used             [5]int32 // of the 16 CPUs of each node
		wanted, unwanted string
		nodes, most      int32
		tasks, each      int32
		want             string // "" where it does not fit
	}{
		{[5]int32{}, "n2", "", 1, 0, 4, 1, "n2:4"},
		{[5]int32{0, 14}, "n2", "", 1, 0, 4, 1, "n2:2 n3:2"},
		{[5]int32{0, 14, 16}, "n2", "", 1, 0, 4, 1, "n1:2 n2:2"}, // of its run, before others
		{[5]int32{16, 14, 16}, "n2", "", 1, 0, 4, 1, "n2:2 n4:2"},
		{[5]int32{0, 14, 16, 16, 16}, "n2", "", 1, 0, 4, 1, "n1:2 n2:2"},
		{[5]int32{0, 14, 15, 16, 15}, "n2", "", 1, 0, 4, 1, "n1:1 n2:2 n3:1"}, // upwards, and then downwards
		{[5]int32{0, 14}, "n2", "n3", 1, 0, 4, 1, "n1:2 n2:2"},
		{[5]int32{16, 14}, "n2", "n3", 1, 0, 4, 1, "n2:2 n4:2"},
		{[5]int32{0, 14}, "n2", "", 1, 1, 4, 1, ""}, // -N1
		{[5]int32{0, 14}, "n2", "", 2, 2, 4, 1, "n2:2 n3:2"},
		{[5]int32{}, "n2", "", 2, 2, 4, 1, "n2:3 n3:1"},
		{[5]int32{0, 16}, "n2", "", 1, 0, 4, 1, ""}, // it has all of those that it wants
		{[5]int32{0, 14}, "n2", "", 1, 0, 1, 4, ""}, // one task is on one node
		{[5]int32{0, 14, 0, 15}, "n2,n4", "", 1, 0, 4, 1, "n2:2 n3:1 n4:1"},
		{[5]int32{0, 14, 16, 15, 16}, "n2,n4", "", 1, 0, 3, 1, "n2:2 n4:1"},
	} {
		c := &Cluster{}
		for i := range x.used {
			c.Nodes = append(c.Nodes, Node{Name: fmt.Sprint("n", i+1), CPUs: 16, Threads: 1, Memory: 1 << 20})
		}
		m := NewMachine(c)
		for i, n := range x.used {
			if n > 0 {
				m.Take(&Request{}, []Share{{int32(i), n}})
			}
		}
		r := &Request{MinNodes: x.nodes, MaxNodes: x.most, CPUs: x.tasks * x.each, Tasks: x.tasks, CPUsPerTask: x.each}
		names := NewNodeNames(&Setup{Cluster: c})
		if !names.KeepTo(r, strings.Split(x.wanted, ","), strings.Split(x.unwanted, ",")) {
			t.Errorf("%+v: not modelled", x)
		}
		var got []string
		for _, s := range m.place(r, names.all()) {
			got = append(got, fmt.Sprintf("%s:%d", c.Nodes[s.Node].Name, s.CPUs))
		}
		if is := strings.Join(got, " "); is != x.want {
			t.Errorf("%+v: on %s", x, is)
		}
	}
}
