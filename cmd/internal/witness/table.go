package witness

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// table is all starts of a record, as the search for causes needs them.
type table struct {
	facts     Facts
	zone      *time.Location
	describer [sides]describer
	rules     numberer[string]
	ofMoments map[int32]bool // rules about what others have then
	ofOrder   map[int32]bool // rules about who goes first
	rows      [sides][]row
	arena     [sides][]int32 // of the features of rows
	lacking   [sides][]int   // by setting that is not modelled, how many starts that agree it concerns
	agreeing  [sides]int
}

// row is a start that is judged on one side.
type row struct {
	at       int64
	until    int64  // when a start was over, 0 where the record does not tell
	from, to uint32 // its features in the arena
	hours    float32
	waited   float32
	isFree   bool
	isKept   bool
	rule     int32 // -1 where it agrees
	lacks    uint64
}

func (r *row) differs() bool { return r.rule >= 0 }

func newTable(f Facts) *table {
	t := &table{facts: f, zone: f.Zone, ofMoments: map[int32]bool{}, ofOrder: map[int32]bool{}}
	if t.zone == nil {
		t.zone = time.UTC
	}
	for side := range sides {
		t.describer[side].common = f.Common
		t.lacking[side] = make([]int, len(f.Lacks))
	}
	return t
}

// searched are the sides of which causes are looked for. That a start passed others says less than
// whom it passed.
var searched = []Side{May, Where, Wait}

// add adds a start.
func (t *table) add(s *Start) {
	for _, side := range searched {
		v := s.Verdict(side)
		if v.Finding == Unjudged {
			continue
		}
		r := row{at: s.At, until: s.End, hours: float32(s.Hours), rule: -1, from: uint32(len(t.arena[side]))}
		if v.Finding == Differs {
			r.rule = t.rules.of(v.Rule, strings.Clone)
			if v.IsOfMoment {
				t.ofMoments[r.rule] = true
			}
			if v.IsOfOrder {
				t.ofOrder[r.rule] = true
			}
			r.waited, r.isFree, r.isKept = float32(s.Waited), s.IsFree, s.IsKept
			if side == Wait {
				r.at = s.Since
			}
		} else {
			t.agreeing[side]++
		}
		for i, lack := range t.facts.Lacks {
			if lack.Concerns != nil && !lack.Concerns(s, side) {
				continue
			}
			if r.differs() {
				r.lacks |= 1 << min(i, 63)
			} else {
				t.lacking[side][i]++
			}
		}
		t.arena[side] = append(t.arena[side], t.describer[side].of(s, side)...)
		r.to = uint32(len(t.arena[side]))
		t.rows[side] = append(t.rows[side], r)
	}
}

// Cause is a group of starts that differ from the rules on one side, and what they have in common.
type Cause struct {
	Side  Side
	Rule  string // that does not allow them, "" where it is not about one
	Of    Description
	Count int     // starts that differ
	All   int     // starts of that description that are judged
	Hours float64 // cpu hours of those that differ
	Wait  float64 // for how many seconds they kept waiting, on average
	Free  int     // of those that kept waiting, beside how many vnodes stayed free
	Kept  int     // for how many of them the rules would have kept vnodes

	IsUsed bool // whether others started meanwhile on the vnode that the rules would have taken
	IsBusy bool // whether one ran there all the time

	IsOfOrder bool   // whether it is about who goes first
	Guess     string // what of that the site does not tell, where the rules hold much further with it; "" for nothing

	Shared []Feature // what nearly all of them have in common besides, and few others
	Lacks  []Lack    // settings that are not modelled and fit
}

// weight returns how much a group says: how many starts it explains, and less where it is of a time in which the vnode that it
// names was in use, so that it was not down.
func (c *Cause) weight() float64 {
	if c.IsUsed {
		return float64(c.Count) / betterTime
	}
	return float64(c.Count)
}

// causes finds the groups of starts that differ, those that say most first.
func (t *table) causes() []Cause {
	var causes []Cause
	for _, side := range searched {
		rows := t.rows[side]
		slices.SortStableFunc(rows, func(a, b row) int { return int(max(-1, min(1, a.at-b.at))) })
		for rule := range t.rules.list {
			causes = append(causes, t.ofRule(side, int32(rule))...)
		}
	}
	if len(causes) == 0 {
		causes = t.ofAnyOrder()
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.weight(), a.weight()) })
	return causes
}

// anyOrder is the rule that those about who goes first are together.
const anyOrder = "jobs before it that wait"

// ofAnyOrder finds the groups of starts that go before others whichever rule about that holds them, as where nothing is
// told of one of them alone.
func (t *table) ofAnyOrder() []Cause {
	rule := t.rules.of(anyOrder, strings.Clone)
	t.ofMoments[rule] = true
	for i := range t.rows[May] {
		if r := &t.rows[May][i]; t.ofOrder[r.rule] {
			r.rule = rule
		}
	}
	return t.ofRule(May, rule)
}

// ofRule finds the groups of starts that differ on a side from one rule.
func (t *table) ofRule(side Side, rule int32) []Cause {
	const most = 5 // groups
	var causes []Cause
	taken := map[int]bool{}
	for range most {
		s := newSearch(t, side, rule, taken)
		if s.all.bad == 0 {
			break
		}
		isEach := s.isOfStart() && !t.ofMoments[rule]
		list := s.best()
		at := -1
		for i, f := range list { // the best, or where that is of too few the first one that is of most
			isMost := !isEach && !f.hasTime() && 2*f.count.bad > s.all.bad
			if (i == 0 || isMost) && s.isSignificant(isEach, f) {
				at = i
				break
			}
		}
		if at < 0 {
			break
		}
		best := list[at]
		if best.isWhole() && !s.isOfStart() && side == Where { // that starts are elsewhere says less than where those of a time are
			at := slices.IndexFunc(list, func(f found) bool {
				return slices.ContainsFunc(f.Features, isPlace) && f.count.bad >= f.count.good && s.isSignificant(isEach, f)
			})
			if at >= 0 {
				best = list[at]
			}
		}
		causes = append(causes, s.cause(best))
		for _, k := range s.covered(best) {
			taken[k] = true
		}
	}
	return causes
}

// use reports whether jobs started on a vnode in a time, and whether one ran there all the time.
func (t *table) use(vnode string, from, to int64) (isUsed, isBusy bool) {
	on, isOn := t.describer[Where].features.numbers[Feature{OnNode, vnode}]
	if !isOn {
		return false, false
	}
	for i := range t.rows[Where] {
		if r := &t.rows[Where][i]; r.at <= to && slices.Contains(t.arena[Where][r.from:r.to], on) {
			isUsed = isUsed || r.at >= from
			isBusy = isBusy || r.at < from && (r.until == 0 || r.until > to)
		}
	}
	return isUsed, isBusy
}

// count is how many starts differ, and how many agree.
type count struct{ bad, good int }

func (c *count) add(bad bool) {
	if bad {
		c.bad++
	} else {
		c.good++
	}
}

// fit returns how well a description fits that covers a count, of bad ones in all: the harmonic mean of the
// part of the disagreements that it covers and the part of what it covers that are disagreements.
func (c count) fit(bad int) float64 { return 2 * float64(c.bad) / float64(bad+c.bad+c.good) }

// isSignificant reports whether so many starts differ that it is not the tool's own error or a chance. What is of a start
// alone is told by each; where it depends on others, one moment may be wrong for many, and moments are told.
func (s *search) isSignificant(isEach bool, f found) bool {
	if isEach {
		return f.count.bad >= leastStarts && isUnlikely(f.count.bad, f.count.bad+f.count.good)
	}
	n, all := s.moments(f)
	least := leastMoments
	if s.isOfOneNode(f) {
		least = leastOfNode
	}
	return n >= least && isUnlikely(n, all)
}

// isOfOneNode reports whether for most of all starts that are elsewhere the rules would have taken one vnode, in a span of time in which none is
// on it: that it took no jobs then is so much nearer than chance that fewer moments tell it.
func (s *search) isOfOneNode(f found) bool {
	isRather := func(x Feature) bool { return x.Kind == RatherNode }
	return s.side == Where && f.To != 0 && f.count.good == 0 && 2*f.count.bad > s.all.bad && slices.ContainsFunc(f.Features, isRather)
}

// Of how many starts or moments a group is at least.
const (
	leastStarts  = 3
	leastMoments = 4
	leastOfNode  = 3 // moments, of a vnode that the rules would have taken
)

// moments counts the moments at which something is, of times in their order: what is told of times that are no further apart
// than they are uncertain is of one.
type moments struct {
	count int
	last  int64
}

func (m *moments) add(at int64, uncertainty float64) {
	if m.count == 0 || float64(at-m.last) > uncertainty {
		m.count, m.last = m.count+1, at
	}
}

// isUnlikely reports whether it is no chance that so many of some differ, of which one in a hundred may, among the many
// descriptions that are tried.
func isUnlikely(n, all int) bool {
	const (
		usual    = .01
		unlikely = 1e-5
	)
	expected := usual * float64(all) // of a Poisson distribution
	term, below := math.Exp(-expected), 0.
	for k := range n {
		below += term
		term *= expected / float64(k+1)
	}
	return 1-below < unlikely
}
