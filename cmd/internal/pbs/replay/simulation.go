package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
)

// simulation is the time to come, in which jobs end and top jobs come and go. It works
// on the state itself, and takes all back in the end.
type simulation struct {
	c       *calendar
	ends    []int32   // jobs that run, by when they are to end
	changes []change  // of top jobs, by their time
	turns   []float64 // when prime and dedicated time begin and end
	steps   []step    // those that are done
	outlook outlook

	lastStart float64 // of all top jobs but reservations

	cycle, version uint64 // of the calendar, for which all this holds
	planned        int    // how many top jobs it has in it
}

// change is that a top job starts, or ends.
type change struct {
	at    float64
	top   int32
	isEnd bool
}

// step is the ends and changes of one stretch of the clock, as opt_backfill_fuzzy cuts it,
// and when the last of them comes.
type step struct {
	at            float64
	ended, passed int // of all ends and changes, how many are over
	turned        int // likewise of turns
}

// begin makes a simulation that is over one from now on. Where nothing else has happened since than that jobs were planned, it goes on
// with what is known.
func (s *simulation) begin(c *calendar) {
	if s.c == c && s.cycle == c.at.cycles && s.version == c.version && s.planned == len(c.tops) {
		return
	}
	*s = simulation{
		c: c, ends: c.at.ends(),
		changes: append(s.changes[:0], c.changes...), turns: c.hours.changes(c.at.now),
		steps: s.steps[:0], outlook: s.outlook,
		cycle: c.at.cycles, version: c.version, planned: len(c.tops),
	}
	s.outlook.begin(s)
	for k := c.fixed; k < len(c.tops); k++ {
		s.addTop(int32(k))
	}
}

// addTop adds a top job to what comes.
func (s *simulation) addTop(k int32) {
	t := &s.c.tops[k]
	s.lastStart = max(s.lastStart, t.start)
	for _, ch := range []change{{t.start, k, false}, {t.end, k, true}} {
		at, _ := slices.BinarySearchFunc(s.changes, ch, func(a, b change) int {
			if a.at <= b.at {
				return -1
			}
			return cmp.Compare(a.at, b.at)
		})
		s.changes = slices.Insert(s.changes, at, ch)
	}
}

// now returns the step that was done last, the zero step before the first.
func (s *simulation) now() step {
	if len(s.steps) == 0 {
		return step{}
	}
	return s.steps[len(s.steps)-1]
}

// after returns the step after another one. ok is false where nothing comes any more.
func (s *simulation) after(last step) (next step, ok bool) {
	site := s.c.at
	next = last
	first := math.Inf(1)
	if next.ended < len(s.ends) {
		first = site.dueAt(s.ends[next.ended])
	}
	if next.passed < len(s.changes) {
		first = min(first, s.changes[next.passed].at)
	}
	if next.turned < len(s.turns) {
		first = min(first, s.turns[next.turned])
	}
	next.at = first
	isWith := func(at float64) bool {
		return at <= first || site.window > 0 && math.Floor(at/site.window) == math.Floor(first/site.window)
	}
	for ; next.ended < len(s.ends) && isWith(site.dueAt(s.ends[next.ended])); next.ended++ {
		next.at = max(next.at, site.dueAt(s.ends[next.ended]))
	}
	for ; next.passed < len(s.changes) && isWith(s.changes[next.passed].at); next.passed++ {
		next.at = max(next.at, s.changes[next.passed].at)
	}
	for ; next.turned < len(s.turns) && isWith(s.turns[next.turned]); next.turned++ {
		next.at = max(next.at, s.turns[next.turned])
	}
	return next, next.ended+next.passed+next.turned > last.ended+last.passed+last.turned
}

// plan puts a job on the calendar, at the first time at which it fits, as PBS's
// calc_run_time: the jobs that run are let end one after the other.
func (s *simulation) plan(job *candidate) {
	c := s.c
	if t, ok := c.planned(job); ok {
		c.put(t)
		s.insert(int32(len(c.tops) - 1))
		return
	}
	class, length := job.group.class, c.at.length(job.job)
	for k := 0; ; k++ {
		if k = s.firstWithEnough(k, class.request.Total, length); k < 0 {
			return
		}
		at := s.outlook.points[k].at
		if s.rewind(at); s.now().at < at || len(s.steps) == 0 {
			s.forward(at)
		}
		if !class.isLimited() && c.hours.allows(class, at, length) && c.limitAhead(class, at, at+length) == nil {
			c.settle()
			if place, ok := c.at.state.Place(class.request, c.span(at, at+length)); ok {
				c.put(top{job.job, place, class.checks, at, at + length, c.version})
				s.insert(int32(len(c.tops) - 1))
				return
			}
		}
	}
}

// settle lets a job be placed in the time to come.
func (c *calendar) settle() {
	if c.at.isPlain {
		c.at.state.Settle()
	} else {
		c.at.state.SettleOnce()
	}
}

// insert adds a top job that was just planned. What was done from its start on is taken
// back, to be done again with it.
func (s *simulation) insert(k int32) {
	start := s.c.tops[k].start
	for len(s.steps) > 0 && s.now().at >= start {
		s.back()
	}
	s.outlook.cut(start)
	s.planned = len(s.c.tops)
	s.addTop(k)
}

// sign returns whether a change frees vnodes, 1, or takes them, -1.
func (ch change) sign() float64 {
	if ch.isEnd {
		return 1
	}
	return -1
}

// addTotal adds what an allocation frees, or takes it away. Vnodes that it has for itself
// free what others left unused as well, so that their sum is not known: it is taken to
// suffice.
func addTotal(total []float64, a cluster.Allocation, sign float64) {
	switch {
	case len(a.Own) == 0:
		for i := range a.Parts {
			addPart(total, &a.Parts[i], sign)
		}
	case sign > 0:
		for k := range total {
			total[k] = math.Inf(1)
		}
	}
}

// suffices reports whether a total is as much as is needed, but for what sums of parts are off by.
func suffices(total, need []float64) bool {
	const exact = 1 - 1e-9
	for i := range need {
		if total[i] < exact*need[i] {
			return false
		}
	}
	return true
}

// forward does steps up to a time, at least one. It reports whether there is one.
func (s *simulation) forward(until float64) bool {
	for {
		last := s.now()
		next, more := s.after(last)
		if !more {
			return false
		}
		s.move(last, next, 1)
		s.steps = append(s.steps, next)
		if next.at >= until {
			return true
		}
	}
}

// back takes the last step back.
func (s *simulation) back() {
	next := s.now()
	s.steps = s.steps[:len(s.steps)-1]
	s.move(s.now(), next, -1)
}

// rewind takes all steps back that are later than a time.
func (s *simulation) rewind(to float64) {
	for len(s.steps) > 0 && s.now().at > to {
		s.back()
	}
}

// move does what lies between two steps, with sign 1, or takes it back, with -1.
func (s *simulation) move(last, next step, sign int) {
	at := s.c.at
	ends := func() {
		for _, job := range s.ends[last.ended:next.ended] {
			at.state.Shift(at.jobs[job].place, -sign)
			at.countChecks(job, float64(-sign))
		}
	}
	if sign > 0 {
		ends()
	}
	for _, ch := range s.changes[last.passed:next.passed] {
		t := &s.c.tops[ch.top]
		at.state.Shift(t.place, -sign*int(ch.sign()))
		for _, k := range t.checks {
			k.counter.used -= float64(sign) * ch.sign() * k.need
		}
	}
	if sign < 0 {
		ends()
	}
}
