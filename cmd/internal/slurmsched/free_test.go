package slurmsched_test

import (
	"context"
	"math"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmsite"
)

const recordings = "../../../testdata/slurm-replay/"

// open returns a recorded site and its jobs.
func open(t *testing.T, run string) (*slurmsched.Setup, *slurmsite.Record) {
	t.Helper()
	setup, remarks, err := slurmsite.OpenScheduler(recordings + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		t.Log(r)
	}
	record, err := slurmsite.ReadRecord(setup, file.At(recordings+run+"/sacct.txt.gz"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range record.Remarks {
		t.Log(r)
	}
	return setup, record
}

// TestFree runs the recorded work freely, from the recorded submissions and run times. After a fork
// single jobs go other ways, as they do in a second recording of the same work, whose mean waits
// differ by 7 % (S1a), 7 % (S2a) and 13 % (S3a), and in which 5.3, 4.7 and 9.0 % of the pairs start in
// the other order.
func TestFree(t *testing.T) {
	const swept = 1772409600 + 7*3600 + 13*60 + 7 // when slurmctld began
	for _, run := range []struct {
		name     string
		inverted float64 // at most
		wait     float64 // how far the mean wait is at most from the recorded one
		byKind   float64 // how far those of a partition or a QOS with 100 jobs are
	}{{"S1a", 0.053, 0.05, 0.06}, {"S2a", 0.03, 0.02, 0.02}, {"S3a", 0.09, 0.13, 0.16}} {
		t.Run(run.name, func(t *testing.T) {
			setup, record := open(t, run.name)
			result, err := slurmsched.Run(context.Background(), setup, record.Work(), slurmsched.Options{Swept: swept})
			if err != nil {
				t.Fatal(err)
			}
			o := &slurmsite.Outcome{}
			for _, j := range result.Jobs {
				o.Start, o.End = append(o.Start, j.Start), append(o.End, j.End)
			}
			trust := record.Trust(o)
			t.Logf("%.2f %% of the pairs start in the other order", 100*trust.Inverted)
			if trust.Jobs < 250 || trust.Inverted > run.inverted {
				t.Errorf("%d jobs start in both, and %.2f %% of the pairs in the other order", trust.Jobs, 100*trust.Inverted)
			}
			outcomes, counted := []*slurmsite.Outcome{record.Observed(), o}, record.Counted()
			compare := func(what string, observed, mine, most float64) {
				t.Logf("%s: mean wait %.0f s, recorded %.0f s, %+.1f %%", what, mine, observed, 100*(mine/observed-1))
				if math.Abs(mine/observed-1) > most && most > 0 {
					t.Errorf("%s: the mean wait is %.0f s, %.0f s were recorded", what, mine, observed)
				}
			}
			everybody := func(*slurmsite.Recorded) bool { return true }
			compare("all", record.Figures(outcomes[0], counted, everybody).WaitMean, record.Figures(o, counted, everybody).WaitMean, run.wait)
			for kind := range 2 {
				for _, p := range record.Parties(kind, outcomes, counted) {
					most := run.byKind
					if p.Jobs < 100 {
						most = 0 // so few jobs depend on single ones
					}
					compare(p.Kind+" "+p.Name, p.Figures[0].WaitMean, p.Figures[1].WaitMean, most)
				}
			}
		})
	}
}
