package sched

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

// When and where the last of some jobs starts, beside jobs of several partitions. Times count from the first
// two jobs, which have 3 of the 4 CPUs of a node each: the first for 5000 seconds, the second for 6000.
func TestSeveralPartitions(t *testing.T) {
	const begin = 1_000_000
	several := func(j *Job, partitions ...int) *Job {
		j.Partitions, j.Partition = partitions, partitions[0]
		return j
	}
	onTwo := func(j *Job) *Job {
		j.Request.MinNodes, j.Request.MaxNodes = 2, 2
		return j
	}
	fill := func(s *Setup) { s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400} }
	for _, test := range []struct {
		name  string
		set   func(s *Setup)
		jobs  []*Job
		at    int64
		where int
	}{
		{"behind one that waits in the first, it starts in the second", nil, []*Job{asks(3, 10, 0, 4, 60), several(asks(4, 20, 0, 1, 60), 0, 1)}, 21, 1},
		{"where nothing holds it up, it starts in the first", nil, []*Job{several(asks(3, 10, 0, 1, 60), 0, 1)}, 11, 0},
		{"and first is who is named first", nil, []*Job{several(asks(3, 10, 0, 1, 60), 1, 0)}, 11, 1},
		{"but for a higher tier", func(s *Setup) { s.Partitions[1].Tier = 5 }, []*Job{several(asks(3, 10, 0, 1, 60), 0, 1)}, 11, 1},
		{"and for more priority there", func(s *Setup) {
			s.Conf.Weights.Partition = 1000
			s.Partitions[0].Name, s.Partitions[1].Name = "p0", "p1"
			s.Conf.Partitions["p0"], s.Conf.Partitions["p1"] = &slurm.Partition{JobFactor: 1}, &slurm.Partition{JobFactor: 9}
		}, []*Job{several(asks(3, 10, 0, 1, 60), 0, 1)}, 11, 1},
		{"one that waits in both holds both up", nil, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), asks(4, 20, 1, 1, 60)}, 5002, 1},
		{"and starts where it can first", nil, []*Job{several(asks(3, 10, 0, 4, 60), 1, 0)}, 5002, 0},
		{"one that never fits in the second does not hold it up", func(s *Setup) { s.Nodes[0].CPUs = 8; s.Nodes[1].CPUs = 4 }, []*Job{several(asks(3, 10, 0, 6, 60), 0, 1), asks(4, 20, 1, 1, 60)}, 21, 1},
		{"nor does one for whose time limit it is too short", func(s *Setup) { s.Partitions[1].MaxTime = 50 }, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), asks(4, 20, 1, 1, 50)}, 21, 1},
		{"one without a time limit has in each that of it", func(s *Setup) {
			fill(s)
			s.Partitions[0].MaxTime, s.Partitions[1].MaxTime = 9000, 60
		}, []*Job{asks(3, 10, 0, 4, 60), asks(4, 11, 1, 4, 60), several(&Job{ID: 5, Request: asks(0, 0, 0, 1, 0).Request, Association: 1, Limit: 9000, NoLimit: true, Run: 50, Submit: 12}, 0, 1)}, 31, 1},
		{"nor does one that asks for more nodes than it gives", func(s *Setup) { s.Partitions[1].MaxNodes = 1 }, []*Job{several(onTwo(asks(3, 10, 0, 2, 60)), 0, 1), asks(4, 20, 1, 1, 60)}, 21, 1},
		{"one that asks for more nodes than there are holds it up", nil, []*Job{several(onTwo(asks(3, 10, 0, 2, 60)), 0, 1), asks(4, 20, 1, 1, 60)}, -begin, 1},
		{"a pass of default depth counts both of its places", func(s *Setup) { s.Depth = 1 }, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), several(asks(4, 20, 0, 1, 60), 0, 1)}, 5063, 0},
		{"it is planned in both", fill, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), asks(4, 20, 1, 1, 7000)}, 5000, 1},
		{"or in one, with bf_one_resv_per_job", func(s *Setup) { fill(s); s.Backfill.HasOnePlan = true }, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), asks(4, 20, 1, 1, 7000)}, 31, 1},
		{"bf_max_job_user counts both of its places", func(s *Setup) { fill(s); s.Backfill.MaxPerUser = 2 }, []*Job{several(asks(3, 10, 0, 4, 60), 0, 1), asks(4, 20, 1, 1, 60)}, 5000, 1},
		{"once it is cancelled, it holds up nobody", nil, []*Job{several(&Job{ID: 3, Request: asks(0, 0, 0, 4, 0).Request, Association: 1, Limit: 60, Run: 60, Submit: 10, CancelAt: begin + 550}, 0, 1), asks(4, 20, 1, 1, 60)}, 600, 1},
	} {
		s := pair()
		if test.set != nil {
			test.set(s)
		}
		jobs := append([]*Job{asks(1, 0, 0, 3, 5000), asks(2, 0, 1, 3, 6000)}, test.jobs...)
		jobs[1].IsLetIn = true // whatever MaxTime of its partition is now
		last := lastOf(t, s, jobs, begin)
		if got := last.Start - begin; got != test.at || last.Partition != test.where {
			t.Errorf("%s: it starts at %d in partition %d, want %d in %d", test.name, got, last.Partition, test.at, test.where)
		}
	}
}

// A partition in which a job never fits changes nothing: jobs that name it beside their own start as they would
// without.
func TestPartitionThatSuitsNobody(t *testing.T) {
	scenarios, started := uint64(workshop.Part(200)), 0
	for seed := range scenarios {
		run := func(isBeside bool) *Result {
			r := rand.New(rand.NewPCG(seed, 31))
			s := anySetup(r)
			s.Depth, s.Licences = 1<<20, nil // a job that lacks some wakes a cycle from any of its places
			if s.Backfill != nil {
				s.Backfill.MaxPerUser, s.Backfill.MaxTest = 0, 0
			}
			jobs := anyJobs(r, s, 80)
			for i := range s.Partitions {
				s.Partitions[i].MaxTime = 0 // so that no job is too long for all of its own
			}
			jobs = slices.DeleteFunc(jobs, func(j *Job) bool { return !s.Fits(j) })
			none := NewSet(64)
			for range 3 { // as many as any job asks for, without memory
				none.Add(len(s.Nodes))
				s.Nodes = append(s.Nodes, Node{Name: fmt.Sprint("x", len(s.Nodes)), CPUs: 1, GRES: []int32{0, 0}})
			}
			s.Partitions = append(s.Partitions, Partition{Name: "none", Nodes: none, Tier: float64(r.IntN(3))})
			if s.PartitionQOS != nil {
				s.PartitionQOS = append(s.PartitionQOS, -1)
			}
			if s.WholeNodes != nil {
				s.WholeNodes = append(s.WholeNodes, false)
			}
			if s.Backfill != nil { // places count for them
				s.Backfill.MaxPerAssociation, s.Backfill.MaxPerUserPartition, s.Backfill.MaxPerPartition, s.Backfill.MaxTest, s.Backfill.MaxSpans = 0, 0, 0, 0, 0
			}
			for i, j := range jobs {
				j.Array, j.Throttle = 0, 0 // all tasks of an array name the same partitions
				if isBeside && i%3 > 0 && NewMachine(s.Cluster).place(j.Request, none) == nil {
					if j.Partitions == nil {
						j.Partitions = []int{j.Partition}
					}
					j.Partitions = slices.Concat(j.Partitions, []int{len(s.Partitions) - 1})
				}
			}
			result, err := Run(context.Background(), s, jobs, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		with, without := run(true), run(false)
		for i, j := range with.Jobs {
			if k := without.Jobs[i]; j.Start != k.Start || j.Start > 0 && j.Partition != k.Partition || !slices.Equal(j.Shares, k.Shares) {
				t.Fatalf("seed %d: job %d starts at %d in partition %d, and at %d in %d without the other partition", seed, j.ID, j.Start, j.Partition, k.Start, k.Partition)
			}
			if j.Start > 0 {
				started++
			}
		}
	}
	if started < int(scenarios)*20 {
		t.Errorf("only %d jobs start: the test says little", started)
	}
}

// A main pass over random queues of jobs of several partitions starts what a plain loop over all pairs of a job
// and a partition does.
func TestPassOfSeveral(t *testing.T) {
	scenarios, elsewhere := 200, 0
	for seed := range uint64(scenarios) {
		r := rand.New(rand.NewPCG(seed, 32))
		s := anySetup(r)
		for i := range s.Accounts {
			s.Accounts[i].Limits = Unlimited(2)
		}
		for i := range s.QOS {
			s.QOS[i].Limits = Unlimited(2)
		}
		s.Backfill, s.Licences, s.Threshold, s.Depth = nil, nil, Threshold{}, 1+r.IntN(200)
		jobs := anyJobs(r, s, 60)
		for _, j := range jobs {
			j.Submit, j.Eligible, j.CancelAt, j.Run, j.Limit = 1_700_000_000, 1_700_000_000, 0, 5000, 5000
		}
		type pair struct {
			j *Job
			p int
		}
		var queue []pair
		asked := map[*Job]Request{} // before the engine
		for _, j := range jobs {
			asked[j] = *j.Request
		}
		e := newEngine(context.Background(), s, workloadOf(jobs))
		for _, j := range jobs {
			e.submit(j)
		}
		for _, x := range e.queue {
			queue = append(queue, pair{x.whole(), x.Partition})
		}
		priority := map[pair]uint32{}
		for _, x := range e.queue {
			priority[pair{x.whole(), x.Partition}] = x.Priority
		}
		for _, j := range jobs { // each is there once for each of its partitions that has jobs of its length
			for _, p := range append(slices.Clone(j.Partitions), j.Partition) {
				if isLong := s.Partitions[p].MaxTime > 0 && s.Partitions[p].MaxTime < 5000; !isLong && !slices.Contains(queue, pair{j, p}) {
					t.Fatalf("seed %d: job %d is not in the queue of partition %d", seed, j.ID, p)
				}
			}
		}
		if !slices.IsSortedFunc(queue, func(a, b pair) int {
			switch x, y := s.Partitions[a.p].Tier, s.Partitions[b.p].Tier; {
			case x != y:
				return int(y - x)
			case priority[a] != priority[b]:
				return int(int64(priority[b]) - int64(priority[a]))
			}
			if x, y := cmp.Or(int(a.j.Array), a.j.ID), cmp.Or(int(b.j.Array), b.j.ID); x != y {
				return x - y
			}
			return 0
		}) {
			t.Fatalf("seed %d: the queue is not in Slurm's order", seed)
		}
		m, want, closed, looked, tried := NewMachine(s.Cluster), map[int]string{}, map[int]bool{}, 0, map[int]int{}
		gone := NewSet(len(s.Nodes))                                            // those that jobs want by name, for which they lacked room
		array, running, rejected := map[int32]*Job{}, map[int32]int32{}, pair{} // one task of each array
		for _, j := range jobs {
			array[j.Array] = j
		}
		for _, x := range queue {
			if want[x.j.ID] != "" || isTooLong(s, x.j, x.p) {
				continue
			}
			if of := (pair{array[x.j.Array], x.p}); x.j.Array != 0 && of == rejected {
				continue
			} else if rejected = of; x.j.Array != 0 && x.j.Throttle > 0 && running[x.j.Array] >= x.j.Throttle {
				continue
			}
			if tried[x.p]++; s.PartitionDepth > 0 && tried[x.p] > s.PartitionDepth {
				continue
			}
			request := asked[x.j]
			request.Exclusive = request.Exclusive || s.WholeNodes != nil && (s.WholeNodes[x.p] || len(x.j.Partitions) > 0 && s.WholeNodes[x.j.Partitions[0]])
			if looked++; looked > s.Depth {
				break
			}
			if closed[x.p] {
				continue
			}
			free, all := NewSet(len(s.Nodes)), s.Partitions[x.p].Nodes
			for i := range s.Nodes {
				isOpen := all.Has(i) && s.Nodes[i].CPUs > 0 && !gone.Has(i)
				for p := range closed {
					isOpen = isOpen && !s.Partitions[p].Nodes.Has(i)
				}
				if isOpen {
					free.Add(i)
				}
			}
			switch shares := m.place(&request, free); {
			case free.count() < int(request.MinNodes):
				closed[x.p] = true
			case shares != nil:
				want[x.j.ID] = fmt.Sprint(x.p, shares)
				m.take(&request, shares)
				running[x.j.Array]++
				rejected = pair{}
			case NewMachine(s.Cluster).place(&request, free) != nil && request.Named:
				for i := range request.named().all {
					gone.Add(i)
				}
			case NewMachine(s.Cluster).place(&request, free) != nil: // or else the nodes that it needs are not there
				closed[x.p] = true
			}
		}
		e.now++
		e.pass(s.Depth)
		for _, j := range jobs {
			got := ""
			if j.Start > 0 {
				got = fmt.Sprint(j.Partition, j.Shares)
			}
			if got != want[j.ID] {
				t.Fatalf("seed %d: job %d of %v starts in %q, want %q", seed, j.ID, j.Partitions, got, want[j.ID])
			}
			if j.Start > 0 && len(j.Partitions) > 0 && j.Partition != j.Partitions[0] {
				elsewhere++
			}
		}
		if slices.ContainsFunc(e.queue, (*Job).isGone) {
			t.Fatalf("seed %d: a job that has started is still in the queue", seed)
		}
	}
	if elsewhere < scenarios/4 {
		t.Errorf("only %d jobs start in a partition that they do not name first: the test says little", elsewhere)
	}
}

// MaxNodes of a partition keeps a job that names no number of nodes from more, and gives it no more than it needs; one that asks
// for a range gets as many as there are up to it.
func TestMaxNodesIsNoRange(t *testing.T) {
	for most, want := range map[int32]int{0: 1, 4: 2} {
		s := pair()
		all := nodesOf([]Share{{Node: 0}, {Node: 1}}, 2)
		s.Partitions = append(s.Partitions, Partition{Name: "both", Nodes: all, MaxNodes: 2})
		j := asks(1, 0, 2, 3, 60)
		j.Request.MaxNodes = most
		if lastOf(t, s, []*Job{j}, 1_000_000); len(j.Shares) != want {
			t.Errorf("MaxNodes %d of a job of 3 CPUs: it runs on %v, want %d nodes", most, j.Shares, want)
		}
	}
}
