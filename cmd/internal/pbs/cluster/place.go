package cluster

import "slices"

// Calendar says what jobs of the future leave of vnodes.
type Calendar interface {
	// Left returns what a vnode has for a whole job, and whether anything is planned
	// on it then, or later too. The slice may be used again by the next call.
	Left(vnode int32) (amounts []float64, then, ever bool)
}

// CouldFit reports whether there is enough free in all for a request, and so that it
// may find its place. It costs little.
func (s *State) CouldFit(r *Request) bool {
	for i, need := range r.Total {
		if need > s.total[i] {
			return false
		}
	}
	return true
}

// Place returns the vnodes that a request gets, the first ones that it fits on, as
// PBS's eval_selspec. planned is nil where nothing is. ok is false if it does not fit.
func (s *State) Place(r *Request, planned Calendar) (a Allocation, ok bool) {
	if !s.find(r, planned) {
		return Allocation{}, false
	}
	return s.placer.take(), true
}

// PlaceOn returns what Place does if there were only some of the vnodes, given in ascending order.
func (s *State) PlaceOn(r *Request, planned Calendar, vnodes []int32) (a Allocation, ok bool) {
	s.placer.only = vnodes
	defer func() { s.placer.only = nil }()
	return s.Place(r, planned)
}

// Fits reports whether a request fits on free vnodes, with nothing planned.
func (s *State) Fits(r *Request) bool { return s.find(r, nil) }

// find lets the placer find the place of a request.
func (s *State) find(r *Request, planned Calendar) bool {
	if !s.CouldFit(r) {
		return false
	}
	p := &s.placer
	p.r, p.planned, p.byBucket = r, planned, s.usesBuckets(r) && (planned != nil || len(s.buckets()) > 1)
	if r.was != nil {
		return p.again()
	}
	return p.place() && p.avoidsSingles()
}

// placer finds the place of one request.
type placer struct {
	s       *State
	r       *Request
	planned Calendar
	within  []int32 // the vnodes that count, nil for all
	only    []int32 // likewise, whatever the request says

	byBucket      bool // whether vnodes are tried by what they have
	ignoresLimits bool // whether vnodes take any number of jobs
	isMultinode   bool // whether the job has several hosts, of which some vnodes take no part

	parts   []Part
	taken   map[int32][]float64 // by vnode, what the parts have
	unused  [][]float64         // memory of taken
	hosts   []uint32            // by host, the number of the last search that had parts on it
	search  uint32              // the number of this one
	order   []int32             // memory of the order of vnodes
	several bool                // whether parts may be on one vnode, so that taken is kept
}

// begin forgets what was placed.
func (p *placer) begin() {
	p.parts = p.parts[:0]
	p.several = len(p.r.Chunks) > 1
	const few = 32 // that a map may have had and be used again: to go through a large one takes longer
	if len(p.taken) > few || p.taken == nil {
		p.taken = map[int32][]float64{}
	}
	for v, amounts := range p.taken {
		p.unused = append(p.unused, amounts)
		delete(p.taken, v)
	}
	if p.search++; p.search == 0 || p.hosts == nil {
		p.hosts, p.search = make([]uint32, len(p.s.hosts)), 1
	}
}

// take returns the allocation that was found.
func (p *placer) take() Allocation {
	a := Allocation{Parts: slices.Clone(p.parts)}
	for _, part := range a.Parts {
		switch p.sharingOf(part.Vnode) {
		case excl:
			if !slices.Contains(a.Own, part.Vnode) {
				a.Own = append(a.Own, part.Vnode)
			}
		case exclhost:
			for _, v := range p.ownOf(p.s.hostOf[part.Vnode]) {
				if !slices.Contains(a.Own, v) {
					a.Own = append(a.Own, v)
				}
			}
		}
	}
	return a
}

// sharingOf returns how a job shares a vnode: the vnode may force or ignore what the
// job asks for, and says what holds where it asks for nothing, as PBS's is_excl.
func (p *placer) sharingOf(v int32) sharing {
	switch p.s.Vnodes[v].Sharing {
	case "force_excl":
		return excl
	case "force_exclhost":
		return exclhost
	case "ignore_excl":
		return shared
	case "default_excl":
		if p.r.sharing == byVnode {
			return excl
		}
	case "default_exclhost":
		if p.r.sharing == byVnode {
			return exclhost
		}
	}
	return p.r.sharing
}

func (p *placer) place() bool {
	p.within = p.only
	sets := p.s.setsOf(p.r)
	if sets == nil {
		return p.arrange()
	}
	p.begin()
	rooms := p.rooms(sets)
	for _, set := range sets.ordered(p.s, func(set int) bool { return !rooms.lack(p.r, set) }) {
		if p.within = sets.list[set]; p.only != nil {
			p.within = slices.DeleteFunc(slices.Clone(p.within), func(v int32) bool { return !slices.Contains(p.only, v) })
		}
		if p.arrange() {
			return true
		}
	}
	return false
}

// arrange places all chunks in the way the job asks for.
func (p *placer) arrange() bool {
	p.begin() // also where no host is tried: what another request was given is none of this one's
	if p.r.arrangement != pack {
		return p.spread()
	}
	// All on one host, the first where they fit.
	all := p.within
	defer func() { p.within = all }()
	next := func(host int32) int32 { return host }
	if !p.s.hasLargeHosts() { // a vnode a host: it has to have it all
		next = func(from int32) int32 {
			if v := p.s.index.next(int(from), p.r.Total, false); v >= 0 {
				return p.s.hostOf[v]
			}
			return int32(len(p.s.hosts))
		}
	}
	if p.s.hasLargeHosts() || len(p.s.keys) > 0 || p.s.goesInTurn(p.r) {
		return p.packed(all)
	}
	for host := next(0); int(host) < len(p.s.hosts); host = next(host + 1) {
		p.within = p.s.hosts[host]
		if all != nil {
			p.within = slices.DeleteFunc(slices.Clone(p.within), func(v int32) bool { return !slices.Contains(all, v) })
		}
		if p.begin(); p.spread() {
			return true
		}
	}
	return false
}

// spread places each chunk on the first vnode that has it.
func (p *placer) spread() bool {
	switch {
	case p.s.hasLargeHosts():
		return p.byHost()
	case len(p.s.keys) > 0:
		return p.oneByOne()
	case p.byBucket:
		return p.spreadOverBuckets()
	}
	for i := range p.r.Chunks {
		chunk := &p.r.Chunks[i]
		left := chunk.Count
		for v := p.next(0, chunk); v >= 0 && left > 0; v = p.next(v+1, chunk) {
			n := p.fits(v, chunk, left)
			if n == 0 {
				continue
			}
			p.add(Part{v, int32(n), chunk})
			left -= n
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// next returns the first vnode from one on that may have a chunk, -1 if none may.
func (p *placer) next(from int32, chunk *Chunk) int32 {
	unused := p.r.sharing == excl || p.r.sharing == exclhost
	if p.within == nil {
		return p.s.index.next(int(from), chunk.Need, false) // a vnode may ignore excl
	}
	at, _ := slices.BinarySearch(p.within, from)
	for ; at < len(p.within); at++ {
		if v := p.within[at]; p.s.index.has(p.s.index.leaves+int(v), chunk.Need, unused && p.sharingOf(v) == excl) {
			return v
		}
	}
	return -1
}

// fits returns how many of a chunk fit on a vnode, at most most.
func (p *placer) fits(v int32, chunk *Chunk, most int) int {
	s := p.s
	vnode := &s.Vnodes[v]
	if s.isFull(v) || !s.matches(vnode, p.r, chunk) || !p.ignoresLimits && !s.welcome(v, chunk.owner) || p.isMultinode && vnode.NoMultinode {
		return 0
	}
	host := s.hostOf[v]
	switch p.r.arrangement {
	case scatter:
		if p.hosts[host] == p.search {
			return 0
		}
		most = 1
	case vscatter:
		if p.taken[v] != nil {
			return 0
		}
		most = 1
	}
	isOwn := false
	switch p.sharingOf(v) {
	case excl:
		if isOwn = true; s.jobs[v] > 0 {
			return 0
		}
	case exclhost:
		isOwn = true
		for _, other := range s.hosts[host] {
			if s.jobs[other] > 0 && !s.isFull(other) || s.isClosed(other) { // one that is full is not looked at
				return 0
			}
		}
	}
	there := s.free[v]
	if p.planned != nil {
		left, then, _ := p.planned.Left(v)
		if isOwn && then {
			return 0
		}
		there = left
	}
	if taken := p.taken[v]; taken != nil {
		rest := make([]float64, len(there))
		for i := range there {
			rest[i] = there[i] - taken[i]
		}
		there = rest
	}
	return times(there, chunk.Need, most)
}

// isFull reports whether jobs use all cpus of a vnode: then it is job-busy to PBS, and takes no job, whatever it has
// left of other resources.
func (s *State) isFull(v int32) bool {
	return s.ncpus >= 0 && s.Vnodes[v].Amounts[s.ncpus] > 0 && s.free[v][s.ncpus] <= 0
}

// add adds a part to what was placed.
func (p *placer) add(part Part) {
	p.parts = append(p.parts, part)
	if p.r.arrangement == scatter {
		p.hosts[p.s.hostOf[part.Vnode]] = p.search
	}
	if !p.several && p.r.arrangement != vscatter {
		return
	}
	taken := p.taken[part.Vnode]
	if taken == nil {
		if n := len(p.unused); n > 0 {
			taken, p.unused = p.unused[n-1], p.unused[:n-1]
			clear(taken)
		} else {
			taken = make([]float64, len(part.Chunk.Need))
		}
		p.taken[part.Vnode] = taken
	}
	for i, need := range part.Chunk.Need {
		taken[i] += float64(part.Count) * need
	}
}

// someHas reports whether a vnode has enough for a chunk when it is empty.
func (p *placer) someHas(chunk *Chunk) bool {
	return slices.ContainsFunc(p.s.Vnodes, func(v Vnode) bool { return times(v.Amounts, chunk.Need, 1) > 0 })
}
