package sched

import "slices"

// sums are unknown whole numbers, and what some of them come to together.
type sums struct {
	unknowns []addend
	list     []sum
	of       [][]int // by unknown, the sums that have it
	undo     []change
	tries    int

	queue    []int  // of narrow: the sums that are still to be looked at
	isQueued []bool // by sum
}

// addend is an unknown number between two, both included: the lower one or a whole number of steps more. Of several that it can be,
// it is the one nearest to what is wanted.
type addend struct{ low, high, step, wanted int64 }

// sum is what unknowns come to, or may at most.
type sum struct {
	terms   []term
	total   int64
	isEqual bool
}

// term is a number of times an unknown.
type term struct {
	unknown int
	times   int64
}

// change is what an unknown could be before it was narrowed.
type change struct {
	unknown   int
	low, high int64
}

func (s *sums) add(u addend) {
	s.unknowns, s.of = append(s.unknowns, u), append(s.of, nil)
}

// equal adds a sum without unknowns, and returns its number.
func (s *sums) equal(total int64) int {
	s.list = append(s.list, sum{total: total, isEqual: true})
	return len(s.list) - 1
}

// atMost adds a sum that may come to less, and returns its number.
func (s *sums) atMost(total int64) int {
	s.list = append(s.list, sum{total: total})
	return len(s.list) - 1
}

// put puts a number of times an unknown into a sum.
func (s *sums) put(number, of int, times int64) {
	if times > 0 {
		s.list[number].terms = append(s.list[number].terms, term{of, times})
		s.of[of] = append(s.of[of], number)
	}
}

// solve returns what the unknowns are. It is not ok where they cannot come to the sums, or that was not found out after many
// tries.
func (s *sums) solve() (values []int64, ok bool) {
	const triesOfEach, leastTries = 8, 10_000
	s.tries, s.isQueued = leastTries+triesOfEach*len(s.unknowns), make([]bool, len(s.list))
	all := make([]int, len(s.list))
	for i := range all {
		all[i] = i
	}
	if !s.narrow(all) || !s.search(0) {
		return nil, false
	}
	for i := range s.unknowns {
		values = append(values, s.unknowns[i].low)
	}
	return values, true
}

// search finds the unknowns from one on, the earlier ones being found.
func (s *sums) search(from int) bool {
	for from < len(s.unknowns) && s.unknowns[from].isFound() {
		from++
	}
	if from == len(s.unknowns) {
		return true
	}
	before, at := len(s.undo), s.narrowest(from)
	for _, value := range s.unknowns[at].values() {
		if s.tries--; s.tries < 0 {
			return false
		}
		if s.bound(at, value, value) && s.narrow(s.of[at]) && s.search(from) {
			return true
		}
		s.goBack(before)
	}
	return false
}

// narrowest returns which of the unknowns from one on can be fewest numbers, as far as it looks, the first of several.
func (s *sums) narrowest(from int) (at int) {
	const most = 64
	at = from
	for i := from + 1; i < min(from+most, len(s.unknowns)); i++ {
		if u := &s.unknowns[i]; !u.isFound() && u.count() < s.unknowns[at].count() {
			at = i
		}
	}
	return at
}

func (u *addend) isFound() bool { return u.low == u.high }

// count returns how many numbers an unknown can be.
func (u *addend) count() int64 { return (u.high-u.low)/u.step + 1 }

// values returns what an unknown can be, the nearest to what is wanted first, and of two as near the larger one.
func (u *addend) values() (list []int64) {
	const most = 64
	at := u.low + max(0, min(u.high, u.wanted+u.step-1)-u.low)/u.step*u.step
	for below := at - u.step; len(list) < most && (at <= u.high || below >= u.low); {
		if at <= u.high && (below < u.low || at-u.wanted <= u.wanted-below) {
			list = append(list, at)
			at += u.step
		} else {
			list = append(list, below)
			below -= u.step
		}
	}
	return list
}

// bound lets an unknown be between two numbers at most, and reports whether it can be any.
func (s *sums) bound(i int, low, high int64) bool {
	u := &s.unknowns[i]
	from, to := max(u.low, u.low+(low-u.low+u.step-1)/u.step*u.step), u.high
	if high < to {
		to = u.low + (high-u.low)/u.step*u.step
		if high < u.low {
			return false
		}
	}
	if from > to {
		return false
	}
	if from != u.low || to != u.high {
		s.undo = append(s.undo, change{i, u.low, u.high})
		u.low, u.high = from, to
	}
	return true
}

// goBack undoes all changes but the first ones.
func (s *sums) goBack(to int) {
	for _, c := range slices.Backward(s.undo[to:]) {
		s.unknowns[c.unknown].low, s.unknowns[c.unknown].high = c.low, c.high
	}
	s.undo = s.undo[:to]
}

// narrow bounds the unknowns of some sums by what the others of each can be, and so on, and reports whether each sum can
// still come about.
func (s *sums) narrow(numbers []int) bool {
	for _, i := range s.queue { // where it ended sooner
		s.isQueued[i] = false
	}
	s.queue = s.queue[:0]
	s.enqueue(numbers)
	for next := 0; next < len(s.queue); next++ {
		at := &s.list[s.queue[next]]
		s.isQueued[s.queue[next]] = false
		least, most := int64(0), int64(0)
		for _, t := range at.terms {
			least += t.times * s.unknowns[t.unknown].low
			most += t.times * s.unknowns[t.unknown].high
		}
		if least > at.total || at.isEqual && most < at.total {
			return false
		}
		for _, t := range at.terms {
			u := &s.unknowns[t.unknown]
			low, high := u.low, u.low+(at.total-least)/t.times
			if missing := at.total - (most - t.times*u.high); at.isEqual && missing > 0 {
				low = (missing + t.times - 1) / t.times
			}
			if low <= u.low && high >= u.high {
				continue
			}
			before := len(s.undo)
			if !s.bound(t.unknown, low, high) {
				return false
			}
			if len(s.undo) == before {
				continue
			}
			s.enqueue(s.of[t.unknown])
		}
	}
	return true
}

// enqueue lets narrow look at some sums, at each once.
func (s *sums) enqueue(numbers []int) {
	for _, i := range numbers {
		if !s.isQueued[i] {
			s.isQueued[i], s.queue = true, append(s.queue, i)
		}
	}
}
