package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
	"fairshare/fstree"
)

// anySetup returns a random site: nodes of several sizes, weights and features, some of them down,
// partitions that overlap, QOS and associations with limits of all kinds, and any bf_* parameters.
func anySetup(r *rand.Rand) *Setup {
	limits := func() Limits { return anyLimits(r) }
	c := &Cluster{GRES: []string{"gpu", "nic"}}
	nodes := 2 + r.IntN(10)
	for i := range nodes {
		n := Node{fmt.Sprintf("n%02d", i), int32(4 << r.IntN(4)), 1, int64(8000 << r.IntN(4)), []int32{int32(r.IntN(3) * 2), int32(r.IntN(2))}, float64(r.IntN(3)), nil, 0}
		if r.IntN(2) == 0 {
			n.Features = []string{"fast"}
		}
		if r.IntN(8) == 0 {
			n.CPUs = 0 // down
		}
		c.Nodes = append(c.Nodes, n)
	}
	for p := range 1 + r.IntN(4) {
		set := NewSet(nodes)
		for i := range nodes {
			if p == 0 || r.IntN(2) == 0 {
				set.Add(i)
			}
		}
		c.Partitions = append(c.Partitions, Partition{Name: fmt.Sprint("p", p), Nodes: set, Tier: float64(r.IntN(3)), MaxTime: int64(r.IntN(3) * r.IntN(6000)), JobFactor: float64(r.IntN(9))})
	}
	s := &Setup{
		Cluster: c, Interval: int64(10 + r.IntN(120)), Depth: 1 + r.IntN(40),
		Conf: &slurm.Conf{CalcPeriod: float64(60 + r.IntN(600)), HalfLife: 3600, MaxAge: 7200, DampFactor: 1, Basic: r.IntN(6) == 0, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{},
			Weights: slurm.Weights{Age: float64(r.IntN(1000)), Fairshare: float64(r.IntN(10000)), QOS: float64(r.IntN(2000))}},
		Accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(2)}}, Tree: []fstree.Association{{Parent: -1, Name: "root"}},
	}
	for a := range 2 {
		account := len(s.Accounts)
		s.Accounts = append(s.Accounts, Account{Parent: 0, User: -1, Limits: limits()})
		s.Tree = append(s.Tree, fstree.Association{Parent: 0, Name: fmt.Sprint("a", a), Shares: float64(1 + a)})
		for u := range 3 {
			s.Accounts = append(s.Accounts, Account{Parent: account, User: u, Limits: limits()})
			s.Tree = append(s.Tree, fstree.Association{Parent: int32(account), Name: fmt.Sprint("u", u), User: true, Shares: float64(1 + u)})
		}
	}
	s.IsSafe, s.Version = r.IntN(2) == 0, [][2]int{{}, {22, 5}, {24, 11}}[r.IntN(3)]
	for q := range 1 + r.IntN(3) {
		s.QOS = append(s.QOS, QOS{Name: fmt.Sprint("q", q), Limits: limits(), Priority: float64(r.IntN(1000)), UsageFactor: float64(r.IntN(5)) / 2, LimitFactor: []float64{0, 0, 0.5, 1.5}[r.IntN(4)], IsOver: r.IntN(3) == 0, NoDecay: r.IntN(3) == 0, IsSafe: r.IntN(3) == 0, NoReserve: r.IntN(8) == 0})
	}
	if r.IntN(2) == 0 {
		for range s.Partitions {
			s.PartitionQOS = append(s.PartitionQOS, r.IntN(len(s.QOS)+1)-1)
		}
	}
	if r.IntN(5) == 0 {
		s.Threshold = Threshold{int64(r.IntN(9000)), int64(r.IntN(900))}
	}
	if r.IntN(3) == 0 {
		s.Licences = []Licence{{Name: "a", Total: int64(r.IntN(5))}, {Name: "b", Total: int64(1 + r.IntN(3))}}
	}
	if r.IntN(4) > 0 {
		s.Backfill = &Backfilling{Interval: int64(5 + r.IntN(90)), Resolution: int64(1 + r.IntN(600)), Window: int64(60 * (10 + r.IntN(2000))), MaxPerUser: r.IntN(4), MaxTest: r.IntN(3) * 20, MaxPerArray: r.IntN(6), MaxSpans: r.IntN(3) * 9, HasOnePlan: r.IntN(3) == 0, IsBySpan: s.IsBySpan()}
		if r.IntN(3) == 0 {
			s.Backfill.MaxStart, s.Backfill.MaxPerAssociation, s.Backfill.MaxPerPartition, s.Backfill.MaxPerUserPartition = r.IntN(4), r.IntN(6), r.IntN(12), r.IntN(5)
		}
	}
	if r.IntN(4) == 0 {
		for range s.Partitions {
			s.WholeNodes = append(s.WholeNodes, r.IntN(2) == 0)
		}
	}
	if r.IntN(8) == 0 {
		s.PartitionDepth = 1 + r.IntN(20)
	}
	if r.IntN(3) == 0 {
		for i := range c.Nodes {
			c.Nodes[i].Threads = int32(r.IntN(3))
		}
	}
	c.HasNoMemory = r.IntN(6) == 0
	return s
}

// anyJobs returns random jobs for it, some of which can never start.
func anyJobs(r *rand.Rand, s *Setup, n int) []*Job {
	users := []int{2, 3, 4, 6, 7, 8}
	var jobs []*Job
	at := int64(1_700_000_000)
	for i := range n {
		at += int64(r.IntN(300))
		q := &Request{MinNodes: 1, MaxNodes: 1, Tasks: int32(1 + r.IntN(6)), CPUsPerTask: int32(1 + r.IntN(2)), CPUMemory: int64(r.IntN(3) * 1000), GRES: make([]int32, 2)}
		switch r.IntN(6) {
		case 0:
			q.MinNodes = int32(1 + r.IntN(3))
			q.MaxNodes, q.TasksPerNode = q.MinNodes, int32(1+r.IntN(3))
			q.Tasks = q.MinNodes * q.TasksPerNode
		case 1:
			q.MaxNodes = 0
		case 2:
			q.Exclusive = true
		case 3:
			q.NodeMemory, q.CPUMemory = int64(1000*r.IntN(9)), 0
		}
		if r.IntN(4) == 0 {
			q.GRES[r.IntN(2)] = int32(1 + r.IntN(2))
		}
		if r.IntN(6) == 0 {
			q.Features = slurm.Constraint{{"fast"}, {"none"}}
		}
		q.CPUs = q.Tasks * q.CPUsPerTask
		switch r.IntN(12) {
		case 0:
			q.Threads = int32(1 + r.IntN(3))
		case 1:
			NewNodeNames(s).KeepTo(q, nil, []string{s.Nodes[0].Name})
		case 2:
			NewNodeNames(s).KeepTo(q, []string{s.Nodes[r.IntN(len(s.Nodes))].Name}, []string{"", s.Nodes[len(s.Nodes)-1].Name}[r.IntN(2):][:1])
		}
		limit := int64(60 + r.IntN(5000))
		j := &Job{ID: i + 1, Request: q, Partition: r.IntN(len(s.Partitions)), Association: users[r.IntN(6)], QOS: r.IntN(len(s.QOS)), Limit: limit, Run: 1 + r.Int64N(limit), Submit: at, Eligible: at, Nice: float64(r.IntN(3) * 100)}
		if n := len(s.Partitions); n > 1 && r.IntN(4) == 0 {
			j.Partitions = r.Perm(n)[:2+r.IntN(n-1)]
			j.Partition = j.Partitions[0]
		}
		if s.Licences != nil && r.IntN(3) == 0 {
			j.Licences = []int64{int64(r.IntN(3)), int64(r.IntN(2))}
		}
		if i > 0 && r.IntN(2) == 0 { // a job like another one
			like := jobs[r.IntN(i)]
			j.Request = like.Request
			if r.IntN(2) == 0 {
				j.Partitions, j.Licences = like.Partitions, like.Licences
				j.Partition, j.Association, j.QOS, j.Limit, j.Run = like.Partition, like.Association, like.QOS, like.Limit, 1+r.Int64N(like.Limit)
			}
		}
		if i > 0 && r.IntN(4) == 0 { // another task of the array of the job before it, which becomes one
			of := jobs[i-1]
			if of.Array == 0 {
				of.Array, of.Throttle = int32(of.ID), int32(r.IntN(3))
			}
			j.Array = of.Array
			j.Request, j.Partition, j.Partitions, j.Licences, j.Association, j.QOS, j.Limit, j.Nice = of.Request, of.Partition, of.Partitions, of.Licences, of.Association, of.QOS, of.Limit, of.Nice
			j.Submit, j.Eligible, j.Run, j.Throttle = of.Submit, of.Eligible, 1+r.Int64N(of.Limit), of.Throttle
		}
		if r.IntN(20) == 0 {
			j.CancelAt = at + int64(r.IntN(3000))
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// TestRules runs random work on random sites, and holds each moment at which a job starts to what the
// site allows, added up in a plain way from the jobs that run then.
func TestRules(t *testing.T) {
	scenarios, ran, filled, held := uint64(workshop.Part(300)), 0, 0, 0
	for seed := range scenarios {
		r := rand.New(rand.NewPCG(seed, 27))
		s := anySetup(r)
		jobs := anyJobs(r, s, 120)
		if seed%2 == 0 {
			jobs = slices.DeleteFunc(jobs, func(j *Job) bool { return !s.Fits(j) })
		}
		result, err := Run(context.Background(), s, jobs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range result.Jobs {
			if j.Start == 0 {
				continue
			}
			ran++
			if j.IsBackfilled {
				filled++
			}
			if why := wrong(s, j); why != "" {
				t.Fatalf("seed %d: job %d %s: %+v %+v", seed, j.ID, why, *j, *j.Request)
			}
			if why := wrongAt(s, result.Jobs, j); why != "" {
				t.Fatalf("seed %d: when job %d starts, %s", seed, j.ID, why)
			}
		}
		held += neverStarts(t, seed, s, result)
	}
	if ran < int(scenarios)*20 || filled < int(scenarios)*2 || held < int(scenarios) {
		t.Errorf("only %d jobs ran, %d by backfill, and %d are held for ever: the test says little", ran, filled, held)
	}
}

// isTooLong reports whether a job is longer than the jobs of a partition may be.
func isTooLong(s *Setup, j *Job, partition int) bool {
	longest := s.Partitions[partition].MaxTime
	return longest > 0 && longest < j.Limit
}

// wrong says what is wrong with where and how long a job ran, "" if nothing is.
func wrong(s *Setup, j *Job) string {
	q := j.Request
	if j.Partitions != nil && !slices.Contains(j.Partitions, j.Partition) {
		return "runs in a partition that it has not named"
	}
	if isTooLong(s, j, j.Partition) {
		return "runs in a partition for shorter jobs"
	}
	cpus, most := int32(0), int32(0)
	for i := range q.With.all {
		if !slices.ContainsFunc(j.Shares, func(x Share) bool { return int(x.Node) == i }) {
			return "runs without a node that it wants"
		}
	}
	for i, x := range j.Shares {
		n := &s.Nodes[x.Node]
		cores, used := x.CPUs/max(1, n.Threads), max(1, n.Threads)
		if q.Threads == 1 {
			used = 1
		}
		cpus += cores * used
		most = (q.CPUs + used - 1) / used * used
		switch {
		case x.CPUs%max(1, n.Threads) != 0:
			return "has a part of a core"
		case q.On != nil && !q.On.Has(int(x.Node)):
			return "runs on a node that it does not want"
		case i > 0 && j.Shares[i-1].Node >= x.Node:
			return "has a node twice"
		case !s.Partitions[j.Partition].Nodes.Has(int(x.Node)):
			return "runs outside of its partition"
		case n.CPUs == 0:
			return "runs on a node that is down"
		case x.CPUs <= 0:
			return "has a node without a CPU"
		case s.WholeNodes != nil && s.WholeNodes[j.Partition] && !q.Exclusive:
			return "shares nodes of a partition that gives whole ones"
		case q.Exclusive && x.CPUs != n.CPUs && q.CPUMemory == 0 && q.CPUsPerTask == 1:
			return "has a part of a node"
		}
		if len(q.Features) > 0 && !slices.Contains(n.Features, "fast") {
			return "runs on a node without its feature"
		}
	}
	switch nodes := int32(len(j.Shares)); {
	case nodes < q.MinNodes || q.MaxNodes > 0 && nodes > q.MaxNodes:
		return "has too few or too many nodes"
	case cpus < q.CPUs || cpus > most && !q.Exclusive && nodes == 1:
		return "has not the CPUs that it asked for"
	case j.Start < j.Submit || j.CancelAt > 0 && j.Start > j.CancelAt:
		return "starts when it is not there"
	case j.End != j.Start+j.Run || j.End > j.Start+j.Limit:
		return "does not run as long as it has to"
	}
	return overAlone(s, j, had(s, j))
}

// had returns what a job has: CPUs, memory, nodes and GRES.
func had(s *Setup, j *Job) Amounts {
	a := make(Amounts, 5)
	for _, x := range j.Shares {
		a[0] += int64(x.CPUs)
		if j.Request.NodeMemory > 0 {
			a[1] += j.Request.NodeMemory
		} else {
			a[1] += j.Request.CPUMemory * int64(x.CPUs)
			if threads := s.Nodes[x.Node].Threads; threads > 1 && j.Request.Threads == 1 { // one of each core
				a[1] -= j.Request.CPUMemory * int64(x.CPUs/threads*(threads-1))
			}
		}
		a[2]++
		for k := range s.GRES {
			if j.Request.Exclusive { // all of a whole node
				a[3+k] += int64(s.Nodes[x.Node].GRES[k])
			} else {
				a[3+k] += int64(j.Request.GRES[k])
			}
		}
	}
	return a
}

// wrongAt says what is wrong with the jobs that run when one starts: more than the nodes have, or
// more than a limit allows that concerns that job.
func wrongAt(s *Setup, jobs []*Job, now *Job) string {
	nodes := make([]Amounts, len(s.Nodes))
	for i, l := range s.Licences {
		for _, j := range jobs {
			if j.Licences != nil && j.Start > 0 && j.Start <= now.Start && j.End > now.Start {
				l.Total -= j.Licences[i]
			}
		}
		if l.Total < 0 {
			return "more licences are in use than there are"
		}
	}
	for i := range nodes {
		nodes[i] = make(Amounts, 5)
	}
	for _, j := range jobs {
		if j.Start == 0 || j.Start > now.Start || j.End <= now.Start {
			continue
		}
		for _, x := range j.Shares {
			one := *j
			one.Shares = []Share{x}
			for i, a := range had(s, &one) {
				nodes[x.Node][i] += a
			}
		}
	}
	for i, n := range s.Nodes {
		used := nodes[i]
		if used[0] > int64(n.CPUs) || used[1] > n.Memory && !s.HasNoMemory || used[3] > int64(n.GRES[0]) || used[4] > int64(n.GRES[1]) {
			return fmt.Sprint("more than node ", n.Name, " has is in use: ", used)
		}
	}
	return overTogether(s, jobs, now)
}
