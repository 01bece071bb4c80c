package replay

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/trace"
)

// TestRecordedHours is the same of a run with prime, non-prime and dedicated time. Where many jobs
// start at once when a time begins, the recorded cycle took a minute and no cycle of a replay
// does; what follows is chance, so that the bounds are of the means over shaken runs.
func TestRecordedHours(t *testing.T) {
	const runs = 10
	r := openRun(t, "V2")
	real, _ := r.waits(r.replay(t))
	var mean, inverted, waits float64
	for seed := range uint64(runs) {
		shaken := r
		shaken.work = r.work.Shaken(rand.New(rand.NewPCG(seed, 1)), 10)
		shaken.options.Own = nil
		result := shaken.replay(t)
		_, ours := shaken.waits(result)
		trust := result.TrustUntil(outcome.EndOf(result.Work))
		mean, inverted, waits = mean+trust.Mean/runs, inverted+100*trust.Inverted/runs, waits+ours/runs
	}
	t.Logf("mean shift %.0f s, inverted %.2f %%, waits %.0f s, recorded %.0f", mean, inverted, waits, real)
	if mean > 1250 || inverted > 3.5 || math.Abs(waits/real-1) > .1 {
		t.Errorf("mean shift %.0f s, inverted %.2f %%, waits %.0f s, recorded %.0f", mean, inverted, waits, real)
	}
}

// R10's replay parts where 0.009 % of usage decides between two users. Of replays whose arrivals and run times are other by
// one second, about a quarter start all jobs in the order of the record, and within seconds of it.
func TestOneSecond(t *testing.T) {
	const runs, apart = 40, 5 // seconds, on average
	r := openRun(t, "R10")
	same := 0
	for seed := range uint64(runs) {
		shaken := r.shaken(rand.New(rand.NewPCG(11, seed)), 1)
		again := shaken.replay(t)
		if trust := again.TrustUntil(outcome.EndOf(again.Work)); trust.Inverted == 0 && trust.Mean <= apart {
			same++
		}
	}
	t.Logf("%d of %d replays are as the record", same, runs)
	if same < runs/5 {
		t.Errorf("only %d of %d replays are as the record", same, runs)
	}
}

// shaken returns a run whose arrivals and run times are other by up to some seconds.
func (r run) shaken(random *rand.Rand, seconds int64) run {
	shaken := r
	shaken.work = r.work.Shaken(random, seconds)
	shaken.options.Own = make([]float64, len(r.work.Jobs))
	for i := range shaken.work.Jobs {
		shaken.options.Own[i] = r.options.Own[shaken.work.Origin(i)]
	}
	return shaken
}

// waits returns the mean wait of the jobs that the record shows to start, as it was and as
// it is replayed, in seconds. One that never starts in the replay has waited to its end.
func (r run) waits(result *outcome.Result) (real, ours float64) {
	n := 0.
	for i, j := range r.work.Jobs {
		s, ok := r.starts[j.ID]
		if !ok || j.State == trace.Waiting { // it was put back, and waits still
			continue
		}
		n++
		at := result.Start[i]
		if at == 0 {
			at = result.Until
		}
		real += float64(s.at - j.Arrival)
		ours += at - float64(j.Arrival)
	}
	return real / n, ours / n
}

// Where jobs are left waiting when a record ends, those that it shows to start wait longer in a
// replay, which starts others in their place. The waits of all jobs, each up to the end of the
// record, are as long as they were; the bounds are of the means over shaken runs.
func TestWaitsToTheEnd(t *testing.T) {
	const runs = 5
	for _, test := range []struct {
		name string
		off  float64 // at most, in percent
	}{
		{"P4", 4.5}, {"P4b", 3}, {"Q1", 5},
	} {
		r := openRun(t, test.name)
		var real, ours float64
		for seed := range uint64(runs) {
			shaken := r.shaken(rand.New(rand.NewPCG(7, seed)), 10)
			result := shaken.replay(t)
			for i, j := range shaken.work.Jobs {
				upTo := func(start float64) float64 {
					if start <= 0 {
						start = math.Inf(1)
					}
					return max(0, min(start, float64(r.work.Last))-float64(j.Arrival))
				}
				real += upTo(float64(j.Start))
				ours += upTo(result.Start[i])
			}
		}
		off := 100 * (ours/real - 1)
		t.Logf("%s: %+.1f %%", test.name, off)
		if math.Abs(off) > test.off {
			t.Errorf("%s: waits are %.1f %% off", test.name, off)
		}
	}
}

// Runs in which more happens than jobs come: vnodes are taken away and come back, fail,
// and have less. The bounds are what is reached; the second recordings of the real
// scheduler are off by 575 to 1,610 s and 1.4 to 5.4 % themselves.
func TestRecordedWorlds(t *testing.T) {
	for _, test := range []struct {
		name           string
		jobs           int
		mean, inverted float64 // at most, in seconds and percent
		waits          float64 // by how much the mean wait is off at most, in percent
	}{
		{"V3", 217, 640, 2.2, 6},
		{"V4", 170, 10, .1, 1},
		{"V4m", 163, 15, .1, 1},
		{"V5", 235, 80, .2, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := openRun(t, test.name)
			result := r.replay(t)
			trust := result.TrustUntil(outcome.EndOf(result.Work))
			real, ours := r.waits(result)
			off := 100 * math.Abs(ours/real-1)
			t.Logf("%d jobs, %d equal, mean shift %.1f s, inverted %.2f %%, waits %.0f s, recorded %.0f, fork after %.2f h", trust.Jobs, trust.Equal, trust.Mean, 100*trust.Inverted, ours, real, fork(r.starts, r.startsOf(result), 60))
			if trust.Jobs != test.jobs || trust.Mean > test.mean || 100*trust.Inverted > test.inverted || off > test.waits {
				t.Errorf("%d jobs, mean shift %.1f s, inverted %.2f %%, waits %.0f s, recorded %.0f", trust.Jobs, trust.Mean, 100*trust.Inverted, ours, real)
			}
		})
	}
}
