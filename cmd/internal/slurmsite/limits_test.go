package slurmsite

import (
	"math"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// Each job for which Slurm names a limit as the reason why it waits is held by that limit, as the tables
// tell, and no job is held that Slurm is about to start.
func TestLimits(t *testing.T) {
	found := 0
	for moment := range recorded {
		s := openRecorded(t, moment)
		for _, r := range s.Rows() {
			switch isLimit := strings.HasPrefix(r.Reason, "QOS") || strings.HasPrefix(r.Reason, "Assoc"); {
			case r.Rank == 0:
			case isLimit && (r.Limit == nil || r.Limit.Reason != r.Reason):
				t.Errorf("%s: job %s waits for %s, found is %v", moment, r.Job.ID, r.Reason, r.Limit)
			case isLimit:
				found++
			case r.Reason == "Resources" && r.Limit != nil:
				t.Errorf("%s: job %s is the first that waits for resources, found is %v", moment, r.Job.ID, r.Limit)
			case r.Limit != nil:
				t.Logf("%s: job %s, %s: %v", moment, r.Job.ID, r.Reason, r.Limit)
			}
		}
	}
	// Another cluster of the same database has other limits for the same names.
	d := dumpOf(t, "t2_busy", append(without(kept), "sacctmgr-P-assoc.txt")...)
	before, err := d.Site()
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.files["sacctmgr-P-assoc.txt"])
	_, rows, _ := strings.Cut(text, "\n")
	d.files["sacctmgr-P-assoc.txt"] = []byte(text + strings.ReplaceAll(strings.ReplaceAll(rows, "hpc|", "other|"), "cpu=128", "cpu=1"))
	after, err := d.Site()
	if err != nil || said(after) != said(before) {
		t.Error(err, said(after))
	}
	for i, r := range after.Rows() {
		if r.Limit.String() != before.Rows()[i].Limit.String() {
			t.Errorf("job %s: %v", r.Job.ID, r.Limit)
		}
	}
	// What is suspended counts as what runs.
	d = dumpOf(t, "t2_busy", append(without(kept), "sacctmgr-P-assoc.txt")...)
	d.files["scontrol-show-job.txt"] = []byte(strings.ReplaceAll(string(d.files["scontrol-show-job.txt"]), "JobState=RUNNING", "JobState=SUSPENDED"))
	suspended, err := d.Site()
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for i := range before.Jobs {
		was, is := before.limits.holds(&before.Jobs[i], before.Jobs[i].Partitions[0]), suspended.limits.holds(&suspended.Jobs[i], suspended.Jobs[i].Partitions[0])
		if was.String() != is.String() {
			t.Errorf("job %s: %v, once others are suspended %v", before.Jobs[i].ID, was, is)
		}
		if was != nil {
			held++
		}
	}
	if held == 0 {
		t.Error("no limit holds a job")
	}
	if found < 20 {
		t.Errorf("only %d limits are found", found)
	}
}

// A job of 4 CPUs for an hour beside one like it that runs: which limit holds it, if one is just reached or
// just not, and which of the limits of two QOS counts.
func TestEdgesOfLimits(t *testing.T) {
	type limits = map[string]float64
	cpus := func(n float64) limits { return limits{"cpu": n} }
	for _, test := range []struct {
		name string
		set  func(own, part, account, user *limitSet)
		want string
	}{
		{"as many jobs as may run", func(own, _, account, user *limitSet) {
			own.grpJobs, own.userJobs, account.grpJobs, user.userJobs = 2, 2, 2, 2
		}, ""},
		{"one job more", func(own, _, _, _ *limitSet) { own.grpJobs = 1 }, "QOSGrpJobsLimit"},
		{"one job more of the user", func(own, _, _, _ *limitSet) { own.userJobs = 1 }, "QOSMaxJobsPerUserLimit"},
		{"one job more of the association", func(_, _, _, user *limitSet) { user.userJobs = 1 }, "AssocMaxJobsLimit"},
		{"as many CPUs as may be in use", func(own, _, account, user *limitSet) {
			own.grp, own.perUser, account.grp, user.perJob = cpus(8), cpus(8), cpus(8), cpus(4)
		}, ""},
		{"a CPU more", func(own, _, _, _ *limitSet) { own.grp = cpus(7) }, "QOSGrpCpuLimit"},
		{"a CPU more of the account", func(_, _, account, _ *limitSet) { account.grp = cpus(7) }, "AssocGrpCpuLimit"},
		{"a CPU more of one job", func(_, _, _, user *limitSet) { user.perJob = cpus(3) }, "AssocMaxCpuPerJobLimit"},
		{"a resource that it does not ask for", func(own, _, _, _ *limitSet) { own.grp = limits{"gres/gpu": -1} }, ""},
		{"as long as it may run", func(own, _, _, user *limitSet) { own.max, user.max = 60, 60 }, ""},
		{"a minute longer", func(own, _, _, _ *limitSet) { own.max = 59 }, "QOSMaxWallDurationPerJobLimit"},
		{"limits of an account for each job are its users'", func(_, _, account, _ *limitSet) { account.userJobs, account.max, account.perJob = 0, 1, cpus(1) }, ""},
		{"the QOS of the partition comes first", func(own, part, _, _ *limitSet) { own.grpJobs, part.userJobs = 1, 1 }, "QOSMaxJobsPerUserLimit"},
		{"unless its own is over that", func(own, part, _, _ *limitSet) { own.isOver, own.grpJobs, part.userJobs = true, 1, 1 }, "QOSGrpJobsLimit"},
		{"a limit of the partition's QOS replaces the job's", func(own, part, _, _ *limitSet) { own.max, part.max, own.grp, part.grp = 59, 60, cpus(7), cpus(8) }, ""},
		{"and a limit of its own that of the partition's", func(own, part, _, _ *limitSet) {
			own.isOver, own.max, part.max, own.grp, part.grp = true, 60, 59, cpus(8), cpus(7)
		}, ""},
		{"a limit on another resource replaces none", func(own, part, _, _ *limitSet) { own.grp, part.grp = cpus(7), limits{"mem": 9} }, "QOSGrpCpuLimit"},
	} {
		var own, part, account, user limitSet
		for _, l := range []*limitSet{&own, &part, &account, &user} {
			l.grpJobs, l.userJobs, l.accountJobs, l.max = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		}
		test.set(&own, &part, &account, &user)
		h := &holders{
			site: &Site{Conf: &slurm.Conf{}}, qos: map[string]*limitSet{"own": &own, "part": &part}, partitions: map[string]string{"p": "part"},
			association: map[slurmsched.AccountName]*limitSet{{Account: "a"}: &account, {Account: "a", User: "u"}: &user}, parent: map[string]string{"a": "root"}, used: map[string]*running{},
		}
		j := &slurm.Job{State: "PENDING", User: "u", Account: "a", QOS: "own", TimeLimit: 60, TRES: limits{"cpu": 4}}
		for _, key := range h.keys(j, "p") {
			h.charge(key, j)
		}
		reason := ""
		if l := h.holds(j, "p"); l != nil {
			reason = l.Reason
		}
		if reason != test.want {
			t.Errorf("%s: %q, want %q", test.name, reason, test.want)
		}
	}
}

// A job without a time limit has that of its partition.
func TestLimitOfPartition(t *testing.T) {
	for most, isHeld := range map[float64]bool{99: false, 100: false, 101: true, math.Inf(1): true} {
		own, err := newLimits(record{"maxwall": "01:40:00"}, "QOS own", "", "")
		if err != nil {
			t.Fatal(err)
		}
		h := &holders{site: &Site{Conf: &slurm.Conf{Partitions: map[string]*slurm.Partition{"p": {MaxTime: most}}}}, qos: map[string]*limitSet{"own": own}}
		j := &slurm.Job{State: "PENDING", QOS: "own", TimeLimit: math.NaN(), TRES: map[string]float64{}}
		if l := h.holds(j, "p"); (l != nil) != isHeld {
			t.Errorf("of a partition of %v minutes: %v", most, l)
		}
	}
}

// Limits of an association in one partition alone are those of no job here.
func TestAssociationOfPartition(t *testing.T) {
	h := &holders{association: map[slurmsched.AccountName]*limitSet{}}
	for _, row := range []record{{"account": "a", "user": "u", "partition": "p", "maxjobs": "0"}, {"account": "a", "user": "v", "maxjobs": "3"}} {
		if err := h.addAssociation(row); err != nil {
			t.Fatal(err)
		}
	}
	if l := h.association[slurmsched.AccountName{Account: "a", User: "v"}]; len(h.association) != 1 || l == nil || l.userJobs != 3 {
		t.Errorf("%v", h.association)
	}
}
