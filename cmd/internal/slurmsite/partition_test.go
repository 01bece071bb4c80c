package slurmsite

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// twoAssociations makes a site one in which a user has a second association, of partition gpu alone, with shares,
// usage and limits of its own.
func twoAssociations(t *testing.T, isNamed bool) *Dump {
	t.Helper()
	d := dumpOf(t, "t2_busy", append(kept, "sacctmgr-P-assoc.txt")...)
	var shares strings.Builder
	for i, line := range strings.SplitAfter(d.Text("sshare-alP.txt"), "\n") {
		account, rest, isRow := strings.Cut(line, "|")
		user, values, _ := strings.Cut(rest, "|")
		switch of := "|"; {
		case !isRow:
			shares.WriteString(line)
			continue
		case !isNamed:
			shares.WriteString(line)
		default:
			if i == 0 {
				of = "|Partition|"
			} else {
				of = "||"
			}
			shares.WriteString(account + "|" + user + of + values)
		}
		if strings.TrimSpace(account) == "chem" && user == "hank" {
			of := "|gpu|"
			if !isNamed {
				of = "|"
			}
			shares.WriteString(account + "|hank" + of + "7|0.1|1234|0.1|0.1|0.1|0.1||\n")
		}
	}
	d.Set("sshare-alP.txt", shares.String())
	d.Set("sacctmgr-P-assoc.txt", d.Text("sacctmgr-P-assoc.txt")+"hpc|chem|hank|gpu|7|||||||2|||3|||normal|normal|\n")
	return d
}

// A user's association in one partition has its own shares, usage and limits, and the jobs of that partition
// are under it: those of others are under the user's other one.
func TestAssociationOfPartition(t *testing.T) {
	d := twoAssociations(t, true)
	name := filepath.Join(t.TempDir(), "site")
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	setup, remarks, err := OpenScheduler(name)
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
	changed, _, err := ChangeSetup(setup, []string{"chem/hank/gpu.shares=9"})
	if err != nil || changed.Tree[gpu].Shares != 9 || changed.Tree[all].Shares == 9 {
		t.Error(err)
	}
	const table = `JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES
1|hank|chem|gpu|normal|2026-03-02T08:00:00|2026-03-02T08:00:01|2026-03-02T09:00:00|02:00:00|1|cpu=1,node=1
2|hank|chem|main|normal|2026-03-02T08:00:00|2026-03-02T08:00:01|2026-03-02T09:00:00|02:00:00|1|cpu=1,node=1
`
	record, err := ReadRecord(setup, []file.Source{{Name: "sacct.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }}}, time.UTC)
	if err != nil || len(record.Jobs) != 2 || record.Jobs[0].Association != gpu || record.Jobs[1].Association != all {
		t.Fatalf("%v: %+v", err, record)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	fairshare := s.Conf.Fairshare(s.Tree)
	own, isOwn := fairshare("chem", "hank", "gpu")
	other, isOther := fairshare("chem", "hank", "main")
	if !isOwn || !isOther || own == other {
		t.Errorf("the factors are %v and %v", own, other)
	}
	j := &slurm.Job{State: "PENDING", User: "hank", Account: "chem", QOS: "normal", Partitions: []string{"gpu"}, TimeLimit: 60, TRES: map[string]float64{"cpu": 1}}
	h := s.limits
	for i := range 2 {
		n := slurm.Now{Job: *j}
		n.ID, n.State = fmt.Sprint("of gpu ", i), "RUNNING"
		h.listed[n.ID] = &n
	}
	if limit := h.Holds(j, "gpu"); limit == nil || limit.Reason != "AssocMaxJobsLimit" || !strings.Contains(limit.Detail, "chem/hank/gpu") {
		t.Errorf("a third job is held by %v", limit)
	}
	j.Partitions = []string{"main"}
	if limit := h.Holds(j, "main"); limit != nil && strings.Contains(limit.Detail, "gpu") {
		t.Errorf("a job of another partition is held by %v", limit)
	}
	// Where the table does not say which of two rows is of a partition, it is of no use.
	if _, err := New(twoAssociations(t, false)); err != nil {
		t.Fatal(err)
	} else if _, _, err := OpenScheduler(written(t, twoAssociations(t, false))); err == nil {
		t.Error("which of two associations is of a partition is not known, and nobody says so")
	}
	// scontrol show assoc_mgr says it.
	d = twoAssociations(t, false)
	manager := dumpOf(t, "t2_busy", "scontrol-show-assoc_mgr.txt").Text("scontrol-show-assoc_mgr.txt")
	_, from, _ := strings.Cut(manager, "ClusterName=hpc Account=chem UserName=hank(")
	block, _, _ := strings.Cut(from, "ClusterName=")
	block = "ClusterName=hpc Account=chem UserName=hank(" + block
	second := strings.Replace(block, "Partition= ", "Partition=gpu ", 1)
	d.Set("scontrol-show-assoc_mgr.txt", strings.Replace(manager, block, block+second, 1))
	setup, _, err = OpenScheduler(written(t, d))
	if err != nil || setup.AssociationOf("chem", "hank", "gpu") == setup.AssociationOf("chem", "hank", "main") {
		t.Errorf("%v", err)
	}
	if at := setup.AssociationOf("chem", "hank", "gpu"); at < 0 || setup.Names[at] != (slurmsched.AccountName{Account: "chem", User: "hank", Partition: "gpu"}) {
		t.Error(setup.Names)
	}
}

// written returns the folder that a site is written to.
func written(t *testing.T, d *Dump) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site")
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	return name
}
