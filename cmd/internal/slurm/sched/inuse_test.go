package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// What running jobs have of each of their nodes, of which a site says the sums alone.
func TestShareOut(t *testing.T) {
	holding := func(cpus int32, nodes ...int32) Holding {
		return Holding{Job: &Job{Request: &Request{MinNodes: int32(len(nodes)), CPUs: cpus, CPUsPerTask: 1, CPUMemory: 100}}, Nodes: nodes, Given: Use{CPUs: cpus, Memory: -1}}
	}
	of := func(h Holding, change func(r *Request)) Holding {
		change(h.Request)
		return h
	}
	use := func(cpus ...int32) (used []Use) {
		for _, n := range cpus {
			used = append(used, Use{CPUs: n, Memory: -1})
		}
		return used
	}
	for _, test := range []struct {
		name    string
		threads int32
		jobs    []Holding
		used    []Use
		want    string
	}{
		{"as much of each", 1, []Holding{holding(4, 0, 1)}, use(2, 2), "[2 2]"},
		{"which nothing tells", 1, []Holding{holding(4, 0, 1)}, nil, "[2 2]"},
		{"or they are not told", 1, []Holding{holding(4, 0, 1)}, use(-1, -1), "[2 2]"},
		{"as the nodes say", 1, []Holding{holding(4, 0, 1)}, use(1, 3), "[1 3]"},
		{"more on the first", 1, []Holding{holding(5, 0, 1)}, nil, "[3 2]"},
		{"beside others", 1, []Holding{holding(4, 0, 1), holding(6, 0)}, use(7, 3), "[1 3] [6]"},
		{"within the nodes of another time", 1, []Holding{holding(6, 0, 1), holding(7, 0)}, nil, "[1 5] [7]"},
		{"what others have is not theirs", 1, []Holding{holding(4, 0, 1)}, use(7, 8), "[2 2]"},
		{"one way alone", 1, []Holding{holding(8, 0, 1), holding(12, 0, 2, 3)}, use(8, 2, 6, 4), "[6 2] [2 6 4]"},
		{"as the site says of one", 1, []Holding{{Job: holding(4, 0, 1).Job, Nodes: []int32{1, 0}, Given: Use{CPUs: 4, Memory: -1}, Told: []Use{{CPUs: 1, Memory: -1}, {CPUs: 3, Memory: -1}}}, holding(4, 0, 1)}, use(4, 4), "[3 1] [1 3]"},
		{"whole nodes", 1, []Holding{holding(16, 0, 1), holding(2, 2, 3)}, use(8, 8, 1, 1), "[8 8] [1 1]"},
		{"whole tasks", 1, []Holding{of(holding(6, 0, 1), func(r *Request) { r.CPUsPerTask = 2 }), holding(4, 0, 1)}, use(5, 5), "[4 2] [1 3]"},
		{"whole cores", 2, []Holding{holding(6, 0, 1), holding(6, 0, 1)}, use(6, 6), "[4 2] [2 4]"},
		{"no whole tasks where they cannot be", 1, []Holding{of(holding(4, 0, 1), func(r *Request) { r.CPUsPerTask = 2 })}, use(1, 3), "[1 3]"},
		{"as the memory says", 1, []Holding{holding(4, 0, 1), of(holding(4, 0, 1), func(r *Request) { r.CPUMemory = 200 })}, []Use{{CPUs: 4, Memory: 700}, {CPUs: 4, Memory: 500}}, "[1 3] [3 1]"},
		{"memory of each node", 1, []Holding{holding(4, 0, 1), of(holding(4, 0, 1), func(r *Request) { r.CPUMemory, r.NodeMemory = 0, 200 })}, []Use{{CPUs: 4, Memory: 300}, {CPUs: 4, Memory: 500}}, "[1 3] [3 1]"},
		{"memory that others have", 1, []Holding{holding(4, 0, 1)}, []Use{{CPUs: 3, Memory: 900}, {CPUs: 1, Memory: 900}}, "[3 1]"},
		{"more than is in use", 1, []Holding{holding(6, 0, 1)}, use(1, 3), "[3 3]"},
		{"more than is in use, as far as there are any", 1, []Holding{holding(6, 0, 1), holding(7, 0)}, use(1, 3), "[1 5] [7]"},
		{"more than there are", 1, []Holding{holding(6, 0, 1), holding(7, 0), holding(7, 1)}, use(1, 3), "[3 3] [7] [7]"},
		{"fewer CPUs than nodes", 1, []Holding{holding(1, 0, 1)}, use(1, 1), "[1 1]"},
	} {
		s := &Setup{Cluster: &Cluster{}}
		for range 4 {
			s.Nodes = append(s.Nodes, Node{CPUs: 8, Memory: 8000, Threads: test.threads})
		}
		for i := range test.jobs {
			test.jobs[i].Job.ID = i + 1
		}
		for len(test.used) > 0 && len(test.used) < len(s.Nodes) {
			test.used = append(test.used, Use{Memory: -1})
		}
		s.ShareOut(test.jobs, test.used)
		got := ""
		for _, h := range test.jobs {
			var cpus []int32
			for _, x := range h.Job.Shares {
				cpus = append(cpus, x.CPUs)
			}
			got += fmt.Sprint(" ", cpus)
		}
		if got != " "+test.want {
			t.Errorf("%s:%s, want %s", test.name, got, test.want)
		}
	}
}

// What is in use of random nodes is what random jobs have there, of whatever order they and their nodes are.
func TestShareOutMeetsSums(t *testing.T) {
	const sites, nodes = 300, 8
	for seed := range uint64(sites) {
		random := rand.New(rand.NewPCG(seed, 1))
		s, used := &Setup{Cluster: &Cluster{}}, make([]Use, nodes)
		for range nodes {
			s.Nodes = append(s.Nodes, Node{CPUs: 1 << 20, Memory: 1 << 30, Threads: 1 + random.Int32N(2)})
		}
		var jobs []Holding
		for id := range 1 + random.IntN(12) {
			r := &Request{CPUsPerTask: 1, CPUMemory: 100 * (1 + random.Int64N(3))}
			h := Holding{Job: &Job{ID: id + 1, Request: r}, Given: Use{Memory: -1}}
			for _, i := range random.Perm(nodes)[:1+random.IntN(4)] {
				cpus := s.Nodes[i].Threads * (1 + random.Int32N(6))
				h.Nodes, h.Given.CPUs = append(h.Nodes, int32(i)), h.Given.CPUs+cpus
				used[i].CPUs += cpus
				used[i].Memory += r.memoryOn(&s.Nodes[i], cpus)
			}
			jobs = append(jobs, h)
		}
		found := func() (shares string) {
			of := slices.Clone(jobs)
			s.ShareOut(of, used)
			var running []*Job
			for _, h := range of {
				shares += fmt.Sprint(h.Job.ID, h.Job.Shares)
				running = append(running, h.Job)
				sum := int32(0)
				for _, x := range h.Job.Shares {
					sum += x.CPUs
				}
				if sum != h.Given.CPUs {
					t.Errorf("seed %d: job %d has %v of %d CPUs", seed, h.Job.ID, h.Job.Shares, h.Given.CPUs)
				}
			}
			elsewhere, isMore := s.KeepElsewhere(running, used)
			for i := range elsewhere {
				if !elsewhere[i].IsNone() || isMore[i] {
					t.Errorf("seed %d: of node %d %+v is left of %+v", seed, i, elsewhere[i], used[i])
				}
			}
			return shares
		}
		want := found()
		random.Shuffle(len(jobs), func(i, k int) { jobs[i], jobs[k] = jobs[k], jobs[i] })
		for _, h := range jobs {
			random.Shuffle(len(h.Nodes), func(i, k int) { h.Nodes[i], h.Nodes[k] = h.Nodes[k], h.Nodes[i] })
		}
		if got := found(); got != want {
			t.Errorf("seed %d: %s, and in another order %s", seed, want, got)
		}
	}
}

// What is in use and no known job has is not free, of CPUs, memory and GRES alike.
func TestKeepElsewhere(t *testing.T) {
	s := &Setup{Cluster: &Cluster{Nodes: []Node{{CPUs: 8, Memory: 8000, GRES: []int32{4}}, {CPUs: 8, Memory: 8000, GRES: []int32{4}}}, GRES: []string{"gpu"}}}
	running := []*Job{{Request: &Request{CPUsPerTask: 1, NodeMemory: 1000, GRES: []int32{1}}, Shares: []Share{{0, 2}, {1, 6}}}}
	_, isMore := s.KeepElsewhere(running, []Use{{3, 3000, []int32{3}}, {5, 1000, []int32{-1}}})
	if !slices.Equal(isMore, []bool{false, true}) {
		t.Errorf("the jobs have more CPUs than are in use: %v", isMore)
	}
	m := s.Machine()
	m.Take(running[0].Request, running[0].Shares)
	for i, want := range []string{"5 5000 [1]", "2 7000 [3]"} {
		cpus, memory, gres := m.Free(i)
		if got := fmt.Sprint(cpus, memory, gres); got != want {
			t.Errorf("of node %d %s is free, want %s", i, got, want)
		}
	}
}
