package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
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
// The runs of all are drawn alike: the same jobs come and run for as long.
func Advise(ctx context.Context, o Options, of Offer, changes []string) (*Forecast, []Advice, error) {
	var list []Advice
	var base *forecaster
	var first *Forecast
	for _, change := range append([]string{""}, changes...) {
		as := of
		if change != "" {
			var err error
			if as, err = of.With(change); err != nil {
				return nil, nil, err
			}
		}
		if err := as.Check(); err != nil {
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
		f := forecasterOf(st, scheduler, o)
		if base == nil {
			base = f
		}
		f.lengths, f.arrivals, f.load = base.lengths, base.arrivals, base.load
		one, err := f.make(ctx)
		if err != nil {
			return nil, nil, err
		}
		advice := Advice{Change: change, Job: one.Jobs[0]}
		if first == nil {
			first = one
		} else {
			advice.Shift = shiftOf(one.Jobs[0], first.Jobs[0], o.Runs, float64(first.At+o.Horizon))
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

// queues returns the names of a site's queues in which jobs can run, none where they are not known.
func (s *Site) queues() []string {
	var names []string
	for _, q := range s.Site.Queues {
		if !q.Stopped && !q.Routes {
			names = append(names, q.Name)
		}
	}
	return names
}

func (s *Site) hasQueue(name string) bool {
	return s.Site.Queues == nil || slices.ContainsFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == name })
}

// refuses says why a queue does not take a job as it is asked for, "" if it does. A queue takes no
// job that asks for more than its resources_max; what else may keep a job out is not looked at.
func (s *Site) refuses(a Ask) string {
	at := slices.IndexFunc(s.Site.Queues, func(q pbs.Queue) bool { return q.Name == a.Queue })
	if at < 0 {
		return ""
	}
	queue := s.Site.Queues[at]
	if queue.Routes {
		return "queue " + queue.Name + " only hands jobs on"
	}
	for _, r := range a.requested() {
		most, isBounded := queue.Max[r.Name]
		if x, ok := number(r.Value); isBounded && ok {
			if bound, ok := number(most); ok && x > bound {
				return fmt.Sprintf("queue %s takes jobs of %s up to %s", queue.Name, r.Name, most)
			}
		}
	}
	return ""
}

// number returns the amount of a resource.
func number(text string) (float64, bool) {
	amount, ok := formula.ParseAmount(text, "")
	if !ok {
		return 0, false
	}
	return amount.Number()
}

// Sensible returns changes that are worth a try: half the walltime, half the cpus, and other queues.
func (s *Site) Sensible(a Ask) []string {
	var changes []string
	if seconds, ok := number(a.of("walltime")); ok && seconds >= 120 {
		changes = append(changes, "walltime="+report.Duration(math.Floor(seconds/2)))
	}
	for _, r := range a.requested() {
		if n, err := strconv.Atoi(r.Value); r.Name == "ncpus" && err == nil && n > 1 {
			changes = append(changes, "ncpus="+strconv.Itoa(n/2))
		}
	}
	const most = 4 // queues
	for _, queue := range s.queues() {
		if queue != a.Queue && len(changes) < 2+most {
			changes = append(changes, "queue="+queue)
		}
	}
	return changes
}
