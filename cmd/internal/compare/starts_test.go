package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
)

// A job counts once, whatever partitions it names, and one of which a cycle does not tell counts nowhere. One that is not considered is not
// held by a limit, and not freed by not being considered any more.
func TestFindStarts(t *testing.T) {
	starts := forecast.CycleResult{Starts: true, Number: 1}
	waits, never := forecast.CycleResult{Reason: "free ncpus"}, forecast.CycleResult{Reason: outcome.Never + "limit of user bob"}
	old := map[string]forecast.CycleResult{"1": starts, "2": waits, "3": starts, "4": waits, "5": never, "6": never, "7": starts, "8": {}}
	now := map[string]forecast.CycleResult{"1": starts, "2": starts, "3": waits, "4": never, "5": waits, "6": starts, "7": never, "9": starts}
	d := &Difference{}
	rank := 1
	for _, id := range []string{"1", "2", "2", "3", "4", "5", "6", "7", "7", "8", "9"} {
		d.Moves = append(d.Moves, Move{ID: id, OldRank: &rank, NewRank: &rank})
	}
	under := forecast.CycleResult{Reason: "job_sort_formula_threshold"}
	old["under"], now["under"], old["over"], now["over"] = waits, under, under, waits
	d.Moves = append(d.Moves, Move{ID: "under", OldRank: &rank}, Move{ID: "over", NewRank: &rank})
	killing := starts
	killing.Preempts = forecast.PreemptedJobs{{ID: "1", Becomes: "requeued"}}
	now["6"] = killing
	d.FindStarts(old, now)
	want := &Starts{Preempting: map[string]string{"6": " (preempting 1 running job (1: requeued))"}, Both: 1, Now: []string{"2", "6"}, NoLonger: []string{"3", "7"}, Never: []string{"4", "7"}, Can: []string{"5", "6"}}
	if diff := cmp.Diff(want, d.Starts); diff != "" {
		t.Error(diff)
	}
	if d.Starts.IsNone() || len(d.Happenings()) != 9 {
		t.Errorf("%+v", d.Happenings())
	}

	limited := forecast.CycleResult{Reason: "limit of user bob"}
	old["2"], now["3"], old["4"] = limited, limited, limited
	isHeld := func(of forecast.CycleResult) bool { return strings.Contains(of.Reason, "limit") }
	d.Moves = d.Moves[3:]
	d.Moves = append(d.Moves, Move{ID: "2", OldRank: &rank, NewRank: &rank})
	old["under"], now["over"] = limited, limited
	d.Starts.FindHeld(d, "a limit", old, now, isHeld)
	if diff := cmp.Diff([][]string{{"3"}, {"2"}}, [][]string{d.Starts.Held, d.Starts.Freed}); diff != "" {
		t.Errorf("of whom a limit keeps back with a change alone, and without it alone: %s", diff)
	}

	d = &Difference{Moves: []Move{{ID: "8"}}}
	if d.FindStarts(old, now); d.Starts != nil {
		t.Errorf("%+v, and nothing is told", d.Starts)
	}
}
