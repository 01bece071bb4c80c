package work

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// NewJob returns a job as it comes at a time, which has been eligible for some seconds and runs
// for some. It belongs to no work until Draft is told of it.
func (w *Work) NewJob(j *trace.Job, came, eligible, run int64) *Job {
	of := *j
	of.Arrival = came - eligible
	if of.Queued == trace.Unknown {
		of.Queued = came
	}
	return &Job{
		Job: &of, identity: &of, Record: -1, Request: w.RequestOf(j.Request, j), Came: float64(came), Rank: float64(of.Queued),
		Runs: []int64{min(run, longest)}, Deleted: trace.Unknown, IsEndKnown: true,
	}
}

// RunsSince makes a job one that runs when its work begins, as if it had begun at a time from
// which on it was never suspended.
func (j *Job) RunsSince(start int64) { j.Start, j.WasRunning = start, true }

// StoppedAfter makes a job one that is suspended when its work begins, and has run for some
// seconds on the vnodes that it still has.
func (j *Job) StoppedAfter(seconds int64) {
	j.Start = trace.Unknown
	j.setRare(func(r *rare) { r.stopped, r.hasStopped = seconds, true })
}

// Stopped reports whether a job is suspended when its work begins, and for how many seconds it
// had run by then.
func (j *Job) Stopped() (after int64, is bool) {
	of := j.rarely()
	return of.stopped, of.hasStopped
}

// Again returns a job that asks for what this one does, comes at a time and runs for some
// seconds. array is the number of its array, 0 for none.
func (j *Job) Again(id string, came float64, run int64, array int32) *Job {
	second := int64(math.Floor(came))
	of := j.Job.Again(id, second)
	return &Job{
		Job: &of, identity: &of, Record: -1, Request: j.Request, Came: came, Rank: float64(second),
		Runs: []int64{min(run, longest)}, Priority: j.Priority, NotPlanned: j.NotPlanned, IsKept: j.IsKept, Array: array, Deleted: trace.Unknown, IsEndKnown: true,
	}
}

// WithRun returns a job that is this one, but for how long it runs.
func (j *Job) WithRun(seconds int64) *Job {
	with := *j
	with.Runs = []int64{min(seconds, longest)}
	return &with
}

// Draft returns work of jobs of one's own, with the names and requests of this one: it begins at
// a time, and each job comes when its field Came says, or when others have done what depend= of it
// says. What waits at the begin stays in the order of the list.
func (w *Work) Draft(first int64, jobs []*Job) *Work {
	draft := *w
	draft.origin = nil
	draft.Jobs, draft.First, draft.Last = jobs, first, first
	slices.SortStableFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.Came, b.Came) })
	for i, j := range jobs {
		j.Number = int32(i)
	}
	if n := len(jobs); n > 0 {
		draft.Last = max(first, int64(jobs[n-1].Came))
	}
	of := &trace.Trace{}
	for i, j := range jobs {
		if i == 0 || j.identity != jobs[i-1].identity {
			of.Jobs = append(of.Jobs, j.identity)
		}
	}
	draft.bonds = findBonds(of)
	draft.link()
	return &draft
}

// BelongsTo makes a job one of an array, which waits for others as the array does.
func (j *Job) BelongsTo(array *trace.Job) { j.identity = array }
