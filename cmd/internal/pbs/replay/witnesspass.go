package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
)

// pass goes through the jobs in the order of the rules, as a cycle at a time, and finds out what they make of
// the starts that are near. Those start where they did, for as long as the pass goes on.
func (g *witness) pass(now float64) {
	g.accrue(now)
	g.ask(now)
}

// ask does what a pass does, without a cycle that has really been.
func (g *witness) ask(now float64) {
	e := g.engine
	e.now = now
	e.cycles++
	e.turnHours()
	e.forgetPauses()
	g.isStale = false
	e.usage.apply()
	e.preemption.findShares()
	e.preemption.relevel()
	e.selection.someMayStart()
	all, classes, err := e.selection.candidates(e.backlog.active, true)
	if err == nil {
		all, err = g.withPending(all)
	}
	if e.err = err; err != nil {
		return
	}
	p := &pass{of: g, attempt: &attempt{engine: e, all: e.selection.considered(all), classes: classes, failed: e.newFailures(), waits: e.backlog.waiting}}
	p.hasBooked = len(e.bookings.byQueue) > 0 && slices.ContainsFunc(p.all, func(c candidate) bool { return c.group.class.booked != nil })
	p.run()
}

// withPending adds those starts to candidates that are near and not among them.
func (g *witness) withPending(all []candidate) ([]candidate, error) {
	missing := map[int32]bool{}
	for _, s := range g.pending {
		if group := g.backlog.groupOf[s.job]; group != nil && !g.selection.isLeftOut(group) && g.jobs[s.job].state == waiting {
			missing[s.job] = true
		}
	}
	for i := range all {
		delete(missing, all[i].job)
		for k := 0; k < len(all[i].rest) && g.selection.hasSubjobOf(missing, all[i].job); k++ {
			delete(missing, all[i].rest[k].job)
		}
	}
	begin := len(all)
	for _, s := range g.pending {
		if missing[s.job] {
			all = append(all, candidate{group: g.backlog.groupOf[s.job], member: member{s.job, g.terms[s.job].rank}})
			delete(missing, s.job)
		}
	}
	return all, g.values.evaluate(all[begin:])
}

// pass is a cycle that starts what the record shows to start.
type pass struct {
	*attempt
	of   *witness
	near map[int32]*nearStart // the recorded starts, by job
	left map[int32]bool       // the jobs that start and have not been looked at

	ghosts []ghost
	met    []*nearStart // that fit, with the ghosts before each
	before []int
	stood  []candidate // likewise, the starts as they stood in the order
}

func (p *pass) run() {
	e := p.engine
	p.expectStarts()
	p.order = e.selection.order(p.all)
	isOver := p.isOver()
	for i, ok := p.order.Next(); ok; i, ok = p.order.Next() {
		c := &p.all[i]
		s := p.startOf(c)
		if s != nil {
			delete(p.left, s.job)
		}
		switch {
		case p.ended && c.group.class.booked == nil:
			if e.accruals.pass(c); s != nil {
				p.refuse(s, "strict_ordering", "strict_ordering: jobs before it that wait")
			}
			continue
		case p.step(i, c, s):
			p.order.Started()
			e.accruals.pass(c)
			if len(c.rest) > 0 {
				c.member, c.rest = c.rest[0], c.rest[1:]
			}
		}
		if isOver = isOver || p.isOver(); isOver && !e.accruals.isOn && len(p.left) == 0 {
			break
		}
	}
	p.finish()
}

// expectStarts notes which starts are near, of jobs that wait.
func (p *pass) expectStarts() {
	p.near, p.left = map[int32]*nearStart{}, map[int32]bool{}
	for _, s := range slices.Backward(p.of.pending) {
		p.near[s.job] = s // the first of a job that starts several times
		if p.backlog.groupOf[s.job] != nil {
			p.left[s.job] = true
		}
	}
}

// startOf returns the recorded start of a candidate, nil for none. Of subjobs that are alike one that starts comes
// first.
func (p *pass) startOf(c *candidate) *nearStart {
	if s := p.near[c.job]; s != nil {
		return s
	}
	if !p.selection.hasSubjobOf(p.left, c.job) {
		return nil
	}
	for k := range c.rest {
		if s := p.near[c.rest[k].job]; s != nil {
			c.rest = slices.Clone(c.rest) // the group has them too
			c.member, c.rest[k] = c.rest[k], c.member
			return s
		}
	}
	return nil
}

// step asks the rules about a candidate. It reports whether it has started, as the record has it.
func (p *pass) step(i int32, c *candidate, s *nearStart) bool {
	place, fits := p.tryToFit(c)
	switch {
	case s != nil && fits:
		p.judge(s, c, place)
		return true
	case s != nil:
		if !s.isTried || s.rank == notAllowed {
			p.refuseFor(s, c)
		}
	case fits && p.jobs[c.job].state == suspended:
		p.accruals.judge(c, false)
		return false
	case fits:
		p.accruals.judge(c, false)
		if p.fitsBeside(c) {
			p.ghosts = append(p.ghosts, ghost{job: c.job, value: c.value, queue: c.group.queue, place: p.whole(c.group.class, place)})
		}
		return false
	}
	p.fail(c)
	isLimited := p.isLimitedAhead(c)
	p.holdBack(i, c)
	p.accruals.judge(c, isLimited)
	return false
}

// whole returns a place within a reservation as one in the whole cluster.
func (p *pass) whole(c *class, place cluster.Allocation) cluster.Allocation {
	if c.booked == nil || c.booked.on == nil {
		return place
	}
	whole := cluster.Allocation{Parts: slices.Clone(place.Parts)}
	for i := range whole.Parts {
		whole.Parts[i].Vnode = c.booked.on.numbers[whole.Parts[i].Vnode]
	}
	return whole
}

// fitsBeside reports whether a job that fits would do so as well if those had started before it that the rules
// would have started.
func (p *pass) fitsBeside(c *candidate) bool {
	if len(p.ghosts) == 0 || c.group.class.booked != nil {
		return true
	}
	shift := func(sign int) {
		for _, other := range p.ghosts {
			p.state.Shift(other.place, sign)
			for _, k := range p.backlog.groupOf[other.job].class.checks {
				k.counter.used += float64(sign) * k.need
			}
		}
		p.state.Settle()
		p.calendar.stamp++
	}
	planned := p.planned(c.job) // which is found out without them
	shift(1)
	fits := !c.group.class.isLimited()
	if fits {
		_, fits = p.state.Place(c.group.class.request, planned)
	}
	shift(-1)
	return fits
}

// judge keeps what the rules make of a start that fits, and lets the job run where it did.
func (p *pass) judge(s *nearStart, c *candidate, chosen cluster.Allocation) {
	class := c.group.class
	names := p.namesOf(p.whole(class, chosen))
	rank := asItIs
	place := chosen
	if s.isKnown {
		place = p.of.placeOf(s)
		if rank = asItIs; !slices.Equal(names, s.recorded) {
			if rank = notChosen; !p.allows(c, s) {
				rank = notOnVnodes
			}
		}
	}
	if !s.isTried || rank > s.rank {
		s.rank, s.chosen, s.rule, s.reason = rank, names, "", ""
		if rank == notOnVnodes {
			s.rule, s.reason = otherVnodes, otherVnodes
		}
	}
	s.isTried = true
	p.met, p.before, p.stood = append(p.met, s), append(p.before, len(p.ghosts)), append(p.stood, *c)
	p.hold(s.job, class, place)
}

// otherVnodes is the rule that a start breaks which is allowed elsewhere.
const otherVnodes = "other vnodes: those are in use, away or without what it asks for"

// allows reports whether a job may start on the vnodes that it had.
func (p *pass) allows(c *candidate, s *nearStart) bool {
	if c.group.class.booked != nil {
		return true
	}
	_, ok := p.state.PlaceOn(c.group.class.request, p.planned(c.job), s.numbers)
	return ok
}

// planned returns what is planned while a job runs that starts now, nil for nothing.
func (p *pass) planned(job int32) cluster.Calendar {
	if p.calendar.isEmpty() {
		return nil
	}
	now := math.Floor(p.now)
	if view := p.calendar.view(now, now+p.length(job)); view != nil {
		return view
	}
	return nil
}

func (p *situation) namesOf(a cluster.Allocation) []string {
	var names []string
	for _, part := range a.Parts {
		names = append(names, p.cluster.Vnodes[part.Vnode].Name)
	}
	for _, v := range a.Own {
		names = append(names, p.cluster.Vnodes[v].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hold lets a job run until the pass is over.
func (p *pass) hold(job int32, c *class, place cluster.Allocation) {
	e, at := p.engine, &p.jobs[job]
	at.place = place
	if c.booked != nil && c.booked.on != nil {
		c.booked.on.enter(at, c.asks, place)
	}
	e.state.Occupy(at.place)
	at.checks, at.level = c.checks, e.preemption.levelOf(job)
	e.count(job, 1)
	at.starts = e.now
	if at.booking != nil {
		at.booking.occupy(job, e.work.Jobs[job], at)
	}
	at.due = e.dueOf(job)
	e.running.add(&e.situation, job)
	e.calendar.occupied(job, true)
	p.of.held = append(p.of.held, job)
}

// finish takes back what the pass has started, and keeps whom each start has passed.
func (p *pass) finish() {
	e := p.engine
	for i := range p.ghosts {
		class := p.backlog.groupOf[p.ghosts[i].job].class
		p.ghosts[i].isFree = class.booked == nil && !class.isLimited() && p.state.Fits(class.request)
	}
	for k, s := range p.met {
		for i := range p.ghosts {
			p.ghosts[i].isBefore = i < p.before[k]
			p.ghosts[i].isTied = p.isTied(p.ghosts[i], p.stood[k])
		}
		if !s.isOvertaking {
			s.ghosts, s.isOvertaking = slices.Clone(p.ghosts), true
			continue
		}
		s.ghosts = slices.DeleteFunc(s.ghosts, func(x ghost) bool {
			return !slices.ContainsFunc(p.ghosts, func(y ghost) bool { return x.job == y.job })
		})
		for i := range s.ghosts {
			at := slices.IndexFunc(p.ghosts, func(y ghost) bool { return s.ghosts[i].job == y.job })
			s.ghosts[i].isBefore = s.ghosts[i].isBefore && p.ghosts[at].isBefore
			s.ghosts[i].isTied = s.ghosts[i].isTied || p.ghosts[at].isTied
		}
	}
	for _, s := range p.of.pending {
		if g := p.backlog.groupOf[s.job]; g != nil && p.left[s.job] && (!s.isTried || s.rank == notAllowed) {
			p.refuseFor(s, &candidate{group: g, member: member{job: s.job}})
		}
	}
	e.calendar.end()
	e.accruals.end(e.backlog, e.now+e.duration(), e.selection.isLeftOut)
	for _, job := range slices.Backward(p.of.held) {
		e.vacate(job)
		e.jobs[job].place, e.jobs[job].checks = cluster.Allocation{}, nil
	}
	p.of.held = p.of.held[:0]
}

// isTied reports whether a job that the rules would have started goes before a start by next to nothing of a value that may be a little
// another one. Where values are the same the rules have an order, which counts.
func (p *pass) isTied(x ghost, c candidate) bool {
	const close = .002 // of the value
	if !x.isBefore || p.engine.values.program == nil || (p.policy.ByQueue || p.policy.RoundRobin) && x.queue != c.group.queue {
		return false
	}
	return x.value != c.value && math.Abs(float64(x.value-c.value)) <= close*math.Abs(float64(c.value))
}
