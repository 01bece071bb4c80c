package replay

import (
	"math"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
)

// progress is where a job is.
type progress struct {
	*stay // a shared one, which nobody changes, for a job that has not come or is over
	state state
}

// stay is what is known of a job from when it comes until it is over.
type stay struct {
	run    int32 // of Job.Runs
	starts float64
	first  float64 // the start of this run, before it was suspended
	turn   uint64  // which of all starts is its last one, in their order
	ends   float64 // as it will, once it runs
	due    float64 // as its walltime says
	used   float64 // seconds that it has run before it was suspended
	place  cluster.Allocation
	kept   cluster.Allocation // what it has of that while it is suspended
	checks []check            // the limits that it counts under, and its preemption level, while it runs
	level  int32

	eligible  float64 // eligible_time when it started
	preempted float64 // when it was preempted, 0 once it has run since
	requeued  int     // how often it went back to the queue for another job
	yielded   uint64  // the last cycle in which it was preempted

	booking *booking           // in which it runs, nil for none;
	inside  cluster.Allocation // then it has this of the booking, and no place
	asks    map[string]float64 // likewise, of Resource_List

	version uint32 // of its end, which a suspension makes void
}

type state byte

const (
	pending state = iota
	waiting
	runs
	suspended
	done
)

// terms are what a job asks for at the time.
type terms struct {
	request, queue int32
	walltime       int64
	priority       int32
	rank           float64
	owner          cluster.Owner
}

// places are where jobs have started, by their numbers.
type places struct {
	parts [][]cluster.Part
	own   map[int32][]int32 // of those few that have vnodes for themselves
}

func (p places) keep(job int32, a cluster.Allocation) {
	if p.parts[job] = a.Parts; len(a.Own) > 0 {
		p.own[job] = a.Own
	} else {
		delete(p.own, job)
	}
}

func (p places) of(job int32) cluster.Allocation {
	return cluster.Allocation{Parts: p.parts[job], Own: p.own[job]}
}

// stageEvent is that what a job asks for changes.
type stageEvent struct {
	at  float64
	job int32
	trace.Stage
}

// end ends a run of a job: it waits again if it was to run again, as a rerun.
func (e *engine) end(job int32) {
	j, p := e.work.Jobs[job], &e.jobs[job]
	e.vacate(job)
	if int(p.run)+1 < len(j.Runs) {
		e.keepRun(job, p.ends)
		p.run++
		p.used = 0
		p.state = waiting
		e.backlog.add(job, 0)
		return
	}
	ends := p.ends
	e.result.End[job] = ends
	e.leaves(job)
	e.isOverFor(job, ends, j.IsOK())
}

// findStays lets all jobs be nobody yet, or have a stay of their own from the begin where they keep it.
func (p *situation) findStays() {
	var own []stay
	if p.keepsStays {
		own = make([]stay, len(p.jobs))
	}
	p.nobody = &stay{}
	for i := range p.jobs {
		if p.jobs[i].stay = p.nobody; p.keepsStays {
			p.jobs[i].stay = &own[i]
		}
	}
}

// comes begins the stay of a job.
func (p *situation) comes(job int32) *progress {
	j := &p.jobs[job]
	if j.stay != p.nobody {
		return j
	}
	if n := len(p.left); n > 0 {
		j.stay, p.left = p.left[n-1], p.left[:n-1]
		return j
	}
	if len(p.spare) == 0 {
		const many = 64
		p.spare = make([]stay, many)
	}
	j.stay, p.spare = &p.spare[0], p.spare[1:]
	return j
}

// leaves ends the stay of a job that is over. Those that come take its memory.
func (p *situation) leaves(job int32) {
	j := &p.jobs[job]
	if j.state, j.place = done, (cluster.Allocation{}); p.keepsStays {
		return
	}
	*j.stay = stay{}
	p.left = append(p.left, j.stay)
	j.stay = p.nobody
}

// hasStarted lets those come that wait for the start of a job, and its rivals stand back.
func (e *engine) hasStarted(job int32, at float64) {
	for _, rival := range e.depends.start(job, at) {
		e.remove(rival)
		e.jobs[rival].state = pending
	}
}

// isOverFor says that a job is over for good. Those are deleted that wait for it in vain.
func (e *engine) isOverFor(job int32, at float64, isOK bool) {
	for _, other := range e.depends.end(job, at, isOK) {
		e.remove(other)
		if e.result.Denied == nil {
			e.result.Denied = map[int32]float64{}
		}
		e.result.Denied[other] = at
	}
}

// keepRun keeps a run that ends and is not the last one.
func (e *engine) keepRun(job int32, ends float64) {
	start := e.result.Start[job]
	if of := e.work.Jobs[job]; start == 0 {
		start = float64(of.Start) // it ran when the record began
	}
	e.ungrant(job)
	e.result.Earlier[job] = append(e.result.Earlier[job], trace.Run{Start: outcome.Second(start), End: outcome.Second(ends)})
}

// vacate frees what a job occupies.
func (e *engine) vacate(job int32) {
	p := &e.jobs[job]
	e.state.Release(p.place)
	e.state.Leave(p.place)
	if p.booking != nil {
		p.booking.vacate(job, p)
	}
	e.count(job, -1)
	e.running.remove(&e.situation, job)
	e.calendar.occupied(job, false)
	e.usage.stop(job)
	e.freed++
	e.changed = true
}

// occupy lets a job run from a time on.
func (e *engine) occupy(job int32, at float64) {
	j, p := e.work.Jobs[job], &e.jobs[job]
	e.state.Occupy(p.place)
	e.taken++
	if e.cluster.IsInTurn() && p.booking == nil {
		e.state.Deal(e.request(&e.terms[job]), p.place, at)
	}
	if p.state != suspended {
		e.usage.begins(at)
	}
	p.state, p.turn = runs, e.taken
	p.checks, p.level = e.checksOf(job), e.preemption.levelOf(job)
	e.count(job, 1)
	p.starts, p.first, p.preempted = at, at, 0
	p.ends = at + e.lasts(job, float64(j.Runs[p.run])) - p.used
	if j.Deleted != trace.Unknown {
		// It was deleted while it waited, and would have been while it runs.
		p.ends = max(at, float64(j.Deleted))
		if walltime := e.terms[job].walltime; walltime > 0 { // which one that shrinks to fit got now
			p.ends = min(p.ends, at+max(1, float64(walltime)-p.used))
		}
	}
	if p.booking != nil {
		p.booking.occupy(job, j, p)
	}
	p.due = e.dueOf(job)
	p.version++
	e.running.add(&e.situation, job)
	e.calendar.occupied(job, true)
	if !p.killedWith() && (j.IsEndKnown || j.Walltime > 0 || j.Deleted != trace.Unknown || int(p.run)+1 < len(j.Runs)) {
		e.agenda.end(job)
	}
	e.usage.start(job, at)
}

// count counts a job that starts or ends under the limits that hold for it.
func (e *engine) count(job int32, sign float64) {
	e.preemption.count(job, sign)
	e.countChecks(job, sign)
	for _, k := range e.jobs[job].checks {
		if sign < 0 && len(k.counter.parked) > 0 {
			k.counter.release()
		}
	}
}

func (e *engine) checksOf(job int32) []check {
	return e.backlog.class(e.work.Jobs[job], &e.terms[job]).checks
}

// requeue lets a job wait again whose vnode has failed: it begins anew, and its
// eligible_time goes on.
func (e *engine) requeue(job int32, at float64) {
	p := &e.jobs[job]
	e.vacate(job)
	p.version++
	e.keepRun(job, max(at, p.starts))
	p.state, p.used = waiting, 0
	e.backlog.add(job, math.Floor(p.eligible))
}
