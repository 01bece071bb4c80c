package trace

import (
	"bytes"
	"slices"
)

// Job is a job of a trace. Times are in seconds since 1970.
type Job struct {
	ID                                         string
	User, Group, Account, Project, Queue, Name int32 // numbers in Names

	Arrival     int64 // when it could run for the first time: etime, else qtime
	Queued      int64 // qtime: when it came to its queue
	Start, End  int64 // of its last run
	NCPUs       int64
	Nodes       int64
	Mem         int64 // requested, in kb
	Walltime    int64 // requested, in seconds
	UsedCput    int64 // in seconds
	Exit        int64
	State       State
	IsArray     bool // the array itself, whose subjobs are jobs of their own
	isPlaced    bool // whether a record tells on which vnodes it ran
	hasEtime    bool // whether one tells when it was ready to run
	lacksMemory bool // whether it was ended for want of memory, as the record has it
	UsedMore    bool // whether it may have used more memory than is told, which is that of one of its tasks

	// Request is a number in Names: what it requested but for walltime, as
	// NAME=VALUE with RequestEnd behind each. It is 0 where requests are not kept.
	Request int32

	// Hosts is a number in Names: the hosts of its last run, as the record has them, parted by commas; HostCount is how many
	// they are. They are 0 where that is not known or not kept.
	Hosts, HostCount int32

	// Ended is a number in Names: the state in which it has ended as the record has it, such as TIMEOUT; 0 where it tells none, or no jobs
	// are kept.
	Ended int32

	created int64 // ctime
	length  int64 // how many seconds it ran, or has run so far, and one more, where only that is known; else 0
	grown   int32 // eligible_time in the record of its end and one more, 0 where that is not said
	rare    *rare // nil for most jobs
}

// HasFailed reports whether the record of a job has an exit status that is not 0.
func (j *Job) HasFailed() bool { return j.Exit != 0 && j.Exit != Unknown }

// HasLackedMemory reports whether a job was ended since it would have used more memory than it may, as far as its record tells.
func (j *Job) HasLackedMemory() bool { return j.lacksMemory || j.Exit == killedAtMemory }

// rare is what few jobs have.
type rare struct {
	asked           int64 // the walltime of one that shrinks to fit, as long as it waits; notKept for others
	pauses, earlier []Run
	came            []int64 // since when it could run, as was told by the time of each of the earlier runs
	suspendedAt     int64   // Unknown if it is not suspended
	stages          []Stage
	phases          []phase // after what it started with, of one that gave vnodes back
	eligible        int64   // when eligible_time began, Unknown for at its arrival
	indices         string  // of an array
	vnodes          string  // exec_vnode, of a job that began before the log
	swf             string  // the line that it was read from
	depend          string  // what it waits for, as PBS writes it
	isRefused       bool    // whether it was deleted since what it waits for was over when it came
	isVictim        bool    // whether it was deleted as what it waits for had become impossible
}

// Pauses returns when a job was suspended, in all of its runs.
func (j *Job) Pauses() []Run {
	if j.rare == nil {
		return nil
	}
	return j.rare.pauses
}

// Earlier returns the runs of a job before the last one.
func (j *Job) Earlier() []Run {
	if j.rare == nil {
		return nil
	}
	return j.rare.earlier
}

// RanBefore gives a job runs before the last one.
func (j *Job) RanBefore(runs []Run) {
	if len(runs) > 0 {
		j.makeRare().earlier = runs
	}
}

// CameFor returns since when a job could run before one of its runs, of which the earlier ones come first: as it is told of that
// run, or else its arrival, but not before the run before that one was over. PBS keeps the etime of a job that is requeued.
func (j *Job) CameFor(run int) int64 {
	came := j.Arrival
	if j.rare != nil && run < len(j.rare.came) {
		came = j.rare.came[run]
	}
	if run > 0 {
		came = max(came, j.Earlier()[run-1].End)
	}
	return came
}

// EligibleSince returns when a job's eligible_time began: when it came to its queue
// ready to run, even if it was held later and so arrived anew.
func (j *Job) EligibleSince() int64 {
	if j.rare == nil || j.rare.eligible == Unknown {
		return j.Arrival
	}
	return j.rare.eligible
}

// Indices returns the subjobs of an array as the log has them, such as 1-10:2, ""
// where it does not say.
func (j *Job) Indices() string {
	if j.rare == nil {
		return ""
	}
	return j.rare.indices
}

// Vnodes returns the exec_vnode of a job that began before the log.
func (j *Job) Vnodes() string {
	if j.rare == nil {
		return ""
	}
	return j.rare.vnodes
}

// Depend returns what a job waits for as PBS writes it, such as afterok:7.server@server; ""
// for nothing, and where requests are not kept.
func (j *Job) Depend() string {
	if j.rare == nil {
		return ""
	}
	return j.rare.depend
}

// IsVictim reports whether a job was deleted since what it waited for could not come any more.
func (j *Job) IsVictim() bool { return j.rare != nil && j.rare.isVictim }

// IsRefused reports whether a job was deleted since what it waited for was over when it came,
// and the server did not know it any more.
func (j *Job) IsRefused() bool { return j.rare != nil && j.rare.isRefused }

func (j *Job) makeRare() *rare {
	if j.rare == nil {
		j.rare = &rare{suspendedAt: Unknown, eligible: Unknown, asked: notKept}
	}
	return j.rare
}

// notKept stands for a walltime that is the same before a job starts and after.
const notKept = -1

// AskedWalltime returns the walltime that a job asks for while it waits, Unknown for none: jobs that shrink to fit get
// theirs when they start.
func (j *Job) AskedWalltime() int64 {
	if j.rare != nil && j.rare.asked != notKept {
		return j.rare.asked
	}
	return j.Walltime
}

// keepAsked keeps the walltime that a job has asked for that shrinks to fit, when it first starts.
func (j *Job) keepAsked(e *event) {
	if e.kind != 'S' || j.Start != Unknown || j.Request == 0 || e.request.walltime == j.Walltime || !bytes.Contains(e.requested, minWalltime) {
		return
	}
	if r := j.makeRare(); r.asked == notKept {
		r.asked = j.Walltime
	}
}

// minWalltime is what jobs ask for that shrink to fit.
var minWalltime = []byte("min_walltime=")

// Run is a run that ended with the job queued again, or a time for which one was
// suspended.
type Run struct{ Start, End int64 }

// Placement is where a run of a job was.
type Placement struct {
	Start  int64 // of the run
	Job    int32 // its number in Trace.Jobs
	Vnodes int32 // the number of its exec_vnode in Trace.ExecVnodes
}

// State is what became of a job.
type State byte

// The states of jobs.
const (
	Waiting State = 'Q'
	Running State = 'R'
	Ended   State = 'E'
	Deleted State = 'D' // while it waited
)

// As returns a job that started and ended at other times, after some earlier runs and
// with pauses for which it was suspended. Unknown is one that has not.
func (j *Job) As(start, end int64, earlier, pauses []Run) Job {
	as := *j
	as.Start, as.End, as.rare = start, end, nil
	if len(earlier)+len(pauses) > 0 {
		as.rare = &rare{earlier: earlier, pauses: pauses, suspendedAt: Unknown, eligible: Unknown, asked: notKept}
	}
	switch {
	case end != Unknown:
		as.State = Ended
	case start != Unknown:
		as.State = Running
	case as.State != Deleted:
		as.State = Waiting
	}
	return as
}

// Asking returns a job that asks for other walltimes, each made of the one that it asked for.
func (j *Job) Asking(walltime func(asked int64) int64) Job {
	as := *j
	as.Walltime = walltime(j.Walltime)
	if len(j.Stages()) > 0 {
		own := *j.rare
		own.stages = slices.Clone(own.stages)
		for i := range own.stages {
			own.stages[i].Walltime = walltime(own.stages[i].Walltime)
		}
		as.rare = &own
	}
	return as
}

// Wait returns how long a job has waited: from its arrival to the start of its last
// run. ok is false for one that has not started.
func (j *Job) Wait() (seconds int64, ok bool) {
	if j.Start == Unknown || j.Arrival == Unknown {
		return 0, false
	}
	return max(0, j.Start-j.Arrival), true
}

// Run returns how long a job has run, without the time for which it was suspended.
// ok is false for one that has not ended.
func (j *Job) Run() (seconds int64, ok bool) {
	if j.State != Ended || j.Start == Unknown || j.End == Unknown {
		return 0, false
	}
	return j.Active(j.Start, j.End), true
}

// Slowdown returns the bounded slowdown of a job: its wait and run, as a multiple of its
// run or of ten seconds where that is more, and at least 1. ok is false for one that has
// not ended.
func (j *Job) Slowdown() (slowdown float64, ok bool) {
	wait, started := j.Wait()
	run, ended := j.Run()
	if !started || !ended {
		return 0, false
	}
	return SlowdownOf(wait, run), true
}

// SlowdownOf returns the bounded slowdown of a job that has waited and run for some seconds.
func SlowdownOf(wait, run int64) float64 {
	const shortest = 10 // seconds
	return max(1, float64(wait+run)/float64(max(run, shortest)))
}

// Length returns what Run does, also for a job of a trace that tells how long it ran and
// not when.
func (j *Job) Length() (seconds int64, ok bool) {
	if j.length > 0 && j.State != Running {
		return j.length - 1, true
	}
	return j.Run()
}

// SoFar returns how long a job that runs has run, of a trace that tells that and not since when.
func (j *Job) SoFar() (seconds int64, ok bool) {
	return j.length - 1, j.length > 0 && j.State == Running
}

// EligibleTime returns the eligible_time with which a job started, in seconds. ok is false where the
// record of its end does not tell.
func (j *Job) EligibleTime() (seconds int64, ok bool) { return int64(j.grown) - 1, j.grown > 0 }

// Active returns for how many seconds a run that began at start has run up to a
// time, without those for which the job was suspended.
func (j *Job) Active(start, at int64) int64 {
	seconds := at - start
	for _, p := range j.Pauses() {
		seconds -= max(0, min(at, p.End)-max(start, p.Start))
	}
	return max(0, seconds)
}

// Suspended returns for how many seconds a job's last run was suspended.
func (j *Job) Suspended() int64 {
	seconds := int64(0)
	for _, p := range j.Pauses() {
		if p.Start >= j.Start {
			seconds += p.End - p.Start
		}
	}
	return seconds
}
