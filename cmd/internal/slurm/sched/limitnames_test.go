package sched

import (
	"slices"
	"testing"
)

// A job of 4 CPUs for an hour beside one like it that runs: which limit holds it, if one is just reached or
// just not, and which of the limits of two QOS counts.
func TestEdgesOfLimits(t *testing.T) {
	const kinds = 1
	type quality struct {
		Limits
		isOver bool
	}
	of := func(at int, n int64) Amounts {
		a := slices.Clone(Unlimited(kinds).AllTRES)
		a[at] = n
		return a
	}
	cpus := func(n int64) Amounts { return of(amountCPU, n) }
	for _, test := range []struct {
		name string
		set  func(own *quality, part, account, user *Limits)
		want string
	}{
		{"as many jobs as may run", func(own *quality, _, account, user *Limits) {
			own.AllJobs, own.UserJobs, account.AllJobs, user.UserJobs = 2, 2, 2, 2
		}, ""},
		{"one job more", func(own *quality, _, _, _ *Limits) { own.AllJobs = 1 }, "QOSGrpJobsLimit"},
		{"one job more of the user", func(own *quality, _, _, _ *Limits) { own.UserJobs = 1 }, "QOSMaxJobsPerUserLimit"},
		{"one job more of the association", func(_ *quality, _, _, user *Limits) { user.UserJobs = 1 }, "AssocMaxJobsLimit"},
		{"as many CPUs as may be in use", func(own *quality, _, account, user *Limits) {
			own.AllTRES, own.UserTRES, account.AllTRES, user.JobTRES = cpus(8), cpus(8), cpus(8), cpus(4)
		}, ""},
		{"a CPU more", func(own *quality, _, _, _ *Limits) { own.AllTRES = cpus(7) }, "QOSGrpCpuLimit"},
		{"a CPU more of the account", func(_ *quality, _, account, _ *Limits) { account.AllTRES = cpus(7) }, "AssocGrpCpuLimit"},
		{"a CPU more of one job", func(_ *quality, _, _, user *Limits) { user.JobTRES = cpus(3) }, "AssocMaxCpuPerJobLimit"},
		{"a resource that it does not ask for", func(own *quality, _, _, _ *Limits) { own.AllTRES = of(fixedAmounts, -1) }, ""},
		{"as long as it may run", func(own *quality, _, _, user *Limits) { own.MaxWall, user.MaxWall = 3600, 3600 }, ""},
		{"a minute longer", func(own *quality, _, _, _ *Limits) { own.MaxWall = 59 * 60 }, "QOSMaxWallDurationPerJobLimit"},
		{"limits of an account for each job are its users'", func(_ *quality, _, account, _ *Limits) {
			account.UserJobs, account.MaxWall, account.JobTRES = 0, 1, cpus(1)
		}, ""},
		{"the QOS of the partition comes first", func(own *quality, part, _, _ *Limits) { own.AllJobs, part.UserJobs = 1, 1 }, "QOSMaxJobsPerUserLimit"},
		{"unless its own is over that", func(own *quality, part, _, _ *Limits) { own.isOver, own.AllJobs, part.UserJobs = true, 1, 1 }, "QOSGrpJobsLimit"},
		{"a limit of the partition's QOS replaces the job's", func(own *quality, part, _, _ *Limits) {
			own.MaxWall, part.MaxWall, own.AllTRES, part.AllTRES = 59*60, 60*60, cpus(7), cpus(8)
		}, ""},
		{"and a limit of its own that of the partition's", func(own *quality, part, _, _ *Limits) {
			own.isOver, own.MaxWall, part.MaxWall, own.AllTRES, part.AllTRES = true, 60*60, 59*60, cpus(8), cpus(7)
		}, ""},
		{"a limit on another resource replaces none", func(own *quality, part, _, _ *Limits) { own.AllTRES, part.AllTRES = cpus(7), of(amountMemory, 9) }, "QOSGrpCpuLimit"},
	} {
		own, part, account, user := quality{Limits: Unlimited(kinds)}, Unlimited(kinds), Unlimited(kinds), Unlimited(kinds)
		test.set(&own, &part, &account, &user)
		l := NewLedger(&Setup{
			Cluster: &Cluster{GRES: []string{"gpu"}}, QOS: []QOS{{Name: "own", Limits: own.Limits, UsageFactor: 1, IsOver: own.isOver}, {Name: "part", Limits: part, UsageFactor: 1}}, PartitionQOS: []int{1},
			Accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(kinds)}, {Parent: 0, User: -1, Limits: account}, {Parent: 1, User: 0, Limits: user}}, Names: []AccountName{{}, {Account: "a"}, {Account: "a", User: "u"}},
		})
		job := func() *Job {
			return &Job{Request: &Request{MinNodes: 1, CPUs: 4, GRES: []int32{0}}, Association: 2, Limit: 3600}
		}
		running := job()
		running.Given = Amounts{4, 0, 1, 0}
		l.Charge(running, 0)
		reason := ""
		if l := l.Holds(job()); l != nil {
			reason = l.Reason
		}
		if reason != test.want {
			t.Errorf("%s: %q, want %q", test.name, reason, test.want)
		}
		if test.want != "" && !l.isSet(job(), test.want) {
			t.Errorf("%s: %s is not set", test.name, test.want)
		}
		if l.isSet(job(), "QOSGrpNodeLimit") || l.isSet(job(), "Priority") {
			t.Errorf("%s: what nothing sets is set", test.name)
		}
	}
}

// The name of a limit is known as one, of whatever resource, and no other reason is.
func TestIsLimit(t *testing.T) {
	for reason, want := range map[string]bool{
		"QOSGrpCpuLimit": true, "AssocMaxJobsLimit": true, "MaxCpuPerAccount": true, "MaxJobsPerAccount": true, "MaxCpuRunMinsPerUser": true, "MaxLicenseRunMinsPerUser": true, "AssocGrpBilling": true,
		"": false, "Resources": false, "QOSNotAllowed": false, "JobArrayTaskLimit": false, "MaxUnheardOf": false,
	} {
		if IsLimit(reason) != want {
			t.Errorf("%q: %v", reason, !want)
		}
	}
}
