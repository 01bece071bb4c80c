package forecast

import (
	"context"
	"math"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// What a site had used at the begin of a record is what it printed at a later moment less what the record has added since, with decay undone: of
// three recorded clusters, on which nobody had used anything then, by each of eight later moments. What it is off stays as it is while usage grows.
func TestUsageOfTheBegin(t *testing.T) {
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		at := time.Unix(0, 0).UTC()
		for _, m := range momentsOf(t, run) {
			s, r := recordOf(t, run, m.dir)
			printed, all := s.Tree, 0.
			begin := r.Begin(s, m.at, nil, time.UTC)
			off, weight := 0., 1/s.Decay(m.at-r.Trace().First)
			for i := range printed {
				if printed[i].User {
					all, off = all+printed[i].Usage, off+s.Tree[i].Usage/weight
				}
			}
			const most = 50 * 256 // seconds of all CPUs: their clock ran 40 times as fast, and slurmctld took a second of ours to begin with sweeps
			t.Logf("%s at %s: %.3f %% of what sshare prints, which counts %.1f times", run, time.Unix(m.at, 0).UTC().Format(time.DateTime), 100*off/all, weight)
			if all == 0 || off > most {
				t.Errorf("%s at %s: a usage of %.0f, and it was 0", run, time.Unix(m.at, 0).UTC(), off*weight)
			}
			if begin.Doubt != "" || len(begin.Remarks) != 1 {
				t.Errorf("%s: doubt %q, and says %v", run, begin.Doubt, begin.Remarks)
			}
			at = time.Unix(m.at, 0)
		}
		if at.Unix() == 0 {
			t.Error(run, "has no moment")
		}
	}
}

// A replay of a site that was printed at the end of the record is that of the one printed before it: with the usage of the end, it is another one.
func TestReplayOfALaterPrint(t *testing.T) {
	moments := momentsOf(t, "S1a")
	later := moments[len(moments)-1]
	starts := func(of func(r *record.Record, s *sched.Setup)) map[int]int64 {
		s, r := recordOf(t, "S1a", later.dir)
		of(r, s)
		result, err := sched.Run(context.Background(), s, r.Work(), sched.Options{Swept: r.Swept})
		if err != nil {
			t.Fatal(err)
		}
		list := map[int]int64{}
		for _, j := range result.Jobs {
			list[j.ID] = j.Start
		}
		return list
	}
	before, _ := recordOf(t, "S1a", recordings+"/S1a/site.tgz")
	want := starts(func(_ *record.Record, s *sched.Setup) { s.Tree = before.Tree })
	shift := func(of func(r *record.Record, s *sched.Setup)) (mean float64) {
		for id, start := range starts(of) {
			if start > 0 && want[id] > 0 {
				mean += math.Abs(float64(start-want[id])) / float64(len(want))
			}
		}
		return mean
	}
	rebuilt := shift(func(r *record.Record, s *sched.Setup) { r.Begin(s, later.at, nil, time.UTC) })
	asPrinted := shift(func(*record.Record, *sched.Setup) {})
	if t.Logf("starts are %.0f seconds away, and %.0f with the usage of the end", rebuilt, asPrinted); rebuilt > 60 || rebuilt > asPrinted/10 {
		t.Error("the usage at the begin makes another replay of it")
	}
}

// recordOf returns a site as it was printed, and the whole record of a run.
func recordOf(t *testing.T, run, dir string) (*sched.Setup, *record.Record) {
	t.Helper()
	past, _, err := setup.OpenPast(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Read(past.Setup, table(run), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return past.Setup, r
}
