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

// fiveYears is the walltime of a job that asks for none, as PBS's scheduler has it.
const fiveYears = 5 * 365 * 24 * 3600

// Asking returns work whose jobs ask for the walltimes that a formula makes of those that they
// used, whole seconds and never less than they used: nobody would be killed who was not. Jobs
// of which it is not known how long they run ask for what they did.
func (w *Work) Asking(walltime *formula.Formula) *Work {
	asking := *w
	asking.Jobs = make([]*Job, len(w.Jobs))
	jobs, records := make([]Job, len(w.Jobs)), make([]trace.Job, len(w.Jobs))
	for i, from := range w.Jobs {
		asking.Jobs[i] = from
		if !from.IsEndKnown {
			continue
		}
		longestRun := int64(1)
		for _, run := range from.Runs {
			longestRun = max(longestRun, run)
		}
		jobs[i] = *from
		records[i] = from.Job.Asking(func(asked int64) int64 { return otherWalltime(walltime, asked, longestRun) })
		jobs[i].Job = &records[i]
		asking.Jobs[i] = &jobs[i]
	}
	return &asking
}

// FailsToAsk returns how many jobs a formula of walltimes makes nothing of: those ask for what they
// did.
func (w *Work) FailsToAsk(walltime *formula.Formula) int {
	fails := 0
	for _, j := range w.Jobs {
		values := map[string]formula.Value{}
		values[NameUsed], _ = formula.Amount(float64(slices.Max(j.Runs)))
		values[NameAsked], _ = formula.Amount(float64(max(1, j.Walltime)))
		if r := walltime.Eval(values); r.Err != nil || math.IsNaN(r.Value) {
			fails++
		}
	}
	return fails
}

// otherWalltime returns what a formula makes of a walltime; that itself where it makes nothing.
func otherWalltime(walltime *formula.Formula, asked, used int64) int64 {
	was := asked
	if was <= 0 {
		was = fiveYears
	}
	values := map[string]formula.Value{}
	values[NameUsed], _ = formula.Amount(float64(used))
	values[NameAsked], _ = formula.Amount(float64(was))
	result := walltime.Eval(values)
	if result.Err != nil || math.IsNaN(result.Value) {
		return asked
	}
	least := min(used, was) // some run on for a moment when their walltime is over
	return int64(min(longest, math.Ceil(max(result.Value, float64(least)))))
}
