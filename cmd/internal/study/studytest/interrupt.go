package studytest

import (
	"context"
	"math"
	"testing"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// interrupted is a runner that is interrupted the n-th time that it looks whether it is.
type interrupted struct {
	study.Runner
	n int
}

// countdown is a context that is done once it was asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func (r interrupted) Run(ctx context.Context, w *work.Work, ask outcome.Ask, progress func(part float64)) (*outcome.Result, error) {
	return r.Runner.Run(&countdown{ctx, r.n}, w, ask, progress)
}

// Interrupt holds that what a study tells whose first runs are interrupted, policy by policy after so many looks, is of the same jobs and of
// the same time in all rows, and what it would be if the record had been replayed to its end and told up to then.
func Interrupt(t *testing.T, on *study.Study, looks ...int) {
	t.Helper()
	run := func() []*study.Measured {
		all, err := on.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	whole := run()
	for i, p := range on.Policies {
		p.Runner = interrupted{p.Runner, looks[i]}
	}
	all := run()
	stop := on.Stop
	if stop == nil || len(all) != len(whole) || stop.At <= on.Work.First || stop.At >= int64(outcome.EndOf(on.Work)) {
		t.Fatalf("%d of %d rows, told until %+v, of %d to %d", len(all), len(whole), stop, on.Work.First, on.Work.Last)
	}
	at := on.At(figure.MeanWait)
	for row, m := range all {
		jobs, sum := 0, 0.
		for i, j := range on.Work.Jobs {
			end := outcome.End(stop.At)
			if !end.Counts(j) {
				continue
			}
			left := whole[row].First.Jobs[i].Start
			if left == trace.Unknown {
				left = j.Deleted
			}
			wait, _ := end.Wait(j.Job, left)
			jobs++
			sum += float64(wait.Seconds)
		}
		if got, want := m.Figures[at][0], sum/float64(jobs); math.Abs(got-want) > 1e-9*want || len(m.First.Counted) != jobs {
			t.Errorf("row %d: a mean wait of %v by %d jobs, want %v by %d", row, got, len(m.First.Counted), want, jobs)
		}
	}
	trust := all[1].First.Trust()
	if trust.MeanWait != [2]float64{all[0].Figures[at][0], all[1].Figures[at][0]} {
		t.Errorf("mean waits of trust are %v, of figures %v and %v", trust.MeanWait, all[0].Figures[at], all[1].Figures[at])
	}
	for _, kind := range on.Compare(all).Kinds {
		for _, party := range kind.Names {
			for row, waits := range party.Waits {
				if len(waits) != 1 {
					t.Errorf("%s %s, row %d: %d mean waits", kind.Kind, party.Name, row, len(waits))
				}
			}
		}
	}
}
