package order

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
)

// Each job for which Slurm names a limit as the reason why it waits is held by that limit, as the tables
// tell, and no job is held that Slurm is about to start.
func TestLimits(t *testing.T) {
	found := 0
	for moment := range dumptest.Moments {
		s := openRecorded(t, moment)
		for _, r := range s.Rows() {
			switch isLimit := sched.IsLimit(r.Reason); {
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
	d := dumptest.Of(t, "t2_busy", append(dumptest.Without(dumptest.Needed), "sacctmgr-P-assoc.txt")...)
	before, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Text("sacctmgr-P-assoc.txt")
	_, rows, _ := strings.Cut(text, "\n")
	d.Set("sacctmgr-P-assoc.txt", text+strings.ReplaceAll(strings.ReplaceAll(rows, "hpc|", "other|"), "cpu=128", "cpu=1"))
	after, err := New(d)
	if err != nil || said(after) != said(before) {
		t.Error(err, said(after))
	}
	for i, r := range after.Rows() {
		if r.Limit.String() != before.Rows()[i].Limit.String() {
			t.Errorf("job %s: %v", r.Job.ID, r.Limit)
		}
	}
	// What is suspended counts as what runs.
	d = dumptest.Of(t, "t2_busy", append(dumptest.Without(dumptest.Needed), "sacctmgr-P-assoc.txt")...)
	dumptest.Edit(t, d, "scontrol-show-job.txt", "JobState=RUNNING", "JobState=SUSPENDED")
	suspended, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for i := range before.Jobs {
		if before.Jobs[i].State != "PENDING" {
			continue
		}
		was, _ := before.limits.Holds(&before.Jobs[i], before.Jobs[i].Partitions[0], before.Jobs[i].QOS)
		is, _ := suspended.limits.Holds(&suspended.Jobs[i], suspended.Jobs[i].Partitions[0], suspended.Jobs[i].QOS)
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
