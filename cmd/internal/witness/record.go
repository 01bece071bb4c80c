package witness

import (
	"context"
	"time"
)

// Record is what a site has recorded, as the rules of its scheduler judge it.
type Record interface {
	// Starts hands over the recorded starts in the order of their times, then the jobs that waited until the
	// record ends. The start is the caller's only until yield returns, and its slices are never changed. It
	// ends early if the context is done.
	Starts(ctx context.Context, yield func(*Start)) error

	// Facts returns what is known of the site besides.
	Facts() Facts
}

// Ending returns a record that calls end once its starts are handed over, as to take progress away that was shown.
func Ending(r Record, end func()) Record { return &endingRecord{r, end} }

type endingRecord struct {
	Record
	end func()
}

// Starts implements Record.
func (r *endingRecord) Starts(ctx context.Context, yield func(*Start)) error {
	defer r.end()
	return r.Record.Starts(ctx, yield)
}

// Facts are what is known of a site besides its starts.
type Facts struct {
	// Uncertainty is how many seconds may lie between the decision and the start that is recorded: what
	// happens within them may have been known to the scheduler or not.
	Uncertainty float64

	// NoOrder says why nothing tells in which order jobs were tried, so that nobody can say whom the rules would have
	// started before another; "" where something does.
	NoOrder string

	// Against is what the record has and these rules never do, such as "59 recorded runs were preempted, and by these rules none is"; "" for nothing.
	Against string

	// OfSome says why the record lacks jobs of others, so that its starts judge no rules; "" where nothing tells that it does.
	OfSome string

	// Untold says on what who goes first may depend that the site does not tell; "" for nothing that is known.
	Untold string

	// Values are what the values by which jobs are ordered depend on and the record does not tell, each in words with what tells it:
	// it is to be doubted first where a group is about who goes first, or about a rule of such values.
	Values []string

	HasThreshold bool // whether such a value decides as well whether a job may start at all

	// Guesses returns what that may be, each of which is tried where a group is about who goes first; nil where nothing is tried.
	Guesses func() []Guess

	Lacks []Lack // settings of the site that are not modelled

	// Common returns what a vnode has in common with others, such as "Qlist=gpu" or "rack 7"; nil for a
	// site whose vnodes have nothing in common.
	Common func(vnode string) []string

	// Nearest returns the nearest explanation of starts that a rule does not allow, as a question; "" where none is nearer
	// than another. It may be nil.
	Nearest func(rule string) string

	Zone  *time.Location // in which times are told; nil for UTC
	Words Words
}

// Words are what things are called with a scheduler.
type Words struct {
	Queue  string // queue or partition
	Node   string // vnode or node
	Given  string // what is judged besides of a start on its vnodes: " and as many CPUs"; "" for nothing
	Shut   string // what keeps jobs from nodes for a time: "a reservation, dedicated time"
	Closed string // what a node is called that takes no more jobs while its own run on: "draining"
	Away   string // how --set takes a node away: "--set node.%s.offline=%s/%s" of the node, and the times from and to
}

// Lack is a setting of the site that is not modelled.
type Lack struct {
	Setting string // as the site has it, such as "node_sort_key"
	Says    string // what of it is not modelled, "" where the setting says so itself

	// Concerns reports whether it may act on a side of a start; nil for on all.
	Concerns func(s *Start, side Side) bool
}
