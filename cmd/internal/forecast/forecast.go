package forecast

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// Options are how a forecast is made.
type Options struct {
	Runs    int
	Seed    uint64
	Horizon int64 // how many seconds are looked ahead
	NoComer bool  // whether nobody comes

	// Wants says which waiting jobs are asked about, nil for all. Those that are not have no part in
	// how long the runs go on.
	Wants func(id, user string) bool

	Nodes bool // whether Job.Nodes are wanted

	// Done is called after each run, of all that what is asked for takes, or of a backtest after each moment; may be nil.
	Done func(done, all int)

	// Plain is for tests: others come for the whole horizon from the first. The starts are the same.
	Plain bool
}

// DefaultHorizon is how far a forecast looks ahead unless told, in seconds.
const DefaultHorizon = 14 * day

// DefaultRuns is how often what is to come is drawn unless told.
const DefaultRuns = 100

// DefaultSeed is the number that runs are made from unless told.
const DefaultSeed = 1

// Job is what is forecast of a job that waits.
type Job struct {
	ID, Queue, User   string
	Group, Account    string        // "" for what is not known
	Project           string        // with Slurm its QOS
	Held              string        // why it does not start, "" if it may
	Place             int           // in the order of the scheduler now, from 1; 0 for none
	Reason            string        // what it waits for now
	Comment           string        // what the scheduler itself has written of it that speaks against the forecast, "" for nothing
	First             string        // how that goes together with the reason, where the scheduler looks at the comment first; "" for nothing
	Unmodelled        []string      // what it asks for that the forecast does not heed
	Preempts          PreemptedJobs // that go for it, if it would start now
	Starts            []float64     // of the runs, in order; infinity for those in which it does not start
	Came              int64         // when it began to wait, or will: it does not start before
	Requested         float64       // the classic estimate, infinity for none
	Usual             float64       // the other one: as jobs of its queue have waited, infinity for none
	Estimated         float64       // when the scheduler itself expects to start it, infinity where it does not say
	Median, Low, High float64       // the median, and between which times it starts in 8 of 10 runs
	Nodes             []Node        // on which it starts, the most frequent first; nil unless wanted
	Shift             *Shift        // against what it is without a change; nil where nothing is compared

	Drawn []float64 // the starts by run, nil for a job that is held

	isDisproved bool // whether something else tells that it may start before any time that could be told

	opens func(at float64) float64 // the first time from one on at which the rules let it start; nil where all are alike
}

// disprove tells no time any more before which the job hardly starts.
func (j *Job) disprove(now int64) { j.Low, j.isDisproved = min(j.Low, float64(now)), true }

// Forecast is when the jobs start that wait.
type Forecast struct {
	Jobs   []*Job
	Others []*Job // that wait and are not asked about: nothing is forecast of them
	Runs   int    // that were made: fewer than Asked where somebody interrupted
	Asked  int
	At     int64
	Span   int64   // for how many seconds the logs go back
	Load   float64 // the part of the processors that arrivals as they were would keep busy
	Past   int     // jobs from whose run times it was learned

	Horizon int64 // how many seconds were looked ahead

	// Unordered says why no time is told by which a job starts: the order is not known, and nothing is learned. "" where times are told.
	Unordered string

	Kept string // which jobs something keeps that is not told, and what may; "" for none

	// IsExpected tells whether nothing is forecast: of each job only is told when the scheduler itself expects to start it (Estimated).
	IsExpected bool

	Record string // as that of State
	Begins string // when that begins, where it tells of nothing before At; else ""
	OfSome string // likewise, where it was learned from
	Words  Words  // as those of State

	numbers []int // of the runs that were made
}

// IsLearned reports whether run times and arrivals are learned from jobs of all.
func (f *Forecast) IsLearned() bool { return f.Past > 0 && f.OfSome == "" }

// IsCut reports whether not all runs were made that were asked for.
func (f *Forecast) IsCut() bool { return f.Runs < f.Asked }

// Drawn says how many runs a forecast is made of, and of how many.
func (f *Forecast) Drawn() string {
	if f.IsCut() {
		return fmt.Sprintf("%d of %s", f.Runs, report.Count(f.Asked, "run"))
	}
	return report.Count(f.Runs, "run")
}

// MakeOf returns when the jobs of a state start under a scheduler. Where the context is done in the midst of it, it is
// made of the runs that were made by then.
func MakeOf(ctx context.Context, st *State, scheduler Scheduler, o Options) (*Forecast, error) {
	return forecasterOf(st, scheduler, o).make(ctx)
}

// sort puts jobs into the order of the scheduler, those behind them that it does not look at.
func (f *Forecast) sort() {
	rank := func(j *Job) int {
		switch {
		case j.Held != "":
			return math.MaxInt
		case j.Place == 0:
			return math.MaxInt - 1
		}
		return j.Place
	}
	slices.SortStableFunc(f.Jobs, func(a, b *Job) int { return cmp.Compare(rank(a), rank(b)) })
}

// IsNever reports whether a job fits on no vnodes of the cluster, or is over a limit by itself, so that it never starts.
func (j *Job) IsNever() bool { return strings.HasPrefix(j.Reason, outcome.Never) }

// IsHeld reports whether a job that is asked about starts in no run until somebody changes what holds it, such as the state of
// its partition.
func (j *Job) IsHeld() bool {
	return strings.HasPrefix(j.Reason, outcome.Held) && j.Within(math.MaxFloat64) == 0
}
