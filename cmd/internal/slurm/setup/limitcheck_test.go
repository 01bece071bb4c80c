package setup

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
)

// Each limit that keeps a job from starting is named as Slurm calls it, and the first one that is set
// counts: of the partition's QOS, of the job's, of associations.
func TestLimitNames(t *testing.T) {
	const minute = 60
	type amount func(tres string, most int64) sched.Amounts
	for want, set := range map[string]func(one amount, q, part, user, account *sched.Limits){
		"": func(one amount, q, p, u, a *sched.Limits) {
			q.AllWall, a.AllMinutes, u.RunMinutes = 1e6, one("cpu", 1e6), one("cpu", 1e6)
		},
		"QOSGrpWallLimit":               func(one amount, q, p, u, a *sched.Limits) { q.AllWall = 100 },
		"AssocGrpWallLimit":             func(one amount, q, p, u, a *sched.Limits) { a.AllWall = 100 },
		"QOSGrpCPUMinutesLimit":         func(one amount, q, p, u, a *sched.Limits) { q.AllMinutes = one("cpu", 1000) }, // which the job would exceed
		"AssocGrpCPUMinutesLimit":       func(one amount, q, p, u, a *sched.Limits) { a.AllMinutes = one("cpu", 900) },
		"AssocGrpMemMinutes":            func(one amount, q, p, u, a *sched.Limits) { a.AllMinutes = one("mem", 5) },
		"AssocGrpCPURunMinutesLimit":    func(one amount, q, p, u, a *sched.Limits) { a.RunMinutes = one("cpu", 90) },
		"QOSMaxCpuMinutesPerJobLimit":   func(one amount, q, p, u, a *sched.Limits) { q.JobMinutes = one("cpu", 1) },
		"AssocMaxMemMinutesPerJob":      func(one amount, q, p, u, a *sched.Limits) { u.JobMinutes = one("mem", 1) },
		"QOSMaxCpuPerNode":              func(one amount, q, p, u, a *sched.Limits) { p.NodeTRES = one("cpu", 0) },
		"AssocMaxMemPerNode":            func(one amount, q, p, u, a *sched.Limits) { u.NodeTRES = one("mem", 1) },
		"QOSMinCpuNotSatisfied":         func(one amount, q, p, u, a *sched.Limits) { q.LeastTRES = one("cpu", 1000) },
		"QOSMinGRES":                    func(one amount, q, p, u, a *sched.Limits) { q.LeastTRES = one("gres/gpu", 1) },
		"QOSMaxWallDurationPerJobLimit": func(one amount, q, p, u, a *sched.Limits) { p.MaxWall, q.MaxWall, u.MaxWall = minute, 1e9, 1e9 },
		"AssocMaxJobsLimit":             func(one amount, q, p, u, a *sched.Limits) { u.UserJobs = 0 },
		"QOSMaxJobsPerUserLimit":        func(one amount, q, p, u, a *sched.Limits) { u.UserJobs, q.UserJobs = 1e9, 0 },
	} {
		l, jobs := limitsOf(t, dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...))
		j := &jobs[slices.IndexFunc(jobs, func(j slurm.ListedJob) bool { return j.ID == "57" })].Job
		c := l.setup
		one := func(tres string, most int64) sched.Amounts {
			limit := slices.Clone(c.Unlimited().AllTRES)
			limit[c.AmountOf(tres)] = most
			return limit
		}
		for i := range c.Accounts {
			c.Accounts[i].Limits = c.Unlimited()
		}
		used := sched.Usage{TRES: make([]float64, len(c.Unlimited().AllTRES)), Wall: 100.5 * minute}
		used.TRES[c.AmountOf("cpu")], used.TRES[c.AmountOf("mem")] = 900*minute, 5*minute
		c.IsSafe = true
		c.QOS = []sched.QOS{{Name: "part", UsageFactor: 1, Limits: c.Unlimited(), Used: used}, {Name: j.QOS, UsageFactor: 1, Limits: c.Unlimited(), Used: used}}
		c.PartitionQOS = slices.Repeat([]int{0}, len(c.Partitions))
		user := &c.Accounts[c.AssociationOf(j.Account, j.User, "main")]
		account := &c.Accounts[user.Parent]
		user.Used, account.Used = used, used
		set(one, &c.QOS[1].Limits, &c.QOS[0].Limits, &user.Limits, &account.Limits)
		got := ""
		if limit, _ := l.Holds(j, "main", j.QOS); limit != nil {
			got = limit.Reason
		}
		if got != want {
			t.Errorf("job 57 waits for %q, want %q", got, want)
		}
	}
}

// A job without a time limit has that of its partition.
func TestLimitOfPartition(t *testing.T) {
	for most, isHeld := range map[float64]bool{99: false, 100: false, 101: true, math.Inf(1): true} {
		d := dumptest.Of(t, "t2_busy", append(dumptest.Without(dumptest.Needed, "scontrol-show-partition.txt"), "sacctmgr-P-assoc.txt")...)
		d.Set("sacctmgr-P-qos.txt", "Name|Priority|UsageFactor|MaxWall\nnormal|0|1|01:40:00\n")
		d.Set("slurm.conf", dumptest.Of(t, "t2_busy", "slurm.conf").Text("slurm.conf"))
		l, _ := limitsOf(t, d)
		c := l.setup
		for i := range c.Accounts {
			c.Accounts[i].Limits = c.Unlimited()
		}
		part := &c.Partitions[c.PartitionNamed("main")]
		if part.MaxTime = 0; most < math.MaxInt32 {
			part.MaxTime = int64(most) * 60
		}
		j := &slurm.Job{State: "PENDING", User: "hank", Account: "chem", QOS: "normal", Partitions: []string{"main"}, TimeLimit: math.NaN(), TRES: map[string]float64{"cpu": 1}}
		if limit, _ := l.Holds(j, "main", j.QOS); (limit != nil) != isHeld {
			t.Errorf("of a partition of %v minutes: %v", most, limit)
		}
	}
}

// What running jobs may still use is what slurmctld says, where it says it: jobs that run and are in no list count, and
// those that are listed count once.
func TestRunMinutesOfJobsInNoList(t *testing.T) {
	for _, isSafe := range []bool{false, true} {
		for _, isWhole := range []bool{false, true} {
			d := dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...)
			if !isWhole {
				records := strings.SplitAfter(d.Text("scontrol-show-job.txt"), "\n\n")
				d.Set("scontrol-show-job.txt", strings.Join(slices.DeleteFunc(records, func(x string) bool { return strings.Contains(x, "JobState=RUNNING") }), ""))
			}
			l, jobs := limitsOf(t, d)
			c := l.setup
			for i := range c.Accounts {
				c.Accounts[i].Limits = c.Unlimited()
			}
			most := slices.Clone(c.Unlimited().AllTRES)
			want := "AssocGrpCPURunMinutesLimit: 5528 cpu minutes are left to running jobs and 2880 asked for, of 8407 (GrpTRESRunMins of account hep)"
			account := &c.Accounts[slices.Index(c.Names, sched.AccountName{Account: "hep"})]
			if most[c.AmountOf("cpu")] = 8407; isSafe {
				c.IsSafe = true
				most[c.AmountOf("cpu")] = 18156
				account.Limits.AllMinutes = most
				want = "AssocGrpCPUMinutesLimit: 9749 cpu minutes are used, 5528 left to running jobs and 2880 asked for, of 18156 (GrpTRESMins of account hep)"
				account.Used = sched.Usage{TRES: make([]float64, len(most))}
				account.Used.TRES[c.AmountOf("cpu")] = 9749 * 60
			} else {
				account.Limits.RunMinutes = most
			}
			j := &jobs[slices.IndexFunc(jobs, func(j slurm.ListedJob) bool { return j.ID == "57" })].Job
			if held, _ := l.Holds(j, "main", j.QOS); held.String() != want {
				got := held.String()
				t.Errorf("safe %v, a whole list %v: %q, want %q", isSafe, isWhole, got, want)
			}
		}
	}
}

// What running jobs may still use is summed in the order of the list, so that a site has one answer.
func TestRunMinutesAreOfOneOrder(t *testing.T) {
	found := map[string]bool{}
	for range 30 {
		var running []slurm.ListedJob
		for i, limit := range []float64{1, 3, 6} { // times 0.7, their sum is 7 minutes in one order and 6.99 in another
			running = append(running, slurm.ListedJob{Job: slurm.Job{ID: fmt.Sprint("more ", i), State: "RUNNING", User: "hank", Account: "chem", QOS: "normal", Partitions: []string{"main"}, TimeLimit: limit, TRES: map[string]float64{"cpu": 1}}})
		}
		l, _ := limitsOf(t, dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), "sacctmgr-P-assoc.txt")...), running...)
		c := l.setup
		for i := range c.Accounts {
			c.Accounts[i].Limits = c.Unlimited()
		}
		for i := range c.QOS {
			c.QOS[i].UsageFactor = 0.7
		}
		most := slices.Clone(c.Unlimited().AllTRES)
		most[c.AmountOf("cpu")] = 1
		c.Accounts[c.AssociationOf("chem", "hank", "main")].Limits.RunMinutes = most
		j := running[0].Job
		j.ID, j.State = "waits", "PENDING"
		held, _ := l.Holds(&j, "main", j.QOS)
		found[held.String()] = true
	}
	if len(found) != 1 {
		t.Errorf("%d answers: %v", len(found), found)
	}
}

// A job without a time limit that names several partitions has in each the limit of that one.
func TestLimitOfEachPartition(t *testing.T) {
	l, _ := limitsOf(t, dumptest.Of(t, "t2_busy", append(slices.Clone(dumptest.Needed), "sacctmgr-P-assoc.txt")...))
	c := l.setup
	for i := range c.Accounts {
		c.Accounts[i].Limits = c.Unlimited()
	}
	for i := range c.QOS {
		c.QOS[i].Limits = c.Unlimited()
		c.QOS[i].Limits.MaxWall = 3600
	}
	c.Partitions[c.PartitionNamed("main")].MaxTime, c.Partitions[c.PartitionNamed("gpu")].MaxTime = 1800, 7200
	j := &slurm.Job{State: "PENDING", User: "hank", Account: "chem", QOS: "normal", Partitions: []string{"main", "gpu"}, TimeLimit: math.NaN(), TRES: map[string]float64{"cpu": 1}}
	if limit, _ := l.Holds(j, "main", j.QOS); limit != nil {
		t.Errorf("where the partition's limit is short, %v holds it", limit)
	}
	if limit, _ := l.Holds(j, "gpu", j.QOS); limit == nil || limit.Reason != "QOSMaxWallDurationPerJobLimit" {
		t.Errorf("where it is long, %v holds it", limit)
	}
}

// What a site says of limits is what its scheduler knows: those of a partition's QOS, minutes with what is
// used of them, and whether any are enforced. What is not modelled is weighed by the jobs that it concerns.
func TestLimitsOfScheduler(t *testing.T) {
	const minute = 60
	at := func(change func(d *dump.Dump)) (*sched.Setup, string) {
		d := dumptest.Of(t, "t2_busy", append(dumptest.Without(dumptest.Needed), "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt")...)
		change(d)
		name := filepath.Join(t.TempDir(), "site")
		if err := d.Write(name); err != nil {
			t.Fatal(err)
		}
		setup, remarks, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, r := range remarks {
			said = append(said, r.Text)
		}
		return setup, strings.Join(said, "\n")
	}
	account := func(s *sched.Setup, account, user string) *sched.Account {
		return &s.Accounts[slices.Index(s.Names, sched.AccountName{Account: account, User: user})]
	}
	s, said := at(func(*dump.Dump) {})
	cpu := s.AmountOf("cpu")
	hank := account(s, "chem", "hank")
	gpu := s.PartitionNamed("gpu")
	if hank.Limits.AllMinutes[cpu] != 20000 || hank.Used.TRES[cpu] != 1912*minute || hank.Used.Wall != 235.21*minute || !s.IsSafe || s.PartitionQOS == nil || s.QOS[s.PartitionQOS[gpu]].Name != "gpupart" {
		t.Errorf("hank may use %v and has used %v, safe %v, QOS of partitions %v", hank.Limits.AllMinutes, hank.Used, s.IsSafe, s.PartitionQOS)
	}
	if !strings.Contains(said, "GrpTRESMins of chem/hank begins with what scontrol show assoc_mgr says") {
		t.Error(said)
	}
	without, _ := at(func(d *dump.Dump) { d.Set("scontrol-show-assoc_mgr.txt", "\n") })
	if x := account(without, "chem", "hank"); x.Limits.AllMinutes == nil || x.Used.TRES != nil || !strings.Contains(fmt.Sprint(without.Omissions), "what had been used of GrpTRESMins of chem/hank") {
		t.Errorf("without assoc_mgr: %+v, %v", x.Used, without.Omissions)
	}
	free, said := at(func(d *dump.Dump) {
		for _, p := range d.Parts {
			d.Set(p.File(), strings.ReplaceAll(p.Text, "associations,limits,qos,safe", "associations,qos"))
		}
	})
	if x := account(free, "chem", "hank"); x.Limits.AllMinutes != nil || x.Limits.UserJobs != sched.None || free.IsSafe || !strings.Contains(said, "AccountingStorageEnforce has no limits") {
		t.Errorf("limits are not enforced: %+v, %s", x.Limits, said)
	}
	flagged := func(d *dump.Dump, mode string) {
		text := d.Text("sacctmgr-P-assoc.txt")
		d.Set("sacctmgr-P-assoc.txt", text+"hpc|chem|hank|gpu|10|||||||||||||normal|normal|\n")
		dumptest.Edit(t, d, "sacctmgr-P-qos.txt", "high|1000|00:00:00|||cluster|", "high|1000|00:00:00|||cluster|DenyOnLimit,NoReserve,RequiresReservation")
		dumptest.Edit(t, d, "scontrol-show-config.txt", "PreemptMode             = OFF", "PreemptMode             = "+mode)
	}
	off, _ := at(func(d *dump.Dump) { flagged(d, "OFF") })
	if off.QOS[1].NoReserve {
		t.Error("NoReserve has an effect where no job is preempted")
	}
	more, _ := at(func(d *dump.Dump) { flagged(d, "REQUEUE") })
	sum := 0
	for _, r := range Weigh(more, slurm.OnStarts, "the list", func(yield func(*sched.Job, float64) bool) {
		who := slices.Index(more.Names, sched.AccountName{Account: "chem", User: "hank"})
		for partition := range more.Partitions {
			yield(&sched.Job{Partition: partition, Association: who, QOS: 1}, 10)
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
		t.Errorf("%+v", more.Omissions)
	}
}

// A user's association in one partition has its own shares, usage and limits, and the jobs of that partition
// are under it: those of others are under the user's other one.
func TestAssociationOfPartition(t *testing.T) {
	d := dumptest.TwoAssociations(t, true)
	name := filepath.Join(t.TempDir(), "site")
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	setup, remarks, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		if strings.Contains(r.Text, "hank") && strings.Contains(r.Text, "lacks") {
			t.Error(r)
		}
	}
	gpu, all := setup.AssociationOf("chem", "hank", "gpu"), setup.AssociationOf("chem", "hank", "main")
	if gpu == all || gpu < 0 || all < 0 || setup.Names[gpu].String() != "chem/hank/gpu" {
		t.Fatal(gpu, all, setup.Names)
	}
	a, b := setup.Accounts[gpu], setup.Accounts[all]
	if setup.Tree[gpu].Shares != 7 || setup.Tree[gpu].Usage != 1234 || a.Limits.UserJobs != 2 || a.Limits.UserSubmit != 3 || a.User != b.User || a.Parent != b.Parent || b.Limits.UserJobs == 2 {
		t.Errorf("%+v: %+v, beside %+v", setup.Tree[gpu], a, b)
	}
	fairshare := setup.Conf.Fairshare(d.Shares().Tree)
	own, isOwn := fairshare("chem", "hank", "gpu")
	other, isOther := fairshare("chem", "hank", "main")
	if !isOwn || !isOther || own == other {
		t.Errorf("the factors are %v and %v", own, other)
	}
	j := &slurm.Job{State: "PENDING", User: "hank", Account: "chem", QOS: "normal", Partitions: []string{"gpu"}, TimeLimit: 60, TRES: map[string]float64{"cpu": 1}}
	running := make([]slurm.ListedJob, 2)
	for i := range running {
		running[i].Job = *j
		running[i].ID, running[i].State = fmt.Sprint("of gpu ", i), "RUNNING"
	}
	h, _ := limitsOf(t, d, running...)
	if limit, _ := h.Holds(j, "gpu", j.QOS); limit == nil || limit.Reason != "AssocMaxJobsLimit" || !strings.Contains(limit.Detail, "chem/hank/gpu") {
		t.Errorf("a third job is held by %v", limit)
	}
	j.Partitions = []string{"main"}
	if limit, _ := h.Holds(j, "main", j.QOS); limit != nil && strings.Contains(limit.Detail, "gpu") {
		t.Errorf("a job of another partition is held by %v", limit)
	}
	// Where the table does not say which of two rows is of a partition, it is of no use.
	if _, _, err := Open(dumptest.Written(t, dumptest.TwoAssociations(t, false))); err == nil {
		t.Error("which of two associations is of a partition is not known, and nobody says so")
	}
	// scontrol show assoc_mgr says it.
	d = dumptest.TwoAssociations(t, false)
	manager := dumptest.Of(t, "t2_busy", "scontrol-show-assoc_mgr.txt").Text("scontrol-show-assoc_mgr.txt")
	_, from, _ := strings.Cut(manager, "ClusterName=hpc Account=chem UserName=hank(")
	block, _, _ := strings.Cut(from, "ClusterName=")
	block = "ClusterName=hpc Account=chem UserName=hank(" + block
	second := strings.Replace(block, "Partition= ", "Partition=gpu ", 1)
	d.Set("scontrol-show-assoc_mgr.txt", strings.Replace(manager, block, block+second, 1))
	setup, _, err = Open(dumptest.Written(t, d))
	if err != nil || setup.AssociationOf("chem", "hank", "gpu") == setup.AssociationOf("chem", "hank", "main") {
		t.Errorf("%v", err)
	}
	if at := setup.AssociationOf("chem", "hank", "gpu"); at < 0 || setup.Names[at] != (sched.AccountName{Account: "chem", User: "hank", Partition: "gpu"}) {
		t.Error(setup.Names)
	}
}

// limitsOf returns the limits of a site beside its jobs, to which some may be added.
func limitsOf(t *testing.T, d *dump.Dump, more ...slurm.ListedJob) (*LimitCheck, []slurm.ListedJob) {
	t.Helper()
	conf, _, err := d.Conf()
	if err != nil {
		t.Fatal(err)
	}
	listed, _, _ := d.Jobs()
	listed = append(listed, more...)
	l, remarks := ReadLimitCheck(d, conf, d.Shares().Tree, listed, time.Time{})
	if l == nil {
		t.Fatal("there are no limits: ", remarks)
	}
	return l, listed
}

// A limit of a resource that neither Slurm nor the nodes have by that name is said, and no other one.
func TestUnknownResources(t *testing.T) {
	for tres, isKnown := range map[string]bool{
		"cpu": true, "mem": true, "node": true, "billing": true, "license/matlab": true, "fs/disk": true, "bb/cray": true, "gres/gpu": true, "CPU": true,
		"cpus": false, "gres/gpux": false, "gpu": false, "license": false,
	} {
		d := dumptest.Of(t, "t2_busy", dumptest.Needed...)
		dumptest.Edit(t, d, "sacctmgr-P-qos.txt", "cpu=48", tres+"=48")
		_, remarks, err := Past(d)
		if err != nil {
			t.Fatal(err)
		}
		isSaid := slices.ContainsFunc(remarks, func(r diag.Remark) bool {
			return strings.Contains(r.Text, "by that name") && strings.HasSuffix(r.Text, ": "+tres+" of QOS high (MaxTRESPU)")
		})
		if isSaid == isKnown {
			t.Errorf("%s: known %v in %v", tres, isKnown, remarks)
		}
	}
}
