package slurmsched

import (
	"math"
	"slices"
)

// Await is what a run is for that need not go on until everything has ended.
type Await struct {
	Jobs  []*Job // the run ends when these have started
	Until int64  // or at this time
}

// await prepares to wait for the starts of jobs.
func (e *engine) await(a *Await) {
	if a == nil {
		return
	}
	for _, j := range a.Jobs {
		j.awaited = true
	}
	e.awaited = len(a.Jobs)
}

// begin puts a site into full swing: what runs holds its nodes, and what has come waits.
func (e *engine) begin() {
	e.priorities.swept = e.sweepAt - e.period()
	later := e.coming[:0]
	for _, j := range e.coming {
		switch {
		case j.Start > 0:
			e.run(j)
		case j.Submit <= e.now:
			e.resume(j)
		default:
			later = append(later, j)
		}
	}
	e.coming = later
	slices.SortStableFunc(e.queue, e.compare)
	e.change()
	e.wantPass()
}

// resume lets a job wait that has come before the run begins. What its priority has beside what is
// computed, such as the factor of a site, it keeps.
func (e *engine) resume(j *Job) {
	e.queue = append(e.queue, j)
	e.why.waitsFor(j, WaitsForPass, e.now)
	stored := j.Priority
	if stored == 0 || e.Conf.Basic {
		j.Priority = e.priorities.of(j, e.now)
		return
	}
	const rounding = 1
	if extra := float64(stored) - float64(e.priorities.of(j, e.priorities.swept)); math.Abs(extra) > rounding {
		j.extra = extra
	}
}
