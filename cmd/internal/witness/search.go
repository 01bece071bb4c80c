package witness

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// search looks for the smallest description that covers most of some disagreements and few agreements.
type search struct {
	t     *table
	side  Side
	rule  int32
	taken map[int]bool // rows that other groups have
	all   count
	top   []int32  // features that fit best alone
	bits  []int8   // of them, by feature; -1 for others
	masks []uint64 // by row, which of them it has
	sums  map[uint64]count
}

// found is a description and what it covers.
type found struct {
	Description
	mask  uint64
	count count
}

// isWhole reports whether a description is none: of all that is looked at.
func (f *found) isWhole() bool { return len(f.Features) == 0 && !f.hasTime() }

// mostFeatures bounds how many features are tried together.
const mostFeatures = 40

func newSearch(t *table, side Side, rule int32, taken map[int]bool) *search {
	s := &search{t: t, side: side, rule: rule, taken: taken, sums: map[uint64]count{}}
	counts := make([]count, len(t.describer[side].features.list))
	for k := range t.rows[side] {
		r := &t.rows[side][k]
		bad, counted := s.kind(k)
		if !counted {
			continue
		}
		s.all.add(bad)
		for _, f := range t.arena[side][r.from:r.to] {
			counts[f].add(bad)
		}
	}
	if s.all.bad == 0 {
		return s
	}
	for f := range counts {
		if counts[f].bad > 0 {
			s.top = append(s.top, int32(f))
		}
	}
	list := t.describer[side].features.list
	slices.SortFunc(s.top, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b].fit(s.all.bad), counts[a].fit(s.all.bad)), compareFeatures(list[a], list[b]))
	})
	s.top = s.top[:min(len(s.top), mostFeatures)]
	s.mark()
	return s
}

// mark finds which of the features that fit best each row has.
func (s *search) mark() {
	t := s.t
	s.bits = slices.Repeat([]int8{-1}, len(t.describer[s.side].features.list))
	for i, f := range s.top {
		s.bits[f] = int8(i)
	}
	s.masks = make([]uint64, len(t.rows[s.side]))
	for k := range t.rows[s.side] {
		bad, counted := s.kind(k)
		if !counted {
			continue
		}
		r := &t.rows[s.side][k]
		for _, f := range t.arena[s.side][r.from:r.to] {
			if bit := s.bits[f]; bit >= 0 {
				s.masks[k] |= 1 << bit
			}
		}
		sum := s.sums[s.masks[k]]
		sum.add(bad)
		s.sums[s.masks[k]] = sum
	}
}

// kind reports whether a row is one of the disagreements that are looked at. Those of other rules and groups
// do not count.
func (s *search) kind(k int) (bad, counted bool) {
	r := &s.t.rows[s.side][k]
	if !r.differs() {
		return false, true
	}
	return true, r.rule == s.rule && !s.taken[k]
}

// How much better a description must fit to be taken although it is longer by a feature, or by a time.
const (
	better     = 1.08
	betterTime = 1.4
)

// best returns the descriptions that fit best, the best first.
func (s *search) best() []found {
	whole := found{count: s.all}
	tried := []found{whole}
	for i := range s.top {
		tried = append(tried, s.of(1<<i))
	}
	const pairs = 16
	n := min(len(s.top), pairs)
	for i := range n {
		for j := range i {
			tried = append(tried, s.of(1<<i|1<<j))
		}
	}
	s.sort(tried)
	const spans = 12
	tried = tried[:min(len(tried), spans)]
	for _, f := range tried {
		tried = append(tried, s.spanOf(f), s.hoursOf(f))
	}
	if s.isOfStart() { // what one rule says of them may be all that they have in common
		tried = append(tried, whole)
	}
	s.sort(tried)
	return tried
}

// isOfStart reports whether what is looked at is of starts themselves: a rule that does not allow them, or what they had.
func (s *search) isOfStart() bool { return s.side == May || s.t.rules.list[s.rule] != "" }

// of returns a description by features.
func (s *search) of(mask uint64) found {
	f := found{mask: mask}
	for of, c := range s.sums {
		if hasAll(of, mask) {
			f.count.bad, f.count.good = f.count.bad+c.bad, f.count.good+c.good
		}
	}
	list := s.t.describer[s.side].features.list
	for rest := mask; rest != 0; rest &= rest - 1 {
		f.Features = append(f.Features, list[s.top[firstBit(rest)]])
	}
	slices.SortFunc(f.Features, compareFeatures)
	return f
}

// sort puts descriptions into the order in which they fit, with a price for each thing that they are made of.
func (s *search) sort(list []found) {
	worth := func(f *found) float64 {
		fit := f.count.fit(s.all.bad)
		for range f.Features {
			fit /= better
		}
		switch {
		case f.isWhole() && !s.isOfStart(): // with no rule either it explains nothing
			fit /= better
		case f.hasTime() && slices.ContainsFunc(f.Features, func(x Feature) bool { return x.Kind == RatherNode }):
			fit /= better // a vnode is down for a time
		case f.hasTime():
			fit /= betterTime
		}
		return fit
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(worth(&b), worth(&a)), bits.OnesCount64(a.mask)-bits.OnesCount64(b.mask), slices.CompareFunc(a.Features, b.Features, compareFeatures))
	})
}

// spanOf returns a description with the span of time in which it fits best.
func (s *search) spanOf(f found) found {
	var rows []int
	for k := range s.masks {
		if _, counted := s.kind(k); counted && hasAll(s.masks[k], f.mask) {
			rows = append(rows, k)
		}
	}
	at := func(i int) int64 { return s.t.rows[s.side][rows[i]].at }
	first, last, c := bestSpan(len(rows), f.count.fit(s.all.bad), s.all.bad, func(i int) count {
		var one count
		bad, _ := s.kind(rows[i])
		one.add(bad)
		return one
	})
	if c.bad == 0 || c == f.count {
		return f
	}
	f.From, f.To, f.count = at(first), at(last), c
	return f
}

// hoursOf returns a description with the hours of the day in which it fits best, where a record is of some days.
func (s *search) hoursOf(f found) found {
	const day, days = 24, 3
	rows := s.t.rows[s.side]
	if n := len(rows); n == 0 || rows[n-1].at-rows[0].at < days*day*3600 {
		return f
	}
	var hours [day]count
	for k := range s.masks {
		if bad, counted := s.kind(k); counted && hasAll(s.masks[k], f.mask) {
			hours[time.Unix(rows[k].at, 0).In(s.t.zone).Hour()].add(bad)
		}
	}
	best := f
	for turn := range day {
		first, last, c := bestSpan(day, f.count.fit(s.all.bad), s.all.bad, func(i int) count { return hours[(i+turn)%day] })
		if c.bad > 0 && c != f.count && c.fit(s.all.bad) > best.count.fit(s.all.bad) {
			best = f
			best.Hours, best.count = [2]int{(first + turn) % day, (last + turn + 1) % day}, c
		}
	}
	return best
}

// bestSpan returns the first and the last of n steps between which a description fits best, as Dinkelbach has
// it: the fit is raised until no span exceeds it.
func bestSpan(n int, fit float64, bad int, of func(i int) count) (first, last int, best count) {
	const rounds = 20
	for range rounds {
		sum, from := 0., 0
		most, found := 0., count{}
		var run count
		at, to := 0, 0
		for i := range n {
			c := of(i)
			if sum <= 0 {
				sum, from, run = 0, i, count{}
			}
			sum += 2*float64(c.bad) - fit*float64(c.bad+c.good)
			run.bad, run.good = run.bad+c.bad, run.good+c.good
			if sum > most {
				most, found, at, to = sum, run, from, i
			}
		}
		if found.bad == 0 || found.fit(bad) <= fit+1e-9 {
			return first, last, best
		}
		first, last, best, fit = at, to, found, found.fit(bad)
	}
	return first, last, best
}

// covered returns the rows that differ and that a description covers.
func (s *search) covered(f found) []int {
	var rows []int
	for k := range s.masks {
		if bad, counted := s.kind(k); bad && counted && hasAll(s.masks[k], f.mask) && s.isWithin(k, f) {
			rows = append(rows, k)
		}
	}
	return rows
}

// moments returns at how many moments starts differ that a description covers, and at how many they agree or differ: what is
// wrong at one moment may be wrong for all that start then.
func (s *search) moments(f found) (ofDiffering, ofAll int) {
	var differ, all moments
	for k := range s.masks {
		bad, counted := s.kind(k)
		if !counted || !hasAll(s.masks[k], f.mask) || !s.isWithin(k, f) {
			continue
		}
		at := s.t.rows[s.side][k].at
		all.add(at, s.t.facts.Uncertainty)
		if bad {
			differ.add(at, s.t.facts.Uncertainty)
		}
	}
	return differ.count, all.count
}

// isWithin reports whether a row is in the time of a description.
func (s *search) isWithin(k int, f found) bool {
	at := s.t.rows[s.side][k].at
	if f.To != 0 && (at < f.From || at > f.To) {
		return false
	}
	if f.Hours == [2]int{} {
		return true
	}
	hour, from, to := time.Unix(at, 0).In(s.t.zone).Hour(), f.Hours[0], f.Hours[1]
	if from < to {
		return hour >= from && hour < to
	}
	return hour >= from || hour < to
}

// cause returns what is said of a description.
func (s *search) cause(f found) Cause {
	c := Cause{Side: s.side, Rule: s.t.rules.list[s.rule], Of: f.Description, Count: f.count.bad, All: f.count.bad + f.count.good}
	lacks := make([]int, len(s.t.facts.Lacks))
	has := make([]int, len(s.top))
	for _, k := range s.covered(f) {
		r := &s.t.rows[s.side][k]
		c.Hours += float64(r.hours)
		c.Wait += float64(r.waited) / float64(f.count.bad)
		if r.isFree {
			c.Free++
		}
		if r.isKept {
			c.Kept++
		}
		for i := range lacks {
			if r.lacks&(1<<min(i, 63)) != 0 {
				lacks[i]++
			}
		}
		for rest := s.masks[k]; rest != 0; rest &= rest - 1 {
			has[firstBit(rest)]++
		}
	}
	c.IsOfOrder = s.side == May && (s.t.ofOrder[s.rule] || c.Rule == anyOrder) || s.side == Wait && !c.areFree()
	c.Shared = s.shared(f, has)
	if rather, isOne := c.feature(RatherNode); isOne && f.To != 0 {
		c.IsUsed, c.IsBusy = s.t.use(rather, f.From, f.To)
	}
	const most, lift = .5, 1.5
	for i, n := range lacks {
		part := float64(n) / float64(c.Count)
		usual := float64(s.t.lacking[s.side][i]) / float64(max(1, s.t.agreeing[s.side]))
		isOfAll := s.t.facts.Lacks[i].Concerns == nil
		if part >= most && (isOfAll || part >= lift*usual) {
			c.Lacks = append(c.Lacks, s.t.facts.Lacks[i])
		}
	}
	return c
}

// shared returns the features that nearly all of a group have besides its description, and not many others.
func (s *search) shared(f found, has []int) []Feature {
	const nearly, lift, most = .9, 1.5, 3
	list := s.t.describer[s.side].features.list
	var shared []Feature
	for i, n := range has {
		feature := list[s.top[i]]
		if f.mask&(1<<i) != 0 || float64(n) < nearly*float64(f.count.bad) || slices.ContainsFunc(f.Features, func(x Feature) bool { return x.Kind == feature.Kind }) {
			continue
		}
		all := s.of(1 << i).count
		usual := float64(all.good) / float64(max(1, s.all.good))
		isAlready := slices.ContainsFunc(shared, func(x Feature) bool { return x.Kind == feature.Kind })
		if float64(n)/float64(f.count.bad) >= lift*usual && !isAlready && len(shared) < most {
			shared = append(shared, feature)
		}
	}
	slices.SortFunc(shared, compareFeatures)
	return shared
}
