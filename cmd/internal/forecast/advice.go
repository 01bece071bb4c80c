package forecast

import (
	"context"
	"errors"
	"fmt"

	"fairshare/cmd/internal/report"
)

// Advice is when a job would start if it asked for something else.
type Advice struct {
	Change  string // what is changed, "" for nothing
	Refused string // why the queue does not take the job so, "" if it does; it has no Job then
	Job     *Job
	Shift   // against the job without the change
}

// ErrRefused says that a queue does not take a job as it is asked for.
var ErrRefused = errors.New("the job is refused")

// Advise returns when a job starts as it is asked for, and what each of some changes makes of it.
// The runs of all are drawn alike: the same jobs come and run for as long. Where the context is done in the midst of
// it, the changes are left out that were not tried by then.
func Advise(ctx context.Context, o Options, of Offer, changes []string) (*Forecast, []Advice, error) {
	var list []Advice
	var base *forecaster
	var first *Forecast
	for number, change := range append([]string{""}, changes...) {
		if first != nil && ctx.Err() != nil {
			break
		}
		as := of
		if change != "" {
			var err error
			if as, err = of.With(change); err != nil {
				return nil, nil, fmt.Errorf("--try %s: %w", change, err)
			}
		}
		if err := as.Check(); err != nil {
			if change != "" {
				err = fmt.Errorf("--try %s: %w", change, err)
			}
			return nil, nil, err
		}
		switch why := as.Refused(); {
		case why != "" && first == nil:
			return nil, nil, fmt.Errorf("%w: %s", ErrRefused, why)
		case why != "":
			list = append(list, Advice{Change: change, Refused: why})
			continue
		}
		st, scheduler, asked, err := as.Enter()
		if err != nil {
			return nil, nil, err
		}
		o.Wants = func(id, _ string) bool { return id == asked }
		f := forecasterOf(st, scheduler, o.partly(number, len(changes)+1))
		if base == nil {
			base = f
		}
		f.lengths, f.arrivals, f.load = base.lengths, base.arrivals, base.load
		one, err := f.make(ctx)
		if first != nil && ctx.Err() != nil && (err != nil || one.IsCut()) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		advice := Advice{Change: change, Job: one.Jobs[0]}
		if first == nil {
			first = one
		} else {
			advice.Shift = shiftOf(one.Jobs[0], first.Jobs[0], one.numbers, float64(first.At+o.Horizon))
		}
		list = append(list, advice)
	}
	return first, list, nil
}

// NoQueueError says that a site does not have a queue, which may be called otherwise there.
type NoQueueError struct {
	Called, Queue string
	There         []string
}

func (e *NoQueueError) Error() string { return report.NoSuch(e.Called, e.Queue, e.There) }
