package cluster

import "slices"

// Split returns what a suspended job gives back of an allocation and what it keeps meanwhile, where only some
// consumables are released (restrict_res_to_release_on_suspend). It keeps no vnode for itself.
func (a Allocation) Split(isReleased []bool) (released, kept Allocation) {
	released.Own = a.Own
	for _, part := range a.Parts {
		free, held := *part.Chunk, *part.Chunk
		free.Need, held.Need = make([]float64, len(part.Chunk.Need)), make([]float64, len(part.Chunk.Need))
		for k, need := range part.Chunk.Need {
			if isReleased[k] {
				free.Need[k] = need
			} else {
				held.Need[k] = need
			}
		}
		released.Parts = append(released.Parts, Part{part.Vnode, part.Count, &free})
		kept.Parts = append(kept.Parts, Part{part.Vnode, part.Count, &held})
	}
	return released, kept
}

// Keep lets a suspended job keep what it does not release of its vnodes, with sign 1, or gives that back, with -1. It
// does not count as one that uses them.
func (s *State) Keep(kept Allocation, sign float64) {
	for _, p := range kept.Parts {
		s.count(p.Vnode, -1)
		for k, need := range p.Chunk.Need {
			s.free[p.Vnode][k] -= sign * float64(p.Count) * need
		}
		s.count(p.Vnode, 1)
		s.touch(p.Vnode)
	}
	s.Settle()
}

// Resumption returns the request of a job that is suspended: what it had and gave back, where it was,
// as PBS's scheduler asks for it with a chunk for each of exec_vnode.
func (r *Request) Resumption(a Allocation) *Request {
	again := &Request{Total: make([]float64, len(r.Total)), sharing: r.sharing, queue: r.queue, was: &formerPlace{Allocation: a}}
	for _, part := range a.Parts {
		again.Chunks = append(again.Chunks, *part.Chunk)
		for i, need := range part.Chunk.Need {
			again.Total[i] += float64(part.Count) * need
		}
		again.was.add(part)
	}
	return again
}

// formerPlace is where a suspended job was.
type formerPlace struct {
	Allocation
	vnodes []vnodeNeed
}

// vnodeNeed is what a suspended job needs of a vnode, of all parts together.
type vnodeNeed struct {
	vnode   int32
	amounts []float64
}

func (f *formerPlace) add(part Part) {
	at := slices.IndexFunc(f.vnodes, func(n vnodeNeed) bool { return n.vnode == part.Vnode })
	if at < 0 {
		at = len(f.vnodes)
		f.vnodes = append(f.vnodes, vnodeNeed{part.Vnode, make([]float64, len(part.Chunk.Need))})
	}
	for i, amount := range part.Chunk.Need {
		f.vnodes[at].amounts[i] += float64(part.Count) * amount
	}
}

// again places the parts that a suspended job had where they were, if there is room.
func (p *placer) again() bool {
	if p.s.taken(p.r.was, p.planned) >= 0 {
		return false
	}
	p.begin()
	p.parts = append(p.parts, p.r.was.Parts...)
	return true
}

// taken returns the first vnode that has no room for what a suspended job had there, -1 for none.
func (s *State) taken(was *formerPlace, planned Calendar) int32 {
	for _, n := range was.vnodes {
		there := s.free[n.vnode]
		if planned != nil {
			left, then, _ := planned.Left(n.vnode)
			if then && slices.Contains(was.Own, n.vnode) {
				return n.vnode
			}
			there = left
		}
		if s.isClosed(n.vnode) || times(there, n.amounts, 1) == 0 {
			return n.vnode
		}
	}
	for _, v := range was.Own {
		if s.jobs[v] > 0 {
			return v
		}
	}
	return -1
}

// Watch returns the vnode that has to change before a suspended job can go on, and watches it. ok is false for any other request,
// and where nothing is in the way.
func (s *State) Watch(r *Request) (vnode int32, ok bool) {
	if r.was == nil {
		return 0, false
	}
	if vnode = s.taken(r.was, nil); vnode < 0 {
		return 0, false
	}
	if s.isWatched == nil {
		s.isWatched = make([]bool, len(s.Vnodes))
	}
	s.isWatched[vnode] = true
	return vnode, true
}

// Changed returns the vnodes that were watched and have changed since. They are watched no longer. The slice is used again.
func (s *State) Changed() []int32 {
	changed := s.changed
	s.changed = s.changed[:0]
	return changed
}

// shortageWhereItWas returns why a suspended job does not find what it had: of the first chunk that its vnode has no room
// for, what the first of the job's own vnodes lacks that is looked at. PBS looks at those alone, in their order, passes over
// full ones, and asks each for the chunk's vnode before it asks for amounts (Q3y: 782 of 786 searches for jobs to preempt).
func (s *State) shortageWhereItWas(was *formerPlace) Shortage {
	taken := map[int32][]float64{}
	for _, part := range was.Parts {
		if taken[part.Vnode] == nil {
			taken[part.Vnode] = make([]float64, len(part.Chunk.Need))
		}
		of, on := taken[part.Vnode], part.Vnode
		for range part.Count {
			if s.isClosed(on) || s.isFull(on) || lacking(part.Chunk, s.free[on], of) >= 0 {
				return s.firstShortage(was, part.Chunk, on, of)
			}
			for i, need := range part.Chunk.Need {
				of[i] += need
			}
		}
		if slices.Contains(was.Own, on) && s.jobs[on] > 0 {
			return Shortage{Another, -1, -1}
		}
	}
	return Shortage{NoShortage, -1, -1}
}

// firstShortage returns what the first vnode lacks that is looked at for a chunk of a suspended job, which was on a vnode
// of which the chunks before it take a part.
func (s *State) firstShortage(was *formerPlace, chunk *Chunk, on int32, taken []float64) Shortage {
	for _, n := range was.vnodes {
		switch {
		case s.isClosed(n.vnode) || s.isFull(n.vnode):
		case n.vnode != on:
			return Shortage{OtherVnode, -1, on}
		default:
			return Shortage{TooLittle, lacking(chunk, s.free[on], taken), -1}
		}
	}
	return Shortage{NoVnodeLeft, -1, -1}
}

// CouldHold reports whether a vnode could hold a chunk of a request if nobody used it, as
// PBS looks at what preemption may bring.
func (s *State) CouldHold(vnode int32, r *Request) bool {
	if r.was != nil {
		return slices.ContainsFunc(r.was.Parts, func(p Part) bool { return p.Vnode == vnode })
	}
	v := &s.Vnodes[vnode]
	return slices.ContainsFunc(r.Chunks, func(c Chunk) bool {
		return s.matches(v, r, &c) && (times(v.Amounts, c.Need, 1) > 0 || !s.placer.someHas(&c)) // or a piece of it
	})
}

// Shares reports whether two allocations have a vnode in common.
func (a Allocation) Shares(b Allocation) bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool {
		return slices.ContainsFunc(b.Parts, func(q Part) bool { return p.Vnode == q.Vnode })
	})
}
