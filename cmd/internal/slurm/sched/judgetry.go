package sched

import (
	"cmp"
	"container/heap"
	"slices"
)

// What a main pass and a backfill cycle make of recorded starts. The jobs start in them that the record has, and no
// others; afterwards all is taken back.

// nearStart is a start of the record, and what passes and cycles have found about it.
type nearStart struct {
	number  int
	run     RecordedRun
	job     *Job // nil until it has come
	nodes   []int32
	isKnown bool // whether the site has all of them

	isTried      bool // whether a pass or a cycle has come to it
	isNew        bool // whether this one is the first that agrees so much
	rank         int
	now          int // how much this one agrees
	before       int // how many of the jobs that it would have started come before this start
	chosen       []int32
	shares       []Share // that the rules give it of the nodes that it had, nil where they choose others
	given        int32   // how many CPUs they would give it of these nodes, 0 where it may not start there
	rule, reason string
	isLimited    bool    // whether limits, licences or its partition do not let it start wherever it would run
	inFront      []*Job  // jobs before it that hold it up
	ghosts       []ghost // jobs that each of the passes and cycles that agree most would have started
	elsewhere    []int32 // nodes of another partition on which this pass or cycle would have started it before
}

// How much a pass or a cycle agrees with a start.
const (
	notMet = iota - 1
	notAllowed
	notOnNodes // it may start, but not there
	notChosen  // it may start there, and would elsewhere
	asItIs
)

// isSettled reports whether nothing that another pass finds would matter.
func (s *nearStart) isSettled() bool { return s.job == nil || s.rank == asItIs && len(s.ghosts) == 0 }

// ghost is a job that the rules would have started and that kept waiting.
type ghost struct {
	entry    *Job
	number   int
	nodes    []int32
	shares   []Share
	isBefore bool // whether it is before the start in their order
	isFree   bool // whether there is still room for it once all starts of the moment are there
}

// trial is a start that is to be taken back.
type trial struct {
	job           *Job
	was           Job
	births, array int
}

// isOpen reports whether a start may be allowed after all, or on its nodes, where other nodes are free: no limit is in its way.
func (s *nearStart) isOpen() bool { return s.job != nil && s.rank < asItIs && !s.isLimited }

func (g *judge) isOpen() bool { return slices.ContainsFunc(g.near, (*nearStart).isOpen) }

func (g *judge) isSettled() bool {
	return !slices.ContainsFunc(g.near, func(s *nearStart) bool { return !s.isSettled() })
}

// within makes a pass or a cycle, and takes back what it has started. Where the rules would start others as well, and that
// matters to a start, it makes another one in which these start too: who is found to wait then does so beside them.
func (g *judge) within(try func()) {
	g.ghosts, g.isGhostly, g.isHolding, g.plans = g.ghosts[:0], false, false, g.plans[:0]
	clear(g.front)
	for _, s := range g.near {
		s.now, s.elsewhere = notMet, nil
	}
	g.taken(func() {
		try()
		g.missed()
	})
	if g.isGhostly && (g.isWhole || g.concern()) {
		for _, s := range g.near {
			s.before = 0
		}
		g.isHolding = true
		g.taken(func() {
			try()
			g.weigh()
		})
	}
	for _, s := range g.near {
		g.keepGhosts(s)
	}
}

// concern reports whether it matters to a start who else would have started in a pass or a cycle that has come to all starts.
func (g *judge) concern() bool { return slices.ContainsFunc(g.near, (*nearStart).isConcerned) }

// isConcerned reports whether a pass or a cycle may change whom a start has passed: it agrees with it most, and those before
// it that do have found somebody, or there are none.
func (s *nearStart) isConcerned() bool {
	return s.now != notMet && s.now >= s.rank && (s.isNew || len(s.ghosts) > 0)
}

// missed says why a pass or a cycle has not come to starts: nothing more could start.
func (g *judge) missed() {
	for _, s := range g.near {
		if s.job == nil || s.now != notMet || s.isTried {
			continue
		}
		in := g.EntryOf(s.job, s.run.Place)
		in.Reservation = s.reservation()
		rule, reason := g.held(in)
		if rule == "" {
			if rule = g.barsOn(in, g.settled, s.nodes); rule == onKept {
				rule = waitsBehind
			}
			reason = rule
		}
		var inFront []*Job
		if x := g.front[in.Partition]; x != nil {
			inFront = []*Job{x.whole()}
		}
		g.refuse(s, rule, reason, inFront)
	}
}

// planned returns the jobs that are to have the nodes of a start while that would run.
func (g *judge) planned(j *Job, s *nearStart) (list []*Job) {
	for _, p := range g.plans {
		if p.Start < g.now+j.Limit && slices.ContainsFunc(s.nodes, func(i int32) bool { return p.Nodes.Has(int(i)) }) {
			list = append(list, p.Job.whole())
		}
	}
	return list
}

// taken makes a pass or a cycle, and takes back what it has started.
func (g *judge) taken(try func()) {
	g.queued, g.tries = append(g.queued[:0], g.queue...), g.tries[:0]
	g.isTrying = true
	try()
	g.isTrying = false
	for _, t := range slices.Backward(g.tries) {
		g.takeBack(t)
	}
	g.queue = append(g.queue[:0], g.queued...)
	g.still()
}

// takeBack takes a start back.
func (g *judge) takeBack(t trial) {
	j := t.job
	g.settled.release(j)
	g.freed.release(j)
	g.ledger.count(j, -1)
	g.ledger.come(j, -1)
	at := slices.IndexFunc(g.running, func(b runningJob) bool { return b.job == j })
	g.running = slices.Delete(g.running, at, at+1)
	if at := slices.Index(g.ending, j); at >= 0 { // it may be suspended
		heap.Remove(&g.ending, at)
	}
	g.leaveCores(j)
	*j = t.was
	if j.isCome = false; t.was.isCome {
		g.ledger.come(j, 1)
	}
	if j.isAging = false; t.was.isAging {
		g.ledger.age(j, 1)
	}
	j.IsAgeless = t.was.IsAgeless
	if g.births = t.births; j.Array != 0 {
		g.arrays[j.Array] = t.array
	}
}

// willStart notes a start that is to be taken back.
func (g *judge) willStart(entry *Job) {
	j := entry.whole()
	g.tries = append(g.tries, trial{j, *j, g.births, g.arrays[j.Array]})
}

// startOf returns the start of an entry that is one of this moment, nil for another one.
func (g *judge) startOf(j *Job) *nearStart {
	if s := g.of[j.whole()]; s != nil && s.isOf(j) {
		return s
	}
	return nil
}

// isOf reports whether a start is of an entry of its job.
func (s *nearStart) isOf(entry *Job) bool {
	return s.run.Place == entry.place() && s.reservation() == entry.Reservation
}

// reservation returns the Reservation.ID of the one that the job of a start ran in, 0 for none.
func (s *nearStart) reservation() int32 { return cmp.Or(s.run.In, s.job.Reservation) }

// try considers a job in a main pass.
func (g *judge) try(p *pass, j *Job) (verdict, []Share) {
	s := g.startOf(j)
	if s == nil {
		v, shares := p.try(j)
		if v == lacks && !g.isHolding && g.front[j.Partition] == nil {
			g.front[j.Partition] = j
		}
		if v == started && !g.startsToo(j, shares) {
			return limited, nil // it holds nobody up
		}
		return v, shares
	}
	failed, failures, failedIn, up := slices.Clone(p.failed), p.failures, len(p.failedIn), p.up.clone()
	v, shares := p.try(j)
	if v != started {
		p.failed, p.failures, p.failedIn, p.up = failed, failures, p.failedIn[:failedIn], up
	}
	switch {
	case g.isHolding:
		s.before = len(g.ghosts)
	case v != started:
		rule, reason := g.reasonOf(p, s, j, v)
		var inFront []*Job
		if x := g.front[j.Partition]; x != nil {
			inFront = []*Job{x.whole()}
		}
		g.refuse(s, rule, reason, inFront)
	default:
		g.compare(s, j, shares, p.among, p.machine)
	}
	g.willStart(j)
	return started, g.shares(s, j, p.machine)
}

// toStart returns how many starts of this moment there are that a pass or a cycle may come to.
func (g *judge) toStart() (n int) {
	for _, s := range g.near {
		if s.job != nil && s.job.Start == 0 {
			n++
		}
	}
	return n
}

// cycle makes a backfill cycle. Once it has come to all starts, it matters only whether others may start, and not what is
// planned for them.
func (g *judge) cycle() {
	f, toCome := g.beginCycle(), g.toStart()
	for {
		hasAll := toCome == 0 && !g.isWhole
		if hasAll && !g.isHolding && (g.isGhostly || !g.concern()) {
			return
		}
		f.isMoved = f.isMoved || hasAll // so that it ends where nobody can start
		j := f.next()
		if j == nil {
			return
		}
		isFull := f.isFull(j)
		o := f.try(j, g.now)
		s := g.startOf(j)
		if s != nil {
			toCome--
		}
		switch {
		case s == nil:
			if o.shares != nil && !g.startsToo(j, o.shares) {
				o = outcome{}
			}
			if o.plan != nil && !g.isHolding {
				g.plans = append(g.plans, o.plan.clone())
			}
			f.settle(j, o)
			continue
		case g.isHolding:
			s.before = len(g.ghosts)
		case o.shares == nil:
			rule, reason := g.reasonOfCycle(f, s, j, isFull)
			g.refuse(s, rule, reason, g.planned(j, s))
		default:
			g.compare(s, j, slices.Clone(o.shares), f.among, f.machine)
		}
		g.willStart(j)
		f.settle(j, outcome{shares: g.shares(s, j, f.machine)})
	}
}

// startsToo reports whether an entry starts in this pass that the rules would start and the record does not: of a job
// that waits on, or that starts now in another partition.
func (g *judge) startsToo(j *Job, shares []Share) bool {
	if s := g.of[j.whole()]; s != nil {
		if s.elsewhere == nil {
			s.elsewhere = nodeNumbers(shares)
		}
		return false
	}
	g.isGhostly = true
	if !g.isHolding {
		return false
	}
	number := g.numbers[j.whole()]
	nodes := nodeNumbers(shares)
	if isNew := j.whole().Submit > g.now-g.unsure; !isNew && g.waitsOn(number, g.now) > g.unsure && !g.areMoved(nodes) {
		g.ghosts = append(g.ghosts, ghost{entry: j, number: number, nodes: nodes, shares: slices.Clone(shares)})
	}
	g.willStart(j)
	return true
}

func nodeNumbers(shares []Share) (list []int32) {
	for _, s := range shares {
		list = append(list, s.Node)
	}
	slices.Sort(list)
	return list
}

// compare compares where the rules start a job with where it was. among are the nodes that they chose from.
func (g *judge) compare(s *nearStart, j *Job, shares []Share, among Set, m *Machine) {
	rank, chosen := asItIs, nodeNumbers(shares)
	on, rule := shares, ""
	if s.elsewhere != nil {
		chosen = s.elsewhere
	}
	if s.isKnown && !slices.Equal(chosen, s.nodes) {
		rank = notChosen
		if on = g.placeOn(j, m, among, s.nodes); on == nil {
			rank, rule = notOnNodes, g.barsOn(j, m, s.nodes)
		}
	}
	if s.now = rank; !s.isTried || rank > s.rank {
		s.rank, s.chosen, s.rule, s.reason, s.isLimited = rank, chosen, rule, rule, false
		if s.given = 0; rank == asItIs || len(on) == 1 { // of several nodes that they do not choose others may have a part that nobody knows
			for _, x := range on {
				s.given += x.CPUs
			}
		}
		if s.isTried, s.isNew = true, true; rank == asItIs && s.isKnown {
			s.shares = slices.Clone(shares)
		}
	}
}

// refuse notes why a start is not allowed, and which jobs before it hold it up where it is that.
func (g *judge) refuse(s *nearStart, rule, reason string, inFront []*Job) {
	if !s.isTried || s.rank == notAllowed && rule != waitsBehind {
		s.isNew = s.isNew || !s.isTried
		s.isTried, s.rank, s.chosen, s.rule, s.reason = true, notAllowed, nil, rule, reason
		s.inFront, s.isLimited = inFront, g.isHeld(s)
	}
	s.now = notAllowed
}

// weigh finds out whether there is room for those who wait on once all starts of a pass or a cycle are there.
func (g *judge) weigh() {
	for i := range g.ghosts {
		x := &g.ghosts[i]
		g.settled.free(x.entry.Request, x.shares)
		x.isFree = g.hasRoom(x.entry)
		g.settled.take(x.entry.Request, x.shares)
	}
}

// keepGhosts keeps whom a start has passed: in each of the passes and cycles that agree with it most.
func (g *judge) keepGhosts(s *nearStart) {
	if !s.isConcerned() {
		return
	}
	var list []ghost
	for i, x := range g.ghosts {
		isOther := x.entry.Array == 0 || x.entry.Array != s.job.Array
		if x.isBefore = i < s.before; isOther && !g.isTied(x, s) {
			list = append(list, x)
		}
	}
	if s.isNew {
		s.ghosts, s.isNew = list, false
		return
	}
	s.ghosts = slices.DeleteFunc(s.ghosts, func(x ghost) bool {
		return !slices.ContainsFunc(list, func(y ghost) bool { return x.number == y.number })
	})
}

// isTied reports whether a job goes before a start by next to nothing.
func (g *judge) isTied(x ghost, s *nearStart) bool {
	const close = .002 // of the priority
	if !x.isBefore || x.entry.Reservation != s.reservation() || g.Partitions[x.entry.Partition].Tier != g.Partitions[s.run.Place.Partition].Tier {
		return false
	}
	a, b := float64(x.entry.Priority), float64(s.job.Priority)
	return max(a-b, b-a) <= close*b
}
