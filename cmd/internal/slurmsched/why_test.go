package slurmsched

import "testing"

// A limit is named if it keeps a job from running, and none is if all allow just what the job and the one
// that runs have, and those of one job or of one user's jobs are of an account above.
func TestLimitsThatAreReached(t *testing.T) {
	const kinds = 1
	amounts := func(at int, most int64) Amounts {
		a := Unlimited(kinds).AllTRES
		a = append(Amounts{}, a...)
		a[at] = most
		return a
	}
	one, both := Amounts{4, 1000, 1, 1}, Amounts{8, 2000, 2, 2}
	fitting := func(q, a, u *Limits) {
		*q = Limits{MaxWall: 60, JobTRES: one, UserTRES: both, AllTRES: both, JobMinutes: one, UserJobs: 2, AllJobs: 2}
		*a = Limits{MaxWall: 59, JobTRES: Amounts{3, 999, 0, 0}, UserTRES: Amounts{7, 1999, 1, 1}, AllTRES: both, UserJobs: 1, AllJobs: 2}
		*u = Limits{MaxWall: 60, JobTRES: one, UserTRES: both, AllTRES: both, JobMinutes: one, UserJobs: 2, AllJobs: 2}
	}
	for want, set := range map[string]func(qos, account, user *Limits){
		"": fitting,
		"QOSMaxWallDurationPerJobLimit (QOS high)": func(q, _, _ *Limits) { q.MaxWall = 59 },
		"QOSGrpJobsLimit (QOS high)":               func(q, _, _ *Limits) { q.AllJobs = 1 },
		"QOSMaxJobsPerUserLimit (QOS high)":        func(q, _, _ *Limits) { q.UserJobs = 1 },
		"QOSMaxCpuPerJobLimit (QOS high)":          func(q, _, _ *Limits) { q.JobTRES = amounts(amountCPU, 3) },
		"QOSGrpMemLimit (QOS high)":                func(q, _, _ *Limits) { q.AllTRES = amounts(amountMemory, 1999) },
		"QOSMaxGRESPerUser (QOS high)":             func(q, _, _ *Limits) { q.UserTRES = amounts(fixedAmounts, 1) },
		"AssocGrpJobsLimit":                        func(_, a, _ *Limits) { a.AllJobs = 1 },
		"AssocGrpNodeLimit":                        func(_, a, _ *Limits) { a.AllTRES = amounts(amountNodes, 1) },
		"AssocMaxJobsLimit":                        func(_, _, u *Limits) { u.UserJobs = 1 },
		"AssocMaxWallDurationPerJobLimit":          func(_, _, u *Limits) { u.MaxWall = 59 },
		"AssocMaxCpuPerJobLimit":                   func(_, _, u *Limits) { u.JobTRES = amounts(amountCPU, 3) },
	} {
		qos, account, user := Unlimited(kinds), Unlimited(kinds), Unlimited(kinds)
		set(&qos, &account, &user)
		l := newLedger([]Account{{-1, -1, Unlimited(kinds)}, {0, -1, account}, {1, 0, user}}, []QOS{{Name: "high", Limits: qos}}, kinds)
		job := func() *Job {
			return &Job{Request: &Request{MinNodes: 1, CPUs: 4, NodeMemory: 1000, GRES: []int32{1}}, Association: 2, Limit: 60}
		}
		running := job()
		running.Shares = []Share{{0, 4}}
		l.count(running, 1)
		j := job()
		if got := l.reached(j); got != want {
			t.Errorf("it waits for %q, want %q", got, want)
		}
		if free := l.admits(j) && l.affords(j, j.Request.asks(kinds)); free != (want == "") {
			t.Errorf("%q: the scheduler says %v", want, free)
		}
	}
}

// Amounts may be as large as a limit, with what is in use; what is not asked for is above none.
func TestAbove(t *testing.T) {
	for _, test := range []struct {
		asked, limit, used Amounts
		want               int
	}{
		{Amounts{4, 1}, Amounts{4, 1}, nil, -1}, {Amounts{4, 2}, Amounts{4, 1}, nil, 1}, {Amounts{2, 1}, Amounts{4, None}, Amounts{2, 9}, -1},
		{Amounts{3, 1}, Amounts{4, None}, Amounts{2, 9}, 0}, {Amounts{1, 0}, Amounts{4, 1}, Amounts{3, 2}, -1}, {Amounts{0, 1}, Amounts{0, 0}, Amounts{0, 0}, 1},
	} {
		if got := test.asked.firstAbove(test.limit, test.used); got != test.want {
			t.Errorf("%v with %v in use of %v: %d, want %d", test.asked, test.used, test.limit, got, test.want)
		}
	}
}
