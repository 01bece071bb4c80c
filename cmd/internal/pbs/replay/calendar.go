package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
)

// calendar is what is planned in a cycle: when jobs that run are to end, and when and
// where top jobs are to start.
type calendar struct {
	at      *situation
	hours   *hours // nil where all times are alike
	tops    []top
	fixed   int            // how many tops at the begin are reservations, which stay
	changes []change       // of those, by their time
	plans   bool           // whether jobs are ever planned
	onVnode [][]partOf     // of tops, by vnode
	running []vnodeEnds    // of jobs that run, by vnode, where anything is ever planned
	known   []startAmounts // by vnode
	trial   startAmounts   // memory of what is asked for another time
	stamp   uint64         // counts what known depends on: starts, ends, plans, and cycles

	isPlanning bool          // whether the state is that of a time to come
	counts     map[int32]int // how many tops count towards a queue's backfill_depth, or overallDepth
	held       []*candidate  // to be planned, in their order
	before     []top         // those of an earlier cycle
	version    uint64        // counts starts and ends
	window     span

	simulation simulation // memory of the last one

	left  []float64
	there []float64
	order []int
}

// overallDepth stands for the server's backfill_depth among those of queues.
const overallDepth = -1

// partOf is a part of an allocation: of a job that runs, or of a top job.
type partOf struct{ of, part int32 }

// wholeVnode stands for a part on a vnode that a job keeps others from and does not use,
// such as another one of its host.
const wholeVnode = -1

// top is a job that others may not delay.
type top struct {
	job        int32
	place      cluster.Allocation
	checks     []check
	start, end float64
	version    uint64 // the calendar's when it was planned
}

// newCalendar returns an empty calendar. depth is backfill_depth of the server; resumes says that suspended jobs are
// planned.
func newCalendar(at *situation, depth int, hours *hours, resumes, hasReservations bool) *calendar {
	c := &calendar{at: at, hours: hours, counts: map[int32]int{}}
	c.plans = resumes || at.policy.StrictOrdering && (depth > 0 || slices.ContainsFunc(at.depths, func(depth int) bool { return depth > 0 }))
	if c.plans || hasReservations {
		n := len(at.cluster.Vnodes)
		c.running, c.onVnode, c.known = make([]vnodeEnds, n), make([][]partOf, n), make([]startAmounts, n)
	}
	return c
}

// end empties the calendar and keeps it for the next cycle.
func (c *calendar) end() {
	c.at.state.EndCycle()
	c.stamp++
	if len(c.tops) > c.fixed {
		c.clear(c.fixed)
		c.before, c.tops = c.tops, append(c.before[:0], c.tops[:c.fixed]...)
	}
	c.held = c.held[:0]
	clear(c.counts)
}

// clear takes tops from one on off their vnodes.
func (c *calendar) clear(from int) {
	forget := func(v int32) {
		on := c.onVnode[v]
		for len(on) > 0 && int(on[len(on)-1].of) >= from {
			on = on[:len(on)-1]
		}
		c.onVnode[v] = on
	}
	for _, t := range c.tops[from:] {
		for _, p := range t.place.Parts {
			forget(p.Vnode)
		}
		for _, v := range t.place.Own {
			forget(v)
		}
	}
}

// noJob stands for the job of a top that is a reservation.
const noJob = -1

// outdate says that something else has changed than what runs, so that what was planned
// before does not hold.
func (c *calendar) outdate() {
	c.version++
	c.stamp++
}

// fix makes reservations the first tops, between two cycles. Those that begin and end yet do
// so by some changes.
func (c *calendar) fix(reservations []top, changes []change) {
	c.changes = changes
	c.clear(0)
	c.tops, c.before, c.fixed = c.tops[:0], c.before[:0], len(reservations)
	for _, t := range reservations {
		c.put(t)
	}
	c.outdate()
}

// beside returns what reservations leave for a job that starts now, nil where none are
// known.
func (c *calendar) beside(length float64) cluster.Calendar {
	if c.fixed == 0 {
		return nil
	}
	now := math.Floor(c.at.now)
	return &span{c, now, now + length, c.fixed}
}

// occupied adds a job to what runs on its vnodes, or takes it away.
func (c *calendar) occupied(job int32, starts bool) {
	c.version++
	c.stamp++
	if c.running == nil {
		return
	}
	for k, p := range c.at.jobs[job].place.Parts {
		on, part := &c.running[p.Vnode], partOf{job, int32(k)}
		if starts {
			on.parts = append(on.parts, part)
			continue
		}
		at := slices.Index(on.parts, part)
		on.parts = slices.Delete(on.parts, at, at+1)
		if at < on.sorted {
			on.sorted--
		}
	}
}

// vnodeEnds are what runs on a vnode. It is put in order once somebody asks: on most vnodes nothing
// is planned.
type vnodeEnds struct {
	parts  []partOf
	sorted int // how many are in order by when they are to end, before the others
}

// endsOn returns what runs on a vnode, by when it is to end.
func (c *calendar) endsOn(v int32) []partOf {
	on := &c.running[v]
	if c.at.isPlain {
		slices.SortFunc(on.parts, c.compareEnds)
		return on.parts
	}
	for ; on.sorted < len(on.parts); on.sorted++ {
		part := on.parts[on.sorted]
		at, _ := slices.BinarySearchFunc(on.parts[:on.sorted], part, c.compareEnds)
		copy(on.parts[at+1:on.sorted+1], on.parts[at:on.sorted])
		on.parts[at] = part
	}
	return on.parts
}

// compareEnds is the order in which parts of jobs that run are to end.
func (c *calendar) compareEnds(a, b partOf) int {
	return cmp.Or(cmp.Compare(c.at.jobs[a.of].due, c.at.jobs[b.of].due), cmp.Compare(a.of, b.of), cmp.Compare(a.part, b.part))
}

// hold notes a job to be planned. Where and when it is to start is found out once a job
// behind it would fit, or preempts others: nothing changes until then, so that the answer
// is the same. Where the time of day decides as well it is found out at once: hold reports
// whether there is such a time.
func (c *calendar) hold(job *candidate) bool {
	c.held = append(c.held, job)
	before := len(c.tops)
	if c.at.isPlain || c.hours != nil {
		c.planHeld()
	}
	return c.hours == nil || len(c.tops) > before
}

// size returns how much is planned or to be planned.
func (c *calendar) size() int { return len(c.tops) + len(c.held) }

// isEmpty reports whether nothing is planned or to be planned.
func (c *calendar) isEmpty() bool { return c.size() == 0 }

// view returns what is planned while a job runs from one time to another, nil where
// nothing is.
func (c *calendar) view(from, to float64) cluster.Calendar {
	c.planHeld()
	return c.span(from, to)
}

// planHeld finds when and where the jobs are to start that are to be planned.
func (c *calendar) planHeld() {
	if len(c.held) == 0 {
		return
	}
	sim := &c.simulation
	if c.at.isPlain {
		sim = &simulation{}
	}
	sim.begin(c)
	c.isPlanning = true
	for _, job := range c.held {
		sim.plan(job)
	}
	sim.rewind(0)
	c.isPlanning = false
	c.stamp++
	c.at.state.Settle()
	c.held = c.held[:0]
}

func (c *calendar) span(from, to float64) cluster.Calendar {
	if len(c.tops) == 0 {
		return nil
	}
	c.window = span{c, from, to, len(c.tops)}
	return &c.window
}

// span is a time in which a job is to run.
type span struct {
	c        *calendar
	from, to float64
	tops     int // how many count
}

// Left returns what a vnode has for the whole time: at each start of a top job on it,
// what is free now and until then, less what top jobs have then.
func (s *span) Left(v int32) (left []float64, then, ever bool) {
	left = s.c.at.state.Free(v)
	var starting [][]float64
	for k, part := range s.c.onVnode[v] {
		t := &s.c.tops[part.of]
		if int(part.of) >= s.tops {
			break // all that follow neither
		}
		ever = ever || t.job != noJob // vnodes with reservations are not avoided
		if t.start <= s.from || t.start >= s.to {
			continue
		}
		if !then {
			then = true
			starting = s.c.starting(v, s.from)
			left = append(s.c.left[:0], left...)
			s.c.left = left
		}
		if len(t.place.Own) > 0 && slices.Contains(t.place.Own, v) {
			clear(left) // it will have the vnode for itself
			break
		}
		for i, amount := range starting[k] {
			left[i] = min(left[i], amount)
		}
	}
	return left, then, ever
}

// starting returns what a vnode has at the start of each top job on it, in the order of
// onVnode, with the jobs gone that are to end by then after a time, and top jobs where they
// are to be. It is found out once for all that start now. The caller does not change it.
func (c *calendar) starting(v int32, from float64) [][]float64 {
	known := &c.known[v]
	isNow := !c.isPlanning && from == math.Floor(c.at.now)
	if isNow && known.stamp == c.stamp && known.at == from {
		return known.amounts
	}
	tops := c.onVnode[v]
	free := c.at.state.Free(v)
	of := known
	if !isNow {
		of = &c.trial
	}
	if c.at.isPlain {
		of = &startAmounts{}
	}
	amounts := of.amounts[:0]
	width := len(free)
	all := slices.Grow(of.all[:0], len(tops)*width)[:len(tops)*width]
	order := c.order[:0]
	for k := range tops {
		order = append(order, k)
		amounts = append(amounts, all[k*width:(k+1)*width:(k+1)*width])
	}
	c.order = order
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.tops[tops[a].of].start, c.tops[tops[b].of].start) })
	there := append(c.there[:0], free...)
	c.there = there
	running := c.endsOn(v)
	over := 0 // of those that have run too long, which end in a while
	for over < len(running) && c.at.jobs[running[over].of].due <= c.at.now {
		over++
	}
	next, late := over, c.at.late()
	add := func(p partOf) { addPart(there, &c.at.jobs[p.of].place.Parts[p.part], 1) }
	for _, k := range order {
		at := c.tops[tops[k].of].start
		for ; next < len(running) && c.at.jobs[running[next].of].due <= at; next++ {
			if c.at.jobs[running[next].of].due > from {
				add(running[next])
			}
		}
		if late <= at {
			for _, p := range running[:over] {
				if late > from {
					add(p)
				}
			}
			over = 0
		}
		copy(amounts[k], there)
		for _, part := range tops {
			switch t := &c.tops[part.of]; {
			case part.part == wholeVnode:
			case t.start > from && t.start <= at && at < t.end:
				addPart(amounts[k], &t.place.Parts[part.part], -1)
			case t.start <= from && t.end > from && t.end <= at:
				addPart(amounts[k], &t.place.Parts[part.part], 1)
			}
		}
	}
	*of = startAmounts{c.stamp, from, amounts, all}
	return amounts
}

// startAmounts are what a vnode has at the start of each top job on it.
type startAmounts struct {
	stamp   uint64 // the calendar's when it was found out
	at      float64
	amounts [][]float64
	all     []float64 // the memory of amounts
}

func addPart(to []float64, p *cluster.Part, sign float64) {
	for k, need := range p.Chunk.Need {
		to[k] += sign * float64(p.Count) * need
	}
}

// put adds a top job.
func (c *calendar) put(t top) {
	k := int32(len(c.tops))
	c.tops = append(c.tops, t)
	for i, p := range t.place.Parts {
		c.onVnode[p.Vnode] = append(c.onVnode[p.Vnode], partOf{k, int32(i)})
	}
	for _, v := range t.place.Own {
		if !slices.ContainsFunc(t.place.Parts, func(p cluster.Part) bool { return p.Vnode == v }) {
			c.onVnode[v] = append(c.onVnode[v], partOf{k, wholeVnode})
		}
	}
}

// planned returns what was planned for a job at an earlier cycle, if nothing has changed
// since that it depends on: what runs, and the top jobs before it.
func (c *calendar) planned(job *candidate) (top, bool) {
	k := len(c.tops)
	if c.at.isPlain || c.at.overran() || k >= len(c.before) || c.before[k].job != job.job || c.before[k].version != c.version {
		return top{}, false
	}
	for i := c.fixed; i < k; i++ {
		if t := &c.before[i]; t.job != c.tops[i].job || t.version != c.tops[i].version {
			return top{}, false
		}
	}
	return c.before[k], true
}
