package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/cycle"
)

// candidate is a job that a cycle looks at, or the subjobs of an array, which it looks at
// one after the other until one does not start.
type candidate struct {
	group *group
	member
	value float32
	rest  []member // the subjobs that come after it
}

// candidates returns the jobs that can matter to this cycle, with their values, and the
// classes of which some fit. Of each class these are the first jobs, as many as can
// start or be held back: those behind them make no difference.
func (e *engine) candidates() (all []candidate, fitting []*class, err error) {
	all = e.calendar.candidates[:0]
	for _, c := range e.backlog.active {
		if c.waiting == 0 {
			continue
		}
		fits := e.fitsNow(c)
		if fits {
			fitting = append(fitting, c)
		}
		var done []int32
		for _, g := range c.groups {
			budget := e.backlog.budget(g.queue)
			if slices.Contains(done, budget) {
				continue
			}
			done = append(done, budget)
			of := e.firstOf
			if e.hasLengths(c, fits) {
				of = e.shortestOf
			}
			if most := e.mostMatter(c, budget, fits); most > 0 {
				if all, err = of(all, c, budget, most); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	e.calendar.candidates = all
	return all, fitting, nil
}

// firstOf appends the jobs of a class that may be among the first of those which count
// towards one backfill_depth.
func (e *engine) firstOf(all []candidate, c *class, budget int32, most int) ([]candidate, error) {
	begin := len(all)
	for _, g := range c.groups {
		if e.backlog.budget(g.queue) != budget || e.isLeftOut(g) {
			continue
		}
		n := len(g.members)
		if e.values.isOrdered() {
			n = min(n, most)
		}
		for i := 0; i < n; i++ {
			next := candidate{group: g, member: g.members[i]}
			for from := i; i+1 < n && e.isWith(g.members[from].job, g.members[i+1].job); i++ {
				next.rest = append(next.rest, g.members[i+1])
			}
			all = append(all, next)
		}
	}
	if err := e.values.evaluate(all[begin:]); err != nil {
		return nil, err
	}
	return all[:begin+len(e.first(all[begin:], most))], nil
}

// hasLengths reports whether it depends on its length as well whether a job of a class matters:
// a longer one may be held back, and a shorter one not.
func (e *engine) hasLengths(c *class, fits bool) bool {
	looksAtAll := e.Plain || e.policy.RoundRobin || e.preempts || c.hasArrays || e.hours.isBounded(c) || !e.values.isOrdered()
	return fits && !looksAtAll && e.mayPass(c)
}

// shortestOf appends the jobs of a class, of those that count towards one backfill_depth, that can
// matter where a shorter one may start and a longer one not. Of each group these are the jobs that
// have fewer than most before them which are not longer: of so many either as many start as can, or
// as many are held back as may be, and the job itself can neither start nor be held back.
func (e *engine) shortestOf(all []candidate, c *class, budget int32, most int) ([]candidate, error) {
	begin := len(all)
	for _, g := range c.groups {
		if e.backlog.budget(g.queue) != budget || e.isLeftOut(g) {
			continue
		}
		shortest := e.lengths[:0] // the lengths of the most shortest jobs so far
		for _, m := range g.members {
			length := e.length(m.job)
			if len(shortest) == most {
				if shortest[most-1] <= length {
					continue
				}
				shortest = shortest[:most-1]
			}
			at, _ := slices.BinarySearch(shortest, length)
			shortest = slices.Insert(shortest, at, length)
			all = append(all, candidate{group: g, member: m})
		}
		e.lengths = shortest
	}
	return all, e.values.evaluate(all[begin:])
}

// isWith reports whether two jobs are subjobs of one array.
func (e *engine) isWith(a, b int32) bool {
	array := e.work.Jobs[a].Array
	return array != 0 && array == e.work.Jobs[b].Array
}

// mostMatter returns how many jobs of a class, of those that count towards one
// backfill_depth, can matter to a cycle at most.
func (e *engine) mostMatter(c *class, budget int32, fits bool) int {
	most := e.accruals.most(c)
	if fits {
		most = max(most, e.mostStarts(c))
	}
	switch {
	case e.Plain || e.policy.RoundRobin || e.preempts || c.hasArrays:
		return c.waiting // what does not start takes its queue's turn, and what is preempted may leave room
	case c.booked != nil:
		return most
	case e.hours.isBounded(c) && (fits || e.policy.StrictOrdering):
		return c.waiting // one may be too long, and a shorter one not
	case e.hasLengths(c, fits):
		return max(e.accruals.most(c), e.mostStarts(c)+max(1, e.depthOf(budget)))
	case e.mayPass(c) && fits:
		return c.waiting // one may be held back, and a shorter one not
	case e.calendar.plans:
		return max(most, 1, e.depthOf(budget))
	case e.policy.StrictOrdering:
		return most + 1
	}
	return most
}

// depthOf returns a backfill_depth.
func (e *engine) depthOf(budget int32) int {
	if budget == overallDepth {
		return e.depth
	}
	return e.depths[budget]
}

// first returns the candidates of a class that may be among the first, in any order: by
// value, and by when they came where nothing else decides between equal ones.
func (e *engine) first(all []candidate, most int) []candidate {
	p := e.policy
	if len(all) <= most || p.ByQueue || p.Preemptive && e.site.Sched.PreemptsFairshare() {
		return all
	}
	byRank := !p.FairShare && len(p.SortKeys) == 0
	compare := func(a, b *candidate) int {
		d := cmp.Or(cycle.CompareMarks(e.jobs[a.job].preempted, e.jobs[b.job].preempted), cycle.CompareValues(a.value, b.value))
		if d == 0 && byRank {
			d = cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.job, b.job))
		}
		return d
	}
	// The most first ones so far, the last of them at the end.
	heads := e.heads[:0]
	for i := range all {
		c := &all[i]
		if len(heads) == most && compare(c, heads[most-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(heads, c, compare)
		if len(heads) == most {
			heads = heads[:most-1]
		}
		heads = slices.Insert(heads, at, c)
	}
	e.heads = heads
	last := *heads[len(heads)-1]
	kept := all[:0]
	for i := range all {
		if c := all[i]; compare(&c, &last) <= 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// mostStarts returns how many jobs of a class can start at most.
func (e *engine) mostStarts(c *class) int {
	most := float64(c.waiting)
	for i, need := range c.request.Total {
		if need > 0 {
			most = min(most, math.Floor(e.stateOf(c).FreeTotal()[i]/need))
		}
	}
	for _, k := range c.checks {
		most = min(most, math.Floor((k.counter.limit.most-k.counter.used)/k.need))
	}
	return int(max(1, most))
}
