package replay

import (
	"math"
	"testing"

	"fairshare/cmd/internal/outcome"
)

// startsOf returns the starts of a replay as a recording has them.
func (r run) startsOf(result *outcome.Result) map[string]recordedStart {
	starts := map[string]recordedStart{}
	for i, j := range r.work.Jobs {
		if at := result.Start[i]; at != 0 {
			starts[j.ID] = recordedStart{outcome.Second(at), result.Vnodes(i)}
		}
	}
	return starts
}

// fork returns after how many hours from the first start of a run another one parts from
// it: when a job starts, in either, that starts in the other more than some seconds
// apart, on other vnodes, or never. It is infinity if that never happens.
func fork(one, other map[string]recordedStart, apart int64) float64 {
	first, at := math.Inf(1), math.Inf(1)
	for id, s := range one {
		first = min(first, float64(s.at))
		o, ok := other[id]
		if shift := o.at - s.at; ok && shift <= apart && shift >= -apart && (s.vnodes == "" || s.vnodes == o.vnodes) {
			continue
		}
		at = min(at, float64(s.at))
		if ok {
			at = min(at, float64(o.at))
		}
	}
	for id, o := range other {
		if _, ok := one[id]; !ok {
			at = min(at, float64(o.at))
		}
	}
	return (at - first) / 3600
}

func TestFork(t *testing.T) {
	one := map[string]recordedStart{"1": {100, "a"}, "2": {3700, "b"}, "3": {7300, "c"}}
	for _, test := range []struct {
		name  string
		other map[string]recordedStart
		want  float64
	}{
		{"alike", map[string]recordedStart{"1": {110, "a"}, "2": {3690, "b"}, "3": {7300, "c"}}, math.Inf(1)},
		{"later", map[string]recordedStart{"1": {100, "a"}, "2": {3711, "b"}, "3": {7300, "c"}}, 1},
		{"earlier", map[string]recordedStart{"1": {100, "a"}, "2": {3700, "b"}, "3": {1900, "c"}}, .5},
		{"elsewhere", map[string]recordedStart{"1": {100, "a"}, "2": {3700, "c"}, "3": {7300, "c"}}, 1},
		{"never", map[string]recordedStart{"1": {100, "a"}, "2": {3700, "b"}}, 2},
		{"alone", map[string]recordedStart{"1": {100, "a"}, "2": {3700, "b"}, "3": {7300, "c"}, "4": {1000, "c"}}, .25},
	} {
		if got := fork(one, test.other, 10); got != test.want {
			t.Errorf("%s: after %v h, want %v", test.name, got, test.want)
		}
	}
}

// A start that is off by more than a minute, or on other vnodes, comes no earlier than
// these; TestRecordedRuns has the same for 10 s.
func TestFirstForks(t *testing.T) {
	for _, test := range []struct {
		name string
		fork float64 // at least, in hours
	}{
		{"A", .015}, {"P1x", 9.6}, {"P2", 10.8}, {"P3", 9.3}, {"P4", 9.4}, {"P5", 7.7}, {"P6", 16},
		{"P6r", 1.5}, {"L1", 2.3}, {"P4b", 9.2}, {"Q1", 2.9}, {"Q3y", 3.7}, {"Q4y", 4.6},
	} {
		r := openRun(t, test.name)
		if hours := fork(r.starts, r.startsOf(r.replay(t)), 60); hours < test.fork {
			t.Errorf("%s: the first fork comes after %.3f h", test.name, hours)
		}
	}
}

// Where the same work was recorded twice, the replay stays as long with the first
// recording as the second does, to 10 s and on the same vnodes; of P3 it parts two
// minutes earlier.
func TestForksOfSecondRecordings(t *testing.T) {
	for _, test := range []struct {
		name, second string
		parts        float64 // when the recordings part, in hours
		less         float64 // how much earlier the replay may
	}{
		{"P1x", "P1y", 7.18, 0}, {"P2", "P2y", 6.66, 0}, {"P3", "P3y", 9.39, .04}, {"P4", "P4y", 2.28, 0}, {"P6", "P6y", 1.55, 0},
	} {
		r := openRun(t, test.name)
		theirs := fork(r.starts, lastOf(readRuns(t, "second/"+test.second+".starts.csv.gz")), 10)
		if math.Abs(theirs-test.parts) > .005 {
			t.Errorf("%s parts from %s after %.3f h, want %v", test.second, test.name, theirs, test.parts)
		}
		if ours := fork(r.starts, r.startsOf(r.replay(t)), 10); ours < theirs-test.less {
			t.Errorf("%s: the replay parts after %.3f h, %s after %.3f", test.name, ours, test.second, theirs)
		}
	}
}
