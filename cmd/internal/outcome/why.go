package outcome

import "fairshare/cmd/internal/work"

// Step is a time in which a job waited, and what for.
type Step struct {
	From, To float64 // To is the cycle at which the reason changed, or the job started
	Reason   string
}

// Waiting is a job that waits.
type Waiting struct {
	Job      *work.Job
	Value    float64
	Eligible int64  // eligible_time, in seconds
	Reason   string // what keeps it, "" if nothing does

	Starts, Planned bool // what a cycle makes of it that begins then
}

// Displaced is a job that goes for another one.
type Displaced struct {
	Job     int32
	Becomes string // what becomes of it, such as "suspended"
}

// Verdict is what a cycle makes of a job that waited when it began.
type Verdict struct {
	Job    int32 // in Work.Jobs
	Starts bool
	Reason string // what it waits for if it does not start

	Further []string // where a limit keeps it, the others that would

	Planned bool // whether the cycle plans it for later, and lets nobody delay it

	Preempts []Displaced // the jobs that go for it, of one that starts only so
	Reached  string      // the limit that they have reached, "" for none

	Asks, Free string // what it asks for, and what of that is free after the cycle; "" where that is not known
	Begin      *Begin // nil where that is not known
}

// Begin is what a cycle has for a job before it starts any.
type Begin struct {
	Free   string // of what it asks for
	NoRoom string // what it waits for whoever comes first, "" where there is room for it
}

// Cause is what jobs of a queue waited for, and for how many seconds in all: from the first
// cycle that found them waiting to their start.
type Cause struct {
	Queue, Reason string
	Seconds       float64
}

// The reasons of a Cause that are of no single job.
const (
	BehindOthers = "jobs before it that the same cycle started"
	UntilLogged  = "the record of its start"
	NextCycle    = "a later cycle"
)

// Words for what a job waits for that the frame of forecasts knows as well. Each scheduler has
// others of its own.
const (
	AfterStarts   = ", once those have started that this cycle starts before it" // of what is free for a job
	Never         = "never: "                                                    // and why it fits on none
	FromThisCycle = " of which from this cycle on"                               // of what a limit counts
	NotDelayed    = "jobs before it that may not be delayed"                     // whose start is planned
	Behind        = "behind "                                                    // and how many others that start before it in its cycle
	NotLookedAt   = "the scheduler does not look at it"
	SchedulingOff = "scheduling, which is off"
	StartsNow     = "the next cycle" // the next one
	Held          = "held: "         // and why it does not start until somebody changes something
	HeldForJobs   = Held + "it waits for other jobs"
	HeldByUser    = Held + "it starts when it is released"
	HeldUntil     = "held until the time that its user gave"
	Stopped       = Held + "somebody has suspended it, and it goes on when it is resumed (qsig -s resume)"
	Moving        = Held + "it is being moved"
	Suspended     = "suspended: " // and what it waits for until it goes on
	GoesOn        = "goes on"     // of a suspended job, in the next cycle
)
