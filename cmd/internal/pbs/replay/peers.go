package replay

import (
	"container/heap"
	"encoding/binary"
	"math"
	"slices"
)

// peers are classes that differ in nothing but the limits of those who own their jobs: they ask for the same of the same vnodes, and the
// same limits of everybody, hours and levels hold for them. Where each user has a limit there are as many classes of them as users, of
// which a cycle looks only at those with short jobs.
type peers struct {
	like     *class  // one of them
	shared   []check // the limits of everybody
	classes  shortHeap[*class]
	used     int   // how many have jobs: classes has them, but for some that a limit holds back
	at       int   // among those of the backlog, -1 while they are parked
	parkedAt int32 // then the vnode
	isOpen   bool  // whether vnodes were free and no limit of everybody was reached when a cycle last looked ahead
}

// peersOf returns the peers of a class.
func (q *backlog) peersOf(c *class) *peers {
	key := binary.LittleEndian.AppendUint32(nil, uint32(c.demand.number))
	key = append(binary.LittleEndian.AppendUint32(key, uint32(c.level)), byte(c.kind))
	p := newPeers(c)
	for _, k := range p.shared {
		key = binary.LittleEndian.AppendUint32(key, uint32(k.counter.number))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(k.need))
	}
	if known := q.knownPeers[string(key)]; known != nil {
		return known
	}
	q.knownPeers[string(key)] = p
	return p
}

// newPeers returns peers of which a class is the first.
func newPeers(c *class) *peers {
	p := &peers{like: c}
	for _, k := range c.checks {
		if !k.isOwn() {
			p.shared = append(p.shared, k)
		}
	}
	return p
}

// rank finds the shortest job of a class, and puts the class to where it belongs among its peers.
func (q *backlog) rank(c *class) {
	shortest := math.Inf(1)
	if len(c.groups) > 0 {
		shortest = c.groups[0].shortest
	}
	isUsed := len(c.groups) > 0
	if shortest == c.shortest && isUsed == c.isUsed {
		return
	}
	c.shortest = shortest
	if isUsed != c.isUsed {
		c.isUsed = isUsed
		q.countUsed(c.peers, isUsed)
	}
	switch all := &c.peers.classes; {
	case c.isParked:
	case isUsed && c.at < 0:
		heap.Push(all, c)
	case isUsed:
		heap.Fix(all, c.at)
	case c.at >= 0:
		heap.Remove(all, c.at)
	}
}

// countUsed counts a class of some peers that has got jobs, or has none any more.
func (q *backlog) countUsed(p *peers, isUsed bool) {
	if !isUsed {
		q.used--
		if p.used--; p.used == 0 {
			q.levels[p.like.level]--
			q.exclude(p)
		}
		return
	}
	q.used++
	if p.used++; p.used == 1 {
		q.levels[p.like.level]++
		q.include(p)
	}
}

// reaches reports whether jobs wait that are of a level before another one.
func (q *backlog) reaches(before int32) bool {
	for level, count := range q.levels {
		if level < before && count > 0 {
			return true
		}
	}
	return false
}

// include adds peers to those that cycles look at.
func (q *backlog) include(p *peers) {
	p.at = len(q.peers)
	q.peers = append(q.peers, p)
}

// exclude takes peers away from them, or from where they are parked.
func (q *backlog) exclude(p *peers) {
	if p.at < 0 {
		q.parked[p.parkedAt] = slices.DeleteFunc(q.parked[p.parkedAt], func(other *peers) bool { return other == p })
		return
	}
	last := q.peers[len(q.peers)-1]
	q.peers[p.at], last.at = last, p.at
	q.peers[len(q.peers)-1] = nil
	q.peers = q.peers[:len(q.peers)-1]
}

// park sets peers of a suspended job aside until a vnode changes that has no room for what the job had there. Others stay.
func (q *backlog) park(p *peers) {
	vnode, ok := q.at.state.Watch(p.like.request)
	if !ok {
		return
	}
	q.exclude(p)
	p.at, p.parkedAt, p.isOpen = -1, vnode, false
	q.parked[vnode] = append(q.parked[vnode], p)
}

// unpark gives back those peers whose vnodes have changed.
func (q *backlog) unpark() {
	for _, vnode := range q.at.state.Changed() {
		for _, p := range q.parked[vnode] {
			q.include(p)
		}
		clear(q.parked[vnode])
		q.parked[vnode] = q.parked[vnode][:0]
	}
}

// someAreFree reports whether some class with jobs is held back by no limit of its own. Those that are, and come first, stay with the
// limit until less runs under it.
func (p *peers) someAreFree() bool {
	for len(p.classes) > 0 {
		c := p.classes[0]
		at := slices.IndexFunc(c.checks, check.reached)
		if at < 0 {
			return true
		}
		heap.Pop(&p.classes)
		limit := c.checks[at].counter
		c.isParked, limit.parked = true, append(limit.parked, c)
	}
	return false
}

// release gives classes back to their peers that the limit does not hold back any more.
func (n *counter) release() {
	n.parked = slices.DeleteFunc(n.parked, func(c *class) bool {
		if slices.ContainsFunc(c.checks, func(k check) bool { return k.counter == n && k.reached() }) {
			return false
		}
		if c.isParked = false; c.isUsed {
			heap.Push(&c.peers.classes, c)
		}
		return true
	})
}

// looksAtPeers reports whether classes of the same peers may start alike, but for their limits: no time of day and no reservation
// sets those apart whose jobs are longer.
func (s *selection) looksAtPeers() bool {
	b := s.room.bookings
	return !s.at.isPlain && !s.eachClass && s.room.hours == nil && len(b.byQueue) == 0 && len(b.shadowed) == 0
}

// mayStart reports whether a class of some peers fits right now.
func (s *selection) mayStart(p *peers) bool {
	return !slices.ContainsFunc(p.shared, check.reached) && s.room.hasVnodes(p.like) && p.someAreFree()
}

// visitPeers calls visit with all peers that have jobs, and with whether a class of them fits right now, until it returns false.
// It leaves out those of suspended jobs whose vnodes are as they were when these had no room.
func (s *selection) visitPeers(visit func(p *peers, mayStart bool) bool) {
	s.backlog.unpark()
	all := s.backlog.peers
	for i := len(all) - 1; i >= 0; i-- { // the last of them takes the place of one that is parked
		p := all[i]
		mayStart := s.mayStart(p)
		if !visit(p, mayStart) {
			return
		}
		if !mayStart {
			s.backlog.park(p)
		}
	}
}

// lookAtPeers looks ahead as lookAhead, without a look at each class: what matters of one is found out once somebody asks. ok is false
// where that cannot be done.
func (s *selection) lookAtPeers() (ok bool) {
	f := &s.front
	f.peers = f.peers[:0]
	isOther := func(p *peers) bool { return p.like.gains || p.like.booked != nil }
	if f.byPeers = s.looksAtPeers() && !slices.ContainsFunc(s.backlog.peers, isOther); !f.byPeers {
		return false
	}
	f.lookedAhead++
	s.fitting = s.fitting[:0]
	fitting := 0
	s.visitPeers(func(p *peers, mayStart bool) bool {
		if p.isOpen = mayStart; mayStart {
			f.peers = append(f.peers, p)
			fitting += len(p.classes)
		}
		return true
	})
	if s.holdsBack() {
		fitting = s.backlog.used
	}
	f.open = fitting * len(s.backlog.budgets)
	return true
}

// holdsBack reports whether jobs that do not fit may be held back.
func (s *selection) holdsBack() bool { return s.at.policy.StrictOrdering || s.room.calendar.plans }

// looksOf returns what a cycle looks at of a class.
func (s *selection) looksOf(c *class) []look {
	f := &s.front
	if !f.byPeers || c.lookedAhead == f.lookedAhead {
		return c.looks
	}
	c.lookedAhead = f.lookedAhead
	c.looks = s.appendLooks(c.looks[:0], c, c.peers.isOpen && !c.isLimited())
	if s.holdsBack() || c.peers.isOpen && c.at >= 0 {
		f.open += len(c.looks) - len(s.backlog.budgets)
	}
	return c.looks
}

// someCanStart reports whether a class of some peers that fitted can start yet in this cycle.
func (a *attempt) someCanStart(p *peers) bool {
	if slices.ContainsFunc(p.shared, check.reached) || p.like.demand.failed == a.stamp(p.like) {
		return false
	}
	than := math.Inf(1)
	if a.room.mayPass(p.like) {
		than = a.shortestWithout(p.like)
	}
	return !p.classes.visit(func(c *class) bool { return c.shortest < than }, a.cannotStart)
}
