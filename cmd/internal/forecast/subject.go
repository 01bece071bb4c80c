package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/trace"
)

// Subject is what is asked about: a site as it is now, whatever its scheduler.
type Subject interface {
	// Begin returns what forecasts of the site begin with.
	Begin() (*State, Scheduler)

	// New returns a job that is not there yet, as its user asks for it in a queue. An error is an ErrAsk, or
	// ErrNowhere if the queue is "" and the job does not ask for one.
	New(user, queue, resources string) (Offer, error)

	// Waiting returns the IDs of the jobs that wait and can be asked for otherwise.
	Waiting() []string

	// Offer returns one of those.
	Offer(id string) Offer

	// Listed returns the IDs of all jobs of the list.
	Listed() []string

	// Users returns who has a job in the list or in what tells of the past, or a place in the fairshare tree.
	Users() map[string]bool

	// Judges says what of a job that is asked for is looked at before it is forecast, where that is not all.
	Judges() []diag.Remark

	// History returns the site's own past, with the usage at its begin from a file, "" for none.
	History(usage string) (History, []diag.Remark, error)
}

// Offer is a job as it is asked for: one that is not there yet, or one that waits and is to be changed.
type Offer interface {
	// With returns it with some of it changed, such as walltime=4:00:00. An error is an ErrAsk.
	With(change string) (Offer, error)

	// Check returns what is wrong with it: an ErrAsk, or a *NoQueueError.
	Check() error

	// Refused says why the site does not take the job so, "" if it does.
	Refused() string

	// Enter returns the site now with this job among those that wait, and the job's ID.
	Enter() (st *State, scheduler Scheduler, id string, err error)

	// Sensible returns changes that are worth a try.
	Sensible() []string

	// Assumed says what is taken of the job that nobody has told.
	Assumed() []diag.Remark
}

// History is the past of a site, of which forecasts can be made again.
type History interface {
	// Recorded returns what is known of the past by now, by which forecasts of it are judged.
	Recorded() *trace.Trace

	// Then returns the site as it was at a time, from nothing that is later; nil where fewer than
	// FewestWaiting jobs waited. Each time is later than that of the call before.
	Then(ctx context.Context, at int64) (*State, Scheduler, error)
}

// NoUsage says that the usage at the begin of the past is not known.
func NoUsage() diag.Remark {
	return diag.Notef("the usage at the begin of the logs is not known (--usage FILE): forecasts of the past begin with none")
}

// Find returns the ID among some that somebody means, who may leave out what stands behind the number's dot.
func Find(ids []string, asked string) (id string, ok bool) {
	at := slices.IndexFunc(ids, func(id string) bool {
		number, _, _ := strings.Cut(id, ".")
		return id == asked || number == asked
	})
	if at < 0 {
		return "", false
	}
	return ids[at], true
}

// NewID is what a job is called that is not there yet.
const NewID = "new"

// ErrAsk says that a text is no list of resources.
var ErrAsk = errors.New("resources are given as with -l: NAME=VALUE, and commas between them")

// ErrNowhere says that nothing tells in which queue a job would be.
var ErrNowhere = errors.New("nothing tells in which queue the job would be")
