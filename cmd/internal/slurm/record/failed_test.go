package record

import (
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/setup"
)

// Two nodes went down while K5c was recorded, and others were drained: six jobs were killed and requeued, which come in a
// replay when they were submitted first.
func TestFailedNodes(t *testing.T) {
	past, recorded := readK5c(t)
	if _, err := ReadWorld(past, nil, recorded, time.UTC); err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, f := range past.Setup.Failures {
		failed = append(failed, past.Setup.Nodes[f.Node].Name+time.Unix(f.At, 0).UTC().Format(" 15:04:05"))
	}
	if len(failed) != 2 || failed[0] != "n06 02:13:18" || failed[1] != "n07 02:28:18" {
		t.Errorf("nodes failed: %q", failed)
	}
	requeued := 0
	for _, x := range recorded.Jobs {
		if len(x.Earlier) == 0 {
			continue
		}
		requeued++
		if first := x.Earlier[0]; x.Job.Submit != first.Job.Submit || x.Again != first.End+121 || x.Run != x.End-x.Start {
			t.Errorf("job %s comes at %d and runs for %d s; it came at %d and %d, and ran from %d to %d", x.ID, x.Job.Submit, x.Run, first.Job.Submit, x.Again, x.Start, x.End)
		}
	}
	if requeued != 6 {
		t.Errorf("%d jobs were requeued", requeued)
	}
}

// What was known at a time has the runs that had begun by then, and no others.
func TestRunsUpTo(t *testing.T) {
	_, recorded := readK5c(t)
	cuts := []int64{recorded.Last}
	for _, x := range recorded.Jobs {
		for _, run := range x.Earlier {
			cuts = append(cuts, run.Start, run.End-1, run.End, run.End+60, x.Start-1, x.Start)
		}
	}
	for _, cut := range cuts {
		begun := map[string]int{}
		for _, run := range recorded.Runs() {
			if run.Start > 0 && run.Start <= cut {
				begun[run.ID]++
			}
		}
		for _, run := range recorded.UpTo(cut).Runs() {
			if begun[run.ID]--; run.Start == 0 {
				begun[run.ID]++ // it waits
			}
			if run.Start > cut || run.End > cut {
				t.Errorf("at %d, job %s is known to run from %d to %d", cut, run.ID, run.Start, run.End)
			}
		}
		for id, n := range begun {
			if n != 0 {
				t.Errorf("at %d, %d more runs of job %s had begun than are known", cut, n, id)
			}
		}
	}
}

// readK5c reads the recording K5c.
func readK5c(t *testing.T) (*setup.Site, *Record) {
	t.Helper()
	past, _, err := setup.OpenPast(dumptest.Replays + "K5c/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := Read(past.Setup, []file.Source{file.At(dumptest.Replays + "K5c/sacct.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return past, recorded
}
