package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// deepSite returns a random site of a few nodes or of some 100, whose queue is deep from the begin on: most jobs run on one node, and many ask
// for the same. Windows and limits of backfill are short or long, and some sites have reservations, arrays, thresholds or preemption.
func deepSite(seed uint64) (*Setup, []*Job) {
	r := rand.New(rand.NewPCG(seed, 61))
	s := anySetup(r)
	if s.Backfill == nil {
		b := DefaultBackfill()
		s.Backfill = &b
	}
	s.Backfill.Window = []int64{1200, 7200, 86400}[r.IntN(3)]
	s.Backfill.MaxTest, s.Backfill.MaxSpans = []int{0, 30, 500}[r.IntN(3)], 0
	s.Backfill.MaxPerUser, s.Backfill.MaxStart = []int{0, 0, 40}[r.IntN(3)], 0
	s.Backfill.IsBySpan = s.IsBySpan()
	if r.IntN(4) > 0 {
		s.Backfill.MaxPerAssociation, s.Backfill.MaxPerPartition, s.Backfill.MaxPerUserPartition = 0, 0, 0
		s.Threshold, s.PartitionQOS, s.Licences = Threshold{}, nil, nil
		for i := range s.Accounts {
			s.Accounts[i].Limits = Unlimited(2)
		}
		for i := range s.QOS {
			s.QOS[i].Limits, s.QOS[i].NoReserve = Unlimited(2), false
		}
	}
	if isWide := seed%3 == 0; isWide {
		few := len(s.Nodes)
		for len(s.Nodes) < 70+r.IntN(60) {
			n := s.Nodes[r.IntN(few)]
			n.Name = fmt.Sprintf("n%03d", len(s.Nodes))
			s.Nodes = append(s.Nodes, n)
		}
		for p := range s.Partitions {
			set := NewSet(len(s.Nodes))
			for i := range s.Nodes {
				if p == 0 && r.IntN(9) > 0 || r.IntN(2) == 0 {
					set.Add(i)
				}
			}
			s.Partitions[p].Nodes = set
		}
	}
	jobs := anyJobs(r, s, 100+r.IntN(100))
	begin, kinds := jobs[0].Submit, 1+r.IntN(12)
	for i, j := range jobs {
		if seed%5 > 0 {
			j.Array, j.Throttle = 0, 0
		}
		if i >= kinds && r.IntN(4) > 0 && j.Array == 0 {
			j.Request = jobs[r.IntN(kinds)].Request
		}
		if j.Submit = begin + int64(r.IntN(60)); r.IntN(3) == 0 {
			j.Submit += r.Int64N(20_000)
		}
		j.Eligible = j.Submit
	}
	slices.SortStableFunc(jobs, func(a, b *Job) int { return int(a.Submit - b.Submit) })
	if seed%7 == 0 {
		anyPreemption(r, s)
	}
	return s, jobs
}

// TestDeepQueues runs deep queues twice: as they are, and without any short cut. Each job starts at the same time on the same nodes.
func TestDeepQueues(t *testing.T) {
	scenarios, filled, leapt := uint64(workshop.Part(200)), 0, 0
	for seed := range scenarios {
		fast, _ := besidePlain(t, seed, Options{isDeep: seed%2 == 0}, func() (*Setup, []*Job) { return deepSite(seed) })
		for _, j := range fast.Jobs {
			if j.IsBackfilled {
				filled++
			}
		}
		leapt += fast.leapt
	}
	if filled < int(scenarios)*10 || leapt < int(scenarios)*20 {
		t.Errorf("only %d jobs were backfilled, and %d searches left moments out: the test says little", filled, leapt)
	}
}
