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
		if b.Untold != test.untold || b.Missed != test.missed {
			t.Errorf("%s, up to %v: %d untold and %d missed, want %d and %d", test.id, test.high, b.Untold, b.Missed, test.untold, test.missed)
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
		b.Missed = missed
		if got := b.Sentence(time.UTC); !strings.Contains(got, want) {
			t.Errorf("with %d missed: %q, want %q in it", missed, got, want)
		}
	}
}
