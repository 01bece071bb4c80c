package sched

import (
	"math"
	"slices"
)

// Most jobs that get a plan in a cycle got the same one in the cycle before. No search is needed where that is known: all plans before it
// are the same, and what has started or ended since then changes neither when the job could use a node that is free of plans for it, nor
// which ends of running jobs a search takes together.

// recollection is what a cycle knows of the plans of the cycle before.
type recollection struct {
	was, is     []recalled // the plans of the last cycle and of this one, in the order in which they were made
	wasOf, isOf []Share    // of one plan after the other
	at          int        // the plan of the last cycle that comes next, as long as all before it were made again
	isInStep    bool       // whether they were
	isKept      bool       // whether the last cycle has been kept
	running     []runningJob
	up          Set
	begun       int64
	changes     []alteration // since the last cycle began
	before      int          // how many of them were there when this one began
	kept        int          // and when the last one was over
	nodes       []changedNode
	scratch     Machine
}

// recalled is a plan, and on what it depends.
type recalled struct {
	sight
	plan             *Plan
	request          *Request
	until            int64 // until when the cycle finds the same, by all times that it has compared with its own for the job
	isTold           bool  // whether sight says on what it depends
	isMoved, isDated bool
	changes, shares  int // how many there were
}

// sight says on the ends of which running jobs depends what outlook.first has said. Of jobs that have one of the nodes that were asked for, it
// depends on those up to reach, and where it came to the end of those jobs on all that follow. Of others, it depends on those within the gaps.
type sight struct {
	reach   int64
	isToEnd bool
	windows int // that it was found out for
	gaps    [2][2]int64
}

// noGaps are gaps in which nothing ends.
var noGaps = [2][2]int64{{1, 0}, {1, 0}}

// alteration is a running job that has started, or is over.
type alteration struct {
	runningJob
	isStart bool
}

// changedNode is a node of such a job.
type changedNode struct {
	node  int
	opens []int64 // by Job.kind, when a job could use some of it if none of those that have started ran there; 0 where nobody knows
}

// note takes a window into it.
func (s *sight) note(reach int64, isToEnd bool, gaps [2][2]int64) {
	if s.windows++; s.windows > 1 {
		gaps = [2][2]int64{{math.MinInt64, max(reach, s.reach)}}
	}
	s.reach, s.isToEnd, s.gaps = max(s.reach, reach), s.isToEnd || isToEnd, gaps
}

// noteAll says that it depends on all ends up to a time.
func (s *sight) noteAll(reach int64) {
	s.windows++
	s.note(reach, true, [2][2]int64{})
}

// add says that it depends on what another one does.
func (s *sight) add(of *sight) {
	if of.windows > 0 {
		s.noteAll(of.reach)
	}
}

// beginCycle begins a cycle. It returns nil where cycles depend on more than who waits, who runs where, and the time.
func (m *recollection) beginCycle(e *engine) *recollection {
	if !e.mayRepeat() || len(e.patience) > 0 {
		m.isKept, m.kept = false, 0
		return nil
	}
	m.at, m.nodes, m.is, m.isOf, m.changes = 0, m.nodes[:0], m.is[:0], m.isOf[:0], m.changes[:m.kept]
	if m.isInStep = m.isKept && slices.Equal(m.up, e.up); m.isInStep {
		m.compare(e.running)
	}
	m.before = len(m.changes)
	return m
}

// compare finds out which jobs have started since the last cycle, and which are over.
func (m *recollection) compare(running []runningJob) {
	const most = 32
	was := m.running
	for len(was)+len(running) > 0 {
		order := 0
		switch {
		case len(was) == 0:
			order = 1
		case len(running) == 0:
			order = -1
		case was[0].job != running[0].job || was[0].end != running[0].end:
			if order = was[0].compare(running[0]); order == 0 {
				m.isInStep = false
				return
			}
		}
		switch {
		case order < 0:
			m.alter(was[0], false)
			was = was[1:]
		case order > 0:
			m.alter(running[0], true)
			running = running[1:]
		default:
			was, running = was[1:], running[1:]
		}
		if len(m.changes) > most {
			m.isInStep = false
			return
		}
	}
	for i := range m.changes[:m.kept] {
		m.noteNodes(&m.changes[i])
	}
}

// alter notes that a job has started or is over.
func (m *recollection) alter(b runningJob, isStart bool) {
	m.changes = append(m.changes, alteration{b, isStart})
	m.noteNodes(&m.changes[len(m.changes)-1])
}

// noteNodes notes the nodes of a change.
func (m *recollection) noteNodes(a *alteration) {
	const most = 32
	if len(a.job.Shares) == 0 { // it waits again
		m.isInStep = false
	}
	a.nodes.all(func(n int) bool {
		if !slices.ContainsFunc(m.nodes, func(x changedNode) bool { return x.node == n }) {
			m.nodes = slices.Grow(m.nodes, 1)[:len(m.nodes)+1]
			x := &m.nodes[len(m.nodes)-1] // its memory is used again
			x.node = n
			clear(x.opens)
		}
		return true
	})
	if len(m.nodes) > most {
		m.isInStep = false
	}
}

// starts notes that a job has started in the cycle.
func (m *recollection) starts(j *Job, nodes int) {
	if m == nil {
		return
	}
	m.alter(newRunningJob(j, nodes), true)
	for i := range m.nodes {
		clear(m.nodes[i].opens)
	}
}

// endCycle keeps what the next cycle asks for.
func (m *recollection) endCycle(e *engine) {
	if m == nil {
		return
	}
	e.workspace.keepPlans()
	m.was, m.is = m.is, m.was[:0]
	m.wasOf, m.isOf = m.isOf, m.wasOf[:0]
	m.changes = append(m.changes[:0], m.changes[m.before:]...)
	for i := range m.was {
		m.was[i].changes -= m.before
	}
	m.kept = len(m.changes)
	m.running, m.up = append(m.running[:0], e.running...), append(m.up[:0], e.up...)
	m.isKept, m.begun = true, e.now
}

// recall is find, which is left out where the job is known to get the plan that it got in the last cycle. All plans are kept, for those
// that follow depend on them, also those of which sight does not say on what they depend.
func (c *cycle) recall(j *Job, now int64, isNow bool) outcome {
	m := c.recollection
	if m == nil {
		return c.find(j, now, isNow)
	}
	isTold := !isNow && !j.Request.Alike && j.Request.MinNodes > 0
	if isTold && m.isInStep && m.at < len(m.was) && m.was[m.at].plan.Job == j {
		x := &m.was[m.at]
		if x.isTold && c.isAsBefore(x, now) {
			end := len(m.wasOf)
			if m.at+1 < len(m.was) {
				end = m.was[m.at+1].shares
			}
			shares := m.wasOf[x.shares:end]
			if c.ledger.affordsOn(j, shares) {
				m.at++
				c.until, c.isMoved = min(c.until, x.until), c.isMoved || x.isMoved
				c.recalled++
				again := *x
				again.plan = c.workspace.plan(*x.plan)
				m.keep(again, shares)
				return outcome{plan: again.plan, isTested: true, isDated: x.isDated}
			}
		}
	}
	until, isMoved := c.until, c.isMoved
	c.until, c.isMoved, c.outlook.sight = math.MaxInt64, false, sight{}
	o := c.find(j, now, isNow)
	if o.plan != nil {
		if m.isInStep {
			m.isInStep = m.at < len(m.was) && m.was[m.at].plan.isLike(o.plan) && c.isCutAlike(o.plan)
			m.at++
		}
		m.keep(recalled{sight: c.outlook.sight, plan: o.plan, request: j.Request, until: c.until, isTold: isTold, isMoved: c.isMoved, isDated: o.isDated}, o.placed)
	}
	c.until, c.isMoved = min(c.until, until), c.isMoved || isMoved
	return o
}

// keep keeps a plan of this cycle.
func (m *recollection) keep(x recalled, shares []Share) {
	x.changes, x.shares = len(m.changes), len(m.isOf)
	m.is, m.isOf = append(m.is, x), append(m.isOf, shares...)
}

// isLike reports whether a plan is the same as another one.
func (p *Plan) isLike(of *Plan) bool {
	return p.Job == of.Job && p.Start == of.Start && p.End == of.End && slices.Equal(p.Nodes, of.Nodes)
}

// isCutAlike reports whether a plan divides the time from a cycle on as it would have divided that from the last cycle on.
func (c *cycle) isCutAlike(p *Plan) bool {
	is := func(at int64) bool {
		was := c.recollection.begun
		return at > was == (at > c.begun) && at >= was+c.Window == (at >= c.begun+c.Window)
	}
	return is(p.Start/c.Resolution*c.Resolution) && is(p.End)
}

// isAsBefore reports whether a job is known to get the plan that it got in the last cycle, as those before it did.
func (c *cycle) isAsBefore(x *recalled, now int64) bool {
	m, j := c.recollection, x.plan.Job
	if x.until < now || x.request != j.Request {
		return false
	}
	for i := x.changes; i < len(m.changes); i++ {
		if a := &m.changes[i]; !c.isIndifferent(x, j, a) {
			return false
		}
	}
	return true
}

// isIndifferent reports whether a job gets the same plan whether or not another one has started, or is over.
func (c *cycle) isIndifferent(x *recalled, j *Job, a *alteration) bool {
	partition := c.machine.Partitions[j.Partition].Nodes
	isInside, isSame := false, true
	a.nodes.all(func(n int) bool {
		if !partition.Has(n) || c.slots.isTaken(n, j.Limit, x.plan.Start) {
			return true
		}
		isInside = true
		isSame = c.opensAt(n, j) > x.plan.Start
		return isSame
	})
	if !isSame {
		return false
	}
	if isInside {
		return a.end > x.reach && !(a.isStart && x.isToEnd)
	}
	for _, gap := range x.gaps {
		if gap[0] <= a.end && a.end <= gap[1] {
			return false
		}
	}
	return true
}

// opensAt returns when a job could use some of a changed node at the earliest, as it is and as it was.
func (c *cycle) opensAt(node int, j *Job) int64 {
	m := c.recollection
	x := &m.nodes[slices.IndexFunc(m.nodes, func(x changedNode) bool { return x.node == node })]
	for int(j.kind) >= len(x.opens) {
		x.opens = append(x.opens, 0)
	}
	if x.opens[j.kind] == 0 {
		x.opens[j.kind] = c.findOpening(node, j.Request)
	}
	return x.opens[j.kind]
}

// findOpening finds when a request could use some of a node if none of the jobs that have started ran there: then at least as much of it is
// free as is, and as was before the changes.
func (c *cycle) findOpening(node int, r *Request) int64 {
	m := c.recollection
	s := &m.scratch
	if s.Cluster != c.machine.Cluster {
		s.copyFrom(c.machine)
	}
	s.cpus[node], s.memory[node] = c.machine.cpus[node], c.machine.memory[node]
	copy(s.gresOf(node), c.machine.gresOf(node))
	for i := range m.changes {
		if a := &m.changes[i]; a.isStart && a.nodes.Has(node) {
			s.release(a.job)
		}
	}
	if s.usable(r, node) > 0 {
		return 1
	}
	for i := range c.running {
		if b := &c.running[i]; b.nodes.Has(node) {
			if s.release(b.job); s.usable(r, node) > 0 {
				return b.end
			}
		}
	}
	return math.MaxInt64
}
