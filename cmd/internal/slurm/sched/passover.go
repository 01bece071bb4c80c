package sched

// A main pass passes over the jobs of a partition of which one did not fit, a cycle over those of an association, a partition or a user
// of which as many were tested as may be, and both over those of whom as many run as limits allow. Where the queue is put
// into its order only as far as that is asked for, such a class is passed over as a whole: its jobs stay where they are,
// and those behind it that were come to go back to their classes when it is over. Arrays, of which it matters
// what stands between two tasks, are spared that.

// passage is the way of a pass or a cycle through the queue.
type passage struct {
	engine *engine
	kept   int // how many of the entries that stay in the queue stay in its front, where classes were passed over; -1 where none was
	passed []passedClass
}

// passedClass is a class that was passed over since some entries had been looked at.
type passedClass struct {
	class *class
	since int
}

// newPassage begins the way of a pass or a cycle.
func (e *engine) newPassage() passage {
	e.walks++
	return passage{engine: e, kept: -1}
}

// mayPassOver reports whether classes are passed over as a whole.
func (e *engine) mayPassOver() bool { return e.rest != nil && !e.hasArrays }

// passOver notes that the jobs of an entry's class are passed over, since some entries had been looked at.
func (g *passage) passOver(j *Job, looked int) {
	if c := j.class; g.engine.mayPassOver() && c.passedIn != g.engine.walks {
		c.passedIn = g.engine.walks
		g.passed = append(g.passed, passedClass{c, looked})
	}
}

// reach is engine.reach, but that classes are passed over of which nothing is done with the first job, since some entries had
// been looked at and some of those left in the queue.
func (g *passage) reach(at, looked, left int, isHeld func(j *Job) bool) bool {
	e := g.engine
	if !e.mayPassOver() {
		return e.reach(at)
	}
	return e.reachBut(at, func(j *Job) bool {
		if !isHeld(j) {
			return false
		}
		if g.passOver(j, looked); g.kept < 0 {
			g.kept = left
		}
		return true
	})
}

// cut gives those of the entries that stay in the queue back to their classes that do not stay in its front, and returns those that do.
func (g *passage) cut(left []*Job) []*Job {
	if g.kept < 0 {
		return left
	}
	g.engine.giveBack(left[g.kept:])
	return left[:g.kept]
}

// isMore reports whether there is an entry behind those to which the cycle has come.
func (f *backfillRun) isMore() bool {
	e := f.engine
	if f.kept < 0 || len(e.rest.heads) > 0 {
		return true
	}
	last := e.queue[f.at-1]
	for _, p := range f.passed {
		if c := p.class; !c.isEmpty() {
			j := c.jobs[len(c.jobs)-1]
			e.rankOne(j)
			if e.compare(j, last) > 0 {
				return true
			}
		}
	}
	return false
}

// isAtMost reports whether as many entries were tested as may be, and none is left but of classes that were passed over: whether
// these are behind the last one then matters to the next cycle.
func (f *backfillRun) isAtMost() bool {
	return f.MaxTest > 0 && f.tests >= f.MaxTest && f.at >= len(f.engine.queue) && len(f.engine.rest.heads) == 0
}

// reachBut is reach, but that classes are left out of the queue of which the first job is not wanted.
func (e *engine) reachBut(at int, isOut func(j *Job) bool) bool {
	r := e.rest
	for at >= len(e.queue) && len(r.heads) > 0 {
		if c := r.heads[0]; isOut(c.jobs[c.first]) {
			e.dropHead()
			continue
		}
		e.reach(len(e.queue))
	}
	return at < len(e.queue)
}

// dropHead takes the first class out of the heap.
func (e *engine) dropHead() {
	r := e.rest
	last := len(r.heads) - 1
	r.heads[0] = r.heads[last]
	r.heads = r.heads[:last]
	e.sink(0)
}

// giveBack gives entries of the end of the queue's front back to their classes, all of which have their place in the heap then.
func (e *engine) giveBack(entries []*Job) {
	e.putBack(entries)
	e.heap()
}

// isAlike reports whether a pass or a cycle would look at the entries that one has looked at, in the same order.
func (e *engine) isAlike(x *seen) bool {
	if x.sweeps == e.result.Sweeps { // as isStock holds, so that nothing has changed the order
		return true
	}
	kept, looked, at := -1, 0, 0
	since := func(j *Job) bool {
		for _, p := range x.passed {
			if p.class == j.class {
				return p.since <= looked
			}
		}
		return false
	}
	isOut := func(j *Job) bool {
		is := since(j)
		if is && kept < 0 {
			kept = len(e.queue)
		}
		return is
	}
	for ; looked < len(x.queue) && e.reachBut(at, isOut); at++ {
		if j := e.queue[at]; j == x.queue[looked] {
			if looked++; looked < len(x.queue) && at == len(e.queue)-1 {
				if was := len(e.queue); e.reachRow(len(x.queue)-looked, func(*Job) bool { return true }) > 0 && kept < 0 {
					kept = was
				}
			}
		} else if !since(j) {
			break
		}
	}
	if kept >= 0 {
		e.giveBack(e.queue[kept:])
		clear(e.queue[kept:])
		e.queue = e.queue[:kept]
	}
	if looked < len(x.queue) {
		return false
	}
	if len(x.passed) > 0 {
		e.result.alike++
	}
	return true
}
