package replay

import (
	"math"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
)

// Preemption: jobs that do not fit suspend or requeue others of lower levels, or delete
// them.

// preempt lets a job start that does not fit, in place of others that run, as PBS's
// find_and_preempt_jobs. It reports whether the job has started. One that was suspended
// itself tries it as well.
func (a *attempt) preempt(c *candidate) bool {
	if !a.policy.Preemptive || c.group.class.booked != nil {
		return false
	}
	level := a.preemption.levelOf(c.job)
	if tried, wasTried := a.tried[c.group.class]; wasTried && !a.Plain && tried.holds(a, level, a.length(c.job)) {
		return false // one like it could not: what is free or could be has only become less
	}
	if !a.preemption.mayPreempt(level) || !a.hours.admits(c.group.class, a.length(c.job)) {
		return false
	}
	if a.bookings.arePending() {
		if a.calendar.planHeld(); !c.group.class.isLimited() && a.state.Fits(c.group.class.request) {
			return false // a reservation keeps it
		}
	}
	victims, isEnough, ok, isOwn := a.findVictims(c)
	if isOwn {
		return false
	}
	if !ok {
		if a.tried == nil {
			a.tried = map[*class]failedPreemption{}
		}
		a.tried[c.group.class] = failedPreemption{level, a.length(c.job), a.calendar.size(), isEnough}
		return false
	}
	if a.onPreempt != nil {
		a.onPreempt(a, c, victims)
	}
	for _, job := range victims {
		a.giveWay(job)
	}
	a.lose(len(victims))
	place, ok := a.state.Place(c.group.class.request, a.planned(c.job))
	if ok {
		a.start(c, place)
	}
	a.preemption.relevel()
	return ok
}

// lose lets a cycle wait for jobs to be suspended or to go on.
func (a *attempt) lose(jobs int) {
	a.lost += a.Latency.Preempt * float64(jobs)
	a.busy = max(a.busy, a.now+a.duration()+a.lost)
}

// failedPreemption is a job of a class that could not start by preemption.
type failedPreemption struct {
	level    int32
	length   float64
	planned  int  // how much was planned
	isEnough bool // whether it would have fitted with all gone that it may preempt
}

// holds reports whether another job of the class cannot start by preemption either. One of a
// higher level may, and where something is planned one that is shorter. If the first would have
// fitted with all gone, one that is longer may as well, and any once more is planned: on other
// vnodes it takes the places of other jobs.
func (f failedPreemption) holds(a *attempt, level int32, length float64) bool {
	switch {
	case level < f.level:
		return false
	case f.isEnough && a.calendar.size() != f.planned:
		return false
	case a.calendar.isEmpty() && a.hours == nil:
		return true
	}
	return length == f.length || length > f.length && !f.isEnough
}

// giveWay takes a job from its vnodes: it is suspended, goes back to its queue, or is gone.
func (a *attempt) giveWay(job int32) {
	p := &a.jobs[job]
	method := a.preemption.methodFor(job)
	a.vacate(job)
	a.result.Preempt++
	p.version++
	ends := max(a.now, p.starts)
	p.preempted = math.Floor(a.now)
	a.yielded = append(a.yielded, job)
	switch method {
	case 'R':
		p.requeued++
		a.keepRun(job, ends)
		p.state, p.used = waiting, 0
		a.backlog.add(job, p.eligible)
	case 'D':
		p.state, p.place = done, cluster.Allocation{}
		a.result.End[job], a.result.Cut[job] = ends, true
	default:
		p.used += max(0, a.now-p.starts)
		p.state = suspended
		a.result.Pauses[job] = append(a.result.Pauses[job], trace.Run{Start: outcome.Second(ends), End: math.MaxInt64})
		a.backlog.add(job, p.eligible)
	}
}

// goesOn lets a suspended job go on from a time.
func (e *engine) goesOn(job int32, at float64) {
	first := e.jobs[job].first
	e.occupy(job, at)
	e.jobs[job].first = first
	pauses := e.result.Pauses[job]
	pauses[len(pauses)-1].End = outcome.Second(at)
}

// resumption returns the class of a suspended job, which is one of its own: it goes on where
// it was, and nowhere else.
func (q *backlog) resumption(job int32) *class {
	like := q.class(q.at.work.Jobs[job], &q.at.terms[job])
	q.numbers++
	return &class{number: q.numbers, request: like.request.Resumption(q.at.jobs[job].place), checks: like.checks, kind: like.kind}
}

// again orders the candidates that are left anew, with the jobs that were preempted, as PBS
// does after each preemption, and after each start where there are soft limits.
func (a *attempt) again() error {
	left := a.all[:0:0]
	for i := range a.all {
		if !a.isDone[i] {
			left = append(left, a.all[i])
		}
	}
	begin := len(left)
	for _, job := range a.yielded {
		if g := a.backlog.groupOf[job]; g != nil && !a.selection.isLeftOut(g) {
			at := len(left)
			for k := begin; k < len(left); k++ {
				if left[k].job == job {
					at = k
				}
			}
			if at == len(left) {
				left = append(left, candidate{group: g, member: member{job, a.terms[job].rank}})
			}
		}
	}
	a.yielded = a.yielded[:0]
	if err := a.values.evaluate(left[begin:]); err != nil {
		return err
	}
	a.all = a.selection.considered(left)
	a.isDone = make([]bool, len(a.all))
	a.order = a.selection.order(a.all)
	return nil
}
