package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Of four jobs that wait for a node that is taken, a limit lets two age: the others do when one of those
// starts, the first that came first, and from then on. The first limit that is set counts alone.
func TestAging(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   func(s *Setup)
		since []int64 // of jobs 2 to 5, after the first came; -1 for one that starts without an age
	}{
		{"no limit", func(*Setup) {}, []int64{10, 20, 30, 40}},
		{"of the QOS", func(s *Setup) { s.QOS[0].Limits.AllAging = 2 }, []int64{11, 21, 1020, 2040}},
		{"of the user in the QOS", func(s *Setup) { s.QOS[0].Limits.UserAging = 1 }, []int64{11, 1020, 2040, 3060}},
		{"of the association, beside that of the account", func(s *Setup) {
			s.Accounts[2].Limits.UserAging, s.Accounts[1].Limits.AllAging = 2, 1
		}, []int64{11, 21, 1020, 2040}},
		{"of the account", func(s *Setup) { s.Accounts[1].Limits.AllAging = 1 }, []int64{11, 1020, 2040, 3060}},
		{"of each user of the account, which sacctmgr prints with the users", func(s *Setup) { s.Accounts[1].Limits.UserAging = 1 }, []int64{10, 20, 30, 40}},
		{"of the QOS before that of the association", func(s *Setup) {
			s.QOS[0].Limits.AccountAging, s.Accounts[2].Limits.UserAging = 2, 1
		}, []int64{11, 21, 1020, 2040}},
		{"of none", func(s *Setup) { s.QOS[0].Limits.AllAging = 0 }, []int64{-1, -1, -1, -1}},
		{"of the partition's QOS, which none has", func(s *Setup) {
			s.QOS = append(s.QOS, QOS{Name: "part", Limits: Unlimited(1), UsageFactor: 1})
			s.QOS[1].Limits.AllAging, s.PartitionQOS = 1, []int{1, 1}
		}, []int64{10, 20, 30, 40}},
		{"none under ACCRUE_ALWAYS", func(s *Setup) { s.QOS[0].Limits.AllAging, s.Conf.AccrueAlways = 1, true }, []int64{10, 20, 30, 40}},
	} {
		s := randomSetup(rand.New(rand.NewPCG(1, 1)), false)
		s.Nodes = slices.Clone(s.Nodes[:1])
		for p := range s.Partitions {
			s.Partitions[p].Nodes = NewSet(1)
			s.Partitions[p].Nodes.Add(0)
		}
		c.set(s)
		const begin = 1_700_000_000
		var jobs []*Job
		for i := range int64(5) {
			q := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 1, Tasks: 1, CPUsPerTask: 1, GRES: []int32{0}, Exclusive: true}
			jobs = append(jobs, &Job{ID: int(i) + 1, Request: q, Association: 2, Limit: 3600, Run: 1000, Submit: begin + 10*i, Eligible: begin + 10*i})
		}
		if _, err := Run(context.Background(), s, jobs, Options{}); err != nil {
			t.Fatal(err)
		}
		for i, j := range jobs[1:] {
			since := j.Eligible - begin
			if j.IsAgeless {
				since = -1
			}
			if since != c.since[i] {
				t.Errorf("%s: job %d ages from %d on, want %d", c.name, j.ID, since, c.since[i])
			}
		}
	}
}

// A limit that lets one job of two arrays age does so in the order of their records: the tasks that wait are behind those of the
// other array once one of them ages.
func TestAgingOfArrays(t *testing.T) {
	s := randomSetup(rand.New(rand.NewPCG(1, 1)), false)
	s.Nodes = slices.Clone(s.Nodes[:1])
	for p := range s.Partitions {
		s.Partitions[p].Nodes = NewSet(1)
		s.Partitions[p].Nodes.Add(0)
	}
	s.QOS[0].Limits.UserAging = 1
	s.Conf.Weights.Age = 100_000 // so that the one that ages starts first
	const begin, run = 1_700_000_000, 1000
	var jobs []*Job
	for i, array := range []int32{0, 2, 2, 2, 5, 5} {
		q := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 1, Tasks: 1, CPUsPerTask: 1, GRES: []int32{0}, Exclusive: true}
		jobs = append(jobs, &Job{ID: i + 1, Array: array, Request: q, Association: 2, Limit: 3600, Run: run, Submit: begin, Eligible: begin})
	}
	if _, err := Run(context.Background(), s, jobs, Options{}); err != nil {
		t.Fatal(err)
	}
	var ages []int
	for _, j := range slices.SortedFunc(slices.Values(jobs[1:]), func(a, b *Job) int { return int(a.Eligible - b.Eligible) }) {
		ages = append(ages, j.ID)
	}
	if want := []int{2, 5, 3, 6, 4}; !slices.Equal(ages, want) {
		t.Errorf("jobs age in the order %v, want %v", ages, want)
	}
}

// The age of a job that does not age is 0 in its priority, and then counts from when it does.
func TestAgeless(t *testing.T) {
	s := randomSetup(rand.New(rand.NewPCG(1, 1)), false)
	s.Conf.Weights.Age, s.Conf.MaxAge = 1000, 1000
	p := newPriorities(s.Conf, s.Tree, s.QOS, s.Cluster, 0)
	j := &Job{Request: &Request{MinNodes: 1, CPUs: 1, GRES: []int32{0}}, Association: 2, Eligible: 100, IsAgeless: true}
	if got := p.of(j, 600); got != 1 { // the least that there is
		t.Errorf("without an age: %d", got)
	}
	if j.IsAgeless = false; p.of(j, 600) != 500 {
		t.Errorf("of 500 of 1000 seconds: %d", p.of(j, 600))
	}
}

// In random work, no more jobs age than a limit allows, and none is without an age for longer than until the
// next look at the queue while there is room.
func TestRulesOfAging(t *testing.T) {
	scenarios, limitedOnes := uint64(workshop.Part(200)), 0
	for seed := range scenarios {
		r := rand.New(rand.NewPCG(seed, 29))
		s := anySetup(r)
		s.Conf.Basic = false
		jobs := anyJobs(r, s, 120)
		came := map[int]int64{}
		for _, j := range jobs {
			came[j.ID] = j.Eligible
		}
		if _, err := Run(context.Background(), s, jobs, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			most, isUnder := agingLimit(s, j)
			if most == None {
				if j.IsAgeless && j.Start > j.Submit+1 {
					t.Fatalf("seed %d: job %d has no limit and no age", seed, j.ID)
				}
				continue
			}
			limitedOnes++
			waitsAt := func(k *Job, at int64) bool {
				return (k.Start == 0 || k.Start > at) && (k.End == 0 || k.End > at)
			}
			count := func(at, slack int64) (surely, perhaps int64) { // jobs that age at a time, but for the job itself
				for _, k := range jobs {
					since := k.Eligible // or up to a second later, where no limit counts
					if k == j || k.IsAgeless || !isUnder(k) {
						continue
					}
					if since+slack < at && waitsAt(k, at) {
						surely++
					}
					if since <= at && waitsAt(k, at-slack) {
						perhaps++
					}
				}
				return surely, perhaps
			}
			const look = 2 // seconds from a change to the look at the queue that it leads to
			if !j.IsAgeless {
				if n, _ := count(j.Eligible, look); n >= most {
					t.Fatalf("seed %d: job %d ages beside %d others, of %d", seed, j.ID, n, most)
				}
			}
			until := j.Eligible
			if j.IsAgeless {
				if until = j.Start; until == 0 {
					until = j.End
				}
			}
			longest := s.Interval + 2*look // until the next full pass
			if at := until - longest; until > 0 && at > came[j.ID]+look && (j.CancelAt == 0 || at < j.CancelAt) {
				if _, n := count(at, longest); n < most {
					t.Fatalf("seed %d: job %d has no age at %d, %d s after it came, beside %d others, of %d", seed, j.ID, at, at-came[j.ID], n, most)
				}
			}
		}
	}
	if limitedOnes < int(scenarios)*10 {
		t.Errorf("only %d jobs are under a limit: the test says little", limitedOnes)
	}
}

// agingLimit returns the limit of jobs that age which counts for a job, and which jobs it counts.
func agingLimit(s *Setup, j *Job) (int64, func(k *Job) bool) {
	q, own := &s.QOS[j.QOS].Limits, &s.Accounts[j.Association]
	within := func(k *Job) bool { return k.QOS == j.QOS }
	switch {
	case q.AllAging != None:
		return q.AllAging, within
	case q.AccountAging != None:
		return q.AccountAging, func(k *Job) bool { return within(k) && s.Accounts[k.Association].Parent == own.Parent }
	case q.UserAging != None:
		return q.UserAging, func(k *Job) bool { return within(k) && s.Accounts[k.Association].User == own.User }
	}
	for i := j.Association; i >= 0; i = s.Accounts[i].Parent {
		most := s.Accounts[i].Limits.AllAging
		if most == None && i == j.Association {
			most = own.Limits.UserAging
		}
		if most != None {
			return most, func(k *Job) bool {
				for a := k.Association; a >= 0; a = s.Accounts[a].Parent {
					if a == i {
						return true
					}
				}
				return false
			}
		}
	}
	return None, nil
}
