package study_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/workshop"
)

// How near a replay comes to the mean wait does not depend on where its record was cut: the observed one is where 19 of
// 20 runs fall, or within 8 % of their mean or a second of it, for 19 of 20 cuts.
func TestCutRecords(t *testing.T) {
	const most = .08 // by which the mean of all runs is off
	cuts, missed := 0, 0
	parts := []float64{.6}
	if workshop.RunsLong() {
		parts = []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
	}
	for _, name := range []string{"P1x", "P2", "P5", "P6", "L1"} {
		whole := studytest.OfRun(t, name).Work
		for _, part := range parts {
			s := studytest.OfRunUntil(t, name, whole.First+int64(part*float64(whole.Last-whole.First)))
			s.Runs = 20
			all := studytest.Run(t, s)
			at := s.At(figure.MeanWait)
			observed, runs := all[0].Figures[at][0], study.IntervalOf(all[1].Figures[at])
			off := runs.Mean/observed - 1
			t.Logf("%s, %.0f %%: %.0f left waiting, observed %.0f s, %+.1f %%, %.0f to %.0f", name, 100*part, all[0].First.LeftWaiting(), observed, 100*off, runs.Low, runs.High)
			replayed := all[1].Figures[at][0]
			if diff := cmp.Diff([2]float64{observed, replayed}, all[1].First.Result.Trust().MeanWait, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("mean waits of figures and of trust (-figures +trust):\n%s", diff)
			}
			cuts++
			if math.Abs(off) > most && math.Abs(runs.Mean-observed) > 1 && (observed < runs.Low || observed > runs.High) {
				missed++
			}
		}
	}
	if 20*missed > cuts {
		t.Errorf("the observed mean wait is not among those of runs for %d of %d cuts", missed, cuts)
	}
}
