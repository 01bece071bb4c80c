package replay

import (
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/cycle"
)

// cycle is a cycle of the scheduler, as PBS's scheduling_cycle: accrue, decay, order
// the jobs, and look at each in turn. Where nothing can start the order does not
// matter, and nobody asks for it.
func (e *engine) cycle() {
	e.cycles++
	e.last = e.now
	e.busy = e.now + e.duration()
	e.usage.accrue(e.now)
	e.turnHours()
	e.forgetPauses()
	e.extend()
	isSure := !e.changed && !e.selection.waits && !e.preemption.changes() && !(e.preemption.turns() && e.selection.someMayPreempt()) // that nothing starts
	if e.backlog.waiting == 0 || isSure && !e.looksAtAll() {
		e.noteReasons(nil)
		return
	}
	e.changed, e.selection.waits = false, false
	if !e.selection.someMayStart() && !e.looksAtAll() {
		e.noteReasons(nil)
		return
	}
	e.usage.apply()
	e.preemption.findShares()
	e.preemption.relevel()
	c := &attempt{engine: e, failed: e.newFailures(), waits: e.backlog.waiting}
	if e.err = c.choose(); e.err != nil {
		return
	}
	if e.Watch >= 0 && e.jobs[e.Watch].state == waiting {
		watched := e.backlog.groupOf[e.Watch].class
		c.fitFirst = map[*class]bool{watched: e.room.fitsNow(watched)}
	}
	c.watch(e.Judge)
	if e.tally != nil || e.Judge {
		c.fitFirst = e.selection.allThatFit()
	}
	if e.Judge && e.AnyOrder {
		c.atBegin = e.reasons.begin(e.backlog.active)
	}
	c.hasBooked = len(e.bookings.byQueue) > 0 && slices.ContainsFunc(c.all, func(c candidate) bool { return c.group.class.booked != nil })
	if e.err = c.run(); e.err != nil {
		return
	}
	e.noteReasons(&c.tries)
}

// turnHours lets the time of a cycle hold, with its policy.
func (e *engine) turnHours() {
	if e.hours != nil && e.hours.turn(e.now, e.cycles <= 1) {
		e.changed = true
		e.calendar.outdate()
		e.policy = e.hours.policyAt(e.hours.at.from)
		e.preemption.recount()
	}
}

// looksAtAll reports whether a cycle looks at the jobs in their order even if none can
// start: because it says which clocks stand still, because what it makes of each is asked for, or in a test.
func (e *engine) looksAtAll() bool { return e.Plain || e.Judge || e.accruals.isOn }

// duration returns how long a cycle takes.
func (e *engine) duration() float64 {
	const part = .4 // of the time until its first start is logged
	return part * e.Latency.Of(1, e.backlog.waiting)
}

// isAsked reports whether anybody asks what a cycle makes of jobs that do not start.
func (e *engine) isAsked() bool { return e.Watch >= 0 || e.Judge || e.tally != nil }

// attempt is what a cycle tries.
type attempt struct {
	*engine
	all     []candidate
	order   *cycle.Cycle
	fitting []*class // that fitted when it began
	classes []*class // likewise, or when the last of those had been looked at that may preempt others
	closed  int      // how many of classes, or of the front's peers, from the first on, could not start when that was last asked
	failed  failures
	waits   int // jobs that waited when it began
	tries
	blocked map[int32]bool              // queues that are done with
	tried   map[*class]failedPreemption // those that could not start by preemption
	isDone  []bool                      // by candidate, whether it was looked at
	granted float64                     // for how long the job may run whose place was found last
	lost    float64                     // seconds for which the cycle has waited for jobs to be suspended or to go on
	latest  float64                     // when the last one starts of those that it has started
	yielded []int32                     // jobs that were preempted and are not candidates yet
	ended   bool

	requeued []requeue // jobs that were preempted and went back to their queues

	comesInParts bool // whether more candidates follow

	hasBooked bool // whether jobs are considered that run in reservations, whom nobody holds back
}

// hasFailed reports whether a job like this one could not start in this cycle, PBS's
// can_not_run of an equivalence class. Where something is planned a shorter one may. It is a short cut, but for jobs that
// may fit because another one has started: those PBS leaves to its next cycle.
func (a *attempt) hasFailed(c *candidate) bool {
	shortest, ok := a.failed.of(c.group.class)
	isForAll := func() bool { return !a.room.mayPass(c.group.class) && a.hours == nil } // however long they run
	return ok && (!a.Plain || c.group.class.gains) && (isForAll() || a.heldFor(c.job, a.least(c.job)) >= shortest)
}

func (a *attempt) fail(c *candidate) {
	a.refuse(c)
	length := a.heldFor(c.job, a.least(c.job))
	if shortest, ok := a.failed.of(c.group.class); !ok || length < shortest {
		a.failed.add(c.group.class, length)
		a.keep(c, length)
	}
}

// isOver reports whether no job can start any more in this cycle, and none that is
// held back matters.
func (a *attempt) isOver() bool {
	if a.ended || a.Plain || a.watches || a.selection.preempts || a.accruals.isOn && a.policy.StrictOrdering { // who comes after the end is not looked at
		return a.ended && !a.hasBooked
	}
	if f := &a.selection.front; f.isOn && f.byPeers {
		for a.closed < len(f.peers) && !a.someCanStart(f.peers[a.closed]) {
			a.closed++
		}
		return a.closed == len(f.peers)
	}
	for a.closed < len(a.classes) && a.cannotStart(a.classes[a.closed]) {
		a.closed++
	}
	return a.closed == len(a.classes)
}

// cannotStart reports whether no job of a class that fitted can start any more in this cycle.
func (a *attempt) cannotStart(c *class) bool {
	if c.isLimited() || c.demand.failed == a.stamp(c) || !a.room.stateOf(c).CouldFit(c.request) {
		return true
	}
	shortest, failed := a.failed.of(c)
	if without := a.shortestWithout(c); a.room.mayPass(c) && (!failed || without < shortest) {
		shortest, failed = without, !math.IsInf(without, 1)
	}
	switch {
	case !failed || a.hours != nil:
		return false
	case a.room.mayPass(c):
		return !a.selection.asRecorded && a.lengths == nil && shortest <= c.shortest // none that waits is shorter
	}
	return true
}

// run looks at each job in its order.
func (a *attempt) run() error {
	a.order = a.selection.order(a.all)
	a.isDone = make([]bool, len(a.all))
	isOver := a.isOver()
	for {
		i, ok := a.order.Next()
		if !ok {
			if ok, err := a.more(); err != nil {
				return err
			} else if ok {
				continue
			}
			break
		}
		c := &a.all[i]
		a.look(c.job)
		switch {
		case a.ended && c.group.class.booked == nil:
			a.accruals.pass(c)
			continue
		case isOver:
			a.accruals.judge(c, a.isLimitedAhead(c))
			a.isDone[i] = true
		case !a.try(i, c):
			a.isDone[i] = true
			a.noteTurn(c)
		case len(a.yielded) > 0 || a.preemption.soft != nil:
			if err := a.again(); err != nil {
				return err
			}
		}
		isOver = isOver || a.isOver()
		if isOver && !a.accruals.isOn && !a.watches {
			break
		}
	}
	a.calendar.end()
	a.markRequeued()
	a.accruals.end(a.backlog, a.now+a.duration(), a.selection.isLeftOut)
	// What fits and is held back may start when time has changed the order, and what does not once others have started.
	gains := a.started > 0 && slices.ContainsFunc(a.fitting, func(c *class) bool { return c.gains && c.waiting > 0 })
	if a.started > 0 && a.cluster.SortsAnew() { // the next cycle begins with vnodes in another order
		a.taken++
		a.calendar.outdate()
	}
	a.selection.waits = a.selection.waits || a.policy.StrictOrdering || a.preemption.resumes || gains
	return nil
}

// try lets a job start that can, if need be in place of others, and reports whether it
// has. One that cannot may hold back those behind it.
func (a *attempt) try(i int32, c *candidate) bool {
	if a.depends != nil && a.jobs[c.job].state != waiting {
		a.accruals.judge(c, false)
		return false // another one has started that it stands for
	}
	switch place, fits := a.tryToFit(c); {
	case a.blocked[c.group.queue]:
		a.accruals.judge(c, false)
		return false
	case fits:
		a.start(c, place)
		a.closed = 0 // some may gain by it
		if a.preemption.relevel(); a.preemption.soft != nil {
			clear(a.tried) // who runs now may be over a soft limit
		}
		a.failed.forget(&a.failures, false)
		maps.DeleteFunc(a.tried, func(of *class, _ failedPreemption) bool { return of.gains })
	case !a.preempt(c):
		a.fail(c)
		isLimited := a.isLimitedAhead(c)
		a.holdBack(i, c)
		a.accruals.judge(c, isLimited)
		return false
	default:
		a.failed.forget(&a.failures, true) // the victims may have left more than was needed
		clear(a.tried)
	}
	a.order.Started()
	if len(c.rest) > 0 {
		c.member, c.rest = c.rest[0], c.rest[1:]
	} else {
		a.isDone[i] = true
	}
	return true
}

// tryToFit returns where a job starts that can, unless one like it could not or its
// queue is done with.
func (a *attempt) tryToFit(c *candidate) (cluster.Allocation, bool) {
	if a.blocked[c.group.queue] || a.hasFailed(c) {
		return cluster.Allocation{}, false
	}
	return a.fits(c)
}

// fits returns where a job starts that can: within the limits, on free vnodes, and
// without delay of those on the calendar.
func (a *attempt) fits(c *candidate) (place cluster.Allocation, ok bool) {
	a.granted = a.length(c.job)
	if place, ok = a.fitsWhole(c); !ok && a.shrinks(c.job) {
		if shrunk, length, fits := a.shrink(c); fits {
			a.granted = length
			return shrunk, true
		}
	}
	return place, ok
}

// fitsWhole returns where a job starts that can with all that it is planned with.
func (a *attempt) fitsWhole(c *candidate) (cluster.Allocation, bool) {
	class := c.group.class
	if class.isLimited() || !a.hours.admits(class, a.length(c.job)) || class.demand.failed == a.stamp(class) && !a.Plain {
		return cluster.Allocation{}, false
	}
	if c.group.class.booked != nil {
		if !a.room.hasVnodes(class) {
			return cluster.Allocation{}, false
		}
		a.calendar.planHeld() // as things stand: its start changes what runs
		return a.room.stateOf(class).Place(class.request, nil)
	}
	if a.calendar.isEmpty() {
		place, ok := a.state.Place(class.request, nil)
		if !ok {
			class.demand.failed = a.stamp(class)
		}
		return place, ok
	}
	if !a.room.hasVnodes(class) || a.limitAhead(c) != nil {
		return cluster.Allocation{}, false
	}
	return a.findBeside(c)
}

// limitAhead returns a limit that a job would exceed while it runs from now on, and does not now.
func (a *attempt) limitAhead(c *candidate) *counter {
	from := math.Floor(a.now)
	return a.calendar.limitAhead(c.group.class, from, from+a.length(c.job))
}

// isLimitedAhead reports whether a job's clock stands still for a limit of its own that it would exceed once
// top jobs start. That is not asked where the clock does not depend on it: plans are made for it.
func (a *attempt) isLimitedAhead(c *candidate) bool {
	if !a.accruals.canStop(c.group.class) {
		return false
	}
	if goes, isSure := a.accruals.goes(c); !a.Plain && (isSure || !goes) {
		return false
	}
	n := a.limitAhead(c)
	return n != nil && check{counter: n}.isOwn()
}

// start lets a job run, unless PBS's server does not: then it waits on, though it counts as started in this cycle.
func (a *attempt) start(c *candidate, place cluster.Allocation) {
	a.started++
	if kept := a.state.Refused(place); kept != nil && c.group.class.booked == nil && a.jobs[c.job].state == waiting {
		a.vnodes.keep(kept)
		a.state.Started()
		a.deny(c.job)
		return
	}
	at := a.now + a.Latency.Of(a.started, a.waits) + a.lost
	// A time of its own that lies further before the cycle than records tell times, a second, is that of a job beside others that
	// it preempted, and it preempts none here.
	const second = 1
	if a.Own != nil && a.Own[c.job]+a.lost > -second {
		at = a.now + a.Own[c.job] + a.lost
	}
	a.begin(c.group.class.checks)
	p := &a.jobs[c.job]
	p.eligible = a.backlog.remove(c.job)
	a.grant(c.job, a.granted)
	if p.state == suspended {
		a.goesOn(c.job, a.now+a.Latency.Of(a.started, a.waits)+a.lost)
		return
	}
	at = max(at, a.latest) // starts of a cycle are logged in their order: 883 of 905 recorded pairs, the others of jobs that went on
	a.latest = at
	p.place = place
	if r := c.group.class.booked; r != nil {
		place = r.on.enter(p, c.group.class.asks, place)
	}
	a.occupy(c.job, at)
	a.state.Started()
	a.result.Start[c.job] = at
	a.cease(c.job, at)
	a.hasStarted(c.job, at)
	a.tally.start(c.group.queue, a.now, at)
	if c.job == a.Watch {
		a.reasons.closeStep(at)
	}
	if a.KeepVnodes && (a.Stop == nil || a.result.First[c.job] == at) {
		a.places.keep(c.job, place)
	}
}

// holdBack decides what a job that does not fit means for those behind it. With
// strict_ordering and no backfilling nobody passes it; with backfilling it goes on
// the calendar, as far as that has room; else it is skipped. A job that was preempted goes on it whatever room it has,
// and with sched_preempt_enforce_resumption also where the order is not strict, though it were ineligible, and without
// counting for the room.
func (a *attempt) holdBack(i int32, c *candidate) {
	class := c.group.class
	if class.booked != nil || class.canNever() {
		return
	}
	isPreempted := a.jobs[c.job].preempted != 0
	isResumed := isPreempted && a.preemption.resumes && a.selection.depth > 0
	if !a.policy.StrictOrdering && !isResumed {
		return
	}
	budget, counts := a.backlog.budget(c.group.queue), a.calendar.counts
	switch depth := a.selection.depthOf(budget); {
	case isResumed:
		a.plan(i, c)
	case depth == 0 && budget != overallDepth:
		if a.blocked == nil {
			a.blocked = map[int32]bool{}
		}
		a.blocked[c.group.queue] = true
	case depth == 0:
		a.ended = true
	case (counts[budget] < depth || isPreempted) && !a.work.Jobs[c.job].NotPlanned:
		if a.plan(i, c) {
			counts[budget]++
		}
	}
}

// plan puts a job on the calendar, unless no time is long enough for it.
func (a *attempt) plan(i int32, c *candidate) bool {
	if !a.calendar.hold(c) {
		return false
	}
	a.order.Charge(i)
	if a.watches {
		a.topJobs[c.job] = true
	}
	return true
}
