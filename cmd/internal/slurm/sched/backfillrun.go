package sched

import (
	"math"
	"slices"
)

// backfillRun is a backfill cycle on its way through the queue of an engine: it says which entry comes next, and does
// what has become of it.
type backfillRun struct {
	*cycle
	at         int    // the place in the queue of the entry that comes next
	left       []*Job // the entries before it that stay in the queue
	isSeveral  bool   // whether a job of several partitions has started
	isEnded    bool   // whether no further entry is tried
	starts     int
	isForeseen bool   // whether it has ended since nobody can start to whom it still comes
	isUnclear  bool   // whether it depends on the order of entries at which the cycle has not looked what it tells the next one
	looked     []*Job // the entries of which no class was passed over, where another cycle may be like this one
	passage
	split map[int32]Place // where tasks of an array of several partitions or QOS have started
}

// runCycle makes a backfill cycle.
func (e *engine) runCycle() {
	if e.isRepeated() {
		e.result.Cycles++
		e.result.repeatedCycles++
		e.endCycle(e.lastCycle.isMoved, e.lastCycle.until, false)
		return
	}
	f := e.beginCycle()
	for j := f.next(); j != nil; j = f.next() {
		if !f.isPlain && f.isHeld(j) {
			f.passOver(j, len(f.looked))
			f.left = append(f.left, j)
			continue
		}
		f.looked = append(f.looked, j)
		f.settle(j, f.try(j, e.now))
		f.passRow(j)
	}
	f.recollection.endCycle(e)
	f.finish()
	f.keep()
}

// beginCycle begins a cycle.
func (e *engine) beginCycle() *backfillRun {
	e.result.Cycles++
	e.letAge()
	e.arrange()
	e.cycleFrom = e.now + e.cyclePeriod()
	o := outlook{machine: e.freed, running: e.running, timelines: &e.timelines, place: &e.place, workspace: &e.workspace, overrun: e.KillWait, isPlain: e.isPlain || e.gang != nil, gang: e.gang}
	c := newCycle(*e.Backfill, o, e.ledger, e.up, e.now, e.uncleanNodes(e.workspace.unclean))
	e.workspace.unclean = c.cleaning
	c.reservations, c.isJudged = e.reservations, e.judge != nil
	c.remainder = remainder{last: len(e.queue) - 1, behind: newRestWalk(e.rest), cycle: e.result.Cycles, rooms: e.rooms}
	if e.preempts && e.judge == nil {
		c.claims = claims{engine: e, cleared: map[Place]*outlook{}}
	}
	c.recollection = e.recollection.beginCycle(e)
	if e.judge != nil { // which lets jobs run, and takes that back
		e.timelines.reset()
	}
	e.lookedAt = e.lookedAt[:0]
	e.foresight.forget(0)
	e.backfillRun = backfillRun{cycle: c, left: e.queue[:0], passage: e.newPassage(), looked: e.lookedAt}
	return &e.backfillRun
}

// isClean reports whether no job that is over still cleans up.
func (e *engine) isClean() bool {
	return !slices.ContainsFunc(e.unclean, func(n int) bool { return n > 0 })
}

// uncleanNodes returns the nodes on which jobs are over that still clean up, in the memory of a set that nobody needs.
func (e *engine) uncleanNodes(in Set) Set {
	s := in.none(len(e.Nodes))
	for i, n := range e.unclean {
		if n > 0 {
			s.Add(i)
		}
	}
	return s
}

// next returns the next entry to be tried, nil at the end of the cycle.
func (f *backfillRun) next() *Job {
	e := f.engine
	for !f.isEnded && f.at < e.waiting() {
		if isEnough := f.MaxTest > 0 && f.tests >= f.MaxTest; isEnough || f.isAtEnd() {
			if isEnough && f.isMore() {
				f.isMoved = true
			} else if !isEnough {
				e.result.cut += e.waiting() - f.at
			}
			return nil
		}
		if !f.reach(f.at, len(f.looked), len(f.left), f.isHeld) {
			return nil
		}
		j := e.queue[f.at]
		f.at++
		if f.isSeveral && j.isGone() {
			continue
		}
		if p, isSplit := f.split[j.Array]; isSplit && p != j.place() { // _job_runnable_now takes the others to have started
			f.left = append(f.left, j)
			continue
		}
		if of := tasksOf(j); of != f.rejected || j.Array == 0 {
			f.rejected = of
			return j
		}
		f.left = append(f.left, j) // Slurm's queue has one entry for those of an array that wait
	}
	return nil
}

// isAtEnd reports whether no entry can start that the cycle still comes to.
func (f *backfillRun) isAtEnd() bool {
	if f.isOver(f.engine.queue, f.at, f.engine.now) {
		return true
	}
	f.isForeseen = f.foreseesNobody()
	return f.isForeseen
}

// settle does what has become of an entry.
func (f *backfillRun) settle(j *Job, o outcome) {
	e := f.engine
	if o.shares != nil {
		j.whole().IsBackfilled = true
		e.start(j, o.shares)
		f.rejected = tasks{}
		if j.isSeveral() {
			f.isSeveral = true
			e.dropRest((*Job).isGone) // as a pass does
		}
		if j.Array != 0 && j.isSeveral() {
			if f.split == nil {
				f.split = map[int32]Place{}
			}
			f.split[j.Array] = j.place()
		}
		f.goOn(e.running, f.cleaning)
		f.recollection.starts(j.whole(), len(e.Nodes))
		e.foresight.forget(f.at)
		e.wantPass()
		f.starts++
		f.isEnded = f.starts == f.MaxStart
		return
	}
	f.left = append(f.left, j)
	if o.claim != nil {
		f.preempt(j, o.claim)
	}
	switch {
	case o.plan != nil && f.isCut():
		f.isMoved = true // later, plans may need fewer spans
		f.isEnded = true
	case o.plan != nil:
		f.reserve(o.plan)
		if !f.isPlanned(j) {
			f.rejected = tasks{}
		}
	}
}

// finish ends a cycle, and says when the next one may begin.
func (f *backfillRun) finish() {
	e := f.engine
	e.foresight.learn(f.isForeseen, f.MaxTest > 0 && f.tests >= f.MaxTest)
	f.isUnclear = e.mayPassOver() && f.isAtMost()
	if f.kept >= 0 {
		f.left, f.at = append(f.left, e.queue[f.at:]...), len(e.queue)
		e.result.passed += len(f.passed)
		if f.left = f.cut(f.left); f.starts == 0 {
			e.queue = e.queue[:f.kept]
			f.at = f.kept
		}
	}
	if len(f.left) < f.at {
		e.leave(append(f.left, e.queue[f.at:]...), f.isSeveral)
	}
	f.workspace.keep(&f.slots)
	e.result.spared += f.spared
	e.result.leapt += f.leapt
	e.result.recalled += f.recalled
	e.endCycle(f.isMoved, f.until, f.claims.isLater)
}

// endCycle says when the next cycle may begin. isMoved is whether plans of others have put off a job, until when the next ones
// come to the same while nothing changes, and isLater whether jobs would be taken off their nodes later that are not yet.
func (e *engine) endCycle(isMoved bool, until int64, isLater bool) {
	e.isRestless = isMoved
	e.cycleFrom = e.now + e.cyclePeriod()
	if e.cycleAt > 0 {
		e.cycleAt = max(e.cycleAt, e.cycleFrom)
	}
	switch {
	case e.cycleAt > 0 || !e.isRestless:
	case e.isPlain || e.Threshold.Age > 0 || isLater || !e.isSteady(): // a job that comes of age may be planned
		e.cycleAt, e.isIdle = e.cycleFrom, true
	case until < math.MaxInt64:
		e.cycleAt, e.isIdle = e.nextCycle(until+1), true
	}
}
