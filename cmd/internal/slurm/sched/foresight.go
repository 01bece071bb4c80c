package sched

import (
	"cmp"
	"math"
	"slices"
)

// A cycle tests so many jobs and no more (bf_max_job_test). Where plans of others have put off a job already, it ends as soon as none of those
// can start to which it still comes, whoever waits behind them. To how many it comes depends on how many of them it tests, which
// needs plans that are not made yet. But a job is tested for sure if so many nodes as it asks for are free of plans for
// as long as it runs, and stay so: a job that cannot start now gets no plan on a node, before what is planned there begins, until
// one of those that run there is over.

// Foresight is asked again after some tests, since the answer is mostly no, and first after more of them the less came of it. It is not
// asked where most tests come to what one like them has come to: those cost less than to look ahead.
const (
	apart     = 8
	muchLater = 1024
)

// foresight is what is known of the entries of the queue from the one on that a cycle comes to next.
type foresight struct {
	next    int         // how many tests the cycle has made when it is asked again
	first   int         // how many it has made when it is asked first: more, the less came of it in cycles before
	isAsked bool        // whether it was asked in the cycle
	from    int         // the place of the first entry that is known
	until   []int64     // until when one entry after the other is tested for sure, 0 where nobody knows: none of them can start
	at      int         // the first entry of which it counts whether it is sure
	sure    int         // how many of them from there on are
	open    int         // the place behind the last one that might get a plan on a node on which something is free now
	begun   int         // how often it has begun
	holds   []int64     // by node, until when no job gets a plan on it, before what is planned there begins, that cannot start; empty where nobody knows
	free    []freeNodes // by partition
}

// freeNodes are until when one node of a partition after the other is free of plans at least, the latest first.
type freeNodes struct {
	until       []int64
	isFull      bool // whether they are of those nodes alone on which nothing is free
	begun, open int  // those of foresight when that was found out
}

// forget forgets what it knows, since a job has started, and begins at an entry.
func (x *foresight) forget(at int) {
	x.begin(at)
	x.next, x.holds = x.first, x.holds[:0]
}

// learn says that a cycle is over, and whether that was foreseen, or it has made all of its tests.
func (x *foresight) learn(isForeseen, isFull bool) {
	if isForeseen || isFull && !x.isAsked {
		x.first /= 2
	} else if x.isAsked {
		x.first = min(2*x.first+apart, muchLater)
	}
	x.isAsked = false
}

// end returns the place of the first entry that is not known.
func (x *foresight) end() int { return x.from + len(x.until) }

// begin begins at an entry.
func (x *foresight) begin(at int) {
	x.from, x.until, x.at, x.sure, x.open = at, x.until[:0], at, 0, at
	x.begun++
}

// comeTo says that a cycle has come to an entry.
func (x *foresight) comeTo(at int) {
	if at > x.end() {
		x.begin(at)
	}
	for ; x.at < at; x.at++ {
		if x.until[x.at-x.from] > 0 {
			x.sure--
		}
	}
}

// add adds an entry that cannot start, and until when it is tested for sure.
func (x *foresight) add(until int64) {
	if x.until = append(x.until, until); until > 0 {
		x.sure++
	}
}

// looksAhead reports whether a cycle asks whether it comes to anybody who can start.
func (f *backfillRun) looksAhead() bool {
	e := f.engine
	return !f.isPlain && f.isMoved && f.MaxTest > 0 && f.MaxPerUser == 0 && f.MaxPerAssociation == 0 && f.MaxPerPartition == 0 && f.MaxPerUserPartition == 0 &&
		!e.hasArrays && !e.hasAnyQOS && e.judge == nil && f.claims.engine == nil && len(f.reservations) == 0
}

// foreseesNobody reports whether no entry can start to which the cycle still comes, as far as it finds that out.
func (f *backfillRun) foreseesNobody() bool {
	e, x, most := f.engine, &f.engine.foresight, f.MaxTest-f.tests
	if f.tests < x.next || 2*f.spared > f.tests || e.waiting()-f.at < most || !f.looksAhead() {
		return false
	}
	x.isAsked, x.next = true, f.tests+apart
	for x.comeTo(f.at); x.sure < most; {
		at := x.end()
		if at-f.at > 2*f.MaxTest || at == len(e.queue) && e.rest != nil && len(e.rest.heads) == 0 {
			return false
		}
		if was := len(e.queue); !e.reach(at) {
			return false
		} else if len(e.queue) > was { // isOver looks at it in the queue
			f.remainder.last, f.remainder.isKnown = at, false
		}
		j := e.queue[at]
		if f.matters(j, e.now) {
			return false
		}
		if x.add(f.testedUntil(j)); f.mayOpen(j) {
			x.open = at + 1
		}
	}
	for _, until := range x.until[f.at-x.from:] {
		if until > 0 {
			f.before(until)
		}
	}
	for _, j := range e.queue[f.at:x.end()] { // another cycle is like this one where these come next
		if !f.isHeld(j) {
			f.looked = append(f.looked, j)
		}
	}
	e.result.ahead++
	return true
}

// mayOpen reports whether a job that cannot start might get a plan that begins on a node on which something is free, before what is planned
// there begins: it has room now, and something else keeps it from starting, or lacks other nodes beside that one.
func (f *backfillRun) mayOpen(j *Job) bool {
	return !f.isHeld(j) && !j.isGone() && (!f.lacksRoom(j, j.Limit) || j.Request.MinNodes != 1 || j.Request.MaxNodes != 1 || j.Request.Alike)
}

// testedUntil returns until when a cycle tests a job for sure that cannot start, whatever those before it get that cannot either; 0 where
// nobody knows.
func (f *backfillRun) testedUntil(j *Job) int64 {
	l := f.ledger
	if f.isHeld(j) || j.isGone() || j.Reservation != 0 || !l.setup.isQueued(j) || !l.admits(j) || l.lacks(j) {
		return 0
	}
	free, least := f.holdsIn(j.Partition), max(1, int(j.Request.MinNodes))
	if least > len(free) || free[least-1] <= f.begun+j.Limit {
		return 0
	}
	return free[least-1] - j.Limit
}

// holdsIn returns until when one node of a partition after the other is free of plans at least, the latest first, as long as nobody starts.
func (f *backfillRun) holdsIn(partition int) []int64 {
	x := &f.engine.foresight
	if len(x.holds) == 0 {
		x.findHolds(f.cycle)
	}
	for len(x.free) < len(f.machine.Partitions) {
		x.free = append(x.free, freeNodes{})
	}
	of, isFull := &x.free[partition], x.open > f.at
	if of.begun == x.begun && of.isFull == isFull && (isFull || of.open == x.open) {
		return of.until
	}
	of.begun, of.isFull, of.open, of.until = x.begun, isFull, x.open, of.until[:0]
	copy(f.nodes, f.machine.Partitions[partition].Nodes)
	f.nodes.intersect(f.up)
	f.nodes.subtract(f.cleaning)
	if isFull {
		f.nodes.all(func(i int) bool {
			if f.machine.cpus[i] > 0 {
				f.nodes.remove(i)
			}
			return true
		})
	}
	for i := 0; i < f.slots.count() && !f.nodes.isEmpty(); i++ { // which nodes are planned first in it
		copy(f.among, f.nodes)
		f.among.subtract(f.slots.of(i))
		f.among.all(func(n int) bool {
			of.until = append(of.until, min(x.holds[n], f.slots.begin(i)))
			return true
		})
		f.nodes.intersect(f.slots.of(i))
	}
	f.nodes.all(func(n int) bool {
		of.until = append(of.until, x.holds[n])
		return true
	})
	slices.SortFunc(of.until, func(a, b int64) int { return cmp.Compare(b, a) })
	return of.until
}

// findHolds finds until when what runs holds nodes.
func (x *foresight) findHolds(c *cycle) {
	for range c.machine.Nodes {
		x.holds = append(x.holds, math.MaxInt64)
	}
	for i := range c.running {
		b := &c.running[i]
		for _, s := range b.job.Shares {
			x.holds[s.Node] = min(x.holds[s.Node], b.end/c.Resolution*c.Resolution)
		}
	}
}
