package sacct

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// tableOf returns what a table tells, with amounts of some resources.
func tableOf(t *testing.T, text string, asked ...string) *trace.Trace {
	t.Helper()
	tree, err := file.ReadTree("table", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := ReadTrace([]file.Source{tree.Single}, time.UTC, trace.Keep{Asked: asked})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Hours are of what a job was given, by whichever name; of one that waits, what it asks for.
func TestGiven(t *testing.T) {
	tr := tableOf(t, `JobID|State|Submit|Start|End|ElapsedRaw|AllocCPUS|ReqTRES|AllocTRES
1|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:00:00|2026-03-02T10:00:00|7200|32|billing=4,cpu=4,mem=8G,node=1,license/matlab=2|billing=40,cpu=32,mem=64G,node=2,gres/gpu=4
2|PENDING|2026-03-02T08:00:00|Unknown|Unknown|0|0|billing=4,cpu=4,mem=8G,node=1|
`, "billing", "cpu", "ncpus", "mem", "node", "nodect", "gres/gpu", "GPU", "ngpus", "matlab")
	for i, want := range [][]float64{{40, 32, 32, 64 << 20, 2, 2, 4, 4, 4, 2}, {4, 4, 4, 8 << 20, 1, 1, math.NaN(), math.NaN(), math.NaN(), math.NaN()}} {
		got := tr.AskedBy(i)
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("job %d: %v, want %v", i+1, got, want)
		}
	}
}

// Jobs of two clusters with one number are two, and runs of which a table tells only that they were are told.
func TestClustersAndRestarts(t *testing.T) {
	const header = "Cluster|JobID|State|Submit|Start|End|AllocCPUS|Restarts\n"
	one := "a|7|NODE_FAIL|2026-03-02T08:00:00|2026-03-02T08:00:10|2026-03-02T18:00:10|64|0\n"
	two := "a|7|COMPLETED|2026-03-02T18:00:10|2026-03-02T18:05:00|2026-03-02T19:05:00|64|1\n"
	ofOther := strings.ReplaceAll(two, "a|7", "b|7")
	for _, c := range []struct {
		rows, jobs, clusters string
		unseen               trace.Unseen
		doubled              int
	}{
		{one + two, "7", "a", trace.Unseen{}, 0},
		{two, "7", "a", trace.Unseen{Jobs: 1, Runs: 1}, 0},
		{two + two, "7", "a", trace.Unseen{Jobs: 1, Runs: 1}, 1},
		{one + two + ofOther, "7 7@b", "a b", trace.Unseen{Jobs: 1, Runs: 1}, 0},
	} {
		tr := tableOf(t, header+c.rows)
		var jobs []string
		for _, j := range tr.Jobs {
			jobs = append(jobs, j.ID)
		}
		if strings.Join(jobs, " ") != c.jobs || strings.Join(tr.Clusters, " ") != c.clusters || tr.Unseen != c.unseen || tr.Doubled != c.doubled {
			t.Errorf("%q: jobs %v, clusters %v, %+v, %d doubled", c.rows, jobs, tr.Clusters, tr.Unseen, tr.Doubled)
		}
	}
}
