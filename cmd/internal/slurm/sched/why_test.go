package sched

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
		*q = Limits{MaxWall: 60, JobTRES: one, UserTRES: both, AllTRES: both, JobMinutes: one, UserJobs: 2, AllJobs: 2, AccountJobs: None, AllWall: None}
		*a = Limits{MaxWall: 59, JobTRES: Amounts{3, 999, 0, 0}, UserTRES: Amounts{7, 1999, 1, 1}, AllTRES: both, UserJobs: 1, AllJobs: 2, AccountJobs: None, AllWall: None}
		*u = Limits{MaxWall: 60, JobTRES: one, UserTRES: both, AllTRES: both, JobMinutes: one, UserJobs: 2, AllJobs: 2, AccountJobs: None, AllWall: None}
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
		"QOSGrpWallLimit (QOS high)":               func(q, _, _ *Limits) { q.AllWall = 2 },
		"MaxJobsPerAccount (QOS high)":             func(q, _, _ *Limits) { q.AccountJobs = 1 },
		"MaxMemoryPerAccount (QOS high)":           func(q, _, _ *Limits) { q.AccountTRES = amounts(amountMemory, 1999) },
		"QOSMaxGRESPerNode (QOS high)":             func(q, _, _ *Limits) { q.NodeTRES = amounts(fixedAmounts, 0) },
		"QOSMinCpuNotSatisfied (QOS high)":         func(q, _, _ *Limits) { q.LeastTRES = amounts(amountCPU, 5) },
		"QOSGrpCPURunMinutesLimit (QOS high)":      func(q, _, _ *Limits) { q.RunMinutes = amounts(amountCPU, 6) }, // 3 are left of one that runs
		"AssocGrpCPUMinutesLimit":                  func(_, a, _ *Limits) { a.AllMinutes = amounts(amountCPU, 8) },
		"AssocGrpWallLimit":                        func(_, _, u *Limits) { u.AllWall = 2 },
		"AssocMaxMemPerNode":                       func(_, _, u *Limits) { u.NodeTRES = amounts(amountMemory, 999) },
		"AssocMaxMemMinutesPerJob":                 func(_, _, u *Limits) { u.JobMinutes = amounts(amountMemory, 999) },
		"MaxCpuRunMinsPerUser (QOS high)":          func(q, _, _ *Limits) { q.UserRunMinutes = amounts(amountCPU, 6) },
		"MaxMemoryRunMinsPerAccount (QOS high)":    func(q, _, _ *Limits) { q.AccountRunMinutes = amounts(amountMemory, 1749) },
		"QOSMinNode (QOS high)":                    func(q, _, _ *Limits) { q.LeastTRES, q.UserTRES = amounts(amountNodes, 2), amounts(amountCPU, 4) }, // which comes first
	} {
		qos, account, user := Unlimited(kinds), Unlimited(kinds), Unlimited(kinds)
		set(&qos, &account, &user)
		setup := &Setup{
			Cluster: &Cluster{GRES: []string{"gpu"}, Nodes: make([]Node, 2)}, QOS: []QOS{{Name: "high", Limits: qos, UsageFactor: 1}},
			Accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(kinds)}, {Parent: 0, User: -1, Limits: account}, {Parent: 1, User: 0, Limits: user}},
		}
		l := NewLedger(setup)
		job := func() *Job {
			return &Job{Request: &Request{MinNodes: 1, MaxNodes: 1, CPUs: 4, NodeMemory: 1000, GRES: []int32{1}}, Association: 2, Limit: 60}
		}
		running := job()
		running.Shares, running.left = []Share{{0, 4}}, 45
		l.count(running, 1)
		before := job() // which has used 2 minutes
		before.Shares = []Share{{0, 4}}
		l.use(before, 120, 1)
		j := job()
		got, placed := l.reached(j), []Share{{1, 4}}
		if got == "" { // whose nodes nobody knows before
			got = l.exceeds(j, l.amountsOf(j.Request, placed)).name()
		}
		if got != want {
			t.Errorf("it waits for %q, want %q", got, want)
		}
		if free := l.admits(j) && l.affords(j, nil) && l.affords(j, l.amountsOf(j.Request, placed)); free != (want == "") {
			t.Errorf("%q: the scheduler says %v", want, free)
		}
	}
}

// The first limit that is set counts: of a partition's QOS, of the job's (before it with OverPartQOS), of
// associations; and all of the Grp limits of associations.
func TestWhichLimitCounts(t *testing.T) {
	const kinds = 0
	cpus := func(n int64) Limits {
		l := Unlimited(kinds)
		l.AllTRES = Amounts{n, None, None}
		return l
	}
	none := Unlimited(kinds)
	for _, c := range []struct {
		part, own, user, account Limits
		isOver                   bool
		want                     string // of a job of 4 CPUs
	}{
		{none, none, none, cpus(3), false, "AssocGrpCpuLimit"},
		{none, none, cpus(8), cpus(3), false, "AssocGrpCpuLimit"},
		{none, cpus(8), none, cpus(3), false, ""},
		{none, cpus(3), cpus(8), none, false, "QOSGrpCpuLimit (QOS own)"},
		{cpus(8), cpus(3), cpus(3), none, false, ""},
		{cpus(3), cpus(8), none, none, false, "QOSGrpCpuLimit (QOS part)"},
		{cpus(8), cpus(3), none, none, true, "QOSGrpCpuLimit (QOS own)"},
		{cpus(3), cpus(8), none, none, true, ""},
		{cpus(3), none, cpus(8), none, true, "QOSGrpCpuLimit (QOS part)"},
	} {
		l := NewLedger(&Setup{
			Cluster: &Cluster{}, QOS: []QOS{{Name: "own", Limits: c.own, IsOver: c.isOver}, {Name: "part", Limits: c.part}}, PartitionQOS: []int{1},
			Accounts: []Account{{Parent: -1, User: -1, Limits: none}, {Parent: 0, User: -1, Limits: c.account}, {Parent: 1, User: 0, Limits: c.user}},
		})
		j := &Job{Request: &Request{MinNodes: 1, CPUs: 4}, Association: 2, Limit: 60}
		if got := l.reached(j); got != c.want {
			t.Errorf("partition %v, own %v, user %v, account %v, over %v: it waits for %q, want %q", c.part.AllTRES, c.own.AllTRES, c.user.AllTRES, c.account.AllTRES, c.isOver, got, c.want)
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
