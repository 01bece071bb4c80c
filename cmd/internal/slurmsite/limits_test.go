package slurmsite

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
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

// Each limit that keeps a job from starting is named as Slurm calls it, and the first one that is set
// counts: of the partition's QOS, of the job's, of associations.
func TestLimitNames(t *testing.T) {
	one := func(tres string, most float64) map[string]float64 { return map[string]float64{tres: most} }
	used := managed{wall: "100.5", minutes: map[string]string{"cpu": "900", "mem": "5"}, left: map[string]string{"cpu": "90"}}
	for want, set := range map[string]func(q, part, user, account *limitSet){
		"":                              func(q, p, u, a *limitSet) { q.grpWall, a.grpMins, u.grpRunMins = 1e6, one("cpu", 1e6), one("cpu", 1e6) },
		"QOSGrpWallLimit":               func(q, p, u, a *limitSet) { q.grpWall = 100 },
		"AssocGrpWallLimit":             func(q, p, u, a *limitSet) { a.grpWall = 100 },
		"QOSGrpCPUMinutesLimit":         func(q, p, u, a *limitSet) { q.grpMins = one("cpu", 1000) }, // which the job would exceed
		"AssocGrpCPUMinutesLimit":       func(q, p, u, a *limitSet) { a.grpMins = one("cpu", 900) },
		"AssocGrpMemMinutes":            func(q, p, u, a *limitSet) { a.grpMins = one("mem", 5) },
		"AssocGrpCPURunMinutesLimit":    func(q, p, u, a *limitSet) { a.grpRunMins = one("cpu", 90) },
		"QOSMaxCpuMinutesPerJobLimit":   func(q, p, u, a *limitSet) { q.jobMins = one("cpu", 1) },
		"AssocMaxMemMinutesPerJob":      func(q, p, u, a *limitSet) { u.jobMins = one("mem", 1) },
		"QOSMaxCpuPerNode":              func(q, p, u, a *limitSet) { p.perNode = one("cpu", 0) },
		"AssocMaxMemPerNode":            func(q, p, u, a *limitSet) { u.perNode = one("mem", 1) },
		"QOSMinCpuNotSatisfied":         func(q, p, u, a *limitSet) { q.least = one("cpu", 1000) },
		"QOSMinGRES":                    func(q, p, u, a *limitSet) { q.least = one("gres/gpu", 1) },
		"QOSMaxWallDurationPerJobLimit": func(q, p, u, a *limitSet) { p.max, q.max, u.max = 1, 1e9, 1e9 },
		"AssocMaxJobsLimit":             func(q, p, u, a *limitSet) { u.userJobs = 0 },
		"QOSMaxJobsPerUserLimit":        func(q, p, u, a *limitSet) { u.userJobs, q.userJobs = 1e9, 0 },
	} {
		s := openRecorded(t, "t2_busy")
		j := &s.Jobs[slices.IndexFunc(s.Jobs, func(j slurm.Job) bool { return j.ID == "57" })]
		none := func() *limitSet {
			return &limitSet{grpJobs: math.NaN(), userJobs: math.NaN(), accountJobs: math.NaN(), max: math.NaN(), grpWall: math.NaN(), factor: 1, used: used}
		}
		own, part, user, account := none(), none(), none(), none()
		set(own, part, user, account)
		h := s.limits
		h.isSafe = true
		h.qos[j.QOS], h.qos["part"], h.partitions["main"] = own, part, "part"
		h.association = map[slurmsched.AccountName]*limitSet{{Account: j.Account, User: j.User}: user, {Account: j.Account}: account}
		got := ""
		if limit := h.holds(j, "main"); limit != nil {
			got = limit.Reason
		}
		if got != want {
			t.Errorf("job 57 waits for %q, want %q", got, want)
		}
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

// What a site says of limits is what its scheduler knows: those of a partition's QOS, minutes with what is
// used of them, and whether any are enforced. What is not modelled is weighed by the jobs that it concerns.
func TestLimitsOfScheduler(t *testing.T) {
	const minute = 60
	at := func(change func(d *Dump)) (*slurmsched.Setup, string) {
		d := dumpOf(t, "t2_busy", append(without(kept), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...)
		change(d)
		name := filepath.Join(t.TempDir(), "site")
		if err := d.Write(name); err != nil {
			t.Fatal(err)
		}
		setup, remarks, err := OpenScheduler(name)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, r := range remarks {
			said = append(said, r.Text)
		}
		return setup, strings.Join(said, "\n")
	}
	account := func(s *slurmsched.Setup, account, user string) *slurmsched.Account {
		return &s.Accounts[slices.Index(s.Names, slurmsched.AccountName{Account: account, User: user})]
	}
	s, said := at(func(*Dump) {})
	cpu := s.AmountOf("cpu")
	hank := account(s, "chem", "hank")
	gpu := s.PartitionNamed("gpu")
	if hank.Limits.AllMinutes[cpu] != 20000 || hank.Used.TRES[cpu] != 1912*minute || hank.Used.Wall != 235.21*minute || !s.IsSafe || s.PartitionQOS == nil || s.QOS[s.PartitionQOS[gpu]].Name != "gpupart" {
		t.Errorf("hank may use %v and has used %v, safe %v, QOS of partitions %v", hank.Limits.AllMinutes, hank.Used, s.IsSafe, s.PartitionQOS)
	}
	if !strings.Contains(said, "GrpTRESMins of chem/hank begins with what scontrol show assoc_mgr says") {
		t.Error(said)
	}
	without, _ := at(func(d *Dump) { d.files["scontrol-show-assoc_mgr.txt"] = []byte("\n") })
	if x := account(without, "chem", "hank"); x.Limits.AllMinutes == nil || x.Used.TRES != nil || !strings.Contains(fmt.Sprint(without.Ignored), "what had been used of GrpTRESMins of chem/hank") {
		t.Errorf("without assoc_mgr: %+v, %v", x.Used, without.Ignored)
	}
	free, said := at(func(d *Dump) {
		for name, text := range d.files {
			d.files[name] = []byte(strings.ReplaceAll(string(text), "associations,limits,qos,safe", "associations,qos"))
		}
	})
	if x := account(free, "chem", "hank"); x.Limits.AllMinutes != nil || x.Limits.UserJobs != slurmsched.None || free.IsSafe || !strings.Contains(said, "AccountingStorageEnforce has no limits") {
		t.Errorf("limits are not enforced: %+v, %s", x.Limits, said)
	}
	if _, _, err := ChangeSetup(free, []string{"qos.high.MaxJobsPU=1"}); err == nil || !strings.Contains(err.Error(), "AccountingStorageEnforce has no limits") {
		t.Error(err)
	}
	flagged := func(d *Dump, mode string) {
		text := string(d.files["sacctmgr-P-assoc.txt"])
		d.files["sacctmgr-P-assoc.txt"] = []byte(text + "hpc|chem|hank|gpu|10|||||||||||||normal|normal|\n")
		qos := string(d.files["sacctmgr-P-qos.txt"])
		d.files["sacctmgr-P-qos.txt"] = []byte(strings.Replace(qos, "high|1000|00:00:00|||cluster|", "high|1000|00:00:00|||cluster|DenyOnLimit,NoReserve,RequiresReservation", 1))
		config := string(d.files["scontrol-show-config.txt"])
		d.files["scontrol-show-config.txt"] = []byte(strings.Replace(config, "PreemptMode             = OFF", "PreemptMode             = "+mode, 1))
	}
	off, _ := at(func(d *Dump) { flagged(d, "OFF") })
	if off.QOS[1].NoReserve {
		t.Error("NoReserve has an effect where no job is preempted")
	}
	more, _ := at(func(d *Dump) { flagged(d, "REQUEUE") })
	sum := 0
	for _, r := range weigh(more, "the list", func(yield func(*slurmsched.Job, float64) bool) {
		who := slices.Index(more.Names, slurmsched.AccountName{Account: "chem", User: "hank"})
		for partition := range more.Partitions {
			yield(&slurmsched.Job{Partition: partition, Association: who, QOS: 1}, 10)
		}
	}) {
		if strings.Contains(r.Text, "the association chem/hank/gpu, which the tree lacks") && strings.Contains(r.Text, "1 job of the list with 10 core hours") {
			sum++
		}
		if strings.Contains(r.Text, "the flag RequiresReservation of QOS high, so that its jobs run without a reservation, is not modelled: 3 jobs of the list with 30 core hours") {
			sum++
		}
	}
	if sum != 2 || !more.QOS[1].NoReserve || more.QOS[0].NoReserve {
		t.Errorf("%+v", more.Ignored)
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
