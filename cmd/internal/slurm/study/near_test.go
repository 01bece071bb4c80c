package study_test

import (
	"cmp"
	"math"
	"testing"
	"time"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/setup"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
)

// How near the mean waits of replays of Slurm 24.11 come to those of the record, which docs/evidence/slurm.md has.
func TestNear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run, table string
		most       float64 // by how much of it the mean of changed replays differs at most from the observed one
	}{
		{run: "K0a", most: .1},
		{run: "K1c", most: .1},  // jobs are preempted and requeued
		{run: "K2a", most: .25}, // suspended; the recorded jobs sleep on meanwhile, as those that compute do not
		{run: "K3a", table: "/sacct.json.gz", most: .1},
		{run: "K4a", most: .1},
		{run: "K5c", most: .1}, // nodes fail
	} {
		n, _, err := setup.OpenPast(recordings + c.run + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := record.Read(n.Setup, []file.Source{file.At(recordings + c.run + cmp.Or(c.table, "/sacct.txt.gz"))}, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := record.ReadWorld(n, nil, jobs, time.UTC); err != nil {
			t.Fatal(err)
		}
		on, _ := slurmstudy.New(n.Setup, jobs)
		if _, err := on.Use([]*study.Changes{nil}); err != nil {
			t.Fatal(err)
		}
		on.Runs = 20
		all := runAll(t, on)
		at, mean := on.At(figure.MeanWait), 0.
		for _, wait := range all[1].Figures[at] {
			mean += wait / float64(on.Runs)
		}
		observed := all[0].Figures[at][0]
		t.Logf("%s: %.0f s observed, %.0f s (%+.1f %%) in %d replays; %.1f %% of the pairs of the first in the other order", c.run, observed, mean, 100*(mean/observed-1), on.Runs, 100*all[1].First.Result.Trust().Inverted)
		if math.Abs(mean/observed-1) > c.most {
			t.Errorf("%s: the mean wait is %.0f s, %.0f s were observed", c.run, mean, observed)
		}
	}
}
