package replay

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/work"
)

// candidate is a job that a cycle looks at, or the subjobs of an array, which it looks at
// one after the other until one does not start.
type candidate struct {
	group *group
	member
	value float32
	rest  []member // the subjobs that come after it; the caller does not change them
}

// selection is who matters to a cycle, and in which order.
type selection struct {
	at         *situation
	room       *room
	backlog    *backlog
	accruals   *accruals
	values     *values
	usage      *usage
	preemption *preemption

	depth             int     // backfill_depth
	threshold         float64 // job_sort_formula_threshold
	enforces          bool    // fairshare_enforce_no_shares
	preemptsFairshare bool    // whether entities over their share are of a level of their own

	looksAtAll bool   // whether all jobs are candidates, also those that make no difference: what the cycle makes of each is asked for, or in a test
	asRecorded bool   // as candidates has it
	scattered  []bool // by array, see scatteredOf

	eachClass bool // Options.eachClass

	preempts bool // whether jobs wait that may preempt others
	waits    bool // whether time alone may let a job start, which is under the threshold or held back

	front front

	memory   []candidate  // for the next cycle
	byJob    []int64      // memory of sortByJob
	unsorted []candidate  // likewise
	ordered  orderMemory  // likewise
	fitting  []*class     // likewise
	classes  []*class     // likewise, of few
	parts    []part       // likewise, of candidates
	done     []int32      // likewise, of candidates
	heads    []*candidate // likewise, of first
	left     []*group     // likewise, of takeShorter
	lengths  []float64    // likewise, of shortestOf
}

// candidates returns the jobs of some classes that can matter to this cycle, with their values, and those of the
// classes of which some fit. Of each class these are the first jobs, as many as can
// start or be held back: those behind them make no difference. asRecorded says that jobs are started
// which did so really, whatever comes before them, and that none leaves its group before the cycle is over.
func (s *selection) candidates(of []*class, asRecorded bool) (all []candidate, fitting []*class, err error) {
	s.asRecorded = asRecorded
	all, fitting = s.memory[:0], s.fitting[:0]
	parts := s.parts[:0]
	for _, c := range of {
		if c.waiting == 0 {
			continue
		}
		fits := s.room.mayFit(c)
		if fits {
			fitting = append(fitting, c)
		}
		done := s.done[:0]
		for _, g := range c.groups {
			budget := s.backlog.budget(g.queue)
			if slices.Contains(done, budget) {
				continue
			}
			done = append(done, budget)
			s.done = done
			most := s.mostMatter(c, budget, fits)
			switch {
			case most <= 0:
				continue
			case s.hasLengths(c, fits):
				all, most = s.shortestOf(all, c, budget, most), math.MaxInt
			default:
				all = s.firstOf(all, c, budget, most)
			}
			parts = append(parts, part{len(all), most})
		}
	}
	s.memory, s.fitting, s.parts = all, fitting, parts
	if err := s.values.evaluate(all); err != nil { // of all classes at once, since few are of each
		return nil, nil, err
	}
	kept, begin := all[:0], 0
	for _, part := range parts {
		kept = append(kept, s.first(all[begin:part.end], part.most)...)
		begin = part.end
	}
	return kept, fitting, nil
}

// part is the candidates of a class that count towards one backfill_depth: where they end among all, and how many of
// them may matter.
type part struct{ end, most int }

// firstOf appends the jobs of a class that may be among the first of those which count
// towards one backfill_depth, once their values are known.
func (s *selection) firstOf(all []candidate, c *class, budget int32, most int) []candidate {
	for _, g := range c.groups {
		if s.backlog.budget(g.queue) == budget && !s.isLeftOut(g) {
			all = s.firstIn(all, g, most)
		}
	}
	return all
}

// firstIn appends those of a group.
func (s *selection) firstIn(all []candidate, g *group, most int) []candidate {
	n := len(g.members)
	if s.values.isOrdered() {
		n = min(n, most)
	}
	for i := 0; i < n; i++ {
		first := i
		i = s.lastOfArray(g.members[:n], first)
		next := candidate{group: g, member: g.members[first], rest: g.members[first+1 : i+1]}
		if !s.asRecorded && !s.startInTurn(g.class) {
			next.rest = slices.Clone(next.rest)
		}
		all = append(all, next)
	}
	return all
}

// startInTurn reports whether those jobs of each group of a class that start in a cycle do so in the group's order, and nobody
// else leaves it meanwhile.
func (s *selection) startInTurn(c *class) bool {
	isAnyTurn := s.at.isPlain || s.values.usesEligible || s.preempts || s.preemption.changes()
	return !isAnyTurn && c.preempted == 0 && s.at.work.Links() == nil
}

// hasLengths reports whether it depends on its length as well whether a job of a class matters:
// a longer one may be held back, and a shorter one not.
func (s *selection) hasLengths(c *class, fits bool) bool {
	looksAtAll := s.looksAtAll || c.gains || c.preempted > 0 && !s.front.isOn || s.shrinks(c) || s.at.policy.RoundRobin || s.preempts || c.hasArrays || s.room.hours.isBounded(c) || !s.values.isOrdered()
	return fits && !looksAtAll && s.room.mayPass(c)
}

// shortestOf appends the jobs of a class, of those that count towards one backfill_depth, that can
// matter where a shorter one may start and a longer one not.
func (s *selection) shortestOf(all []candidate, c *class, budget int32, most int) []candidate {
	for _, g := range c.groups {
		if s.backlog.budget(g.queue) == budget && !s.isLeftOut(g) {
			all = s.shortestIn(all, g, most, math.Inf(1))
		}
	}
	return all
}

// shortestIn appends those of a group that are shorter than some time. They are the jobs that
// have fewer than most before them which are not longer: of so many either as many start as can, or
// as many are held back as may be, and the job itself can neither start nor be held back.
func (s *selection) shortestIn(all []candidate, g *group, most int, shorter float64) []candidate {
	shortest := s.lengths[:0] // the lengths of the most shortest jobs so far
	for _, m := range g.members {
		length := s.at.length(m.job)
		if length >= shorter {
			continue
		}
		if len(shortest) == most {
			if shortest[most-1] <= g.class.shortest {
				break // nor is any that follows shorter
			}
			if shortest[most-1] <= length {
				continue
			}
			shortest = shortest[:most-1]
		}
		at, _ := slices.BinarySearch(shortest, length)
		shortest = slices.Insert(shortest, at, length)
		all = append(all, candidate{group: g, member: m})
	}
	s.lengths = shortest
	return all
}

// shrinks reports whether jobs of a class may start with less than they are planned with.
func (s *selection) shrinks(c *class) bool {
	if s.at.lengths == nil {
		return false
	}
	for _, g := range c.groups {
		if len(g.members) > 0 {
			return s.at.shrinks(g.members[0].job)
		}
	}
	return false
}

// isWith reports whether two jobs are subjobs of one array.
func (s *selection) isWith(a, b int32) bool {
	array := s.at.work.Jobs[a].Array
	return array != 0 && array == s.at.work.Jobs[b].Array
}

// hasSubjobOf reports whether a subjob of the array of a job is among some jobs.
func (s *selection) hasSubjobOf(jobs map[int32]bool, job int32) bool {
	for other := range jobs {
		if s.isWith(other, job) {
			return true
		}
	}
	return false
}

// lastOfArray returns which member is the last of those from first on that are subjobs of one array, next to each other. It
// looks at few of them where nothing can stand between those of one rank.
func (s *selection) lastOfArray(members []member, first int) int {
	last := first
	for last+1 < len(members) && s.isWith(members[first].job, members[last+1].job) {
		last++
		if s.at.isPlain || s.values.usesEligible || s.scattered[s.at.work.Jobs[members[first].job].Array] {
			continue
		}
		begin := members[last]
		last += sort.Search(len(members)-last-1, func(k int) bool {
			m := members[last+1+k]
			return m.rank != begin.rank || !s.isWith(begin.job, m.job)
		})
	}
	return last
}

// scatteredOf reports of each array, by its number, whether other jobs stand between its subjobs.
func scatteredOf(jobs []*work.Job) []bool {
	begun, is := []bool{false}, []bool{false}
	for i, j := range jobs {
		for int(j.Array) >= len(is) {
			begun, is = append(begun, false), append(is, false)
		}
		if i == 0 || jobs[i-1].Array != j.Array {
			is[j.Array], begun[j.Array] = begun[j.Array], true
		}
	}
	return is
}

// mostMatter returns how many jobs of a class, of those that count towards one
// backfill_depth, can matter to a cycle at most.
func (s *selection) mostMatter(c *class, budget int32, fits bool) int {
	most := s.accruals.most(c)
	if fits {
		most = max(most, s.room.mostStarts(c))
	}
	switch {
	case s.looksAtAll || c.preempted > 0 && !s.front.isOn || c.gains && fits || s.shrinks(c) || s.at.policy.RoundRobin || s.preempts || c.hasArrays && s.looksAtArrays():
		return c.waiting // what does not start takes its queue's turn, and what is preempted may leave room
	case c.booked != nil:
		return most
	case s.room.hours.isBounded(c) && (fits || s.at.policy.StrictOrdering):
		return c.waiting // one may be too long, and a shorter one not
	case s.hasLengths(c, fits):
		return max(s.accruals.most(c), s.room.mostStarts(c)+max(1, s.depthOf(budget)))
	case s.room.mayPass(c) && fits:
		return c.waiting // one may be held back, and a shorter one not
	case s.room.calendar.plans:
		return max(most, 1, s.depthOf(budget))
	case s.at.policy.StrictOrdering:
		return most + 1
	}
	return most
}

// looksAtArrays reports whether it matters how many subjobs of an array wait that cannot start: where one that is held back
// stands for all of them.
func (s *selection) looksAtArrays() bool {
	return s.asRecorded || s.at.policy.StrictOrdering || s.room.calendar.plans || s.accruals.isOn
}

// depthOf returns a backfill_depth.
func (s *selection) depthOf(budget int32) int {
	if budget == overallDepth {
		return s.depth
	}
	return s.at.depths[budget]
}

// first returns the candidates of a class that may be among the first, in any order: by
// value, and by when they came where nothing else decides between equal ones.
func (s *selection) first(all []candidate, most int) []candidate {
	p := s.at.policy
	if len(all) <= most || p.ByQueue || p.Preemptive && s.preemptsFairshare {
		return all
	}
	byRank := !p.FairShare && len(p.SortKeys) == 0
	compare := func(a, b *candidate) int {
		d := cmp.Or(cycle.CompareMarks(s.at.jobs[a.job].preempted, s.at.jobs[b.job].preempted), cycle.CompareValues(a.value, b.value))
		if d == 0 && byRank {
			d = cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.job, b.job))
		}
		return d
	}
	// The most first ones so far, the last of them at the end.
	heads := s.heads[:0]
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
	s.heads = heads
	last := *heads[len(heads)-1]
	kept := all[:0]
	for i := range all {
		if c := all[i]; compare(&c, &last) <= 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// allThatFit returns the classes of jobs that fit now.
func (s *selection) allThatFit() map[*class]bool {
	fit := map[*class]bool{}
	for _, c := range s.backlog.active {
		if c.waiting > 0 && s.room.fitsNow(c) {
			fit[c] = true
		}
	}
	return fit
}
