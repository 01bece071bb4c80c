package work

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// The names that a formula for walltimes can use, in seconds.
const (
	NameUsed  = "used"  // that the job ran for
	NameAsked = "asked" // that it asked for; PBS takes a job that asks for none to ask for five years
)

// Unlimited is for how long a job without walltime is taken to run, in seconds: five years, as
// PBS's scheduler has it.
const Unlimited = 5 * 365 * 24 * 3600

// Asking returns work whose jobs ask for the walltimes that a formula makes of those that they
// used, whole seconds and never less than they used: nobody would be killed who was not. Jobs
// of which it is not known how long they run ask for what they did, and so do those of which the
// formula makes nothing: failed is how many these are.
func (w *Work) Asking(walltime *formula.Formula) (changed *Work, failed int) {
	asking := *w
	asking.Jobs = make([]*Job, len(w.Jobs))
	jobs, records := make([]Job, len(w.Jobs)), make([]trace.Job, len(w.Jobs))
	for i, from := range w.Jobs {
		asking.Jobs[i] = from
		if !from.IsEndKnown {
			continue
		}
		longestRun, hasFailed := max(1, slices.Max(from.Runs)), false
		jobs[i] = *from
		records[i] = from.Job.Asking(func(asked int64) int64 {
			other, ok := otherWalltime(walltime, asked, longestRun)
			hasFailed = hasFailed || !ok
			return other
		})
		if hasFailed {
			failed++
		}
		jobs[i].Job = &records[i]
		asking.Jobs[i] = &jobs[i]
	}
	return &asking, failed
}

// otherWalltime returns what a formula makes of a walltime; that itself, and false, where it makes
// nothing.
func otherWalltime(walltime *formula.Formula, asked, used int64) (other int64, ok bool) {
	was := asked
	if was <= 0 {
		was = Unlimited
	}
	values := map[string]formula.Value{}
	values[NameUsed], _ = formula.Amount(float64(used))
	values[NameAsked], _ = formula.Amount(float64(was))
	result := walltime.Eval(values)
	if result.Err != nil || math.IsNaN(result.Value) {
		return asked, false
	}
	least := min(used, was) // some run on for a moment when their walltime is over
	return int64(min(longest, math.Ceil(max(result.Value, float64(least))))), true
}
