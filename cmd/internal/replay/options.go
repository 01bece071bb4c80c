package replay

import (
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/world"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Options are what a replay needs besides the work, the site and the cluster.
type Options struct {
	World *world.World // what happens besides the jobs; nil for nothing

	Begin     *usagefile.Database // usage at the begin; nil for that of the site's tree
	LastDecay int64               // a last_decay of the scheduler's, for the phase of decay; 0 if it is not known
	Lag       float64             // how old reports of use are when usage accrues, in seconds
	Latency   work.Latency
	Own       []float64 // by job, its own latency, NaN for Latency; may be nil

	Ask
	Await *Await // when to end before Ask.Until, nil for not
	Judge bool   // whether all that is wanted is what the first cycle makes of each job

	// Recorded are the cycles of a real scheduler, which then decide when the replay's
	// are, what has ended and what usage was reported; nil to run freely.
	Recorded []RecordedCycle

	// Plain is for tests: every cycle looks at every job, tries it and plans it anew. The
	// starts are the same.
	Plain bool

	Progress func(done, all int) // called now and then; may be nil

	onPreempt func(a *attempt, c *candidate, victims []int32) // for tests: called before they go; may be nil
}

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
	Preempt  int    // how often a job was preempted
	Usage    *fstree.Tree
	Steps    []Step    // of the job that is watched
	Waiting  []Waiting // in their order, where the replay was to stop
	Verdicts []Verdict // where they were asked for
	IsCut    bool      // whether it was interrupted

	Causes []Cause // what jobs waited for, where it was asked for

	Refused []string // in words: limits that would have refused jobs, which ran nevertheless

	Course *UsageCourse // where it was asked for and there is a tree

	earlier map[int32][]trace.Run // of jobs that were run again, the runs before the last
	pauses  map[int32][]trace.Run // of jobs that were suspended
	cut     map[int32]bool        // jobs that were deleted for others

	// Errors counts the evaluations of the formula that failed, by what they said: the
	// value is 0 then.
	Errors map[string]int

	// Impossible are the jobs that fit on no vnodes, and never ran in the record either.
	Impossible []*work.ImpossibleError
}
