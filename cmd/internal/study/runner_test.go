package study_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// late is a scheduler that starts each job some seconds after it comes, but never those that ask
// for more than it likes.
type late struct {
	seconds float64
	most    int64
}

func (late) Impossible() []bool { return nil }

func (late) CPUs() float64 { return 8 }

func (l late) Run(_ context.Context, w *work.Work, _ outcome.Ask, _ func(float64)) (*outcome.Result, error) {
	r := &outcome.Result{Work: w, Start: make([]float64, len(w.Jobs)), End: make([]float64, len(w.Jobs)), Until: 1000}
	for i, j := range w.Jobs {
		if j.NCPUs <= l.most {
			r.Start[i] = float64(j.Arrival) + l.seconds
			r.End[i] = r.Start[i] + float64(j.Runs[len(j.Runs)-1])
		}
	}
	return r, nil
}

// A study runs any scheduler. What one never starts has waited to the end, or is left out.
func TestAnyScheduler(t *testing.T) {
	tr, err := trace.ReadSWF(studytest.Source(studytest.SmallTrace), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	on := study.New(work.New(tr, nil))
	on.CPUs = 8
	on.Policies = []*study.Policy{{Name: "soon", Runner: late{10, 4}}, {Name: "late", Runner: late{30, 4}}, {Name: "small", Runner: late{0, 1}}}
	for _, row := range []struct {
		leavesOut bool
		want      []float64
	}{{false, []float64{90, 10, 30, (1000 + 990) / 3.}}, {true, []float64{90, 10, 30, 0}}} {
		on.LeavesOut = row.leavesOut
		all, err := on.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, m := range all {
			got = append(got, m.Figures[on.At(figure.MeanWait)][0])
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("mean waits (-want +got):\n%s", diff)
		}
		if g := on.Compare(all).Gains[2]; g.Later != 2 || g.Same != 1 {
			t.Errorf("%+v", g)
		}
		want := 0
		for _, r := range on.Caveats(all) {
			if r.Text == "policy 3 never starts 2 jobs, which its waits leave out" {
				want++
			}
		}
		if (want == 1) != row.leavesOut {
			t.Errorf("that waits leave out jobs is said %d times", want)
		}
	}
}
