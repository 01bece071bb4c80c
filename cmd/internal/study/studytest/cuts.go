// Package studytest has what tests of studies of each scheduler have in common.
package studytest

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/workshop"
)

// Cuts holds that how near a replay comes to the mean wait does not depend on where its record was cut: the observed
// one is where 19 of 20 runs fall, or within 8 % of their mean or a second of it, for 19 of 20 cuts.
type Cuts struct{ cuts, missed int }

// Parts returns the parts of a record after which it is cut.
func Parts() []float64 {
	if workshop.TestsAll() {
		return []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
	}
	return []float64{.6}
}

// Runs is how often each cut record is replayed.
const Runs = 20

// Add counts a record that was cut after a part of it, as a study of it was run.
func (c *Cuts) Add(t *testing.T, name string, part float64, on *study.Study, all []*study.Measured) {
	t.Helper()
	const most = .08 // by which the mean of all runs is off
	at := on.At(figure.MeanWait)
	observed, runs := all[0].Figures[at][0], study.IntervalOf(all[1].Figures[at])
	off := runs.Mean/observed - 1
	t.Logf("%s, %.0f %%: %.0f left waiting, observed %.0f s, %+.1f %%, %.0f to %.0f", name, 100*part, all[0].First.LeftWaiting(), observed, 100*off, runs.Low, runs.High)
	replayed := all[1].Figures[at][0]
	if diff := cmp.Diff([2]float64{observed, replayed}, all[1].First.Trust().MeanWait, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("mean waits of figures and of trust (-figures +trust):\n%s", diff)
	}
	c.cuts++
	if math.Abs(off) > most && math.Abs(runs.Mean-observed) > 1 && (observed < runs.Low || observed > runs.High) {
		c.missed++
	}
}

// Hold fails the test where too many cuts are off.
func (c *Cuts) Hold(t *testing.T) {
	t.Helper()
	if 20*c.missed > c.cuts {
		t.Errorf("the observed mean wait is not among those of runs for %d of %d cuts", c.missed, c.cuts)
	}
}
