package sched

import "slices"

// lastCycle is a cycle that has started nobody, and until when another one comes to the same: as long as the same jobs wait
// in the same order and run on the same nodes, and no moment that the cycle has compared with its own has come.
type lastCycle struct {
	seen
	until   int64 // 0 where nobody knows
	isMoved bool
}

// seen is what a pass or a cycle came upon.
type seen struct {
	queue    []*Job        // as far as it came, where only the front of the queue is in its order
	stock    int           // the engine's
	sweeps   int           // that were made
	rest     *rest         // the engine's
	isSparse bool          // whether queue is without the jobs of the classes that were passed over
	passed   []passedClass // those
	running  []runningJob
	up       Set
}

// see keeps what a pass or a cycle came upon.
func (x *seen) see(e *engine, queue []*Job, isSparse bool, passed []passedClass) {
	x.stock, x.sweeps, x.rest, x.isSparse, x.passed = e.stock, e.result.Sweeps, e.rest, isSparse, append(x.passed[:0], passed...)
	x.queue, x.running, x.up = append(x.queue[:0], queue...), append(x.running[:0], e.running...), append(x.up[:0], e.up...)
}

// isSame reports whether the same jobs run on the same nodes that are up.
func (e *engine) isSame(x *seen) bool {
	return slices.Equal(e.up, x.up) && slices.EqualFunc(e.running, x.running, func(a, b runningJob) bool { return a.job == b.job && a.end == b.end })
}

// isStock reports whether the same jobs wait, in classes where they did.
func (e *engine) isStock(x *seen) bool { return x.stock == e.stock && x.rest == e.rest }

// mayRepeat reports whether cycles depend on nothing but who waits, who runs where, and the time.
func (e *engine) mayRepeat() bool {
	return !e.isPlain && e.judge == nil && !e.preempts && !e.precedence.IsCircular() && e.isSteady()
}

// isSteady reports whether cycles find something else only at times that they compare with their own, as long as the same jobs wait and
// run.
func (e *engine) isSteady() bool {
	return e.gang == nil && e.ledger.threshold == Threshold{} && !e.ledger.hasThreshold && !e.ledger.isMetered &&
		len(e.reservations) == 0 && len(e.ageless) == 0 && e.isClean()
}

// isRepeated reports whether a cycle comes to the same as the last one.
func (e *engine) isRepeated() bool {
	x := &e.lastCycle
	return e.now <= x.until && e.mayRepeat() && e.isQueue(&x.seen) && e.isSame(&x.seen)
}

// isQueue reports whether the same jobs wait in the same order as in a cycle, as far as that one came.
func (e *engine) isQueue(x *seen) bool {
	if e.rest == nil {
		return slices.Equal(e.queue, x.queue)
	}
	if !e.isStock(x) {
		return false
	}
	if x.isSparse {
		return e.isAlike(x)
	}
	return e.beginsWith(x.queue)
}

// beginsWith reports whether the queue begins with some jobs.
func (e *engine) beginsWith(jobs []*Job) bool {
	for i, j := range jobs {
		if !e.reach(i) || e.queue[i] != j {
			return false
		}
	}
	return true
}

// keep keeps a cycle that is over, where the next one may come to the same.
func (f *backfillRun) keep() {
	e := f.engine
	x := &e.lastCycle
	e.lookedAt = f.looked
	if x.until = 0; f.starts > 0 || f.until <= e.now || f.isUnclear || !e.mayRepeat() {
		return
	}
	x.until = f.until
	if len(e.patience) > 0 {
		x.until = min(x.until, e.patience[0]-1)
	}
	came := e.queue
	isSparse := e.mayPassOver()
	switch {
	case isSparse:
		came = f.looked
	case e.rest != nil:
		came = came[:f.at]
	}
	x.see(e, came, isSparse, f.passed)
	x.isMoved = f.isMoved
}

// before says that a cycle finds something else from a time on.
func (c *cycle) before(at int64) { c.until = min(c.until, at-1) }

// asksAtOnce says that the cycle has asked on which nodes a job could start at once: among are those that are not planned meanwhile,
// and next is when it is tested again, as slots.narrow has them.
func (c *cycle) asksAtOnce(j *Job, next int64) {
	end := c.begun + j.Limit
	for i, n := firstBehind(c.slots.bounds, end), c.slots.count(); i < n; i++ { // it touches one slot more when it ends at the begin of that, and narrow sees the one behind that as well
		if !c.among.within(c.slots.of(i)) || next == 0 && i+2 < n && c.slots.of(i+2).gains(c.slots.of(i+1), c.nodes) {
			c.before(c.slots.begin(i) - j.Limit)
			break
		}
	}
	for i := range c.reservations {
		if k := &c.reservations[i]; k.Start >= end && k.overlaps(k.Start, k.End, j.Reservation) && k.Nodes.Meets(c.nodes) {
			c.before(k.Start - j.Limit + 1)
		}
	}
}

// plansAt says that a plan begins or ends at a time, which may have been before the cycle or be behind its window.
func (c *cycle) plansAt(at int64) {
	if at > c.begun {
		c.before(at)
	}
	if at >= c.begun+c.Window {
		c.before(at - c.Window + 1)
	}
}

// lastPass is a main pass that has started nobody, and that another one is like which comes upon the same jobs in the same order
// until all partitions are out of it that jobs wait for, while the same jobs run on the same nodes.
type lastPass struct {
	seen
	isKnown   bool
	looked    int  // how many jobs counted for its depth
	depth     int  // how many may
	last      pass // as it was at its end
	isLacking bool
	isMoving  bool
}

// isPassRepeated reports whether a pass comes to the same as the last one.
func (e *engine) isPassRepeated(depth int) bool {
	x := &e.lastPass
	isCut := x.looked >= x.depth // so that it has not asked whether anybody behind those could start
	if !x.isKnown || isCut && depth != x.depth || !isCut && depth <= x.looked || e.waiting() < len(x.queue) || !e.mayRepeatPass() {
		return false
	}
	if !e.isSame(&x.seen) {
		return false
	}
	if x.isSparse { // all others do not matter, as they did not
		return depth >= e.waiting() && e.isStock(&x.seen) && e.isAlike(&x.seen)
	}
	if !e.beginsWith(x.queue) {
		return false
	}
	if isCut {
		return true
	}
	x.last.last, x.last.behind = len(e.queue)-1, newRestWalk(e.rest)
	return x.last.isOver(e.queue, len(x.queue))
}

// mayRepeatPass reports whether passes depend on nothing but who waits and who runs where.
func (e *engine) mayRepeatPass() bool { return e.why == nil && len(e.patience) == 0 && e.mayRepeat() }

// keepPass keeps a pass that is over, where the next one may come to the same. It came upon the jobs before a place in the queue.
func (e *engine) keepPass(p *pass, g *passage, isIdle bool, looked, depth, end int, isLacking, isMoving bool) {
	x := &e.lastPass
	if x.isKnown = isIdle && e.mayRepeatPass(); !x.isKnown {
		return
	}
	x.see(e, e.queue[:end], g.kept >= 0, g.passed)
	x.looked, x.depth, x.last, x.isLacking, x.isMoving = looked, depth, *p, isLacking, p.mayMove(isMoving)
}
