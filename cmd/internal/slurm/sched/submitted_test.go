package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Five jobs of a user come before the first is over, and a sixth afterwards: which a limit would have refused.
// All of them run, and those that are refused count for nobody.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(s *Setup)
		want string
	}{
		{"none", func(*Setup) {}, "[]"},
		{"of the user in the QOS", func(s *Setup) { s.QOS[0].Limits.UserSubmit = 3 }, "[{MaxSubmitPU (3) of QOS q 2 2000}]"},
		{"of the account in the QOS", func(s *Setup) { s.QOS[0].Limits.AccountSubmit = 4 }, "[{MaxSubmitPA (4) of QOS q 1 1000}]"},
		{"as many as come", func(s *Setup) { s.QOS[0].Limits.AllSubmit, s.Accounts[2].Limits.UserSubmit = 5, 5 }, "[]"},
		{"of all in the QOS", func(s *Setup) { s.QOS[0].Limits.AllSubmit = 1 }, "[{GrpSubmit (1) of QOS q 4 4000}]"},
		{"of the association", func(s *Setup) { s.Accounts[2].Limits.UserSubmit = 2 }, "[{MaxSubmit (2) of a/u 3 3000}]"},
		{"of the account", func(s *Setup) { s.Accounts[1].Limits.AllSubmit = 2 }, "[{GrpSubmit (2) of a 3 3000}]"},
		{"of each user of the account, which sacctmgr prints with the users", func(s *Setup) { s.Accounts[1].Limits.UserSubmit = 0 }, "[]"},
		{"MaxSubmitPA stands for MaxSubmit", func(s *Setup) { s.QOS[0].Limits.AccountSubmit, s.Accounts[2].Limits.UserSubmit = 9, 0 }, "[]"},
		{"of several, the first", func(s *Setup) { s.QOS[0].Limits.UserSubmit, s.Accounts[1].Limits.AllSubmit = 4, 2 }, "[{GrpSubmit (2) of a 3 3000}]"},
		{"of none", func(s *Setup) { s.QOS[0].Limits.UserSubmit = 0 }, "[{MaxSubmitPU (0) of QOS q 6 6000}]"},
	} {
		s := randomSetup(rand.New(rand.NewPCG(1, 1)), false)
		s.Names = []AccountName{{Account: "root"}, {Account: "a"}, {Account: "a", User: "u"}, {Account: "a", User: "v"}}
		c.set(s)
		const begin = 1_700_000_000
		var jobs []*Job
		for i, at := range []int64{0, 10, 20, 30, 40, 50_000} {
			q := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 1, Tasks: 1, CPUsPerTask: 1, GRES: []int32{0}}
			jobs = append(jobs, &Job{ID: i + 1, Request: q, Association: 2, Limit: 3600, Run: 1000, Submit: begin + at, Eligible: begin + at})
		}
		result, err := Run(context.Background(), s, jobs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(result.Refused); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if slices.ContainsFunc(jobs, func(j *Job) bool { return j.Start == 0 }) {
			t.Errorf("%s: a job does not start", c.name)
		}
	}
}

// In random work, as many jobs would be refused as are above the limits, counted anew at each submission.
func TestRulesOfSubmissions(t *testing.T) {
	scenarios, all := uint64(workshop.Part(200)), 0
	for seed := range scenarios {
		r := rand.New(rand.NewPCG(seed, 30))
		s := anySetup(r)
		result, err := Run(context.Background(), s, anyJobs(r, s, 120), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var taken []*Job
		refused := 0
		for _, j := range result.Jobs { // who come in this order
			came := *j
			first := s.Entries(j)[0]
			came.Partition, came.QOS = first.Partition, first.QOS
			of := j
			j = &came
			isOver := false
			over := func(isGroup bool, limit func(*Limits) int64, has func(q rank, k *Job) bool) {
				for _, b := range boundsOf(s, j, isGroup, limit) {
					n := int64(0)
					if !has(b.rank, j) {
						continue // associations have no limit of an account
					}
					for _, k := range taken {
						if k.Start >= j.Submit { // it waited
							waits := *k
							first := s.Entries(k)[0]
							waits.Partition, waits.QOS, k = first.Partition, first.QOS, &waits
						}
						isThere := k.End == 0 || k.End > j.Submit || k.Start == 0 && k.End == j.Submit // who is cancelled goes after others come
						if isThere && has(b.rank, k) {
							n++
						}
					}
					isOver = isOver || n >= b.most
				}
			}
			over(true, func(l *Limits) int64 { return l.AllSubmit }, func(q rank, k *Job) bool { return q.has(k) })
			over(false, func(l *Limits) int64 { return l.UserSubmit }, func(q rank, k *Job) bool {
				return q.has(k) && (q.isOwn || s.Accounts[k.Association].User == s.Accounts[j.Association].User)
			})
			over(false, func(l *Limits) int64 { return l.AccountSubmit }, func(q rank, k *Job) bool {
				return !q.isOwn && q.has(k) && s.Accounts[k.Association].Parent == s.Accounts[j.Association].Parent
			})
			if isOver {
				refused++
			} else {
				taken = append(taken, of)
			}
		}
		got := 0
		for _, x := range result.Refused {
			got += x.Jobs
		}
		if got != refused {
			t.Fatalf("seed %d: %d jobs would be refused, counted are %d", seed, got, refused)
		}
		all += got
	}
	if all < int(scenarios)*10 {
		t.Errorf("only %d jobs would be refused: the test says little", all)
	}
}
