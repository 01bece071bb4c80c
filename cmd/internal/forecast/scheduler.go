// Package forecast says when jobs that wait will start: it replays a site from its state now,
// with what is to come drawn many times.
package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/work"
)

// Scheduler runs the jobs of a State by the rules of its scheduler. It may be asked by several at
// a time.
type Scheduler interface {
	// Starts returns when some jobs of work start. The work begins with the jobs of the state that are
	// not held, in its order.
	Starts(ctx context.Context, w *work.Work, asked Target) (Starts, error)

	// Place returns the places of some jobs in the order of the scheduler now, from 1 on and 0 for
	// none, and what one cycle right now makes of each of them.
	Place(ctx context.Context, w *work.Work, awaited []int32) (places []int, becomes []CycleResult, err error)
}

// Opener is a Scheduler that knows when its rules let jobs start at all, whatever runs.
type Opener interface {
	// Openings returns a function that returns the first time from another one on at which a job of work may start,
	// infinity for never. It is nil where all times are alike.
	Openings(w *work.Work) (func(job int32, at float64) float64, error)
}

// State is a site at a time, whatever its scheduler: forecasts begin with it.
type State struct {
	At        int64          // in seconds since 1970
	Zone      *time.Location // of the days and weeks in which jobs come
	Shown     *time.Location // in which times are printed
	CPUs      float64        // of all its nodes
	Unordered string         // why it is not known in which order jobs start, "" where it is
	// IsOrderGiven reports whether somebody gave the order that Unordered does not know to be in force: times are told by it where a past
	// is learned from.
	IsOrderGiven  bool
	IsFreeUnknown bool // whether it is not known what is free, so that no time is either before which a job hardly starts

	Record string // what its past is told by, in words, such as "accounting logs"
	Begins int64  // when that begins, 0 where there is none
	OfSome string // what tells that it lacks the jobs of others, "" where nothing does
	Words  Words

	// Passes says of which queues nothing is learned about who comes, since nobody will come to them:
	// those of reservations. It is nil where there are none.
	Passes func(queue string) bool

	base    *work.Work
	jobs    []*UnfinishedJob // those that wait first, in the order of the list
	waiting int
	past    []past
}

// Words are what a site's scheduler calls things.
type Words struct {
	Scheduler, Queue, Node string
	Name                   string // of the scheduler, as people write it
	Limits                 string // of how long jobs run, such as "walltimes"
	Comment                string // what stands before that which the scheduler itself says of a job, such as "comment"
	Past                   string // what users can print that tells what came before, such as "what qstat -xf prints of all users"
	Unlogged               string // what no log tells of jobs of the past, such as "priorities"
	Unplanned              string // why the scheduler names no start of some jobs, behind these
}

// NewState returns a state without jobs at a time, with recorded work from which is learned what came
// before it: nothing of what came later.
func NewState(past *work.Work, at int64, zone *time.Location) *State {
	return &State{At: at, Zone: zone, Shown: zone, base: past, past: pastOf(past, at)}
}

// Phase is where a job stands that has not ended.
type Phase byte

// The phases of a job.
const (
	Waits Phase = iota
	Runs
	Stopped // suspended
	Held    // it does not start unless somebody or another job releases it
)

// UnfinishedJob is a job that has not ended.
type UnfinishedJob struct {
	*work.Job
	Phase
	Why       string // what holds one that is held
	Until     string // until when one is held that comes later, "" for the time that its user gave
	Comment   string // what the scheduler itself has written of one that speaks against a forecast: that it can never start, or is kept by a limit; "" for nothing
	First     string // how that goes together with what the forecast says, where the scheduler looks at it first; "" for nothing
	Elapsed   int64  // for how long one has run that runs or is suspended
	Estimated int64  // when the scheduler itself expects to start it, 0 where it does not say
	Otherwise int64  // likewise, of a job that is tried with another request: as it is

	Unmodelled []string // what it asks for that no forecast of it heeds
}

// estimatedStart returns when the scheduler itself expects to start the job, infinity where it does not say, or said it of a time that has
// gone by.
func (p *UnfinishedJob) estimatedStart(at int64) float64 { return expected(p.Estimated, at) }

// knownStart returns when the scheduler, which knows its order, expects to start the job if all runs last to their limits, also as it is
// where another request is tried, which may go sooner: no bound that is as late holds. It is infinity where it does not say.
func (p *UnfinishedJob) knownStart(at int64) float64 {
	return min(expected(p.Estimated, at), expected(p.Otherwise, at))
}

func expected(start, at int64) float64 {
	if start < at {
		return math.Inf(1)
	}
	return float64(start)
}

// Add adds a job that has not ended.
func (st *State) Add(p *UnfinishedJob) {
	switch p.Phase {
	case Runs:
		p.RunsSince(st.At - p.Elapsed)
	case Stopped:
		p.StoppedAfter(p.Elapsed)
	}
	st.jobs = append(st.jobs, p)
}

// With returns a state in which one more job waits, in the place of the job of its ID if there is one.
// why is what keeps it from starting, "" for nothing, and unmodelled what it asks for that no forecast of it heeds.
func (st *State) With(j *work.Job, why string, unmodelled []string) *State {
	of := *st
	as := &UnfinishedJob{Job: j, Unmodelled: unmodelled}
	if why != "" {
		as.Phase, as.Why = Held, why
	}
	of.jobs = append([]*UnfinishedJob{as}, slices.DeleteFunc(slices.Clone(st.jobs), func(p *UnfinishedJob) bool { return p.ID == j.ID })...)
	return &of
}

// HeldBy returns a state in which of the jobs that wait those are held of which a function says why, by their IDs. Of others it says
// what the scheduler itself says against what is known here, "" for nothing.
func (st *State) HeldBy(says func(id string) (why, comment string)) *State {
	of := *st
	of.jobs = slices.Clone(st.jobs)
	for i, p := range of.jobs {
		if p.Phase != Waits && p.Phase != Held {
			continue
		}
		as := *p
		as.Phase = Waits
		if as.Why, as.Comment = says(p.ID); as.Why != "" {
			as.Phase = Held
		}
		of.jobs[i] = &as
	}
	return &of
}

// Holds returns what holds the first of some jobs that is held, "" where none is.
func (st *State) Holds(is func(id string) bool) string {
	at := slices.IndexFunc(st.jobs, func(p *UnfinishedJob) bool { return p.Phase == Held && is(p.ID) })
	if at < 0 {
		return ""
	}
	return st.jobs[at].Why
}

// Waiting returns how many jobs wait and may start.
func (st *State) Waiting() int {
	st.settle()
	return st.waiting
}

// settle puts the jobs that wait before the others.
func (st *State) settle() {
	rank := map[Phase]int{Waits: 0, Runs: 1, Stopped: 2, Held: 3}
	slices.SortStableFunc(st.jobs, func(a, b *UnfinishedJob) int { return rank[a.Phase] - rank[b.Phase] })
	st.waiting = 0
	for _, j := range st.jobs {
		if j.Phase == Waits {
			st.waiting++
		}
	}
}

// now returns the jobs as they are, for what nobody asks how long they run, and the numbers that draft does.
func (st *State) now() (*work.Work, []int32) {
	return st.draft(func(j *UnfinishedJob) int64 { return j.Elapsed + 1 }, nil)
}

// draft returns the jobs that are not held, of which each runs as long as a function says, as work that begins now, and the
// number that each has in it: the others, and those that their users let come at a time, come later.
func (st *State) draft(length func(*UnfinishedJob) int64, others []*work.Job) (*work.Work, []int32) {
	var jobs []*work.Job
	for _, j := range st.jobs {
		if j.Phase != Held { // those stand last
			jobs = append(jobs, j.WithRun(length(j)))
		}
	}
	w := st.base.Draft(st.At, slices.Concat(jobs, others))
	numbers := make([]int32, len(jobs))
	for i, j := range jobs {
		numbers[i] = j.Number
	}
	return w, numbers
}

// heldUntil says until when a job is held that comes later.
func (p *UnfinishedJob) heldUntil() string { return cmp.Or(p.Until, outcome.HeldUntil) }

// comesLater reports whether a job comes after now, such as at the time that its user gave.
func (st *State) comesLater(j *UnfinishedJob) bool { return j.Came > float64(st.At) }
