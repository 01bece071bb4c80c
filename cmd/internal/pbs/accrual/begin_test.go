package accrual

import (
	"io"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// The usage at the begin of an hour's log is rebuilt from that at its end, if it has decayed
// at most four times since.
func TestBeginAfterDecays(t *testing.T) {
	const log = `01/01/2026 00:00:00;Q;1.s;user=a ctime=1767225600 qtime=1767225600 etime=1767225600
01/01/2026 00:00:00;S;1.s;user=a start=1767225600 Resource_List.ncpus=2
01/01/2026 01:00:00;E;1.s;user=a etime=1767225600 start=1767225600 end=1767229200 resources_used.ncpus=2 resources_used.walltime=01:00:00
`
	from := file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
	tr, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Used: []string{"ncpus", "walltime"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		decayTime int64
		decays    int
		isTold    bool
	}{
		{10_000, 0, true}, {2000, 1, true}, {1000, 3, true}, {800, 4, true}, {700, 5, false}, {100, 35, false},
	} {
		config := fstree.DefaultConfig()
		config.UsageRes, config.DecayTime = "ncpus*walltime", test.decayTime
		o := Options{Config: config, Lag: 30, Interval: 100, Until: trace.Unknown}
		db, err := Compute(tr, o)
		if err != nil || len(db.Entities) != 1 {
			t.Fatal(db, err)
		}
		// Who has not run has at the end what is left of 1600 more than everybody begins
		// with, and who has run that and what it has accrued.
		const more = 1600
		left := more * math.Pow(float64(config.DecayFactor), float64(test.decays))
		end := &usagefile.Database{Records: []usagefile.Record{{Name: "a", Usage: db.Entities[0].Usage + left}, {Name: "b", Usage: fstree.StartUsage + left}}}
		begin, err := Begin(tr, o, end)
		isTold := begin != nil
		if err != nil || isTold != test.isTold {
			t.Errorf("decay every %d s: told %v, want %v (%v)", test.decayTime, isTold, test.isTold, err)
			continue
		}
		if !isTold {
			continue
		}
		if weight := math.Pow(float64(config.DecayFactor), -float64(test.decays)); begin.Weight != weight {
			t.Errorf("decay every %d s: what is off counts %v times, want %v", test.decayTime, begin.Weight, weight)
		}
		rebuilt := 0
		for name, usage := range begin.Usage.All() {
			if rebuilt++; math.Abs(usage-fstree.StartUsage-more) > 1e-6 {
				t.Errorf("decay every %d s: %s began with %v, want %v", test.decayTime, name, usage, fstree.StartUsage+more)
			}
		}
		if rebuilt != 2 {
			t.Errorf("decay every %d s: %d entities are rebuilt", test.decayTime, rebuilt)
		}
	}
}

// The usage with which recorded runs began comes out of that of their end, as far as reports of use that logs do not tell allow.
func TestBeginOfRecorded(t *testing.T) {
	for run, most := range map[string]float64{"P1x": .01, "P2": .01, "P3": .005, "P5": .02, "P6": .01, "R1": .005, "R5": .005, "R6": .02, "Q1": .01} {
		tr, priv, truth, taken := recorded(t, run)
		begin, err := Begin(tr, Options{Config: priv.Config, LastDecay: priv.Usage.LastDecay, Lag: DefaultLag, Interval: DefaultInterval, Until: taken, IsSampled: IsSampled(tr)}, priv.Usage)
		if err != nil || begin == nil {
			t.Fatal(run, begin, err)
		}
		began := maps.Collect(truth.All())
		off, all := 0., 0.
		for name, usage := range begin.Usage.All() {
			is := max(fstree.StartUsage, began[name])
			off, all = off+math.Abs(usage-is), all+is
		}
		if off > most*all {
			t.Errorf("%s: %.2f%% of the usage at the begin is with others", run, 100*off/all)
		}
	}
}
