// Package outcome is what a run of work under any scheduler comes to: when jobs start and end, what
// they waited for, and how near that is to what has happened.
package outcome

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// Ask is what is wanted of a replay besides starts and ends.
type Ask struct {
	KeepVnodes bool    // whether Result.Vnodes is wanted
	KeepUsage  bool    // whether Result.Course is
	KeepWhy    bool    // whether Result.Causes are
	Until      float64 // the time at which to stop, 0 for the end
	Watch      int32   // the number of a job whose way is explained, -1 for none
}

// Result is what a replay comes to. Times are in seconds since 1970.
type Result struct {
	Work     *work.Work
	Start    []float64          // by job, of its last run; 0 for one that never started
	First    []float64          // by job, of its first run, where it is awaited; 0 for one that never started
	Awaited  int                // jobs that are awaited, may start and had not
	End      []float64          // by job, 0 for one that has not ended
	Came     []float64          // by job, when it came, NaN for one that has not; nil where all came as recorded
	Denied   map[int32]float64  // jobs that were deleted since what they waited for could not come any more, and when
	Vnodes   func(i int) string // exec_vnode of a job, where it was asked for: that of its first run where it is awaited
	Until    float64            // the time of the last cycle
	Cycles   int
	Passes   int    // other looks at the queue, where a scheduler has them beside its cycles
	Filled   []bool // by job, whether backfill has started it; nil where a scheduler does not tell
	Preempt  Preemptions
	Usage    *fstree.Tree
	Steps    []Step    // of the job that is watched
	Waiting  []Waiting // in their order, where the replay was to stop
	Verdicts []Verdict // where they were asked for
	IsCut    bool      // whether it was interrupted

	Causes []Cause // what jobs waited for, where it was asked for

	Refused []string // in words: limits that would have refused jobs, which ran nevertheless

	Course *UsageCourse // where it was asked for and there is a tree

	Earlier map[int32][]trace.Run // of jobs that were run again, the runs before the last
	Pauses  map[int32][]trace.Run // of jobs that were suspended
	Cut     map[int32]bool        // jobs that were deleted for others

	// Errors counts the evaluations of the formula that failed, by what they said: the
	// value is 0 then.
	Errors map[string]int

	// Exceeding are, in words, the jobs that still wait and alone exceed a limit, each with that.
	Exceeding []string

	// Kept has for each job that still waits and exceeds no limit alone, where a setting of the site keeps it by itself, in words which.
	Kept []string

	// Impossible are the jobs that fit on no vnodes, and never ran in the record either.
	Impossible []*work.ImpossibleError
}

// Second returns the second in which a time is logged.
func Second(at float64) int64 { return int64(math.Floor(at)) }

// Reached returns up to when the record is replayed: to its last time, or until somebody interrupted.
func (r *Result) Reached() int64 {
	if !r.IsCut {
		return r.Work.Last
	}
	return min(max(Second(r.Until), r.Work.First), r.Work.Last)
}

// KeptFor says how many of the jobs that never started a setting keeps for ever, and which: "6 of them for job_sort_formula_threshold, 5";
// "" for none.
func (r *Result) KeptFor() string {
	if len(r.Kept) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of them for %s", len(r.Kept), r.Kept[0])
}

// Left counts the jobs that never started, and those that started only after the last
// time of the record, when nobody else comes.
func (r *Result) Left() (never, late int) {
	never -= len(r.Impossible)
	for i, j := range r.Work.Jobs {
		switch start := r.Start[i]; {
		case start == 0 && !j.WasRunning && j.Deleted == trace.Unknown:
			never++
		case start > float64(r.Work.Last):
			late++
		}
	}
	return never, late
}

// WaitsAgain reports whether a job waits when the replay ends that has run: it was preempted, or
// its vnode failed.
func (r *Result) WaitsAgain(job int) bool {
	earlier := r.Earlier[int32(job)]
	if r.End[job] != 0 || len(earlier) == 0 {
		return false
	}
	last := earlier[len(earlier)-1].Start
	return last == Second(r.Start[job]) || r.Start[job] == 0 && last == r.Work.Jobs[job].Start
}

// Jobs returns the jobs as they were replayed: with their starts and ends, earlier runs
// and pauses.
func (r *Result) Jobs() []*trace.Job {
	copies := make([]trace.Job, len(r.Work.Jobs))
	jobs := make([]*trace.Job, len(copies))
	for i, j := range r.Work.Jobs {
		var start, end int64 = trace.Unknown, trace.Unknown
		switch {
		case r.WaitsAgain(i): // what it ran stands among its earlier runs
		case r.Start[i] != 0:
			start = Second(r.Start[i])
		case j.WasRunning:
			start = j.Start
		}
		if r.End[i] != 0 {
			end = Second(r.End[i])
		}
		copies[i] = j.As(start, end, r.Earlier[int32(i)], r.Pauses[int32(i)])
		if !j.IsEndKnown && j.Deleted == trace.Unknown && end != trace.Unknown {
			copies[i].State = trace.Running // its run time is a guess, which no figure takes in
		}
		if at, isDenied := r.Denied[int32(i)]; isDenied {
			copies[i].State, copies[i].End = trace.Deleted, Second(at)
		}
		copies[i].Arrival = r.arrival(i)
		jobs[i] = &copies[i]
	}
	return jobs
}

// arrival returns when a job came in a replay. One that waits for others to the end comes
// when the replay ends, or when it is deleted.
func (r *Result) arrival(job int) int64 {
	if r.Came == nil {
		return r.Work.Jobs[job].Arrival
	}
	if at := r.Came[job]; !math.IsNaN(at) {
		return Second(at)
	}
	if at, isDenied := r.Denied[int32(job)]; isDenied {
		return Second(at)
	}
	return Second(r.Until)
}
