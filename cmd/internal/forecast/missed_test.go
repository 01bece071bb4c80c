package forecast

import (
	"math"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/trace"
)

// A job that had not started by the end of its interval when the logs end, or when it was deleted, has missed it; of
// one whose interval goes on nobody knows, nor of one that is not to start at all.
func TestMissed(t *testing.T) {
	told := outcomes{
		"waits":   {{ID: "waits", Start: trace.Unknown, End: trace.Unknown}},
		"deleted": {{ID: "deleted", Start: trace.Unknown, End: 3000, State: trace.Deleted}},
		"started": {{ID: "started", Start: 2000, End: trace.Unknown}},
	}
	const last = 5000
	for _, test := range []struct {
		id             string
		high           float64
		untold, missed int
	}{
		{"waits", 4000, 1, 1}, {"waits", 6000, 1, 0}, {"waits", math.Inf(1), 1, 0},
		{"deleted", 2500, 1, 1}, {"deleted", 4000, 1, 0}, {"started", 1500, 0, 0},
	} {
		b := &Backtest{}
		j := &Job{ID: test.id, Low: 1100, Median: 1200, High: test.high, Starts: []float64{1200}, Requested: 1200, Usual: math.Inf(1)}
		b.add(&Forecast{At: 1000, Horizon: 1e6, Jobs: []*Job{j}}, told, calibrate(nil), last)
		if each := b.Each[0]; len(b.Each) != 1 || each.IsMissed != (b.All.Forecast.HeldPart() == 0 && b.All.Forecast.N+b.All.Forecast.Missed > 0) || math.IsInf(each.Start, 1) != (test.untold == 1) {
			t.Errorf("%s, up to %v, as a row of its own: %+v", test.id, test.high, each)
		}
		if b.Untold != test.untold || b.All.Forecast.Missed != test.missed {
			t.Errorf("%s, up to %v: %d untold and %d missed, want %d and %d", test.id, test.high, b.Untold, b.All.Forecast.Missed, test.untold, test.missed)
		}
	}
}

// What is quoted counts the forecasts that are proven missed.
func TestMissedSentence(t *testing.T) {
	b := &Backtest{Moments: []int64{0}, All: CheckResult{Forecast: Score{N: 10, After: 2}}}
	for missed, want := range map[int]string{
		0:  ", 80 % lie in their interval for 8 of 10 cases; the time",
		10: ", 40 % lie in their interval for 8 of 10 cases, with 10 more that are proven missed (80 % without those); the time",
	} {
		b.All.Forecast.Missed = missed
		if got := b.Sentence(time.UTC); !strings.Contains(got, want) {
			t.Errorf("with %d missed: %q, want %q in it", missed, got, want)
		}
	}
}

// The rows count them as the sentence does: those of all queues, and of all lengths of the logs, are those of all.
func TestMissedRows(t *testing.T) {
	told := outcomes{"a": {{ID: "a", Start: trace.Unknown, End: trace.Unknown}}, "b": {{ID: "b", Start: 1200, End: 1300}}, "c": {{ID: "c", Start: trace.Unknown, End: trace.Unknown}}}
	b := &Backtest{}
	for id, queue := range map[string]string{"a": "long", "b": "long", "c": "short"} {
		j := &Job{ID: id, Queue: queue, Low: 1100, Median: 1200, High: 1300, Starts: []float64{1200}, Requested: 1200, Usual: math.Inf(1)}
		b.add(&Forecast{At: 1000, Horizon: 1e6, Jobs: []*Job{j}}, told, calibrate(nil), 5000)
	}
	if part := b.All.Forecast.HeldPart(); part != 1./3 || b.All.Calibrated.HeldPart() != part {
		t.Errorf("%v of all within their interval, calibrated %v, want a third", part, b.All.Calibrated.HeldPart())
	}
	for name, rows := range map[string][]CheckResult{"queues": b.Queues, "histories": b.Histories} {
		var sum Score
		for _, row := range rows {
			sum.N, sum.Missed, sum.After = sum.N+row.Forecast.N, sum.Missed+row.Forecast.Missed, sum.After+row.Forecast.After
		}
		if all := b.All.Forecast; sum.HeldPart() != all.HeldPart() || sum.Missed != all.Missed {
			t.Errorf("%s: %+v, all %+v", name, sum, all)
		}
	}
}
