package replay

import (
	"math"
	"slices"
)

// front hands out the candidates of a cycle part by part, those with the highest values first: a cycle is mostly over after a
// few of them, however many wait. The order of values is kept from one cycle to the next, where it is nearly the same.
// Parts end where the value changes, so that the order of all candidates is that of the parts, one after the other.
type front struct {
	ordered     []place  // of the values of jobs that wait, and some without
	asOf        uint64   // the cycle for which its values were found last, 0 where some could not be evaluated
	turned      []int32  // of ordered, those of another value since
	gone        int      // how many of those are nobody's any more
	isMixed     bool     // whether others may be out of order as well
	changed     []place  // memory of order
	next        int      // the first of them that is not handed out
	parts       int      // how many were handed out
	open        int      // of the looks of all classes, how many may have more candidates
	first       int      // firstPart
	lookedAhead uint64   // counts how often a cycle has looked ahead in this way
	isOn        bool     // whether candidates of this cycle are handed out in parts
	byPeers     bool     // whether a cycle looks at the classes of peers once somebody asks
	peers       []*peers // then those of which some fit
	looksAtMany bool     // for tests: whether all values are put in order, however few jobs may start
	isOff       bool     // whether the formula has failed, which is counted by candidates
}

// firstPart is how many candidates the first part of a cycle has at least. Each further one has twice as many.
const firstPart = 32

// look is what a cycle looks at of a class, of those of its jobs that count towards one backfill_depth.
type look struct {
	budget     int32
	most       int     // how many of its first jobs may matter
	waiting    int     // how many jobs the class has when the cycle begins
	hasLengths bool    // as of selection
	fits       bool    // whether its jobs may start
	taken      int     // how many were handed out
	seen       int     // of how many jobs those were
	run        int     // the first value in the front of those that tie with the last one of which some were
	part       int     // the last part
	shorter    float64 // of which only jobs matter that are shorter
	isOver     bool    // whether no more jobs matter
}

// isByValue reports whether a cycle looks at jobs by their values, which all jobs of an entity share, and nothing comes before that
// but the levels of their queues and when they were preempted.
func (s *selection) isByValue() bool {
	v, p := s.values, s.at.policy
	isOther := p.ByQueue || p.RoundRobin || s.preemption.changes() || s.room.hours != nil || len(s.room.bookings.byQueue) > 0
	looksAtMore := s.looksAtAll || s.accruals.isOn || s.threshold > math.MinInt32 || s.at.lengths != nil
	return v.program != nil && !v.usesEligible && slices.Contains(v.sources, fromTree) && s.front.first > 0 && !isOther && !looksAtMore && !s.front.isOff
}

// begin prepares to hand out the candidates of a cycle in parts, where few may have looked ahead already. ok is false where that cannot be
// done.
func (s *selection) begin(hasLooked bool) (ok bool, err error) {
	f := &s.front
	if f.isOff, err = s.values.evaluateAll(f); f.isOff || err != nil {
		return false, err
	}
	f.next, f.parts, f.isOn = 0, 0, true
	s.memory = s.memory[:0]
	if !hasLooked {
		s.lookAhead()
	}
	return true, nil
}

// few returns the classes of jobs that may start, where they have so few groups that it takes less to look at all of these than to
// find out and put in order all values. ok is false where they have more, or where others matter, which are held back or preempt others.
// hasLooked says whether it has looked ahead for that.
func (s *selection) few() (classes []*class, ok, hasLooked bool) {
	f := &s.front
	if f.looksAtMany || s.preempts || s.holdsBack() || !s.lookAtPeers() {
		return nil, false, false
	}
	const part = 2 // of all values
	classes = s.classes[:0]
	groups := 0
	for _, p := range f.peers {
		for _, c := range p.classes {
			groups += len(c.groups)
			classes = append(classes, c)
		}
		if part*groups > len(f.ordered) {
			return nil, false, true
		}
	}
	s.classes = classes
	return classes, true, true
}

// lookAhead finds the classes of which some fit, and which jobs of each class may matter from here on.
func (s *selection) lookAhead() {
	f := &s.front
	if s.lookAtPeers() {
		return
	}
	f.open = 0
	fitting := s.fitting[:0]
	for _, c := range s.backlog.active {
		c.looks = c.looks[:0]
		if c.waiting == 0 {
			continue
		}
		fits := s.room.mayFit(c)
		if fits {
			fitting = append(fitting, c)
		}
		if s.preempts {
			continue // until who may preempt others has done so, nobody knows
		}
		c.looks = s.appendLooks(c.looks, c, fits)
		f.open += len(c.looks)
	}
	s.fitting = fitting
}

// appendLooks appends what a cycle looks at of a class.
func (s *selection) appendLooks(looks []look, c *class, fits bool) []look {
	for _, budget := range s.backlog.budgets {
		if most := s.mostMatter(c, budget, fits); most > 0 {
			looks = append(looks, look{budget: budget, most: most, waiting: c.waiting, hasLengths: s.hasLengths(c, fits), fits: fits, run: -1, shorter: math.Inf(1)})
		}
	}
	return looks
}

// part returns the next candidates, none at the end. isOver says of a class what has become of it meanwhile: whether no more of its
// jobs matter, or else only those that are shorter.
func (s *selection) part(isOver func(c *class, l *look) (is bool, shorter float64)) ([]candidate, error) {
	f, begin := &s.front, len(s.memory)
	f.parts++
	if s.preempts {
		if err := s.takeLevel(); err != nil {
			return nil, err
		}
	}
	if !s.preempts && s.takeShorter(isOver) {
		f.next, f.open = len(f.ordered), 0
	}
	goesOn := func() bool { return f.open > 0 || s.holdsPreempted() }
	if !s.preempts && goesOn() && f.next < len(f.ordered) {
		f.order()
	}
	for !s.preempts && goesOn() && f.next < len(f.ordered) && len(s.memory)-begin < f.first<<(f.parts-1) {
		run := f.next
		onlyOpen := f.byPeers && !s.holdsBack()
		for ; f.next < len(f.ordered) && f.ordered[run].compare(f.ordered[f.next]) == 0; f.next++ {
			for _, g := range f.ordered[f.next].shared.groups {
				if onlyOpen && !g.peers.isOpen {
					continue
				}
				if l := s.lookOf(g.class, g.budget); l != nil {
					s.take(g.group, l, run, isOver)
				}
			}
		}
	}
	for i := begin; i < len(s.memory); i++ {
		s.memory[i].value = s.memory[i].group.value.value
	}
	return s.considered(s.memory[begin:len(s.memory):len(s.memory)]), nil
}

// takeShorter hands out at once what is left where nobody is held back any more and few jobs may start, such as those that are shorter
// than what could not. It reports whether that is so.
func (s *selection) takeShorter(isOver func(c *class, l *look) (is bool, shorter float64)) bool {
	f := &s.front
	if s.holdsPreempted() || slices.ContainsFunc(s.backlog.budgets, func(budget int32) bool { return !s.isFull(budget) }) {
		return false
	}
	most := f.first << (f.parts - 1)
	left := s.left[:0]
	collect := func(c *class) bool {
		longest := 0.
		looks := s.looksOf(c)
		for i := range looks {
			l := &looks[i]
			if l.isOver {
				continue
			}
			is, shorter := isOver(c, l)
			if is {
				shorter = 0
			}
			l.shorter = min(l.shorter, shorter)
			longest = max(longest, l.shorter)
		}
		if longest == 0 {
			return true
		}
		left = c.shorter(left, longest, most+1-len(left))
		return len(left) <= most
	}
	isFew := true
	for _, p := range f.peers {
		isFew = isFew && p.classes.visit(func(c *class) bool { return c.shortest < s.at.shortestWithout(c) }, collect)
	}
	for _, c := range s.fitting {
		isFew = isFew && collect(c)
	}
	if s.left = left; !isFew {
		return false
	}
	for _, g := range left {
		l := s.lookOf(g.class, s.backlog.budget(g.queue))
		switch {
		case l == nil || l.isOver || g.shortest >= l.shorter || f.isHandedOut(g.value) || s.isLeftOut(g):
		case l.hasLengths:
			s.memory = s.shortestIn(s.memory, g, l.most, l.shorter)
		default:
			s.memory = s.firstIn(s.memory, g, l.most)
		}
	}
	return true
}

// isFull reports whether as many jobs are held back as may be which count towards a backfill_depth.
func (s *selection) isFull(budget int32) bool {
	return !s.at.policy.StrictOrdering || s.room.calendar.counts[budget] >= max(1, s.depthOf(budget))
}

// takeLevel hands out all jobs of the next level of those that may preempt others. Whom they preempt is of a lower level. Where no such
// level follows, nobody preempts any more in this cycle, and few of the others matter.
func (s *selection) takeLevel() error {
	f := &s.front
	last, isFirst := int32(0), f.next == 0
	if !isFirst {
		last = f.ordered[f.next-1].level
	}
	if _, err := s.values.evaluateAll(f); err != nil { // with those that were preempted
		return err
	}
	f.order()
	for f.next = 0; !isFirst && f.next < len(f.ordered) && f.ordered[f.next].level <= last; f.next++ {
	}
	if f.next == len(f.ordered) || !s.preemption.mayPreempt(f.ordered[f.next].level) {
		s.preempts = false
		s.lookAhead()
		return nil
	}
	for level := f.ordered[f.next].level; f.next < len(f.ordered) && f.ordered[f.next].level == level; f.next++ {
		for _, g := range f.ordered[f.next].shared.groups {
			if !s.isLeftOut(g.group) {
				s.memory = s.firstIn(s.memory, g.group, math.MaxInt)
			}
		}
	}
	return nil
}

// holdsPreempted reports whether jobs wait that were preempted and are top jobs whatever room there is for these.
func (s *selection) holdsPreempted() bool { return s.room.calendar.plans && s.backlog.preempted > 0 }

// take hands out those jobs of a group that may matter. run is the first of the values that tie with theirs.
func (s *selection) take(g *group, l *look, run int, isOver func(c *class, l *look) (is bool, shorter float64)) {
	f := &s.front
	wasOpen := !l.isOver && l.taken < l.most && l.seen < l.waiting
	isHeld := g.value.preempted != 0 && s.holdsPreempted()
	if l.isOver && !isHeld {
		return
	}
	if l.part != f.parts && !l.isOver {
		l.part = f.parts
		l.isOver, l.shorter = isOver(g.class, l)
	}
	l.isOver = l.isOver || l.run != run && l.taken >= l.most
	before := len(s.memory)
	switch {
	case s.isLeftOut(g):
	case isHeld:
		s.memory = s.firstIn(s.memory, g, math.MaxInt)
	case l.isOver || g.shortest >= l.shorter:
	case l.hasLengths:
		s.memory = s.shortestIn(s.memory, g, l.most, l.shorter)
	default:
		s.memory = s.firstIn(s.memory, g, l.most)
	}
	if !l.isOver {
		if !l.hasLengths {
			l.taken += len(s.memory) - before
		}
		l.run = run
		l.seen += len(g.members)
	}
	if wasOpen && (l.isOver || l.taken >= l.most || l.seen >= l.waiting) {
		f.open--
	}
}

// lookOf returns what a cycle looks at of a class for a backfill_depth, nil for nothing.
func (s *selection) lookOf(c *class, budget int32) *look {
	looks := s.looksOf(c)
	for i := range looks {
		if looks[i].budget == budget {
			return &looks[i]
		}
	}
	return nil
}

// choose finds the candidates of a cycle, or the first part of them.
func (a *attempt) choose() (err error) {
	s := a.selection
	of := s.backlog.active
	if s.front.isOn = false; !a.isAsked() && s.isByValue() {
		if few, isFew, hasLooked := s.few(); isFew {
			of = few
		} else if a.comesInParts, err = s.begin(hasLooked); err != nil {
			return err
		}
	}
	if a.comesInParts {
		if a.fitting = s.fitting; s.preempts {
			a.fitting = slices.Clone(s.fitting) // they are found anew
		}
		return a.part()
	}
	all, classes, err := s.candidates(of, false)
	a.all, a.classes, a.fitting = s.considered(all), classes, classes
	return err
}

// more takes the next part of the candidates. It reports whether there is one.
func (a *attempt) more() (ok bool, err error) {
	for a.comesInParts {
		mayPreempt := a.selection.preempts
		if err := a.part(); err != nil {
			return false, err
		}
		a.isDone = make([]bool, len(a.all))
		a.order = a.selection.orderPart(a.all)
		if len(a.all) > 0 || !mayPreempt {
			return len(a.all) > 0, nil
		}
	}
	return false, nil
}

// part takes the next part of the candidates.
func (a *attempt) part() (err error) {
	if a.onPart != nil {
		a.onPart(a.selection.front.parts == 0)
	}
	a.all, err = a.selection.part(a.isLookedOver)
	a.classes, a.closed = a.selection.fitting, 0
	return err
}

// isLookedOver reports whether no more jobs of a class can start or be held back in this cycle, or else that only those may that are
// shorter.
func (a *attempt) isLookedOver(c *class, l *look) (is bool, shorter float64) {
	switch {
	case !a.selection.isFull(l.budget):
		return false, math.Inf(1)
	case !l.fits:
		return true, 0
	case c.gains:
		return false, math.Inf(1) // once others have started
	case a.cannotStart(c) || !a.couldStart(c):
		return true, 0
	}
	shorter = a.shortestWithout(c)
	if shortest, failed := a.failed.of(c); failed {
		shorter = min(shorter, shortest)
	}
	return false, shorter
}
