// Package replay runs the rules of PBS's scheduler over recorded work: who would have started when, on which
// vnodes, under a policy.
package replay

import (
	"context"
	"math"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/work"
)

// engine is a replay as it runs.
type engine struct {
	Options
	situation
	site *pbs.Site
	plan *order.Plan

	limits     *limits
	backlog    *backlog
	accruals   *accruals
	clocks     *clocks
	values     *values
	usage      *usage
	agenda     agenda
	calendar   *calendar
	preemption *preemption
	vnodes     *vnodes
	hours      *hours        // nil where all times are alike
	depends    *dependencies // nil where nobody waits for others
	bookings   *bookings
	room       *room
	selection  *selection
	reasons    *reasons

	failures uint64   // see failures
	refused  refusals // like whom none starts by preemption any more in this cycle

	resumed []int32 // jobs that have gone on since the begin of the last cycle

	busy     float64 // until when the last cycle's starts go on
	interval float64 // scheduler_iteration
	last     float64 // the begin of the last cycle

	lastEvent float64 // the time of the last event, or of the next

	tally *tally // nil where nobody asks what jobs waited for

	deletes []event // by their time
	deleted int     // of deletes, how many are over
	stages  []stageEvent
	moves   []float64 // when jobs are moved to other queues
	arrived int       // jobs of Work.Jobs that have
	others  []bool    // by job, whether another scheduler places it; nil where there is none
	awaits  []bool    // by job, whether the replay is for it; nil where it is for all
	awaited int       // of those, how many have not started
	staged  int
	places  places // where jobs have started, where it was asked for
	result  *outcome.Result
	err     error
}

// runOne replays work under the policy of one scheduler, on its own vnodes.
func runOne(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*outcome.Result, error) {
	e, err := newEngine(w, plan, c, o)
	if err != nil {
		return nil, err
	}
	e.beginRunning()
	e.beginStopped()
	for !e.isOver() && e.next() {
		e.admit()
		e.cycle()
		if e.err != nil {
			return nil, e.err
		}
		if o.Judge {
			break
		}
		const often = 1 << 12 // cycles
		if e.cycles%often == 0 && e.Progress != nil {
			e.Progress(e.arrived, len(w.Jobs))
		}
		if ctx.Err() != nil {
			e.result.IsCut = true
			break
		}
	}
	e.result.Awaited = e.awaited
	e.noteExceeding()
	e.result.Until, e.result.Cycles = max(e.last, e.Until), int(e.cycles)
	if !e.result.IsCut && e.Until == 0 {
		e.result.Until = max(e.result.Until, float64(w.Last)) // to when those have waited who never start
	}
	if e.err != nil {
		return nil, e.err
	}
	e.usage.apply()
	e.result.Causes = e.tally.causes(e.result.Until, e.queues)
	e.result.Usage, e.result.Errors = e.usage.tree, e.values.errors
	return e.result, nil
}

// next advances to the next cycle: one begins when a job becomes eligible or ends,
// and scheduler_iteration after the one before, but not before that is over. It
// reports whether there is one.
func (e *engine) next() bool {
	for {
		if !e.findNext() {
			return false
		}
		if !e.vnodes.until(e.now) { // no cycle comes of them, but jobs that they end
			break
		}
	}
	if e.Until > 0 && e.now >= e.Until {
		e.stopAt(e.Until)
		return false
	}
	return true
}

// findNext finds when the next cycle begins, as far as is known by now. It reports whether
// there is one.
func (e *engine) findNext() bool {
	// How long cycles go on after the last event, since time alone may let a job start
	// whose value grows: longer than any threshold that a site has set to be passed.
	const patience = 30 * 24 * 3600 // seconds
	e.skipHeld()
	at := e.depends.next()
	if e.arrived < len(e.work.Jobs) {
		at = min(at, e.work.Jobs[e.arrived].Came)
	}
	at = min(at, e.agenda.next())
	for len(e.moves) > 0 && e.moves[0] <= e.last {
		e.moves = e.moves[1:]
	}
	if len(e.moves) > 0 {
		at = min(at, e.moves[0]) // qmove makes a cycle, qalter does not
	}
	at = min(at, e.bookings.next(at, e.last, e.backlog.waiting > 0))
	if math.IsInf(at, 1) {
		canStart := e.backlog.waiting > 0 && e.mayStartMore()
		if !canStart || e.last-e.lastEvent > patience {
			return false
		}
	} else {
		e.lastEvent = at
	}
	if timer := e.last + e.interval; timer < at && e.cycles > 0 {
		at = timer
	}
	e.now = max(at, e.busy)
	return true
}

// mayStartMore reports whether a cycle may start jobs that the last one did not, though nothing is to come.
func (e *engine) mayStartMore() bool {
	orderMayTurn := func() bool {
		return e.values.changeWithTime() || e.preemption.changes() || e.deleted < len(e.deletes)
	}
	isFirst := e.cycles == 0
	return e.changed || isFirst || e.selection.waits && orderMayTurn() || e.vnodes.left() || e.hours.mayTurn(e.last-e.lastEvent)
}

// admit takes in what has happened up to now: what jobs ask for has changed, jobs
// have come, ended or were deleted.
func (e *engine) admit() {
	for e.staged < len(e.stages) && e.stages[e.staged].at <= e.now {
		e.restage(e.stages[e.staged])
		e.staged++
	}
	for e.arrived < len(e.work.Jobs) && e.work.Jobs[e.arrived].Came <= e.now {
		e.arrive(int32(e.arrived))
		e.arrived++
		e.skipHeld()
	}
	for ev, ok := e.agenda.take(); ok; ev, ok = e.agenda.take() {
		if ev.isFailure {
			e.requeue(ev.job, ev.at)
		} else {
			e.end(ev.job)
		}
	}
	e.turnReservations()
	for ; e.deleted < len(e.deletes) && e.deletes[e.deleted].at <= e.now; e.deleted++ {
		e.remove(e.deletes[e.deleted].job) // those that wait for it stay held, as PBS has it
	}
	for _, c := range e.depends.come() {
		e.arriveSince(c.job, c.at)
	}
}

// turnReservations takes in what has happened to reservations up to now.
func (e *engine) turnReservations() {
	ended, gone := e.bookings.admit()
	for _, job := range ended {
		e.end(job)
	}
	for _, of := range gone {
		for _, job := range e.backlog.booked(of) {
			e.remove(job)
		}
	}
}

// remove takes a job away that is deleted, unless it has started.
func (e *engine) remove(job int32) {
	switch j := &e.jobs[job]; j.state {
	case waiting, suspended:
		if j.state == suspended {
			pauses := e.result.Pauses[job]
			pauses[len(pauses)-1].End, e.result.End[job] = outcome.Second(e.now), e.now
			e.release(job)
		}
		e.backlog.remove(job)
		e.changed = true // it was the first that waited, perhaps
		j.state = done
	case pending:
		j.state = done
	}
}

// skipHeld passes over those that come next and wait for others first, or are of another scheduler.
func (e *engine) skipHeld() {
	for e.arrived < len(e.work.Jobs) && (e.depends.holds(int32(e.arrived)) || e.isOthers(int32(e.arrived))) {
		e.arrived++
	}
}

// arrive lets a job wait that comes now.
func (e *engine) arrive(job int32) { e.arriveSince(job, float64(e.work.Jobs[job].EligibleSince())) }

// arriveSince lets a job wait that has been eligible since a time.
func (e *engine) arriveSince(job int32, since float64) {
	if e.jobs[job].state != pending {
		return
	}
	e.comes(job).state = waiting
	e.backlog.add(job, max(0, math.Floor(e.now)-math.Floor(since)))
	e.giveUp(job)
	e.changed = true
}

// restage changes what a job asks for: qalter and qmove.
func (e *engine) restage(s stageEvent) {
	isWaiting := e.backlog.groupOf[s.job] != nil
	var eligible float64
	if isWaiting {
		eligible = e.backlog.remove(s.job)
	}
	e.setTerms(s.job, s.Stage)
	e.calendar.outdate()
	e.changed = true
	e.usage.setCost(s.job)
	if isWaiting {
		e.backlog.add(s.job, eligible)
	}
	if j := &e.jobs[s.job]; j.state == runs {
		e.expectEnd(s.job, e.dueOf(s.job))
		if j.used > 0 {
			e.resumed = append(e.resumed, s.job)
		}
	}
}

// expectEnd lets a job that runs be planned to end at another time.
func (e *engine) expectEnd(job int32, due float64) {
	e.running.remove(&e.situation, job)
	e.calendar.occupied(job, false)
	e.jobs[job].due = due
	e.running.add(&e.situation, job)
	e.calendar.occupied(job, true)
}

// beginRunning lets the jobs run that did when the record begins, on the vnodes that
// they had; where the record does not tell them, on any that are left.
func (e *engine) beginRunning() {
	var unplaced []int32
	e.now = float64(e.work.First)
	e.turnReservations()
	for i, j := range e.work.Jobs {
		if !j.WasRunning || e.jobs[i].state == done {
			continue
		}
		if e.bookings.goOn(int32(i)) {
			e.goOn(int32(i), cluster.Allocation{})
			continue
		}
		place, ok := e.state.ParseVnodes(j.Vnodes(), e.request(&e.terms[i]))
		if !ok {
			unplaced = append(unplaced, int32(i))
			continue
		}
		e.goOn(int32(i), place)
	}
	for _, job := range unplaced {
		place, _ := e.state.Place(e.request(&e.terms[job]), nil) // nowhere where the record has more in use than there is
		e.goOn(job, place)
	}
}

// goOn lets a job run that did before the record begins.
func (e *engine) goOn(job int32, place cluster.Allocation) {
	j, p := e.work.Jobs[job], e.comes(job)
	p.place, p.run = place, int32(len(j.Runs)-1)
	e.occupy(job, float64(j.Start))
	e.hasStarted(job, float64(j.Start))
}
