package forecast

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/forecast"
)

// For how long others come at first, when a run ends, and which other jobs are asked about change
// nothing of when a job starts.
func TestRunsEndEarly(t *testing.T) {
	late := 0 // jobs that start after the first two days
	for seed, of := range []struct {
		run, moment string
		waiting     int
	}{{"P1x", "1772462700", 0}, {"P5", "1772454300", 0}, {"Q1", "1772462406", 0}, {"V1", "1772454511", 0}, {"P1x", "1772469900", 300}, {"Q1", "1772477403", 300}} {
		s := crowded(t, of.run, of.moment, of.waiting)
		make := func(o forecast.Options) map[string]*forecast.Job {
			o.Runs, o.Seed, o.Horizon = 6, uint64(seed), 10*day
			f, err := forecastOf(s, o)
			if err != nil {
				t.Fatal(err)
			}
			jobs := map[string]*forecast.Job{}
			for _, j := range f.Jobs {
				jobs[j.ID] = j
			}
			return jobs
		}
		whole := make(forecast.Options{Plain: true})
		random := rand.New(rand.NewPCG(uint64(seed), 4))
		chosen := map[string]bool{}
		for _, j := range whole {
			chosen[j.ID] = random.IntN(8) == 0
			if j.Held == "" && j.Median > float64(s.At+2*day) {
				late++
			}
		}
		for _, o := range []forecast.Options{{}, {Wants: func(id, _ string) bool { return chosen[id] }}} {
			jobs := make(o)
			if n := len(jobs); o.Wants == nil && n != len(whole) || n == 0 {
				t.Fatalf("%s: %d jobs of %d", of.run, n, len(whole))
			}
			for id, is := range jobs {
				was := whole[id]
				if !slices.Equal(is.Drawn, was.Drawn) || is.Requested != was.Requested || is.Place != was.Place || is.Reason != was.Reason {
					t.Fatalf("%s at %s: %s of %d starts at %.1f, not at %.1f; %.1f %d %q, not %.1f %d %q", of.run, of.moment, id, len(jobs), is.Drawn, was.Drawn, is.Requested, is.Place, is.Reason, was.Requested, was.Place, was.Reason)
				}
			}
		}
	}
	if late < 50 {
		t.Errorf("only %d jobs start late", late)
	}
}
