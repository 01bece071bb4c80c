package sched

import (
	"cmp"
	"slices"
)

// What a job waits for, as squeue has it, with what that means. Limits have names of their own, see
// ledger.reached.
const (
	WaitsForPass      = "the first main pass that considers it"
	WaitsForPriority  = "Priority (jobs of its partition before it)"
	WaitsOutside      = "Priority (outside of the reservation that attracts it, jobs of its partition before it)"
	WaitsForResources = "Resources (it is the next of its partition, and does not fit)"
	WaitsForLicences  = "Licenses (it asks for more than are free)"
	WaitsForNodes     = "ReqNodeNotAvail (nodes that it needs are down or drained)"
	WaitsForRequeue   = "BeginTime (it was requeued, and is not yet eligible again)"
	WaitsForJobs      = "Dependency" // and for which
	WaitsForReserved  = "Reservation (the one that it asks for has not begun, or is over)"
)

// Wait is a time in which a job waited for one thing.
type Wait struct {
	From, To int64
	Reason   string
}

// Waiting is a job that waits at Options.Until, and what for.
type Waiting struct {
	*Job
	Number  int // in Workload
	Reason  string
	ForJobs bool // whether it waits for others to do something, and is in no queue yet
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
	last    int64                   // up to when they are, 0 for the end
	several map[*Job]weightedReason // of jobs of several partitions, what the pass so far says

	evictions []Eviction
}

// weightedReason is what a pass says of a job in one of its partitions.
type weightedReason struct {
	reason string
	weight int // of several, the reason with most counts
}

func newWhy(watched *Job, last int64) *why {
	return &why{watched: watched, last: last, now: map[*Job]Wait{}, sums: map[cause]int64{}, several: map[*Job]weightedReason{}}
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
	until := x.To
	if w.last > 0 {
		until = min(until, w.last)
	}
	if until > x.From {
		w.sums[cause{j.Partition, x.Reason}] += until - x.From
	}
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
		r.Evictions = e.why.evictions
		seen := map[*Job]bool{} // a job of several entries stands where the first of them does
		for i, j := range slices.Concat(e.queue, e.dependents) {
			whole := j.whole()
			if seen[whole] {
				continue
			}
			seen[whole], whole.Priority = true, j.Priority
			r.Queue = append(r.Queue, Waiting{whole, e.numbers[whole], e.why.reason(whole), i >= len(e.queue)})
		}
	}
	if e.why != nil {
		r.Causes, r.Waits = e.why.finish(slices.Concat(e.queue, e.dependents), e.now), e.why.waits
	}
	if e.work.Done != nil {
		for j, number := range e.numbers {
			e.work.Done(number, j)
		}
	}
}

// saw notes what a main pass made of a job that it did not start, and the limit that the job would be over on
// the nodes that it fits on.
func (w *why) saw(e *engine, j *Job, v verdict, over breach) {
	if w == nil || j.isDrawn() { // why a job waits, its entry outside of a reservation that attracts it says
		return
	}
	of := weightedReason{WaitsForPriority, 1}
	limit := e.ledger.reached(j)
	switch {
	case e.ledger.lacks(j):
		of = weightedReason{WaitsForLicences, 0}
	case limit != "":
		of = weightedReason{limit, 0}
	case v == skipped && j.whole().isAttracted:
		of = weightedReason{WaitsOutside, 1}
	case v == lacks:
		of = weightedReason{WaitsForResources, 3}
	case v == absent && !e.isOpenTo(j):
		of = weightedReason{e.keptOutBy(j).rule(), 0}
	case v == absent:
		of = weightedReason{WaitsForNodes, 2}
	case v == reserved:
		of = weightedReason{WaitsForReserved, 2}
	case v == limited:
		of = weightedReason{over.name(), 0}
	}
	if !j.isSeveral() {
		w.waitsFor(j, of.reason, e.now)
		return
	}
	if before, isKnown := w.several[j.whole()]; !isKnown || of.weight > before.weight {
		w.several[j.whole()] = of
	}
}

// tell notes what a pass that is over has made of the jobs of several entries: what they wait for is what
// the one that lets them come furthest says.
func (w *why) tell(now int64) {
	if w == nil {
		return
	}
	for j, of := range w.several {
		if j.Start == 0 {
			w.waitsFor(j, of.reason, now)
		}
	}
	clear(w.several)
}
