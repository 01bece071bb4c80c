package sched

import "slices"

// slots are the spans of a plan, without gaps, from the begin of a cycle to the end of its window, and the nodes that no
// planned job has in each of them. They stand side by side in memory: a cycle goes through them for each job that it tests.
type slots struct {
	bounds []int64  // where they begin, and where the last one ends
	free   []uint64 // the sets of one after the other
	words  int      // of a set
	left   Set      // of planned
	hint   int      // a slot that may be the one that is asked for next
}

// firstBehind returns the place of the first of some times, in their order, that is behind a moment; their number if none is. It halves them
// without a branch that depends on the times, which no processor could foretell.
func firstBehind(times []int64, moment int64) int {
	from, n := 0, len(times)
	for ; n > 1; n -= n / 2 {
		half := n / 2
		from += half & int((times[from+half-1]-moment-1)>>63)
	}
	if n > 0 && times[from] <= moment {
		from++
	}
	return from
}

func (s *slots) count() int        { return len(s.bounds) - 1 }
func (s *slots) begin(i int) int64 { return s.bounds[i] }
func (s *slots) end(i int) int64   { return s.bounds[i+1] }
func (s *slots) of(i int) Set      { return s.free[i*s.words : (i+1)*s.words] }

// at returns the first slot that ends after a moment, the number of slots if none does.
func (s *slots) at(moment int64) int {
	if len(s.bounds) > 1 && moment < s.bounds[1] {
		return 0
	}
	if h := s.hint; h+1 < len(s.bounds) && s.bounds[h] <= moment && moment < s.bounds[h+1] {
		return h
	}
	return firstBehind(s.bounds[1:], moment)
}

// gain returns the first slot from one on, and before another one, at the begin of which one of some nodes becomes free of
// plans; the other one if there is none. The first slot of all is not asked for.
func (s *slots) gain(nodes Set, from, behind int) int {
	if len(nodes) == 1 { // as of most sites
		of := nodes[0]
		for i := from; i < behind; i++ {
			if s.free[i]&^s.free[i-1]&of != 0 {
				return i
			}
		}
		return behind
	}
	for i := from; i < behind; i++ {
		if s.of(i).gains(s.of(i-1), nodes) {
			return i
		}
	}
	return behind
}

// touch takes what is planned in a slot and in all that follow it and begin by a time out of some nodes, and returns the slot behind.
func (s *slots) touch(among Set, i int, end int64) int {
	n := s.count()
	if len(among) == 1 {
		left := among[0]
		for ; i < n && s.bounds[i] <= end; i++ {
			left &= s.free[i]
		}
		among[0] = left
		return i
	}
	for ; i < n && s.bounds[i] <= end; i++ {
		among.intersect(s.of(i))
	}
	return i
}

// narrow takes what is planned in any slot that a job from start to end touches out of the nodes that
// it may run on, and puts the rest into among. It returns when the job is to be tested next: where, in
// the slots that it touches or at the end of the one that follows them, a node is planned no longer.
// It is 0 if there is no such moment: Slurm before 24.11 then looks no further, even if nodes become free later. It does
// where isFar is set.
func (s *slots) narrow(among, nodes Set, start, end int64, isFar bool) (next int64) {
	copy(among, nodes)
	n, from := s.count(), s.at(start)
	behind := s.touch(among, from, end)
	last := min(behind+2, n)
	if isFar {
		last = n
	}
	if i := s.gain(nodes, from+1, last); i < last {
		s.hint = i
		return s.begin(i)
	}
	return 0
}

// leap returns the first moment from one on, at which narrow has a job of a time limit tested, that has a node free of plans
// for as long as the job runs, or an earlier one than that: those that are left out have none. It is 0 where narrow comes to
// none of those. The node is one of a prospect, by the moment at which narrow has the job tested next; without one, any.
func (s *slots) leap(nodes Set, at, limit int64, isFar bool, of *prospect) int64 {
	if of != nil && len(nodes) == 1 {
		return s.leapWord(nodes[0], at, limit, isFar, of)
	}
	n := s.count()
	behind, last := s.at(at), n
	none := -1 // the last slot with which all nodes that the job can use are planned
	for i := behind; ; {
		for end := s.begin(i) + limit; behind < n && s.begin(behind) <= end; {
			behind++
		}
		if !isFar {
			last = min(behind+2, n)
		}
		next := s.gain(nodes, i+1, last)
		able, isOther := nodes, none < 0
		if of != nil && next < last {
			able, isOther = of.by(s.begin(next), none < 0)
		} else if of != nil { // as long as anything runs
			isOther = true
		}
		if isOther || i > none {
			if none = s.planned(able, i, behind); none < 0 {
				s.hint = i
				return s.begin(i)
			}
		}
		if next == last {
			return 0
		}
		i = next
	}
}

// leapWord is leap where a set of nodes is one word, as of most sites.
func (s *slots) leapWord(nodes uint64, at, limit int64, isFar bool, of *prospect) int64 {
	free := s.free
	n := len(free)
	bounds := s.bounds[:n+1]
	x, ends := of.line, of.outlook.timelines.ends.at
	maybe := x.free[0] | ^x.known[0]
	nodesOf := nodes & of.suits[0]
	i, last, none := s.at(at), n, -1
	open, opened := firstBehind(x.openAt, bounds[i]), uint64(0) // the nodes on which the request can use some until then
	if open > 0 {
		opened = x.opened[open-1]
	}
	for behind := firstBehind(bounds[:n], bounds[i]+limit); ; {
		for end := bounds[i] + limit; behind < n && bounds[behind] <= end; {
			behind++
		}
		if !isFar {
			last = min(behind+2, n)
		}
		next := i + 1
		for next < last && free[next]&^free[next-1]&nodes == 0 {
			next++
		}
		able := nodes
		if next < last {
			at, was := bounds[next], open
			for x.jobs < len(ends) && ends[x.jobs] <= at {
				of.outlook.timelines.extend(x, x.jobs+1, of.outlook.running)
			}
			for open < len(x.openAt) && x.openAt[open] <= at {
				open++
			}
			if open > was {
				opened = x.opened[open-1]
			} else if i <= none {
				i = next
				continue
			}
			able = nodesOf & (maybe | opened)
		}
		none = -1
		for k := behind - 1; k >= i; k-- {
			if able &= free[k]; able == 0 {
				none = k
				break
			}
		}
		if none < 0 {
			s.hint = i
			return bounds[i]
		}
		if next >= last {
			return 0
		}
		i = next
	}
}

// planned returns the last of the slots from one on and before another one with which all of some nodes are planned in it or in
// one of those that follow; -1 where there is a node that is free in all of them.
func (s *slots) planned(nodes Set, from, behind int) int {
	if len(nodes) == 1 {
		left := nodes[0]
		for i := behind - 1; i >= from; i-- {
			if left &= s.free[i]; left == 0 {
				return i
			}
		}
		return -1
	}
	s.left = append(s.left[:0], nodes...)
	for i := behind - 1; i >= from; i-- {
		if s.left.cut(s.of(i)) {
			return i
		}
	}
	return -1
}

// overlap reports whether nodes are planned between two moments.
func (s *slots) overlap(nodes Set, start, end int64) bool {
	i := s.at(start)
	s.hint = i
	if len(nodes) == 1 {
		of := nodes[0]
		for ; i < len(s.free) && s.bounds[i] < end; i++ {
			if of&^s.free[i] != 0 {
				return true
			}
		}
		return false
	}
	for ; i < s.count() && s.begin(i) < end; i++ {
		if !nodes.within(s.of(i)) {
			return true
		}
	}
	return false
}

// reserve plans nodes for a job. Slurm's search depends on which slots there are, see narrow.
func (s *slots) reserve(nodes Set, start, end int64) {
	from := s.split(max(start, s.begin(0)))
	behind := s.split(end)
	if len(nodes) == 1 {
		for i := from; i < behind; i++ {
			s.free[i] &^= nodes[0]
		}
	} else {
		for i := from; i < behind; i++ {
			s.of(i).subtract(nodes)
		}
	}
	// Of neighbours with the same nodes, Slurm joins the first two, and no more.
	if i := s.double(); i > 0 {
		s.bounds = slices.Delete(s.bounds, i, i+1)
		s.free = slices.Delete(s.free, i*s.words, (i+1)*s.words)
	}
}

// double returns the first slot that has the nodes of the one before it, 0 if none has.
func (s *slots) double() int {
	if s.words == 1 {
		for i := 1; i < len(s.free); i++ {
			if s.free[i] == s.free[i-1] {
				return i
			}
		}
		return 0
	}
	for i := 1; i < s.count(); i++ {
		if slices.Equal(s.of(i-1), s.of(i)) {
			return i
		}
	}
	return 0
}

// split makes a slot begin at some time, and returns it: the first one for a time before it, and the number of slots for one behind all of them.
func (s *slots) split(at int64) int {
	i := s.at(at)
	if i == s.count() || s.begin(i) >= at {
		return i
	}
	s.bounds = slices.Insert(s.bounds, i+1, at)
	s.free = slices.Insert(s.free, i*s.words, s.of(i)...)
	return i + 1
}

// isTaken reports whether no span longer than some time begins by a moment in which a node is free of plans.
func (s *slots) isTaken(node int, limit, by int64) bool {
	word, bit := node/64, uint64(1)<<(node%64)
	from := int64(-1) // where the node has become free of plans, -1 where it is not
	for i, at := 0, word; at < len(s.free); i, at = i+1, at+s.words {
		begin := s.bounds[i]
		if from < 0 && begin > by {
			return true
		}
		if s.free[at]&bit == 0 {
			if from >= 0 && begin-from > limit {
				return false
			}
			from = -1
		} else if from < 0 {
			from = begin
		}
	}
	return from < 0
}
