package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/cluster"
)

// calendar is what is planned in a cycle: when jobs that run are to end, and when and
// where top jobs are to start.
type calendar struct {
	e       *engine
	tops    []top
	onVnode map[int32][]int32 // tops by vnode
	running [][]int32         // jobs that run by vnode, where anything is ever planned
	planned map[int32]int     // how many tops count towards a queue's backfill_depth, or overallDepth
	waits   bool              // whether a job fits but for the calendar, so that time alone may let it start

	candidates []candidate // memory for the next cycle
	left       []float64
}

// DefaultWindow is opt_backfill_fuzzy where nothing is set: 8 to 23 s reproduce all
// recorded estimates.
const DefaultWindow = 10

// overallDepth stands for the server's backfill_depth among those of queues.
const overallDepth = -1

// top is a job that others may not delay.
type top struct {
	job        int32
	place      cluster.Allocation
	start, end float64
}

func newCalendar(e *engine) *calendar {
	c := &calendar{e: e, onVnode: map[int32][]int32{}, planned: map[int32]int{}}
	if e.policy.StrictOrdering && (e.depth > 0 || slices.ContainsFunc(e.depths, func(depth int) bool { return depth > 0 })) {
		c.running = make([][]int32, len(e.cluster.Vnodes))
	}
	return c
}

// begin empties the calendar.
func (c *calendar) begin() { c.end() }

func (c *calendar) end() {
	if len(c.tops) > 0 {
		c.tops = c.tops[:0]
		clear(c.onVnode)
		clear(c.planned)
	}
}

// occupied adds a job to what runs on its vnodes, or takes it away.
func (c *calendar) occupied(job int32, starts bool) {
	if c.running == nil {
		return
	}
	for _, p := range c.e.jobs[job].place.Parts {
		on := c.running[p.Vnode]
		at := slices.Index(on, job)
		switch {
		case starts && at < 0:
			c.running[p.Vnode] = append(on, job)
		case !starts && at >= 0:
			on[at] = on[len(on)-1]
			c.running[p.Vnode] = on[:len(on)-1]
		}
	}
}

// view returns what is planned while a job runs from one time to another, nil where
// nothing is.
func (c *calendar) view(from, to float64) cluster.Planned {
	if len(c.tops) == 0 {
		return nil
	}
	return &span{c, from, to}
}

// span is a time in which a job is to run.
type span struct {
	c        *calendar
	from, to float64
}

// Left returns what a vnode has for the whole time: at each start of a top job on it,
// what is free now and until then, less what top jobs have then.
func (s *span) Left(v int32) (amounts []float64, then, ever bool) {
	free := s.c.e.state.Free(v)
	tops := s.c.onVnode[v]
	if len(tops) == 0 {
		return free, false, false
	}
	left := append(s.c.left[:0], free...)
	s.c.left = left
	for _, at := range tops {
		t := &s.c.tops[at].start
		if *t <= s.from || *t >= s.to {
			continue
		}
		then = true
		if slices.Contains(s.c.tops[at].place.Own, v) {
			for i := range left {
				left[i] = 0 // it will have the vnode for itself
			}
			break
		}
		there := s.c.availableAt(v, s.from, *t)
		for i := range left {
			left[i] = min(left[i], there[i])
		}
	}
	return left, then, true
}

// availableAt returns what a vnode has at a time after now, with the jobs gone that are
// to end by then and top jobs where they are to be.
func (c *calendar) availableAt(v int32, from, at float64) []float64 {
	there := slices.Clone(c.e.state.Free(v))
	for _, job := range c.running[v] {
		if due := c.e.dueAt(job); due > from && due <= at {
			addParts(there, c.e.jobs[job].place, v, 1)
		}
	}
	for _, k := range c.onVnode[v] {
		switch t := &c.tops[k]; {
		case t.start > from && t.start <= at && at < t.end:
			addParts(there, t.place, v, -1)
		case t.start <= from && t.end > from && t.end <= at:
			addParts(there, t.place, v, 1)
		}
	}
	return there
}

func addParts(to []float64, a cluster.Allocation, v int32, sign float64) {
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Vnode == v {
			for k, need := range p.Need {
				to[k] += sign * float64(p.Count) * need
			}
		}
	}
}

// overrun is how long a job that runs longer than its walltime is taken to run on, in
// seconds.
const overrun = 120

// dueAt returns when a job that runs is to end.
func (e *engine) dueAt(job int32) float64 {
	if due := e.jobs[job].due; due > e.now {
		return due
	}
	return e.now + overrun
}

// plan puts a job on the calendar, at the first time at which it fits, as PBS's
// calc_run_time: the jobs that run are let end one by one. It reports whether there
// is such a time.
func (c *calendar) plan(job *candidate) bool {
	e := c.e
	request := job.group.class.request
	var gone []int32
	var begun, over []int32
	defer func() {
		for _, k := range slices.Backward(over) {
			e.state.Occupy(c.tops[k].place)
		}
		for _, k := range slices.Backward(begun) {
			e.state.Release(c.tops[k].place)
		}
		for _, j := range slices.Backward(gone) {
			e.state.Occupy(e.jobs[j].place)
			e.count(j, 1)
		}
	}()
	ends := e.ends()
	type change struct {
		at    float64
		top   int32
		isEnd bool
	}
	var changes []change
	for k, t := range c.tops {
		changes = append(changes, change{t.start, int32(k), false}, change{t.end, int32(k), true})
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	for len(ends) > 0 || len(changes) > 0 {
		first := math.Inf(1)
		if len(ends) > 0 {
			first = e.dueAt(ends[0])
		}
		if len(changes) > 0 {
			first = min(first, changes[0].at)
		}
		at := first
		for len(ends) > 0 && e.dueAt(ends[0]) <= first+e.Window {
			at = max(at, e.dueAt(ends[0]))
			e.state.Release(e.jobs[ends[0]].place)
			e.count(ends[0], -1)
			gone = append(gone, ends[0])
			ends = ends[1:]
		}
		for len(changes) > 0 && changes[0].at <= first+e.Window {
			ch := changes[0]
			at = max(at, ch.at)
			if ch.isEnd {
				e.state.Release(c.tops[ch.top].place)
				over = append(over, ch.top)
			} else {
				e.state.Occupy(c.tops[ch.top].place)
				begun = append(begun, ch.top)
			}
			changes = changes[1:]
		}
		if limited, _ := job.group.class.isLimited(); limited {
			continue
		}
		place, ok := e.state.Place(request, c.view(at, at+e.length(job.job)))
		if !ok {
			continue
		}
		k := int32(len(c.tops))
		c.tops = append(c.tops, top{job.job, place, at, at + e.length(job.job)})
		for _, p := range place.Parts {
			if on := c.onVnode[p.Vnode]; len(on) == 0 || on[len(on)-1] != k {
				c.onVnode[p.Vnode] = append(on, k)
			}
		}
		return true
	}
	return false
}

// ends returns the jobs that run, by when they are to end.
func (e *engine) ends() []int32 {
	over := 0
	for over < len(e.running) && e.jobs[e.running[over]].due <= e.now {
		over++
	}
	if over == 0 {
		return e.running
	}
	// Those that have run too long end in a while.
	ends := slices.Clone(e.running[over:])
	at, _ := slices.BinarySearchFunc(ends, e.now+overrun, func(job int32, at float64) int {
		if e.jobs[job].due < at {
			return -1
		}
		return 1
	})
	return slices.Insert(ends, at, e.running[:over]...)
}
