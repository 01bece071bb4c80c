package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// randomSetup returns a small site with overlapping partitions and GRES.
func randomSetup(r *rand.Rand, withFill bool) *Setup {
	c := &Cluster{GRES: []string{"gpu"}}
	nodes := 2 + r.IntN(8)
	for i := range nodes {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("n%d", i), int32(4 << r.IntN(3)), 1, 64000, []int32{int32(r.IntN(2) * 4)}, float64(r.IntN(2)), nil, 0})
	}
	for p := range 2 {
		set := NewSet(nodes)
		for i := range nodes {
			if p == 0 || r.IntN(2) == 0 {
				set.Add(i)
			}
		}
		c.Partitions = append(c.Partitions, Partition{Name: fmt.Sprint("p", p), Nodes: set, Tier: float64(p), JobFactor: 1})
	}
	tree := []fstree.Association{{Parent: -1, Name: "root"}, {Parent: 0, Name: "a", Shares: 1}, {Parent: 1, Name: "u", User: true, Shares: 1}, {Parent: 1, Name: "v", User: true, Shares: 1}}
	accounts := []Account{{Parent: -1, User: -1, Limits: Unlimited(1)}, {Parent: 0, User: -1, Limits: Unlimited(1)}, {Parent: 1, User: 0, Limits: Unlimited(1)}, {Parent: 1, User: 1, Limits: Unlimited(1)}}
	qos := QOS{Name: "q", Limits: Unlimited(1), Priority: 0, UsageFactor: 1}
	s := &Setup{
		Cluster: c, Accounts: accounts, Tree: tree, QOS: []QOS{qos}, Interval: 60, Depth: 100,
		Conf: &slurm.Conf{CalcPeriod: 300, HalfLife: 3600, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{}},
	}
	if withFill {
		b := DefaultBackfill()
		s.Backfill = &b
	}
	return s
}

// randomJobs returns jobs for a random setup. They have no more than a node's least, so that each
// of them can run if it asks for one node.
func randomJobs(r *rand.Rand, s *Setup, n int) []*Job {
	var jobs []*Job
	at := int64(1_700_000_000)
	for i := range n {
		at += int64(r.IntN(200))
		q := &Request{MinNodes: 1, MaxNodes: 1, Tasks: int32(1 + r.IntN(4)), CPUsPerTask: 1, CPUMemory: 1000, GRES: []int32{0}}
		if r.IntN(4) == 0 {
			q.MinNodes, q.MaxNodes, q.TasksPerNode = 2, 2, 2
			q.Tasks = 4
		}
		if r.IntN(5) == 0 {
			q.GRES[0] = int32(1 + r.IntN(2))
		}
		q.CPUs = q.Tasks
		run := int64(1 + r.IntN(3000))
		jobs = append(jobs, &Job{ID: i + 1, Request: q, Partition: r.IntN(2), Association: 2 + r.IntN(2), Limit: run + int64(r.IntN(4000)), Run: run, Submit: at, Eligible: at})
	}
	return jobs
}

// TestBuiltinKeepsOrder: without backfill and without limits, jobs of equal priority start in the order of their
// submission where no job of another partition takes nodes out of a pass. One that never fits holds nobody up.
func TestBuiltinKeepsOrder(t *testing.T) {
	const scenarios = 40
	for seed := range uint64(scenarios) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := randomSetup(r, false)
		jobs := randomJobs(r, s, 120)
		for _, j := range jobs {
			j.Partition = 0
		}
		result, err := Run(context.Background(), s, jobs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		last := map[int]*Job{}
		for _, j := range result.Jobs {
			if !s.Fits(j) {
				continue
			}
			if before := last[j.Partition]; before != nil && j.Start > 0 && (before.Start == 0 || j.Start < before.Start) {
				t.Fatalf("seed %d: job %d starts at %d, and job %d before it at %d", seed, j.ID, j.Start, before.ID, before.Start)
			}
			last[j.Partition] = j
		}
	}
}

// TestFillDelaysNoPlan makes cycles over random queues: no job that starts or is planned has a node
// at a time at which a job before it is planned on that node.
func TestFillDelaysNoPlan(t *testing.T) {
	const scenarios = 200
	planned := 0
	for seed := range uint64(scenarios) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := randomSetup(r, true)
		m, l, up := NewMachine(s.Cluster), NewLedger(s), NewSet(len(s.Nodes))
		for i := range s.Nodes {
			up.Add(i)
		}
		const now = 1_700_000_000
		c := newCycle(*s.Backfill, outlookOn(m, nil), l, up, now, NewSet(len(s.Nodes)))
		type taken struct {
			nodes      Set
			start, end int64
		}
		var plans []taken
		for _, j := range randomJobs(r, s, 60) {
			o := c.try(j, now)
			mine := taken{start: now, end: now + j.Limit}
			switch {
			case o.shares != nil:
				j.Start, j.Shares = now, slices.Clone(o.shares)
				m.take(j.Request, j.Shares)
				l.count(j, 1)
				running := append(c.running, newRunningJob(j, len(s.Nodes)))
				slices.SortStableFunc(running, runningJob.compare)
				c.goOn(running, c.cleaning)
				mine.nodes = nodesOf(j.Shares, len(s.Nodes))
			case o.plan != nil:
				c.reserve(o.plan)
				mine = taken{o.plan.Nodes, o.plan.Start, o.plan.End}
			default:
				continue
			}
			for _, p := range plans {
				grid := p.start / c.Resolution * c.Resolution
				if mine.nodes.Meets(p.nodes) && mine.start/c.Resolution*c.Resolution < p.end && mine.end/c.Resolution*c.Resolution > grid {
					t.Fatalf("seed %d: job %d from %d to %d delays a plan from %d to %d", seed, j.ID, mine.start, mine.end, p.start, p.end)
				}
			}
			if o.plan != nil {
				plans = append(plans, mine)
			}
		}
		planned += len(plans)
	}
	if planned < scenarios {
		t.Errorf("only %d plans were made: the test says little", planned)
	}
}

// A cycle that waits for a change begins with it: it starts a job that comes to an empty site before the
// main pass does; at the end of a job, it finds the nodes unclean, and the main pass starts the next one.
func TestCycleThatWaits(t *testing.T) {
	b := DefaultBackfill()
	s := randomSetup(rand.New(rand.NewPCG(1, 1)), true)
	s.Backfill = &b
	q := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 1, Tasks: 1, CPUsPerTask: 1, GRES: []int32{0}, Exclusive: true}
	all := len(s.Nodes)
	var jobs []*Job
	for i := range all + 1 {
		jobs = append(jobs, &Job{ID: i + 1, Request: q, Association: 2, Limit: 3600, Run: 1000 + int64(i), Submit: 1_700_000_000, Eligible: 1_700_000_000})
	}
	if _, err := Run(context.Background(), s, jobs, Options{}); err != nil {
		t.Fatal(err)
	}
	first, last := jobs[0], jobs[all]
	if !first.IsBackfilled || first.Start != first.Submit {
		t.Errorf("the first job starts %d s after it came, by backfill: %v", first.Start-first.Submit, first.IsBackfilled)
	}
	if wait := last.Start - first.End; last.IsBackfilled || wait != passDelay {
		t.Errorf("the last job starts %d s after the end of the first, by backfill: %v", wait, last.IsBackfilled)
	}
}
