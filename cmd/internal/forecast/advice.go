package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"fairshare/cmd/internal/report"
)

// Advice is when a job would start if it asked for something else.
type Advice struct {
	Change  string // what is changed, "" for nothing
	IsSet   bool   // whether it is of the site as the settings make it that are tried
	Refused string // why the queue does not take the job so, "" if it does; it has no Job then
	Wrong   error  // why nobody can ask for that, nil if one can; it has no Job then either
	Job     *Job
	Doubt   string // what of the room that it starts in may not be free, "" for nothing
	Limits  string // what the change takes from the room that the job may have as it is, "" for nothing

	Shift          // against the job without the change, at the site as it is
	IsFirst bool   // whether it is that job itself, or that one has no start, so that there is no Shift
	Under   *Shift // of a change where settings are tried: against the job without the change under these; else nil
}

// Doubter is an Offer at a site where some of what counts as free may not be.
type Doubter interface {
	IsDoubted() bool                // whether that may be of nodes on which the job may run
	Doubt(starts *Job) (why string) // of a job whose Nodes are known, "" where it starts on none of those, or later
}

// Limiter is an Offer that tells what a change takes from the room that a job may have as it is, so that it may start later.
type Limiter interface{ Limits() string }

// ErrRefused says that a queue does not take a job as it is asked for.
var ErrRefused = errors.New("the job is refused")

// NotAsked is an offer of a job that cannot be asked for.
type NotAsked struct {
	Offer
	Err error // why
}

// Check implements Offer.
func (o NotAsked) Check() error { return o.Err }

// Advise returns when a job starts as it is asked for, and what each of some changes makes of it.
// The runs of all are drawn alike: the same jobs come and run for as long. Where the context is done in the midst of
// it, the changes are left out that were not tried by then. Where one of several changes cannot be asked for, its Advice says so,
// and so it does where the site refuses the job, unless it refuses all of them: that is an ErrRefused.
func Advise(ctx context.Context, o Options, of Offer, changes []string) (*Forecast, []Advice, error) {
	return AdviseUnder(ctx, o, of, nil, changes)
}

// AdviseUnder is Advise of a job at a site under settings that are tried, nil for none: first comes the job at the site as it is,
// where it may be refused, then without a change under the settings, then with each of the changes under them.
func AdviseUnder(ctx context.Context, o Options, is, under Offer, changes []string) (*Forecast, []Advice, error) {
	of := cmp.Or(under, is)
	a := &adviser{ctx: ctx, options: o, rows: 1 + len(changes)}
	if under != nil {
		a.rows++
		if err := a.add(Advice{}, is, nil); err != nil {
			return nil, nil, err
		}
	}
	switch err := a.add(Advice{IsSet: under != nil}, of, nil); {
	case err != nil:
		return nil, nil, err
	case a.isDone:
		return a.first, a.list, nil
	}
	asked := a.list[len(a.list)-1]
	if asked.Wrong != nil {
		return nil, nil, asked.Wrong
	}
	wrong := 0
	for _, change := range changes {
		as, err := of.With(change)
		if err := a.add(Advice{Change: change, IsSet: under != nil}, as, err); err != nil {
			return nil, nil, err
		}
		if a.isDone {
			break
		}
		if a.list[len(a.list)-1].Wrong != nil {
			wrong++
		}
	}
	switch {
	case wrong == len(changes) && wrong > 0:
		return nil, nil, a.list[len(a.list)-1].Wrong
	case a.first == nil:
		return nil, nil, fmt.Errorf("%w: %s", ErrRefused, asked.Refused)
	}
	return a.first, a.list, nil
}

// adviser forecasts a job as it is asked for in several ways.
type adviser struct {
	ctx     context.Context
	options Options
	rows    int // that there will be
	list    []Advice
	isDone  bool // whether the context was done in the midst of it

	base  *forecaster // of the first forecast, with which the others share what is drawn
	first *Forecast
}

// add adds a row for an offer, which cannot be asked for if there is an error.
func (a *adviser) add(x Advice, of Offer, wrong error) error {
	if a.first != nil && a.ctx.Err() != nil {
		a.isDone = true
		return nil
	}
	if wrong == nil {
		wrong = of.Check()
	}
	if wrong != nil {
		if x.Wrong = wrong; x.Change != "" {
			x.Wrong = fmt.Errorf("--try %s: %w", x.Change, wrong)
		}
		a.list = append(a.list, x)
		return nil
	}
	if x.Refused = of.Refused(); x.Refused != "" {
		a.list = append(a.list, x)
		return nil
	}
	st, scheduler, asked, err := of.Enter()
	if err != nil {
		return err
	}
	o := a.options
	o.Wants = func(id, _ string) bool { return id == asked }
	doubter, isDoubter := of.(Doubter)
	isDoubted := isDoubter && doubter.IsDoubted()
	o.Nodes = o.Nodes || isDoubted
	f := forecasterOf(st, scheduler, o.partly(len(a.list), a.rows))
	if a.base == nil {
		a.base = f
	}
	f.lengths, f.arrivals, f.load = a.base.lengths, a.base.arrivals, a.base.load
	one, err := f.make(a.ctx)
	if a.first != nil && a.ctx.Err() != nil && (err != nil || one.IsCut()) {
		a.isDone = true
		return nil
	}
	if err != nil {
		return err
	}
	if x.Job = one.Jobs[0]; a.first == nil {
		a.first = one
	}
	if base := a.list; one.Unordered != "" && len(base) > 0 && base[0].Job != nil && base[0].Job.isDisproved {
		x.Job.disprove(one.At) // of which the bound comes about as that of the job as it is, which does not hold
	}
	if limiter, ok := of.(Limiter); ok && x.Change != "" {
		x.Limits = limiter.Limits()
	}
	if isDoubted {
		x.Doubt = doubter.Doubt(x.Job)
	}
	if !a.options.Nodes {
		x.Job.Nodes = nil
	}
	against := func(base *Job) Shift { return one.shiftOf(x.Job, base, float64(one.At+o.Horizon)) }
	// The first row is the job at the site as it is, and where settings are tried, the second one the job under them.
	if x.IsFirst = len(a.list) == 0 || a.list[0].Job == nil; !x.IsFirst {
		x.Shift = against(a.list[0].Job)
	}
	if x.IsSet && x.Change != "" && a.list[1].Job != nil {
		shift := against(a.list[1].Job)
		x.Under = &shift
	}
	a.list = append(a.list, x)
	return nil
}

// NoQueueError says that a site does not have a queue, which may be called otherwise there.
type NoQueueError struct {
	Called, Queue string
	There         []string
}

func (e *NoQueueError) Error() string { return report.NoSuch(e.Called, e.Queue, e.There) }
