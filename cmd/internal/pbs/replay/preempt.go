package replay

import (
	"math"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Preemption: jobs that do not fit suspend or requeue others of lower levels, or delete
// them.

// preempt lets a job start that does not fit, in place of others that run, as PBS's
// find_and_preempt_jobs. It reports whether the job has started. One that was suspended
// itself tries it as well.
func (a *attempt) preempt(c *candidate) bool {
	victims, ok := a.victimsFor(c)
	if !ok {
		return false
	}
	if a.onPreempt != nil {
		a.onPreempt(a, c, victims)
	}
	var displaces displaced
	if a.watches {
		at := a.reasons.turn(c.group.class, &a.tries)
		displaces.reached = at.withAmounts(at.limit)
		for _, job := range victims {
			displaces.jobs = append(displaces.jobs, outcome.Displaced{Job: job, Becomes: becomesBy[a.preemption.methodFor(job)]})
		}
	}
	a.displace(victims)
	a.refused.clear()
	place, ok := a.state.Place(c.group.class.request, a.planned(c.job))
	if ok {
		if a.watches {
			a.preempted[c.job] = displaces
		}
		a.start(c, place)
	}
	a.preemption.relevel()
	return ok
}

// becomesBy says what becomes of a job by each of the methods of preempt_order.
var becomesBy = map[byte]string{'S': "suspended", 'R': "requeued", 'D': "deleted"}

// victimsFor returns the jobs that go for one that may preempt others. ok is false where it may not, or that would not do.
func (a *attempt) victimsFor(c *candidate) (victims []int32, ok bool) {
	if !a.policy.Preemptive || c.group.class.booked != nil {
		return nil, false
	}
	level := a.preemption.levelOf(c.job)
	if tried, wasTried := a.tried[c.group.class]; wasTried && !a.Plain && tried.holds(a, level, a.length(c.job)) {
		return nil, false // one like it could not: what is free or could be has only become less
	}
	if !a.preemption.mayPreempt(level) || !a.hours.admits(c.group.class, a.length(c.job)) {
		return nil, false
	}
	if a.bookings.arePending() {
		if a.calendar.planHeld(); !c.group.class.isLimited() && a.state.Fits(c.group.class.request) {
			return nil, false // a reservation keeps it
		}
	}
	victims, isEnough, ok, isOwn := a.findVictims(c)
	// With single vnodes a job may fit where less is free, as its first vnodes are others; and where soft limits count, whom one
	// may preempt depends on its user.
	if !ok && !isOwn && !a.cluster.HasSingles() && a.preemption.soft == nil {
		if a.tried == nil {
			a.tried = map[*class]failedPreemption{}
		}
		a.tried[c.group.class] = failedPreemption{level, a.length(c.job), a.calendar.size(), isEnough}
	}
	return victims, ok
}

// displace takes jobs from their vnodes, and lets the cycle wait for them.
func (a *attempt) displace(victims []int32) {
	begin := a.lost
	suspended, requeued := 0, 0
	for _, job := range victims {
		method := a.preemption.methodFor(job)
		if method == 'S' {
			suspended++
		} else {
			requeued++
		}
		a.lost = begin + a.Latency.Yield(suspended, requeued)
		a.giveWayBy(job, method)
	}
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

// refusal is what jobs have in common of which none can start by preemption any more in a cycle, once one could not:
// PBS's equivalence class, which keeps why the first one could not run, and answers so in the search for victims.
// Soft limits part classes by users, groups and projects as hard limits do, and so does the walltime.
type refusal struct {
	class                       *class
	length                      float64
	queue, user, group, project int32
}

func (a *attempt) refusal(c *candidate) refusal {
	r := refusal{class: c.group.class, length: a.length(c.job)}
	if a.preemption.soft != nil {
		r.queue = c.group.queue
		for _, l := range a.preemption.soft.list {
			switch j := a.work.Jobs[c.job]; l.Kind {
			case 'u':
				r.user = j.User
			case 'g':
				r.group = j.Group
			case 'p':
				r.project = j.Project
			}
		}
	}
	return r
}

// refuse notes that a job could not start.
func (a *attempt) refuse(c *candidate) {
	if !a.policy.Preemptive {
		return
	}
	a.refused.list = append(a.refused.list, a.refusal(c))
}

// refusals are what jobs have in common that could not start. They are sought only once somebody may preempt others.
type refusals struct {
	list  []refusal
	known map[refusal]bool // those that are no longer in the list
}

// has reports whether one is among them.
func (r *refusals) has(one refusal) bool {
	if r.known == nil {
		r.known = map[refusal]bool{}
	}
	for _, other := range r.list {
		r.known[other] = true
	}
	r.list = r.list[:0]
	return r.known[one]
}

// clear forgets all.
func (r *refusals) clear() {
	r.list = r.list[:0]
	clear(r.known)
}

// giveWayBy takes a job from its vnodes by one of the methods of preempt_order: it is suspended, goes back to its
// queue, or is gone.
func (a *attempt) giveWayBy(job int32, method byte) {
	p := &a.jobs[job]
	a.vacate(job)
	p.version++
	ends := max(a.now, p.starts)
	count, lost := &a.result.Preempt, (p.used+ends-p.starts)*float64(max(0, a.work.Jobs[job].NCPUs))
	p.preempted, p.yielded = max(1, math.Floor(a.last)), a.cycles // 0 is of those that never were, also where times begin at 0
	a.yielded = append(a.yielded, job)
	switch method {
	case 'R':
		count.Requeued++
		count.Lost += lost
		p.requeued++
		a.keepRun(job, ends)
		p.state, p.used = waiting, 0
		a.backlog.add(job, p.eligible)
		a.requeued = append(a.requeued, requeue{job, math.Floor(a.now + a.lost)})
	case 'D':
		count.Cancelled++
		count.Lost += lost
		p.state, p.place = done, cluster.Allocation{}
		a.result.End[job], a.result.Cut[job] = ends, true
	default:
		count.Suspended++
		p.used += max(0, a.now-p.starts)
		a.suspend(job)
		a.result.Pauses[job] = append(a.result.Pauses[job], trace.Run{Start: outcome.Second(ends), End: math.MaxInt64})
		a.backlog.add(job, p.eligible)
	}
}

// requeue is a job that goes back to its queue for another one, and when it is there.
type requeue struct {
	job int32
	at  float64
}

// markRequeued says of jobs that were requeued when they were, at the end of the cycle: it takes all that it preempts for
// preempted when it began itself. The server suspends jobs at once, but requeues them when mom has ended them, one after the
// other, so that later cycles have suspended ones first (R14, 14:12:49) and of the others those that were there first (R6).
func (a *attempt) markRequeued() {
	for _, r := range a.requeued {
		if p := &a.jobs[r.job]; p.preempted != 0 && p.preempted != r.at {
			eligible := a.backlog.remove(r.job)
			p.preempted = r.at
			a.backlog.add(r.job, eligible)
		}
	}
}

// suspend lets a job wait that has left its vnodes, but for what it keeps of them.
func (e *engine) suspend(job int32) {
	p := &e.jobs[job]
	p.state = suspended
	if _, p.kept = e.preemption.split(p.place); p.kept.Parts != nil {
		e.state.Keep(p.kept, 1)
		e.calendar.outdate()
	}
}

// release gives back what a suspended job has kept of its vnodes.
func (e *engine) release(job int32) {
	p := &e.jobs[job]
	if p.kept.Parts != nil {
		e.state.Keep(p.kept, -1)
		p.kept = cluster.Allocation{}
		e.freed++
		e.calendar.outdate()
	}
}

// goesOn lets a suspended job go on from a time.
func (e *engine) goesOn(job int32, at float64) {
	e.release(job)
	p := &e.jobs[job]
	first := p.first
	e.occupy(job, at)
	p.first = first
	e.resumed = append(e.resumed, job)
	pauses := e.result.Pauses[job]
	pauses[len(pauses)-1].End = outcome.Second(at)
}

// forgetPauses lets jobs that went on in the cycle before be planned to end their walltime after they first started: the
// scheduler takes only the cycle in which a job goes on to know for how long it was suspended (R6: 62 of 62 plans).
func (e *engine) forgetPauses() {
	for _, job := range e.resumed {
		j := &e.jobs[job]
		length := e.situation.planned(&e.terms[job])
		if j.state != runs || j.booking != nil || length == work.Unlimited {
			continue
		}
		e.expectEnd(job, math.Floor(j.first)+length)
		e.changed = true
	}
	e.resumed = e.resumed[:0]
}

// resumption returns the class of a suspended job, which is one of its own: it goes on where
// it was, and nowhere else.
func (q *backlog) resumption(job int32) *class {
	like := q.class(q.at.work.Jobs[job], &q.at.terms[job])
	q.numbers++
	released, _ := q.preemption.split(q.at.jobs[job].place)
	c := &class{
		number: q.numbers, request: like.request.Resumption(released), checks: like.checks, kind: like.kind, demand: &demand{}, at: -1, shortest: math.Inf(1),
		notPlanned: like.notPlanned, level: like.level,
	}
	c.peers = newPeers(c)
	return c
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
	if a.comesInParts {
		left = left[:begin] // those that were preempted come with their level
	}
	a.all = a.selection.considered(left)
	a.isDone = make([]bool, len(a.all))
	a.order = a.selection.order(a.all)
	return nil
}
