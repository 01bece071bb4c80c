package lab

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs/compare"
)

// The figures of an answer are those of compare.
func TestRanking(t *testing.T) {
	const maxLines = 400 // of the frame
	l := newLab(t, 500)
	for _, s := range []lab.State{{Formula: "100-ncpus"}, {Formula: "eligible_time + queue_priority"}, {Formula: "ncpus", Settings: []string{"queue.workq.started=false"}}, {Formula: "fairshare_perc*walltime", Settings: []string{"bob.shares=90"}}} {
		a, err := l.Try(lab.Query{State: s, Count: 10})
		if err != nil || a.Ranking == nil {
			t.Fatal(err, a)
		}
		tried, err := l.order(s)
		if err != nil {
			t.Fatal(err)
		}
		d, r := compare.Between(l.inForce, tried.order), a.Ranking
		got := []any{r.Jobs, r.Moved, r.Entered, r.Left, *r.Tau, r.Shifts[0].Names, r.Shifts[1].Names, r.Shifts[2].Names}
		want := []any{d.Jobs, d.Moved, d.Entered, d.Left, *d.Tau, d.Entities, d.Groups, d.Queues}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-compare +lab):\n%s", s, diff)
		}
		if r.Moved+r.Left == 0 {
			t.Errorf("%v: nothing moves", s)
		}
		jobs := 0
		for _, line := range r.Slope {
			jobs += line.Jobs
		}
		if jobs != r.Jobs || len(r.Slope) > maxLines {
			t.Errorf("%v: the slope has %d jobs in %d lines, of %d", s, jobs, len(r.Slope), r.Jobs)
		}
	}
}

// Questions come at once: each gets the answer to its own state.
func TestAtOnce(t *testing.T) {
	l := newLab(t, 300)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			s := lab.State{Formula: []string{"ncpus", "-ncpus + 200", "walltime", "eligible_time"}[i%4], Settings: [][]string{nil, {"ann.shares=9"}}[i%2]}
			if _, err := l.Try(lab.Query{State: s, Count: 5}); err != nil {
				t.Error(err)
			}
			if e, err := l.Explain(s, "7.s"); err != nil || e.ID != "7.s" {
				t.Error(e.ID, err)
			}
			if _, err := l.Versus(s, "7.s", "8.s"); err != nil {
				t.Error(err)
			}
			if _, err := l.Around(s); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// A replay of what cannot be tried is refused at once, and does not begin.
func TestReplayRefused(t *testing.T) {
	l := newLab(t, 3)
	l.Replay = func(context.Context, lab.State, func(float64)) ([]byte, error) { return nil, nil }
	for _, c := range []struct {
		formula, setting string
		isRefused        bool
	}{
		{"ncpus", "", false}, {"ncpus", "g.shares=7", false},
		{"ncpus +", "", true}, {"ncpus", "g.shares=x", true}, {"ncpus", "nobody.shares=3", true}, {"ncpus", "sched.nosuch=1", true}, {"ncpus", "x", true},
	} {
		state := lab.State{Formula: c.formula}
		if c.setting != "" {
			state.Settings = []string{c.setting}
		}
		if _, err := l.StartReplay(state); (err != nil) != c.isRefused {
			t.Errorf("%q with %q: %v", c.formula, c.setting, err)
		}
		for l.Running() != "" {
			time.Sleep(time.Millisecond)
		}
	}
}
