package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
)

// A job counts once, whatever partitions it names, and one of which a cycle does not tell counts nowhere.
func TestFindStarts(t *testing.T) {
	starts := forecast.CycleResult{Starts: true, Number: 1}
	waits, never := forecast.CycleResult{Reason: "free ncpus"}, forecast.CycleResult{Reason: outcome.Never + "limit of user bob"}
	old := map[string]forecast.CycleResult{"1": starts, "2": waits, "3": starts, "4": waits, "5": never, "6": never, "7": starts, "8": {}}
	now := map[string]forecast.CycleResult{"1": starts, "2": starts, "3": waits, "4": never, "5": waits, "6": starts, "7": never, "9": starts}
	d := &Difference{}
	for _, id := range []string{"1", "2", "2", "3", "4", "5", "6", "7", "7", "8", "9"} {
		d.Moves = append(d.Moves, Move{ID: id})
	}
	d.FindStarts(old, now)
	want := &Starts{Both: 1, Now: []string{"2", "6"}, NoLonger: []string{"3", "7"}, Never: []string{"4", "7"}, Can: []string{"5", "6"}}
	if diff := cmp.Diff(want, d.Starts); diff != "" {
		t.Error(diff)
	}
	if d.Starts.IsNone() || len(d.Happenings()) != 7 {
		t.Errorf("%+v", d.Happenings())
	}

	d = &Difference{Moves: []Move{{ID: "8"}}}
	if d.FindStarts(old, now); d.Starts != nil {
		t.Errorf("%+v, and nothing is told", d.Starts)
	}
}
