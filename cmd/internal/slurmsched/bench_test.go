package slurmsched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// BenchmarkYear replays jobs of a year on 64 nodes at a load of 0.7, with backfill: a tenth of the
// jobs that its name says in a tenth of a year, for each step.
func BenchmarkYear(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s, jobs := yearOf(n)
				result, err := Run(context.Background(), s, jobs, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(result.Cycles), "cycles")
				b.ReportMetric(float64(result.Passes), "passes")
			}
		})
	}
}

// yearOf returns n jobs that come as a million would in a year, with bursts.
func yearOf(n int) (*Setup, []*Job) {
	r := rand.New(rand.NewPCG(27, 1))
	const nodes, cores, users = 64, 64, 40
	c := &Cluster{GRES: []string{"gpu"}}
	all, few := NewSet(nodes), NewSet(nodes)
	for i := range nodes {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("n%03d", i), cores, 256000, []int32{0}, 10, nil})
		all.Add(i)
		if i < nodes/8 {
			few.Add(i)
		}
	}
	c.Partitions = []Partition{{"main", all, 1, 0, 10}, {"debug", few, 10, 0, 100}}
	tree := []fstree.Association{{Parent: -1, Name: "root"}}
	accounts := []Account{{Parent: -1, User: -1, Limits: Unlimited(1)}}
	for u := range users {
		tree = append(tree, fstree.Association{Parent: 0, Name: fmt.Sprint("u", u), User: true, Shares: float64(1 + u%7)})
		accounts = append(accounts, Account{Parent: 0, User: u, Limits: Unlimited(1)})
	}
	fill := DefaultBackfill()
	conf := &slurm.Conf{CalcPeriod: 300, HalfLife: 7 * 86400, MaxAge: 7 * 86400, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{},
		Weights: slurm.Weights{Age: 1000, Fairshare: 10000, Partition: 1000}, Nodes: nodes, CPUs: nodes * cores}
	s := &Setup{Cluster: c, Accounts: accounts, Tree: tree, QOS: []QOS{{Name: "normal", Limits: Unlimited(1), Priority: 0, UsageFactor: 1}}, Interval: 60, Depth: 100, Conf: conf, Backfill: &fill}
	var jobs []*Job
	const perJob = 365 * 86400 / 1e6
	at := 1.7e9
	for len(jobs) < n {
		burst := 1 + r.IntN(20)
		at += perJob * float64(burst) * r.ExpFloat64()
		user := 1 + r.IntN(users)
		cpus := int32(1 << r.IntN(7))
		run := int64(60 + r.ExpFloat64()*0.7*perJob*nodes*cores/18.14)
		for range min(burst, n-len(jobs)) {
			q := &Request{MinNodes: 1, MaxNodes: 1, Tasks: cpus, CPUsPerTask: 1, CPUs: cpus, CPUMemory: 1000, GRES: []int32{0}}
			jobs = append(jobs, &Job{ID: len(jobs) + 1, Request: q, Partition: r.IntN(20) / 19, Association: user, Limit: run + int64(r.IntN(14400)), Run: run, Submit: int64(at), Eligible: int64(at)})
		}
	}
	return s, jobs
}
