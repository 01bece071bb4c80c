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
	like    *class  // one of them
	shared  []check // the limits of everybody
	classes shortHeap[*class]
	used    int  // how many have jobs: classes has them, but for some that a limit holds back
	at      int  // among those of the backlog
	isOpen  bool // whether vnodes were free and no limit of everybody was reached when a cycle last looked ahead
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
			last := q.peers[len(q.peers)-1]
			q.peers[p.at], last.at = last, p.at
			q.peers[len(q.peers)-1] = nil
			q.peers = q.peers[:len(q.peers)-1]
		}
		return
	}
	q.used++
	if p.used++; p.used == 1 {
		p.at = len(q.peers)
		q.peers = append(q.peers, p)
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
	for _, p := range s.backlog.peers {
		if p.isOpen = s.mayStart(p); p.isOpen {
			f.peers = append(f.peers, p)
			fitting += len(p.classes)
		}
	}
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
