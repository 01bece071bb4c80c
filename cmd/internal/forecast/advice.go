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

	// By how many seconds it starts sooner than without the change, on average over runs in which
	// the same is to come, and what that is up to chance: two standard errors.
	Sooner, Chance float64
}

// IsNoise reports whether the difference may be chance, or is shorter than anybody cares for.
func (a *Advice) IsNoise() bool {
	const least = 60 // seconds
	return math.Abs(a.Sooner) <= max(least, a.Chance)
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
			advice.compare(first.Jobs[0], o.Runs, float64(first.At+o.Horizon))
		}
		list = append(list, advice)
	}
	return first, list, nil
}

// compare finds by how much a job starts sooner than another one in the same runs.
func (a *Advice) compare(base *Job, runs int, bound float64) {
	sum, squares := 0., 0.
	n := float64(runs)
	start := func(j *Job, run int) float64 {
		if j.drawn == nil { // it never starts
			return bound
		}
		return min(j.drawn[run], bound)
	}
	for run := range runs {
		d := start(base, run) - start(a.Job, run)
		sum += d
		squares += d * d
	}
	a.Sooner = sum / n
	a.Chance = math.Inf(1)
	if n > 1 {
		a.Chance = 2 * math.Sqrt(max(0, squares/n-a.Sooner*a.Sooner)/(n-1))
	}
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
