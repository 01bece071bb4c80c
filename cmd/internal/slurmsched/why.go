package slurmsched

import (
	"cmp"
	"slices"
)

// What a job waits for, as squeue has it, with what that means. Limits have names of their own, see
// ledger.reached.
const (
	WaitsForPass      = "the first main pass that considers it"
	WaitsForPriority  = "Priority (jobs of its partition before it)"
	WaitsForResources = "Resources (it is the next of its partition, and does not fit)"
	WaitsForReserved  = "Reservation (it fits on nodes that are kept by one)"
)

// Wait is a time in which a job waited for one thing.
type Wait struct {
	From, To int64
	Reason   string
}

// Waiting is a job that waits at Options.Until, and what for.
type Waiting struct {
	*Job
	Reason string
}

// Cause is what jobs of a partition waited for, and for how many seconds in all.
type Cause struct {
	Partition int
	Reason    string
	Seconds   int64
}

// cause is what jobs of a partition wait for.
type cause struct {
	partition int
	reason    string
}

// why keeps what jobs wait for. The nil why does nothing.
type why struct {
	watched *Job // whose waits are kept one by one, nil for nobody's
	waits   []Wait
	now     map[*Job]Wait // of those that wait
	sums    map[cause]int64
}

func newWhy(watched *Job) *why {
	return &why{watched: watched, now: map[*Job]Wait{}, sums: map[cause]int64{}}
}

// waitsFor notes what a job waits for from now on.
func (w *why) waitsFor(j *Job, reason string, now int64) {
	if w == nil {
		return
	}
	before, isKnown := w.now[j]
	if isKnown && before.Reason == reason {
		return
	}
	w.over(j, now)
	w.now[j] = Wait{From: now, Reason: reason}
}

// over notes that a job no longer waits.
func (w *why) over(j *Job, now int64) {
	if w == nil {
		return
	}
	x, isKnown := w.now[j]
	if !isKnown {
		return
	}
	delete(w.now, j)
	if x.To = now; x.To == x.From {
		return
	}
	w.sums[cause{j.Partition, x.Reason}] += x.To - x.From
	if j == w.watched {
		w.waits = append(w.waits, x)
	}
}

// reason returns what a job waits for, "" for one that does not wait.
func (w *why) reason(j *Job) string {
	if w == nil {
		return ""
	}
	return w.now[j].Reason
}

// finish ends the time that is looked at, and returns what jobs have waited for, the longest first.
func (w *why) finish(queue []*Job, now int64) []Cause {
	for _, j := range queue {
		w.over(j, now)
	}
	var all []Cause
	for c, seconds := range w.sums {
		all = append(all, Cause{c.partition, c.reason, seconds})
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// finish fills in what is known at the end.
func (e *engine) finish(o Options) {
	r := &e.result
	r.Last = e.now
	if o.Until > 0 {
		for _, j := range e.queue {
			r.Queue = append(r.Queue, Waiting{j, e.why.reason(j)})
		}
	}
	if e.why != nil {
		r.Causes, r.Waits = e.why.finish(e.queue, e.now), e.why.waits
	}
}

// saw notes what a main pass made of a job that it did not start, and the limit that the job would be over on
// the nodes that it fits on.
func (w *why) saw(e *engine, j *Job, v verdict, over hit) {
	if w == nil {
		return
	}
	limit := e.ledger.reached(j)
	switch {
	case limit != "":
		w.waitsFor(j, limit, e.now)
	case v == lacks:
		w.waitsFor(j, WaitsForResources, e.now)
	case v == reserved:
		w.waitsFor(j, WaitsForReserved, e.now)
	case v == limited:
		w.waitsFor(j, over.name(), e.now)
	default:
		w.waitsFor(j, WaitsForPriority, e.now)
	}
}
