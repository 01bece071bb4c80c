package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

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
		o, whole, both := twoBusyNodes(test.first, test.second)
		if start, shares := o.first(whole, both, now, span{}, 0); start != test.want || len(shares) != 1 {
			t.Errorf("%s: at %d on %v, want %d", test.name, start, shares, test.want)
		}
	}
}

// outlookOn returns an outlook on a machine.
func outlookOn(m *Machine, running []runningJob) outlook {
	return outlook{machine: m, running: running, timelines: &timelines{}, place: &placer{}}
}

// twoBusyNodes returns an outlook on two nodes, each of which one job has until some time, and a job that needs a whole
// node, of both.
func twoBusyNodes(ends ...int64) (o *outlook, whole *Request, both Set) {
	nodes := []Node{{Name: "n0", CPUs: 4}, {Name: "n1", CPUs: 4}}
	on := outlookOn(NewMachine(&Cluster{Nodes: nodes}), nil)
	o, on.overrun = &on, 30
	whole, both = &Request{MinNodes: 1, MaxNodes: 1, CPUs: 4, Tasks: 4, CPUsPerTask: 1}, NewSet(2)
	for i, end := range ends {
		j := &Job{Request: whole, Shares: []Share{{int32(i), 4}}}
		both.Add(i)
		o.machine.take(whole, j.Shares)
		o.running = append(o.running, runningJob{j, end, nodesOf(j.Shares, 2)})
	}
	return o, whole, both
}

// When a job could run within a span, as slurmctld 24.11 was recorded to look for it: with and without what is known of
// other jobs that ask for the same.
func TestFirstWithinSpan(t *testing.T) {
	const now = 100
	for _, test := range []struct {
		name          string
		first, second int64 // the ends of what runs
		within        span
		want          int64 // 0 for nowhere
	}{
		{"from now on, without an end", 150, 210, span{now, 0}, 210},
		{"from now on, the second end behind the span", 150, 210, span{now, 209}, 150},
		{"the second end with that of the span", 150, 210, span{now, 210}, 210},
		{"both ends behind the span", 150, 210, span{now, 149}, 0},
		{"a span that begins after the first end: at its begin", 150, 210, span{180, 300}, 180},
		{"one that begins with the first end, which is taken away only in a window", 150, 9000, span{150, 300}, 150},
		{"one that begins with the first end, and the second in its window", 150, 180, span{150, 300}, 180},
		{"one that begins just before the first end", 150, 9000, span{149, 300}, 150},
		{"one without any end", 150, 9000, span{160, 300}, 160},
	} {
		for _, isPlain := range []bool{false, true} {
			o, whole, both := twoBusyNodes(test.first, test.second)
			o.isPlain = isPlain
			if start, shares := o.first(whole, both, now, test.within, 0); start != test.want || (shares == nil) != (test.want == 0) {
				t.Errorf("%s: at %d on %v, want %d", test.name, start, shares, test.want)
			}
		}
	}
}

// TestFirstPlainly asks when and where jobs could run on random machines of few and of many nodes, with and without what is known
// of other jobs that ask for the same.
func TestFirstPlainly(t *testing.T) {
	const scenarios, now = 300, 100
	found := 0
	for seed := range uint64(scenarios) {
		r := rand.New(rand.NewPCG(seed, 46))
		n := 1 + r.IntN(12)
		if seed%2 == 0 {
			n = 60 + r.IntN(90)
		}
		c := &Cluster{}
		for i := range n {
			c.Nodes = append(c.Nodes, Node{Name: fmt.Sprint("n", i), CPUs: int32(2 << r.IntN(3)), Memory: 1000, Weight: float64(r.IntN(2))})
		}
		anyRequest := func() *Request {
			q := &Request{MinNodes: 1, MaxNodes: 1, Tasks: int32(1 + r.IntN(4)), CPUsPerTask: 1, CPUMemory: int64(r.IntN(2) * 200)}
			if r.IntN(3) == 0 {
				q.MinNodes, q.MaxNodes, q.Tasks = 1+int32(r.IntN(3)), 0, int32(3+r.IntN(6))
			}
			q.CPUs = q.Tasks
			return q
		}
		fast := outlookOn(NewMachine(c), nil)
		all := NewSet(n)
		for i := range n {
			all.Add(i)
		}
		for range 3 * n {
			j := &Job{Request: anyRequest(), born: len(fast.running)}
			if j.Shares = slices.Clone(fast.place.place(fast.machine, j.Request, all)); j.Shares != nil {
				fast.machine.take(j.Request, j.Shares)
				fast.running = append(fast.running, runningJob{j, now - 20 + int64(r.IntN(2000)), nodesOf(j.Shares, n)})
			}
		}
		slices.SortFunc(fast.running, runningJob.compare)
		plain := outlookOn(fast.machine, fast.running)
		plain.isPlain = true
		for range 4 {
			q := anyRequest()
			for range 6 {
				among := NewSet(n)
				for i := range n {
					if r.IntN(3) == 0 {
						among.Add(i)
					}
				}
				within := span{}
				if r.IntN(3) == 0 {
					within.from = now + int64(r.IntN(1000))
					within.until = within.from + int64(r.IntN(1000))
				}
				start, shares := fast.first(q, among, now, within, 0)
				at, there := plain.first(q, among, now, within, 0)
				if start != at || !slices.Equal(shares, there) {
					t.Fatalf("seed %d: at %d on %v, and at %d on %v without short cuts", seed, start, shares, at, there)
				}
				if start > now {
					found++
				}
			}
		}
	}
	if found < 4*scenarios {
		t.Errorf("only %d starts are later: the test says little", found)
	}
}
