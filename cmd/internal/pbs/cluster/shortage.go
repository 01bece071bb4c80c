package cluster

import "slices"

// Shortage is why a request has not found its place, as the scheduler names it when it asks whose going may help.
type Shortage struct {
	Of         ShortageKind
	Consumable int   // of which there is too little; -1 but for TooLittle
	Vnode      int32 // where a suspended job has to go on; -1 but for OtherVnode
}

// ShortageKind is what a Shortage is of.
type ShortageKind byte

// The kinds of shortages.
const (
	NoShortage  ShortageKind = iota
	TooLittle                // of a consumable, on the vnode that was looked at last, or in all
	NoVnodeLeft              // that could be looked at
	Planned                  // on the vnode that was looked at last something is planned
	Another                  // that vnode is not one for the job, or others use it
	OtherVnode               // a suspended job goes on where it was, and that vnode is another one
)

// ShortageInAll returns of what less is free in all than a request asks for.
func (s *State) ShortageInAll(r *Request) Shortage {
	for i, need := range r.Total {
		if need > s.total[i] {
			return Shortage{TooLittle, i, -1}
		}
	}
	return Shortage{NoShortage, -1, -1}
}

// ShortageOf returns why a request does not fit now beside what is planned, as PBS's eval_simple_selspec has it: of the
// chunk that finds no vnode, it is what the vnode lacks that was looked at last. Full vnodes are not looked at, nor
// those that have less in all than the chunk asks for once one of their like was.
func (s *State) ShortageOf(r *Request, planned Calendar) Shortage {
	if r.was != nil {
		return s.shortageWhereItWas(r.was)
	}
	p := &s.placer
	wasAll := s.looksAtAll
	s.looksAtAll = true // it depends on how far the search comes
	short := s.ShortageInAll(r)
	isNone := short.Of != NoShortage || s.find(r, planned)
	if s.looksAtAll = wasAll; isNone {
		return short
	}
	for i := range r.Chunks {
		chunk, placed, on := &r.Chunks[i], 0, int32(-1)
		for _, part := range p.parts {
			if part.Chunk == chunk {
				placed, on = placed+int(part.Count), part.Vnode
			}
		}
		if placed < chunk.Count {
			return p.lastShortage(chunk, on)
		}
	}
	return Shortage{Another, -1, -1} // the job has to be on one host, or takes no part of vnodes
}

// lastShortage returns what the vnode lacks that was looked at last for a chunk. Where one like it has found its place
// on a vnode, the search goes on from there; it is -1 where none has.
func (p *placer) lastShortage(chunk *Chunk, from int32) Shortage {
	s, isAhead := p.s, from >= 0
	last := Shortage{NoVnodeLeft, -1, -1}
	taken := map[int32][]float64{} // by vnode, what has been placed so far
	for _, part := range p.parts {
		if taken[part.Vnode] == nil {
			taken[part.Vnode] = make([]float64, len(chunk.Need))
		}
		for i, need := range part.Chunk.Need {
			taken[part.Vnode][i] += float64(part.Count) * need
		}
	}
	var small [][]float64 // the amounts of vnodes that can never hold the chunk
	for _, v := range p.inOrder() {
		isAhead = isAhead && v != from
		if !p.isWithin(v) || s.isClosed(v) || s.isFull(v) || p.r.arrangement == scatter && p.hosts[s.hostOf[v]] == p.search || p.r.arrangement == vscatter && taken[v] != nil {
			continue
		}
		vnode := &s.Vnodes[v]
		if i := lacking(chunk, vnode.Amounts, nil); i >= 0 {
			isKnown := slices.ContainsFunc(small, func(of []float64) bool { return slices.Equal(of, vnode.Amounts) })
			if !isKnown {
				small = append(small, vnode.Amounts)
			}
			if !isKnown && !isAhead {
				last = Shortage{TooLittle, i, -1}
			}
			continue
		}
		if isAhead {
			continue
		}
		switch i := lacking(chunk, s.free[v], taken[v]); {
		case !s.matches(vnode, p.r, chunk):
			last = Shortage{Another, -1, -1}
		case i >= 0:
			last = Shortage{TooLittle, i, -1}
		case p.planned != nil:
			last = Shortage{Planned, -1, -1}
		default:
			last = Shortage{Another, -1, -1}
		}
	}
	return last
}

// lacking returns the first of what a chunk asks for of which there is too little, less what is taken already; -1 for
// none.
func lacking(chunk *Chunk, there, taken []float64) int {
	for _, i := range chunk.asked {
		has := there[i]
		if taken != nil {
			has -= taken[i]
		}
		if chunk.Need[i] > has {
			return i
		}
	}
	return -1
}
