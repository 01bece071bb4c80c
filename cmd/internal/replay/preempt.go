package replay

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/trace"
)

// Preemption: jobs of express queues that do not fit suspend or requeue ordinary ones.

// preemptLevel returns the preemption level of a queue's jobs, the lowest first: those
// of an express queue by its priority, then ordinary jobs.
func (e *engine) preemptLevel(queue int32) int {
	if !e.policy.Preemptive {
		return 0
	}
	return int(cycle.ExpressClass(e.queues[queue].Priority, e.site.Sched.PreemptQueuePrio))
}

// mayPreempt reports whether jobs run that a class may preempt.
func (e *engine) mayPreempt(c *class) bool {
	if !e.policy.Preemptive || len(c.groups) == 0 || c.booked != nil {
		return false
	}
	level := e.preemptLevel(c.groups[0].queue)
	for other, running := range e.levels {
		if running > 0 && other > level {
			return true
		}
	}
	return false
}

// preempt lets a job start that does not fit, in place of others that run: as PBS's
// find_and_preempt_jobs, those that started last go first, until it fits, and those
// whose going does not help stay. It reports whether the job has started.
func (a *attempt) preempt(c *candidate) bool {
	shortest, hasFailed := a.failed[c.group.class]
	hasFailed = hasFailed && !a.Plain && (!a.bookings.arePending() || a.length(c.job) >= shortest)
	if hasFailed || !a.mayPreempt(c.group.class) {
		return false // one like it could not: what is free or could be has only become less
	}
	level := a.preemptLevel(c.group.queue)
	var victims []int32
	for _, job := range a.running {
		if int(a.jobs[job].level) > level && a.jobs[job].booking == nil {
			victims = append(victims, job)
		}
	}
	slices.SortFunc(victims, func(x, y int32) int {
		return cmp.Or(cmp.Compare(a.jobs[y].starts, a.jobs[x].starts), cmp.Compare(y, x))
	})
	beside := func() cluster.Planned { return nil }
	if a.bookings.arePending() {
		if a.calendar.planHeld(); a.fitsFreely(c.group.class) {
			return false // a reservation keeps it
		}
		beside = func() cluster.Planned { return a.calendar.beside(a.length(c.job)) }
	}
	fits := func() bool {
		_, ok := a.state.Place(c.group.class.request, beside())
		return ok && !c.group.class.isLimited()
	}
	// What their going would bring is tried on the state itself.
	lift := func(job int32, sign float64) {
		if sign > 0 {
			a.state.Occupy(a.jobs[job].place)
		} else {
			a.state.Release(a.jobs[job].place)
		}
		a.count(job, sign)
		if a.bookings.arePending() {
			a.calendar.occupied(job, sign > 0)
		}
	}
	gone := 0
	for !fits() {
		if gone == len(victims) {
			for _, job := range victims {
				lift(job, 1)
			}
			return false
		}
		lift(victims[gone], -1)
		gone++
	}
	chosen := victims[:0:0]
	for _, job := range victims[:gone] {
		if lift(job, 1); fits() {
			continue // it may stay
		}
		lift(job, -1)
		chosen = append(chosen, job)
	}
	for _, job := range chosen {
		lift(job, 1)
	}
	a.calendar.planHeld() // those before it, as things stand
	for _, job := range chosen {
		a.suspend(job)
	}
	place, ok := a.state.Place(c.group.class.request, beside())
	if ok {
		a.start(c, place)
	}
	return ok
}

// fitsFreely reports whether a class fits but for what is to come.
func (e *engine) fitsFreely(c *class) bool { return !c.isLimited() && e.state.Fits(c.request) }

// suspend takes a job from its vnodes, or where the site requeues first back to its
// queue.
func (a *attempt) suspend(job int32) {
	p := &a.jobs[job]
	a.vacate(job)
	a.result.Preempt++
	p.version++
	if method, _, _ := strings.Cut(a.site.Sched.Scheduler["preempt_order"], " "); strings.HasPrefix(strings.TrimLeft(method, "C"), "R") {
		a.keepRun(job, max(a.now, p.starts))
		p.state, p.used = waiting, 0
		a.backlog.add(job, 0)
		return
	}
	p.used += max(0, a.now-p.starts)
	p.state = suspended
	a.result.pauses[job] = append(a.result.pauses[job], trace.Run{Start: second(max(a.now, p.starts)), End: math.MaxInt64})
	at, _ := slices.BinarySearchFunc(a.stopped, job, func(x, y int32) int {
		return cmp.Or(cmp.Compare(a.terms[x].rank, a.terms[y].rank), cmp.Compare(x, y))
	})
	a.stopped = slices.Insert(a.stopped, at, job)
}

// resume lets suspended jobs go on, on the vnodes that they had. They come before all
// others.
func (e *engine) resume() {
	e.isHeld = false
	for _, job := range slices.Clone(e.stopped) {
		if !e.state.HasRoom(e.jobs[job].place) || e.isOverLimit(job) || !e.bookings.mayGoOn(job) {
			if e.isHeld = e.policy.StrictOrdering && e.depth == 0; e.isHeld {
				return
			}
			continue
		}
		e.stopped = slices.DeleteFunc(e.stopped, func(other int32) bool { return other == job })
		e.occupy(job, e.now)
		pauses := e.result.pauses[job]
		pauses[len(pauses)-1].End = second(e.now)
	}
}

func (e *engine) isOverLimit(job int32) bool {
	return slices.ContainsFunc(e.checksOf(job), check.reached)
}
