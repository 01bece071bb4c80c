package sched

import (
	"cmp"
	"math"
	"slices"
)

// Backfilling is how backfill is configured, bf_* of SchedulerParameters; times are in seconds.
type Backfilling struct {
	Interval    int64 // bf_interval
	Resolution  int64 // bf_resolution
	Window      int64 // bf_window
	MaxPerUser  int   // bf_max_job_user, 0 for no limit
	MaxTest     int   // bf_max_job_test: jobs for which nodes are looked for, 0 for no limit
	MaxSpans    int   // bf_node_space_size: a cycle ends at a plan that finds so many spans, 0 for MaxTest
	MaxPerArray int   // bf_max_job_array_resv: tasks of an array that get plans, at least one
	MaxStart    int   // bf_max_job_start: after so many starts a cycle ends, 0 for no limit

	MaxPerAssociation   int // bf_max_job_assoc, 0 for no limit, as those that follow
	MaxPerPartition     int // bf_max_job_part
	MaxPerUserPartition int // bf_max_job_user_part

	IsBySpan bool // whether the rules are those of 24.11 on: plans end at a multiple of Resolution after the time limits of their jobs, not before, and starts are looked for in one span after the other

	HasMagneticPlans bool // bf_allow_magnetic_slot: a job gets a plan in a reservation that attracts it as well, else it starts there at once or not at all

	HasOnePlan bool // bf_one_resv_per_job: a job of several partitions gets a plan in one of them alone
}

// planEnd returns when a plan of a job ends whose time limit is over at a time.
func (b *Backfilling) planEnd(at int64) int64 {
	if b.IsBySpan {
		at += b.Resolution - 1
	}
	return at / b.Resolution * b.Resolution
}

// Plan is when and where a job is to start.
type Plan struct {
	Job        *Job
	Start, End int64
	Nodes      Set
}

// clone returns a plan that stays as it is when other cycles are made.
func (p *Plan) clone() *Plan {
	of := *p
	of.Nodes = p.Nodes.clone()
	return &of
}

// cycle is a backfill cycle: it goes through the queue, starts jobs that delay no plan of an
// earlier one, and plans the others.
type cycle struct {
	Backfilling
	outlook
	ledger       *Ledger
	begun        int64
	until        int64 // until when another cycle comes to the same, by all times that this one has compared with its own so far
	slots        slots
	up           Set // the nodes that jobs may run on
	cleaning     Set // the nodes on which jobs are over that still clean up
	nodes        Set // those that a job may run on
	among        Set // those of them that are not planned
	tested       Set // the nodes that a job was tested on last
	count        count
	reservations []Reservation
	hopeless     map[jobKey]outcome // what got neither a start nor a plan since the last one that did
	changes      int                // how often a job has got a start or a plan
	isJudged     bool               // whether a record says who starts, whatever limits allow
	tests        int                // for how many jobs nodes were looked for
	spans        int                // as Slurm counts them: none that was joined to another one is taken away
	isSplit      bool               // whether a plan begins with the first span
	rejected     tasks              // those of an array of which one did not start
	array        int32              // the last one of which a task got a plan
	plans        int                // of tasks of it
	spared       int                // how many jobs were like one of those
	isMoved      bool               // whether a job would start earlier but for the plans of others
	planned      map[*Job]bool      // jobs of several entries that have a plan, where one is all that they get
	remainder    remainder
	claims       claims
	prospect     prospect // of the job that is tested
	leapt        int      // how many searches left moments out at which no node is free that the job can use by then
	workspace    *workspace
	recollection *recollection // nil where plans of the cycle before say nothing
	recalled     int           // how many plans were those of the cycle before, without a search
}

// jobKey is all of a job on which a cycle depends besides its array.
type jobKey struct {
	request     *Request
	bounds      *bounds
	limit       int64
	reservation int32
	place       Place // where jobs are taken off their nodes for others: it says for whom
	isNow       bool  // whether it gets no plan
	onFew       bool  // see Setup.isOnFew
}

// change forgets what was hopeless, since a job has got a start or a plan.
func (c *cycle) change() {
	clear(c.hopeless)
	c.changes++
	c.remainder.isKnown = false
}

// outcome is what became of a job in a cycle.
type outcome struct {
	shares   []Share // where it starts at once, nil if it does not
	plan     *Plan   // nil if it got none
	placed   []Share // of the plan of a job that starts later, valid until the next search
	claim    Set     // the nodes from which others are to go for it, nil for none
	isTested bool    // whether nodes were looked for
	isDated  bool    // whether it would start at some time, though it got no plan
}

// newCycle begins a cycle. The running jobs are in the order of their ends.
func newCycle(b Backfilling, o outlook, l *Ledger, up Set, now int64, cleaning Set) *cycle {
	w := o.workspace
	if w == nil {
		w = &workspace{}
	}
	n := len(o.machine.Nodes)
	w.clear(n)
	c := &w.cycle
	*c = cycle{
		Backfilling: b, outlook: o, ledger: l, begun: now, until: math.MaxInt64, hopeless: w.hopeless, spans: 1, workspace: w,
		slots: w.newSlots(now, now+b.Window, up), up: up, cleaning: cleaning, nodes: w.nodes, among: w.among, tested: w.tested, count: newCount(c.count, &b, len(l.accounts), len(o.machine.Partitions)),
	}
	return c
}

func (c *cycle) meets(shares []Share, nodes Set) bool {
	return slices.ContainsFunc(shares, func(s Share) bool { return nodes.Has(int(s.Node)) })
}

// goOn goes on with what runs and what cleans up now that another job has started.
func (c *cycle) goOn(running []runningJob, cleaning Set) {
	c.running, c.cleaning = running, cleaning
	c.timelines.reset()
	c.claims.reset()
	c.remainder.able = nil
	c.change()
}

// try considers a job.
func (c *cycle) try(j *Job, now int64) outcome {
	var o outcome
	if c.isFull(j) || !c.ledger.setup.isQueued(j) || !c.ledger.admits(j) {
		return o
	}
	c.count.add(c.ledger, j, 1)
	if c.ledger.lacks(j) {
		return o
	}
	isNow := j.isDrawn() && !c.HasMagneticPlans || !c.ledger.reserves(j, now) || c.ledger.qos[j.QOS].NoReserve || c.planned != nil && c.planned[j.whole()]
	key := jobKey{j.Request, j.bounds, j.Limit, j.Reservation, c.claims.of(j), isNow, c.ledger.setup.isOnFew(j, now)} // admits has found the bounds
	var isKnown bool
	if o, isKnown = c.isHopeless(j, &key); isKnown && !c.isPlain {
		c.spared++ // nothing has changed since another one like it was considered
	} else if o = c.recall(j, now, isNow); o.shares == nil && o.plan == nil && o.claim == nil {
		c.hopeless[key] = o
		c.keepHopeless(j, &key, o)
	}
	if o.isTested {
		c.tests++
	}
	if o.isDated || o.plan != nil {
		c.date(j)
	}
	return o
}

// find finds when and where a job that limits admit may start; isNow is whether it starts now or not at all.
func (c *cycle) find(j *Job, now int64, isNow bool) (o outcome) {
	copy(c.nodes, c.machine.Partitions[j.Partition].Nodes)
	c.nodes.intersect(c.up)
	soonest, isOver := c.enter(j.Reservation, now)
	if isOver {
		return o
	}
	var start int64 // what first said of tested
	var shares []Share
	isTested, isLate, isClaim := false, false, false
	c.place.onFew = c.ledger.setup.isOnFew(j, now)
	for later := soonest; ; {
		from := overMaintenance(c.reservations, c.nodes, later, j.Limit, j.Reservation)
		if isNow && from > now {
			return o
		}
		if from >= c.begun+c.Window {
			c.before(from - c.Window + 1) // behind the window nothing is planned
		}
		later = c.slots.narrow(c.among, c.nodes, from, max(from, now)+j.Limit, c.IsBySpan)
		if from == now {
			c.asksAtOnce(j, later)
		}
		exclude(c.reservations, c.among, from, from+j.Limit, j.Reservation)
		end := freeAfter(c.reservations, c.nodes, from, max(from, now)+j.Limit, c.Resolution, j.Reservation)
		if isSooner := later == 0 || end < later; isSooner && end > 0 && end < c.begun+c.Window {
			later = end
		} else if end >= c.begun+c.Window {
			c.before(end - c.Window + 1)
		}
		if c.among.count() < int(j.Request.MinNodes) {
			if later = c.leap(j, later, isTested); later == 0 {
				return o
			}
			continue
		}
		c.suited(j.Request, c.among)
		if !isTested || c.isOther() || isLate && (start <= later || later == 0) {
			isTested, o.isTested = true, true
			start, shares, isClaim = c.firstOf(j, now, from, later)
			isLate = shares == nil && start > 0
		}
		if shares == nil {
			if later = c.leap(j, later, isTested); later == 0 {
				return o
			}
			continue
		}
		if start > now {
			c.before(start)
		}
		if c.isPutOff(start, from, now) {
			c.isMoved = true
		}
		start := max(start, from)
		if start <= now && c.meets(shares, c.cleaning) {
			start, later = now+1, 0
		}
		if start <= now {
			if c.ledger.exceedsAtStart(j, shares).kind != noLimit {
				return o
			}
			isRefused := c.isRefused(j)
			if isClaim && !isRefused {
				o.claim = c.among.clone()
			}
			if o.shares = shares; isClaim || isRefused { // of which slurmctld learns when it starts the job, and plans it all the same
				c.before(now + 1)
				o.shares, o.plan = nil, &Plan{j, start, c.planEnd(start + j.Limit), nodesOf(shares, len(c.machine.Nodes))}
			}
			if isClaim && isNow {
				o.plan = nil
			}
			return o
		}
		if isNow {
			return o
		}
		if later != 0 && start > later {
			if later = c.leap(j, later, isTested); later == 0 {
				return o
			}
			continue
		}
		if start > c.begun+c.Window {
			c.before(start - c.Window)
		}
		if o.isDated = true; start > c.begun+c.Window || !c.ledger.affordsOn(j, shares) || !c.isOpen(j, start) {
			return o // a job over a limit waits for others of its user, and nobody knows until when
		}
		nodes := c.workspace.nodesOf(shares)
		gridStart, gridEnd := start/c.Resolution*c.Resolution, c.planEnd(start+j.Limit)
		c.plansAt(gridStart)
		c.plansAt(gridEnd)
		if c.slots.overlap(nodes, gridStart, gridEnd) { // what reservations keep then is not asked
			if o.isDated = false; start <= from {
				return o
			}
			later = start
			continue
		}
		o.placed = shares
		o.plan = c.workspace.plan(Plan{j, start, gridEnd, nodes})
		return o
	}
}

// isOther reports whether a job is to be tested on other nodes than last, or in another span.
func (c *cycle) isOther() bool {
	return c.isPlain || c.IsBySpan || !slices.Equal(c.among, c.tested)
}

// firstOf returns when a job could start on the nodes that it may run on now, from a time on until it is tested next; as first has
// it where that is later. isClaim is whether others are to go for it.
func (c *cycle) firstOf(j *Job, now, from, later int64) (start int64, shares []Share, isClaim bool) {
	copy(c.tested, c.among)
	within, latest := span{}, later
	if c.IsBySpan {
		within, latest = span{from, later}, 0
	}
	of := &c.outlook
	if cleared := c.claims.outlook(c, j); cleared != nil {
		if from <= now {
			if shares = c.gang.place(c.place, c.machine, j.Request, c.among, j.Partition); shares != nil {
				return now, shares, false
			}
		}
		of, isClaim = cleared, true
	}
	of.partition = j.Partition
	start, shares = of.first(j.Request, c.among, now, within, latest)
	return start, shares, isClaim
}

// isPutOff reports whether a job could start before a time, but for the plans of others: where it is tested at that time, it
// could as soon as the span before it has.
func (c *cycle) isPutOff(start, from, now int64) bool {
	return start < from || c.IsBySpan && start == from && from > now
}

// isRefused reports whether a job does not start though it fits.
func (c *cycle) isRefused(j *Job) bool { return !c.ledger.setup.isOpenTo(j) || j.Request.Counted }

// enter leaves the nodes of a reservation, unless it lets its jobs run outside of it or is none, and returns
// when one may start. isOver is for one that is not there any more.
func (c *cycle) enter(own int32, now int64) (soonest int64, isOver bool) {
	if own == 0 {
		return now, false
	}
	k := reservationByID(c.reservations, own)
	if k == nil || k.IsFlex {
		return now, k == nil
	}
	c.nodes.intersect(k.Nodes)
	return max(now, k.Start), false
}

// isOpen reports whether the reservation that a job asks for is not over at a time.
func (c *cycle) isOpen(j *Job, at int64) bool {
	k := reservationByID(c.reservations, j.Reservation)
	return j.Reservation == 0 || k.IsFlex || at < k.End
}

// date notes that a job has a time at which it would start, so that it gets no plan under another entry.
func (c *cycle) date(j *Job) {
	if c.HasOnePlan && j.isSeveral() {
		if c.planned == nil {
			c.planned = map[*Job]bool{}
		}
		c.planned[j.whole()] = true
	}
}

// isCut reports whether a plan finds so many spans that the cycle ends.
func (c *cycle) isCut() bool {
	most := cmp.Or(c.MaxSpans, c.MaxTest)
	return most > 0 && c.spans >= most
}

// reserve keeps the nodes of a plan from the jobs that follow.
func (c *cycle) reserve(p *Plan) {
	start := p.Start / c.Resolution * c.Resolution
	c.countSpans(start, p.End)
	c.slots.reserve(p.Nodes, start, p.End)
	isKnown := c.remainder.isKnown && !c.takesRoom(p)
	c.change()
	c.remainder.isKnown = isKnown
}

// countSpans counts the spans that a plan adds, as Slurm's backfill.c, _add_reservation.
func (c *cycle) countSpans(start, end int64) {
	bounds := c.slots.bounds
	first, last := bounds[0], bounds[len(bounds)-1]
	endsAt := func(at int64) bool {
		_, isEnd := slices.BinarySearch(bounds[1:], at)
		return isEnd
	}
	switch {
	case start <= first && !c.isSplit:
		c.isSplit = true
		c.spans++
	case start > first && start < last && !endsAt(start):
		c.spans++
	}
	if end < last && !endsAt(end) {
		c.spans++
	}
}
