package replay

import (
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Options are what a replay needs besides the work, the site and the cluster.
type Options struct {
	World *world.World // what happens besides the jobs; nil for nothing

	Begin     *usagefile.Database // usage at the begin; nil for that of the site's tree
	LastDecay int64               // a last_decay of the scheduler's, for the phase of decay; 0 if it is not known
	Lag       float64             // how old reports of use are when usage accrues, in seconds
	IsSampled bool                // whether they are as old as mom makes them where one mom has all vnodes, see accrual.Samples
	Latency   work.Latency
	Own       []float64 // by job, its own latency, NaN for Latency; may be nil

	Measure *Measure // by what usage over time is measured, see outcome.Ask.KeepUsage; nil for what the site itself has

	outcome.Ask
	Stop  *Stop // when to end before Ask.Until, nil for not
	Judge bool  // whether all that is wanted is what the first cycle makes of each job

	AnyOrder bool // with Judge, whether it is also wanted what there is for each job before any starts: nothing tells who comes first

	// Plain is for tests: every cycle looks at every job, tries it and plans it anew. The
	// starts are the same.
	Plain bool

	Workers int // how many spans of a long record Decide judges at a time, 0 for one on each processor; the answer is the same

	Further []Further // of each further scheduler of the site

	Progress func(done, all int) // called now and then; may be nil

	span, warmUp int // for tests: of how many starts a span is, and how many are judged before it; 0 for what is usual

	named     []string // of work that this is a part of; nil for none
	throttles bool     // whether that has arrays of which some subjobs may run at a time

	firstPart  int                // for tests: how many candidates the first part of a cycle has at least, 0 for what is usual, less for no parts
	eachClass  bool               // for tests: whether a cycle looks at each class, though many differ in the limits of their owners alone
	eachValue  bool               // for tests: whether a cycle puts all values in order anew
	keepsStays bool               // whether each job has its stay from the begin to the end, since in a record one may start that has not come or is over
	onPart     func(isFirst bool) // for tests: called before candidates are handed out in a part; may be nil

	onPreempt func(a *attempt, c *candidate, victims []int32) // for tests: called before they go; may be nil
}
