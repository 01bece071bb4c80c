package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// TestOneNode places jobs of one node on random nodes, of several weights and with gaps: they get the node that they get where all nodes are parted
// into runs.
func TestOneNode(t *testing.T) {
	scenarios, among, placed := workshop.Part(100_000), 0, 0
	r := rand.New(rand.NewPCG(83, 1))
	for range scenarios {
		c := &Cluster{GRES: []string{"gpu"}}
		most, few := 1+r.IntN(3), 1+r.IntN(8)
		for range 1 + r.IntN(12) {
			c.Nodes = append(c.Nodes, Node{CPUs: int32(1 + r.IntN(16)), Threads: int32(1 + r.IntN(2)), Sockets: 1, Memory: int64(1000 * (1 + r.IntN(16))), Weight: float64(r.IntN(most)), GRES: []int32{int32(r.IntN(3))}})
		}
		m, on := NewMachine(c), NewSet(len(c.Nodes))
		for i := range c.Nodes {
			m.cpus[i] = int32(r.IntN(int(c.Nodes[i].CPUs) + 1))
			if r.IntN(few) > 0 {
				on.Add(i)
			}
		}
		q := &Request{MaxNodes: 1, MinNodes: int32(r.IntN(2)), CPUsPerTask: int32(1 + r.IntN(3)), Tasks: int32(1 + r.IntN(4)), CPUMemory: int64(500 * r.IntN(3)), GRES: []int32{0}}
		q.CPUs = q.Tasks * q.CPUsPerTask
		switch r.IntN(8) {
		case 0:
			q.Exclusive = true
		case 1:
			q.TasksPerNode = q.Tasks
		case 2:
			q.TasksPerSocket = 1 + r.Int32N(q.Tasks)
		case 3:
			q.TaskGRES = []int32{1}
		case 4:
			q.GRES = []int32{1}
		case 5:
			q.With = NewSet(len(c.Nodes))
			q.With.Add(r.IntN(len(c.Nodes)))
		}
		fast, plain := &placer{}, &placer{isPlain: true}
		got, want := fast.place(m, q, on), plain.place(m, q, on)
		if !slices.Equal(got, want) {
			t.Fatalf("nodes %+v, free %v of %v: %+v runs on %v, and on %v by runs", c.Nodes, m.cpus, on, q, got, want)
		}
		if got != nil && len(fast.usable) > 1 {
			if placed++; len(fast.runs) == 0 {
				among++
			}
		}
	}
	if among < scenarios/10 || placed-among < scenarios/100 {
		t.Errorf("only %d jobs got one of several nodes, %d of them without runs: the test says little", placed, among)
	}
}

// TestMemoryOfCPUs asks on how many CPUs of a node a job could run for its memory, of whole cores, as a division tells it.
func TestMemoryOfCPUs(t *testing.T) {
	for _, threads := range []int32{1, 2, 4} {
		for _, used := range []int32{0, 1, 2} {
			m := NewMachine(&Cluster{Nodes: []Node{{CPUs: 16, Threads: threads, Memory: 64}}})
			q := &Request{MinNodes: 1, MaxNodes: 2, Tasks: 1, CPUs: 1, CPUsPerTask: 1, CPUMemory: 3, Threads: used}
			for m.memory[0] = range int64(64) {
				_, each := q.threads(&m.Nodes[0])
				want := min(q.runsOn(&m.Nodes[0], 16), int32(m.memory[0]/(3*int64(each)))*each)
				if got := m.usable(q, 0); got != want {
					t.Fatalf("%d threads, of which %d are used, and %d MB: %d CPUs, not %d", threads, each, m.memory[0], got, want)
				}
			}
		}
	}
}
