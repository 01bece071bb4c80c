package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
	"fairshare/fstree"
)

// shape is what a site and its year are like.
type shape struct {
	nodes, users int
	load         float64 // more than 1 lets the queue grow
	together     int     // how many jobs of a burst come at most
	atOnce       float64 // the part of all jobs that come at the begin
}

// BenchmarkGrowth says how the cost of a replay grows with the number of jobs, for sites of several shapes, with backfill. A
// million jobs are a year of 64 nodes at a load of 0.7. Sizes are small by themselves: FAIRSHARE_SIZE=N multiplies them.
func BenchmarkGrowth(b *testing.B) {
	for _, of := range []struct {
		name string
		shape
	}{
		{"year", shape{64, 40, 0.7, 20, 0}},
		{"saturated", shape{64, 40, 1, 20, 1. / 6}},
		{"a_queue_that_grows", shape{64, 40, 1.1, 20, 0}},
		{"1000_nodes", shape{1000, 40, 0.7, 20, 0}},
		{"3000_users", shape{64, 3000, 0.7, 20, 0}},
		{"large_arrays", shape{64, 40, 0.7, 1000, 0}},
	} {
		b.Run(of.name, func(b *testing.B) {
			workshop.Growth(b, []int{2_500, 5_000, 10_000}, func(b *testing.B, n int) func() any {
				return func() any {
					s, jobs := yearOf(n, of.shape) // anew: a run changes them
					result, err := Run(context.Background(), s, jobs, Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(result.Cycles), "cycles")
					b.ReportMetric(float64(result.Passes), "passes")
					return result
				}
			})
		})
	}
}

// yearOf returns n jobs of a shape that come as a million would in a year, with bursts.
func yearOf(n int, of shape) (*Setup, []*Job) {
	r := rand.New(rand.NewPCG(27, 1))
	const cores = 64
	nodes := of.nodes
	c := &Cluster{GRES: []string{"gpu"}}
	all, few := NewSet(nodes), NewSet(nodes)
	for i := range nodes {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("n%03d", i), cores, 1, 256000, []int32{0}, 10, nil, 0})
		all.Add(i)
		if i < nodes/8 {
			few.Add(i)
		}
	}
	c.Partitions = []Partition{{Name: "main", Nodes: all, Tier: 1, JobFactor: 10}, {Name: "debug", Nodes: few, Tier: 10, JobFactor: 100}}
	tree := []fstree.Association{{Parent: -1, Name: "root"}}
	accounts := []Account{{Parent: -1, User: -1, Limits: Unlimited(1)}}
	for u := range of.users {
		tree = append(tree, fstree.Association{Parent: 0, Name: fmt.Sprint("u", u), User: true, Shares: float64(1 + u%7)})
		accounts = append(accounts, Account{Parent: 0, User: u, Limits: Unlimited(1)})
	}
	fill := DefaultBackfill()
	conf := &slurm.Conf{CalcPeriod: 300, HalfLife: 7 * 86400, MaxAge: 7 * 86400, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{},
		Weights: slurm.Weights{Age: 1000, Fairshare: 10000, Partition: 1000}, Nodes: of.nodes, CPUs: float64(of.nodes * cores)}
	s := &Setup{Cluster: c, Accounts: accounts, Tree: tree, QOS: []QOS{{Name: "normal", Limits: Unlimited(1), Priority: 0, UsageFactor: 1}}, Interval: 60, Depth: 100, Conf: conf, Backfill: &fill}
	var jobs []*Job
	const perJob = 365 * 86400 / 1e6
	at := 1.7e9
	requests := map[int32]*Request{} // those that are alike are one, as where a record is read
	for cpus := int32(1); cpus <= 64; cpus *= 2 {
		requests[cpus] = &Request{MinNodes: 1, MaxNodes: 1, Tasks: cpus, CPUsPerTask: 1, CPUs: cpus, CPUMemory: 1000, GRES: []int32{0}}
	}
	for len(jobs) < n {
		burst := 1 + r.IntN(of.together)
		if float64(len(jobs)) >= of.atOnce*float64(n) {
			at += perJob * float64(burst) * r.ExpFloat64()
		}
		user := 1 + r.IntN(of.users)
		cpus := int32(1 << r.IntN(7))
		run := int64(60 + r.ExpFloat64()*of.load*perJob*float64(nodes*cores)/18.14)
		for range min(burst, n-len(jobs)) {
			jobs = append(jobs, &Job{ID: len(jobs) + 1, Request: requests[cpus], Partition: r.IntN(20) / 19, Association: user, Limit: run + int64(r.IntN(14400)), Run: run, Submit: int64(at), Eligible: int64(at)})
		}
	}
	return s, jobs
}
