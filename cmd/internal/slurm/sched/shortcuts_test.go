package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// otherStart says which job first starts otherwise in a run than in one without short cuts, "" for none.
func otherStart(fast, plain *Result) string {
	for i, j := range fast.Jobs {
		if k := plain.Jobs[i]; j.Start != k.Start || j.QOS != k.QOS || j.IsBackfilled != k.IsBackfilled || !slices.Equal(j.Shares, k.Shares) {
			return fmt.Sprintf("job %d starts at %d on %v (backfill: %v), and at %d on %v (%v) without short cuts", j.ID, j.Start, j.Shares, j.IsBackfilled, k.Start, k.Shares, k.IsBackfilled)
		}
	}
	return ""
}

// besidePlain runs the same work twice: as it is, and without any short cut. Each job starts at the same time on the same nodes.
func besidePlain(t *testing.T, seed uint64, o Options, work func() (*Setup, []*Job)) (fast, plain *Result) {
	t.Helper()
	run := func(o Options) *Result {
		s, jobs := work()
		result, err := Run(context.Background(), s, jobs, o)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	fast, plain = run(o), run(Options{isPlain: true})
	if why := otherStart(fast, plain); why != "" {
		t.Errorf("seed %d: %s", seed, why)
	}
	return fast, plain
}

// TestPlain runs the same work twice: as it is, and without any short cut. Each job starts at the same time
// on the same nodes.
func TestPlain(t *testing.T) {
	scenarios, left, spared, cut, repeated, again, evicted, passed, skipped, alike := uint64(workshop.Part(300)), 0, 0, 0, 0, 0, 0, 0, 0, 0
	seeds := []uint64{1113, 2100, 1310, 2586, 3590, 3942, 2009, 5042} // those of 6,000 in which a pass or a cycle was left out that preempts or starts a job, or a cycle came at another moment
	for seed := range scenarios {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		fast, plain := besidePlain(t, seed, Options{isDeep: seed%5 > 0}, func() (*Setup, []*Job) {
			r := rand.New(rand.NewPCG(seed, 28))
			s := anySetup(r)
			if seed%2 == 1 { // where cycles depend on who waits and who runs where alone, so that some are like the one before
				s.Threshold = Threshold{}
				for i := range s.Accounts {
					s.Accounts[i].Limits = Unlimited(2)
				}
				for i := range s.QOS {
					s.QOS[i].Limits = Unlimited(2)
				}
			}
			jobs := anyJobs(r, s, 120)
			if slices.Contains([]uint64{4, 7, 8}, seed%10) { // where cycles pass over classes of jobs as a whole
				for _, j := range jobs {
					j.Array, j.Throttle = 0, 0
				}
			}
			if seed%4 == 0 {
				maybeAnyQOS(r, s, jobs)
			}
			if seed%3 == 0 || seed >= 300 {
				anyPreemption(r, s)
			}
			return s, jobs
		})
		left += plain.Passes + plain.Cycles - fast.Passes - fast.Cycles
		spared += fast.spared
		cut += fast.cut
		repeated += fast.repeatedCycles
		again += fast.repeatedPasses
		evicted += fast.Evicted
		passed += fast.passed
		skipped += fast.skipped
		alike += fast.alike
	}
	if left < int(scenarios)*10 || spared < int(scenarios)*10 || cut < int(scenarios)*10 || repeated < int(scenarios)*10 || again < int(scenarios)*10 || evicted < int(scenarios)/20 || passed < int(scenarios)*10 || skipped < int(scenarios)*10 || alike < int(scenarios) {
		t.Errorf("only %d passes and cycles were left out, %d cycles and %d passes repeated, %d jobs passed over, %d cut off and %d taken off their nodes, and %d classes passed over by cycles and %d by passes, of which %d were like another one: the test says little", left, repeated, again, spared, cut, evicted, passed, skipped, alike)
	}
}
