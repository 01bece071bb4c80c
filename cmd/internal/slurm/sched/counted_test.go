package sched

import "testing"

// How limits of minutes, of nodes and of types of a GRES count, and LimitFactor: each case is a job of 4 CPUs and an
// hour that comes beside one like it, which has just begun, after half an hour of another one.
func TestHowLimitsCount(t *testing.T) {
	const kinds = 3
	of := func(at int, most int64) Amounts {
		a := make(Amounts, fixedAmounts+kinds)
		for i := range a {
			a[i] = None
		}
		a[at] = most
		return a
	}
	const gpu, a100 = fixedAmounts, fixedAmounts + 1
	for _, c := range []struct {
		name string
		set  func(s *Setup, q, account, user *Limits)
		gpus []int32
		on   int32 // where it would run; the other one has node 0
		want string
	}{
		{"GrpWall is not used up", func(s *Setup, q, _, _ *Limits) { q.AllWall = 31 }, nil, 1, ""},
		{"GrpWall might be, and that is safe to know", func(s *Setup, q, _, _ *Limits) { s.IsSafe, q.AllWall = true, 89 }, nil, 1, "QOSGrpWallLimit (QOS high)"},
		{"but not more than it", func(s *Setup, q, _, _ *Limits) { s.IsSafe, q.AllWall = true, 90 }, nil, 1, ""},
		{"of an association", func(s *Setup, _, a, _ *Limits) { s.IsSafe, a.AllWall = true, 89 }, nil, 1, "AssocGrpWallLimit"},
		{"UsageFactorSafe counts half of the hour, and UsageFactor half of what was used", func(s *Setup, q, _, _ *Limits) {
			s.IsSafe, q.AllWall, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = true, 45, true, 0.5
		}, nil, 1, ""},
		{"as many minutes of a job with UsageFactorSafe", func(s *Setup, q, _, _ *Limits) {
			q.JobMinutes, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = of(amountCPU, 480), true, 2
		}, nil, 1, ""},
		{"one more", func(s *Setup, q, _, _ *Limits) {
			q.JobMinutes, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = of(amountCPU, 479), true, 2
		}, nil, 1, "QOSMaxCpuMinutesPerJobLimit (QOS high)"},
		{"whole minutes are multiplied", func(s *Setup, q, _, _ *Limits) {
			q.JobMinutes, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = of(amountCPU, 0), true, 0.01
		}, nil, 1, ""},
		{"MaxWall in Slurm 24.11", func(s *Setup, q, _, _ *Limits) {
			q.MaxWall, s.Version, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = 3600, [2]int{24, 11}, true, 2
		}, nil, 1, ""},
		{"MaxWall in Slurm 22.05", func(s *Setup, q, _, _ *Limits) {
			q.MaxWall, s.Version, s.QOS[0].IsSafe, s.QOS[0].UsageFactor = 3600, [2]int{22, 5}, true, 2
		}, nil, 1, "QOSMaxWallDurationPerJobLimit (QOS high)"},
		{"jobs that are charged nothing do not see what is used", func(s *Setup, q, a, _ *Limits) {
			q.AllMinutes, a.AllMinutes, s.QOS[0].UsageFactor = of(amountCPU, 1), of(amountCPU, 1), 0
		}, nil, 1, ""},
		{"others do", func(s *Setup, q, _, _ *Limits) { q.AllMinutes = of(amountCPU, 120) }, nil, 1, "QOSGrpCPUMinutesLimit (QOS high)"},
		{"nodes that jobs share count once", func(s *Setup, q, a, u *Limits) {
			q.AllTRES, q.UserTRES, a.AllTRES = of(amountNodes, 1), of(amountNodes, 1), of(amountNodes, 1)
		}, nil, 0, ""},
		{"others do not", func(s *Setup, q, _, _ *Limits) { q.UserTRES = of(amountNodes, 1) }, nil, 1, "QOSMaxNodePerUserLimit (QOS high)"},
		{"no node at all", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(amountNodes, 0) }, nil, 0, "QOSGrpNodeLimit (QOS high)"},
		{"LimitFactor is of associations", func(s *Setup, q, a, u *Limits) {
			q.UserTRES, a.AllTRES, u.JobTRES, s.QOS[0].LimitFactor = of(amountCPU, 8), of(amountCPU, 4), of(amountCPU, 2), 2
		}, nil, 1, ""},
		{"and cut to a whole number", func(s *Setup, _, a, _ *Limits) { a.AllTRES, s.QOS[0].LimitFactor = of(amountCPU, 3), 2.5 }, nil, 1, "AssocGrpCpuLimit"},
		{"GPUs of a type that the job does not name", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(a100, 1) }, []int32{2, 0, 0}, 1, ""},
		{"that it names, beside those that the other one was given", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(a100, 3) }, []int32{2, 2, 0}, 1, "QOSGrpGRES (QOS high)"},
		{"as many as there may be", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(a100, 4) }, []int32{2, 2, 0}, 1, ""},
		{"of any type", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(gpu, 3) }, []int32{2, 2, 0}, 1, "QOSGrpGRES (QOS high)"},
		{"of another type", func(s *Setup, q, _, _ *Limits) { q.AllTRES = of(a100, 2) }, []int32{2, 0, 2}, 1, ""},
	} {
		qos, account, user := Unlimited(kinds), Unlimited(kinds), Unlimited(kinds)
		s := &Setup{
			Cluster: &Cluster{GRES: []string{"gpu", "gpu:a100", "gpu:v100"}, Nodes: []Node{{CPUs: 8, GRES: []int32{4, 4, 0}}, {CPUs: 8, GRES: []int32{4, 2, 2}}}}, QOS: []QOS{{Name: "high", UsageFactor: 1}},
			Accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(kinds)}, {Parent: 0, User: -1}, {Parent: 1, User: 0}},
		}
		c.set(s, &qos, &account, &user)
		s.QOS[0].Limits, s.Accounts[1].Limits, s.Accounts[2].Limits = qos, account, user
		l := NewLedger(s)
		job := func(gpus ...int32) *Job {
			return &Job{Request: &Request{MinNodes: 1, MaxNodes: 1, CPUs: 4, GRES: append(gpus, make([]int32, kinds)...)[:kinds]}, Association: 2, Limit: 3600}
		}
		running := job(2) // of whatever type: node 0 has one
		running.Shares, running.left = []Share{{0, 4}}, 3600
		l.count(running, 1)
		before := job()
		before.Shares = []Share{{0, 4}}
		l.use(before, 1800, 1)
		j := job(c.gpus...)
		got := l.reached(j)
		if got == "" {
			got = l.exceeds(j, l.amountsOf(j.Request, []Share{{c.on, 4}})).name()
		}
		if got != c.want {
			t.Errorf("%s: it waits for %q, want %q", c.name, got, c.want)
		}
	}
}
