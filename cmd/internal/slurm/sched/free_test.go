package sched_test

import (
	"context"
	"math"
	"testing"
	"time"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
)

const recordings = "../../../../testdata/slurm-replay/"

// open returns a recorded site and its jobs.
func open(t *testing.T, run string) (*sched.Setup, *record.Record) {
	t.Helper()
	setup, remarks, err := setup.Open(recordings + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		t.Log(r)
	}
	record, err := record.Read(setup, []file.Source{file.At(recordings + run + "/sacct.txt.gz")}, time.UTC)
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
	}{{"S1a", 0.053, 0.05, 0.06}, {"S2a", 0.047, 0.03, 0.04}, {"S3a", 0.09, 0.16, 0.18}} {
		t.Run(run.name, func(t *testing.T) {
			setup, record := open(t, run.name)
			record.Swept = swept
			on, _ := slurmstudy.New(setup, record)
			if _, err := on.Use([]*study.Changes{nil}); err != nil {
				t.Fatal(err)
			}
			all, err := on.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			trust := all[1].First.Trust()
			t.Logf("%.2f %% of the pairs start in the other order", 100*trust.Inverted)
			if trust.Jobs < 250 || trust.Inverted > run.inverted {
				t.Errorf("%d jobs start in both, and %.2f %% of the pairs in the other order", trust.Jobs, 100*trust.Inverted)
			}
			compare := func(what string, observed, mine, most float64) {
				t.Logf("%s: mean wait %.0f s, recorded %.0f s, %+.1f %%", what, mine, observed, 100*(mine/observed-1))
				if math.Abs(mine/observed-1) > most && most > 0 {
					t.Errorf("%s: the mean wait is %.0f s, %.0f s were recorded", what, mine, observed)
				}
			}
			at := on.At(figure.MeanWait)
			compare("all", all[0].Figures[at][0], all[1].Figures[at][0], run.wait)
			for _, kind := range on.Compare(all).Kinds[:2] {
				for _, p := range kind.Names {
					most := run.byKind
					if p.Jobs < 100 {
						most = 0 // so few jobs depend on single ones
					}
					compare(kind.Kind+" "+p.Name, p.Waits[0][0], p.Waits[1][0], most)
				}
			}
		})
	}
}
