package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/cycle"
)

// candidate is a job that a cycle looks at.
type candidate struct {
	group *group
	member
	value float32
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
		most := e.mostMatter(c, fits)
		if fits {
			fitting = append(fitting, c)
		}
		if most == 0 {
			continue
		}
		begin := len(all)
		for _, g := range c.groups {
			if e.isLeftOut(g) {
				continue
			}
			n := len(g.members)
			if e.values.isOrdered() {
				n = min(n, most)
			}
			for _, m := range g.members[:n] {
				all = append(all, candidate{group: g, member: m})
			}
		}
		if err := e.values.evaluate(all[begin:]); err != nil {
			return nil, nil, err
		}
		all = all[:begin+len(e.first(all[begin:], most))]
	}
	e.calendar.candidates = all
	return all, fitting, nil
}

// mostMatter returns how many jobs of a class can matter to a cycle at most.
func (e *engine) mostMatter(c *class, fits bool) int {
	most := 0
	if fits {
		most = e.mostStarts(c)
	}
	switch {
	case e.mayPreempt(c):
		return c.waiting
	case e.calendar.running != nil && fits:
		return c.waiting // one may be held back, and a shorter one not
	case e.calendar.running != nil:
		return max(e.depth, slices.Max(e.depths))
	case e.policy.StrictOrdering:
		return most + 1
	}
	return most
}

// first returns the candidates of a class that may be among the first, in any order: by
// value, and by when they came where nothing else decides between equal ones.
func (e *engine) first(all []candidate, most int) []candidate {
	p := e.policy
	if len(all) <= most || p.ByQueue || p.RoundRobin || p.Preemptive && e.site.Sched.PreemptsFairshare() {
		return all
	}
	byRank := !p.FairShare && len(p.SortKeys) == 0
	compare := func(a, b *candidate) int {
		d := cycle.CompareValues(a.value, b.value)
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
			most = min(most, math.Floor(e.state.FreeTotal()[i]/need))
		}
	}
	for _, k := range c.checks {
		most = min(most, math.Floor((k.counter.limit.most-k.counter.used)/k.need))
	}
	return int(max(1, most))
}
