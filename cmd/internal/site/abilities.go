package site

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// Policy is how a site shall order its jobs, where that is not as it says itself.
type Policy struct {
	Formula   string // "" for the one in force
	NoFormula bool
	Threshold *float64
	Static    bool // whether no job starts, so that nobody's usage grows
	AllStart  bool // whether every job starts, also where the nodes tell which do
	NonPrime  bool // whether the settings of non-prime time hold
	Settings  []string

	Format  string // of the list of jobs
	Workers int
}

// Moment is when and on what jobs shall start.
type Moment struct {
	Nodes string    // the file that tells of the nodes, "" for those of the site
	At    time.Time // zero for when the site was asked
	TZ    string    // the zone of the site, "" for that which its logs tell
	Zone  *time.Location
}

// Zoned is a site whose texts tell in which time zone its local times are.
type Zoned interface {
	Zone() (*time.Location, error)
}

// Marked is a site that tells by how much its local times are ahead of UTC.
type Marked interface{ Marks() []trace.Mark }

// Choice is whose jobs are shown. What is empty chooses all.
type Choice struct{ Users, Queues, Accounts []string }

// Orderer is a site that tells in which order its scheduler considers its jobs.
type Orderer interface {
	Order(ctx context.Context, o Ordering) (*Order, error)
}

// Ordering is what is asked of an order.
type Ordering struct {
	Policy
	Choice
	All     bool   // whether jobs are shown that are not considered
	Top     int    // how many jobs are shown at most, 0 for all
	Why     bool   // whether to say what put each job behind the one before it
	Records bool   // whether the records of the list are wanted
	On      Moment // in a cycle of which the jobs have their order
	Now     bool   // whether to say which jobs would start in it
}

// Order is the order of the jobs of a site.
type Order struct {
	Jobs    report.Sheet
	IDs     []string
	Records func(io.Writer) error // of the list, in the new order
	Closing []diag.Remark         // that are said once the order is printed
	Unknown error                 // why it is only known between which places each is, nil where it is known

	Standing map[string]forecast.CycleResult // what becomes of them right now, by ID; nil where that is not asked
}

// Explainer is a site that explains the places of its jobs.
type Explainer interface {
	Explain(ctx context.Context, q Question) (*Answer, error)
}

// Question is which job is to be explained.
type Question struct {
	Policy
	On   Moment
	Job  string
	User string // whose first job is, where Job is ""
	Vs   string // the job that it is compared with, "ahead" or "first"; "" for none
}

// Answer is what a site says of a job.
type Answer struct {
	JSON     any
	Print    func(to *report.Printer) error
	IsPartly bool // whether something of it failed
}

// Comparer is a site that tells what a change does to the order of its jobs.
type Comparer interface {
	Compare(ctx context.Context, c Change) (*Comparison, error)
}

// Change is how the second of two orders differs from the first.
type Change struct {
	Policy
	Choice
	On        Moment   // in a cycle of which the jobs have both orders
	Formulas  []string // the new one, which is compared with the one in force, or the old and the new one
	SchedPriv string   // of the new order, "" for that of the old one
}

// Comparison is what a change does.
type Comparison struct {
	*compare.Difference                          // of the jobs that are chosen
	Differs             bool                     // whether any job has another place, or fails
	Parties             [4]string                // what Entity, Queue, Group and Project of a move are
	JSON                func(notes []string) any // the difference, with what is said of it
	CSV                 func(w io.Writer) error  // its moves
	Page                func() page.Data
	IsEmpty             bool // whether there is no job

	Later []string // settings that act on usage as it decays, and so not on the order now
}

// Measurer is a site that has metrics of its queue.
type Measurer interface {
	Measure(ctx context.Context, p Policy, w io.Writer) error
}

// Has reports whether a job of a user and an account in a queue is chosen.
func (c Choice) Has(user, account, queue string) bool {
	is := func(wanted []string, name string) bool { return wanted == nil || slices.Contains(wanted, name) }
	return is(c.Users, user) && is(c.Accounts, account) && is(c.Queues, queue)
}

// Names returns all names that are chosen.
func (c Choice) Names() []string { return slices.Concat(c.Users, c.Accounts, c.Queues) }

// Adviser is a site whose configuration is checked.
type Adviser interface {
	Advice(ctx context.Context, changed string) (Advice, error) // changed is the name of a file to be checked in place of what is in force, "" for none
}

// Advice is what there is to say of a configuration.
type Advice struct {
	Counts     []string // what of it decides about the order, in lines
	Findings   []Finding
	NotChecked []string // what cannot be checked, which is said
	Looked     string   // what was looked at, "" for the settings of the scheduler
}

// Finding is what is wrong with a configuration, or cannot have the effect that it seems to have.
type Finding struct {
	Kind      string `json:"kind"`              // error, of what cannot be read, is unknown or counts as something else; or warning
	IsRefused bool   `json:"refused,omitempty"` // whether the scheduler does not start with it
	File      string `json:"file,omitempty"`    // "" where it stands in the only one that there is, or in none
	Line      int    `json:"line,omitempty"`    // 0 for no line
	Message   string `json:"message"`
	Place     string `json:"-"` // the file and the line in words, with a colon behind them
}

// The kinds of findings.
const (
	AnError  = "error"
	AWarning = "warning"
)

// SortFindings sorts findings by their files and lines, those of no line behind the others of their file. Errors come first of those
// on one line, and the others stay as they were.
func SortFindings(all []Finding) {
	line := func(f Finding) int {
		if f.Line == 0 {
			return math.MaxInt
		}
		return f.Line
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(line(a), line(b)), cmp.Compare(a.Kind, b.Kind))
	})
}

// Sharer is a site that has a fairshare tree.
type Sharer interface {
	// Tree returns it with what settings change. A file with a tree is written in a format.
	Tree(ctx context.Context, from accounts.Format, settings []string) (Tree, error)
}

// Tree is a fairshare tree.
type Tree struct {
	*fstree.Associations
	Format accounts.Format // that it was written in, "" for PBS's
	Taken  time.Time       // when it was so, zero if that is not known
	Own    accounts.Own    // how the site computes its factors of it
}

// Forecaster is a site of which forecasts are made.
type Forecaster interface {
	// Forecast returns the site as it is now, and what its settings make of it; nil without any.
	Forecast(ctx context.Context, q Forecasting) (is, under forecast.Subject, err error)
}

// Expecter is a site whose scheduler itself says when it expects to start jobs.
type Expecter interface {
	// Expected returns that of the jobs that wait, in place of a forecast that failed since the site lacks what an error says. It
	// returns an error where nothing tells it either.
	Expected(ctx context.Context, zone *time.Location, why error) (*forecast.Expected, error)
}

// Recaller is a site whose own logs tell of jobs that its list does not have.
type Recaller interface {
	// Recall returns an error about a job that the list does not have, with what the logs tell of the job: when it ended,
	// for one.
	Recall(missing error, job string) error
}

// Forecasting is what a forecast begins with.
type Forecasting struct {
	Policy
	Moment
	Logs     []string // of the days before; those of the site without any
	OnlyPast bool     // whether the site's own past is asked, and not its jobs
	Known    string   // a list of jobs of that past, with what logs do not have, beside the site's own; "" for none
	Submits  bool     // whether a job is asked about that is not there yet
}

// OrderError says why nothing is forecast of a site of which all is known but who goes first.
type OrderError struct{ Err error }

func (e *OrderError) Error() string { return e.Err.Error() }

func (e *OrderError) Unwrap() error { return e.Err }

// Experimenter makes a site one for the page of the lab.
type Experimenter interface {
	Lab(ctx context.Context, q Experiment) (lab.Site, error)
}

// Experiment is what the page of the lab begins with.
type Experiment struct {
	Policy
	Logs  []string // to replay; those of the site without any
	TZ    string   // of the logs
	Usage string   // the file with that of the begin of the logs
}

// Collector is a site of which a snapshot can be written.
type Collector interface {
	Collect(ctx context.Context, c Collecting) (Snapshot, error)
}

// Collecting is what a snapshot shall have.
type Collecting struct {
	Days      int             // how many days of logs, 0 for what the site has in one place
	Obfuscate bool            // whether names are replaced
	Shift     obfuscate.Shift // by how much times and numbers of jobs are moved as well
}

// Snapshot is what can be written as a directory or an archive.
type Snapshot interface{ Write(name string) error }

// Recorder is a site that has a record of its jobs within it.
type Recorder interface {
	Records() ([]file.Source, error)
}

// Supplier is a site with a record that tells what its nodes have, and had while the record lasts.
type Supplier interface {
	// CPUs returns how many there are in all, 0 where nothing tells it.
	CPUs() int64

	// Capacity returns what there was while a record lasts, nil where nothing tells it.
	Capacity(t *trace.Trace, zone *time.Location) (*history.Capacity, error)
}

// Nested is a site with a record that tells which of its accounts are below others.
type Nested interface {
	// Parents returns the account that each is directly below, nil where nothing tells it.
	Parents() trace.Parents
}

// Requeuer is a site with a record that tells which jobs that ended wait again.
type Requeuer interface {
	// WaitsAgain says that a job of an ID does so, in half a sentence; "" for one of which nothing tells it.
	WaitsAgain(id string) string
}

// Prioritizer is a site whose jobs have priorities that are sums of terms.
type Prioritizer interface {
	// Priorities returns them term by term, of some users' jobs, nil for everybody's, and at most so many (0: all).
	Priorities(ctx context.Context, users []string, most int) (report.Sheet, error)
}

// Accountant is a site that keeps usage itself.
type Accountant interface {
	// Usage returns it as it stands: of top associations at most, those with most first, or for 0 of all.
	Usage(ctx context.Context, top int) (report.Sheet, error)
}

// Noder is a site that tells what its nodes have, and who runs there.
type Noder interface {
	// Nodes returns them at a moment, with what is asked of them.
	Nodes(ctx context.Context, m Moment, q nodes.Question) (*nodes.Machine, error)
}
