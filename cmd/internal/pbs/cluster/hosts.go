package cluster

import (
	"cmp"
	"math"
	"slices"
)

// hasLargeHosts reports whether hosts have several vnodes, over which chunks may be broken.
func (c *Cluster) hasLargeHosts() bool { return len(c.hosts) < len(c.Vnodes) }

// HasOneMom reports whether one mom has all vnodes, as where they are parts of one machine.
func (c *Cluster) HasOneMom() bool {
	isOther := func(v Vnode) bool { return v.Mom == "" || v.Mom != c.Vnodes[0].Mom }
	return len(c.Vnodes) > 0 && !slices.ContainsFunc(c.Vnodes, isOther)
}

// StartsMayHelp reports whether a job may find its place because another one has started: where the order of vnodes
// changes with what runs, where a vnode that is full leaves those of its host to a job that has its hosts alone or no
// longer draws some of its chunks to a vnode that takes no part of a job of several hosts, and where chunks of one kind
// no longer take what those of another one need.
func (c *Cluster) StartsMayHelp(r *Request) bool {
	return c.hasLargeHosts() || len(c.keys) > 0 || len(r.Chunks) > 1 || c.HasSingles()
}

// HasSingles reports whether some vnodes take no part of a job that has several hosts.
func (c *Cluster) HasSingles() bool {
	return slices.ContainsFunc(c.Vnodes, func(v Vnode) bool { return v.NoMultinode })
}

// byHost places chunks host by host, as PBS's eval_placement: on each all that fit, each on the first of its vnodes
// that has it, or broken over them where none has it now.
func (p *placer) byHost() bool {
	p.several = true
	left := make([]int, len(p.r.Chunks))
	for i := range p.r.Chunks {
		left[i] = p.r.Chunks[i].Count
	}
	order := slices.Clone(p.inOrder())
	for _, host := range p.hostsInOrder(order) {
		vnodes := slices.DeleteFunc(slices.Clone(order), func(v int32) bool { return p.s.hostOf[v] != host || !p.isWithin(v) })
		p.fill(vnodes, left)
		if p.r.arrangement == pack || !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
			break
		}
	}
	return !slices.ContainsFunc(left, func(n int) bool { return n > 0 })
}

// packed places all chunks on one host, the first on which they fit.
func (p *placer) packed(within []int32) bool {
	for _, host := range p.turned(slices.Clone(p.hostsInOrder(slices.Clone(p.inOrder())))) {
		p.within = slices.DeleteFunc(slices.Clone(p.s.hosts[host]), func(v int32) bool { return within != nil && !slices.Contains(within, v) })
		if p.begin(); p.spread() {
			return true
		}
	}
	return false
}

// fill places of each chunk as many as a host has room for.
func (p *placer) fill(vnodes []int32, left []int) {
	for i := range p.r.Chunks {
		chunk := &p.r.Chunks[i]
		for left[i] > 0 {
			n := p.fillWhole(vnodes, chunk, left[i])
			if n == 0 && p.r.arrangement != vscatter && p.breakOver(vnodes, chunk) {
				n = 1
			}
			if n == 0 {
				break
			}
			if left[i] -= n; p.r.arrangement == scatter {
				return
			}
		}
	}
}

// fillWhole places some of a chunk on the first vnode that has it whole, and returns how many.
func (p *placer) fillWhole(vnodes []int32, chunk *Chunk, most int) int {
	for _, v := range vnodes {
		if p.s.isClosed(v) {
			continue
		}
		if n := p.fits(v, chunk, most); n > 0 {
			p.add(Part{v, int32(n), chunk})
			return n
		}
	}
	return 0
}

// hostsInOrder returns the hosts in the order in which they are tried: in that of their best vnodes until a job has
// started in a cycle, and then as Started has sorted them.
func (p *placer) hostsInOrder(vnodes []int32) []int32 {
	s := p.s
	if p.within == nil && s.hostOrder != nil {
		return s.hostOrder
	}
	var hosts []int32
	seen := map[int32]bool{}
	for _, v := range vnodes {
		if host := s.hostOf[v]; p.isWithin(v) && !seen[host] {
			seen[host] = true
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// BeginCycle says that a cycle of the scheduler begins, in which Started follows: vnodes are sorted by node_sort_key, and
// hosts of several vnodes by the first of these.
func (s *State) BeginCycle() {
	s.EndCycle()
	if len(s.keys) > 0 {
		s.sortVnodes()
	}
	if p := (&placer{s: s}); s.hasLargeHosts() {
		s.hostOrder = p.hostsInOrder(p.inOrder())
	}
}

// sortVnodes sorts the vnodes anew; those that are alike stay as they were sorted last in the cycle.
func (s *State) sortVnodes() { s.vnodeOrder = (&placer{s: s}).inOrder() }

// EndCycle says that it is over.
func (s *State) EndCycle() { s.hostOrder, s.vnodeOrder = nil, nil }

// Started says that a job has started in a cycle: then PBS sorts the hosts by node_sort_key as a whole, each by what
// all of its vnodes have. They have no priority.
func (s *State) Started() {
	if len(s.keys) == 0 {
		return
	}
	s.sortVnodes()
	if s.hostOrder == nil {
		return
	}
	sums := make([][]float64, len(s.hosts))
	for _, host := range s.hostOrder {
		sums[host] = make([]float64, len(s.keys))
		for _, v := range s.hosts[host] {
			for i := range s.keys {
				if k := &s.keys[i]; k.at >= 0 {
					sums[host][i] += k.valueOf(&s.Vnodes[v], v, s.free[v])
				}
			}
		}
	}
	slices.SortStableFunc(s.hostOrder, func(a, b int32) int { return slices.Compare(sums[a], sums[b]) })
}

// breakOver breaks a chunk over the vnodes of a host, each of which gives what it has, as PBS's eval_simple_selspec.
func (p *placer) breakOver(vnodes []int32, chunk *Chunk) bool {
	rest := slices.Clone(chunk.Need)
	var parts []Part
	for _, v := range vnodes {
		if p.s.isClosed(v) || p.fits(v, &Chunk{Count: 1, Need: make([]float64, len(rest)), words: chunk.words, cannot: chunk.cannot, owner: chunk.owner}, 1) == 0 {
			continue
		}
		there := p.s.free[v]
		if p.planned != nil {
			there, _, _ = p.planned.Left(v)
		}
		piece := &Chunk{Count: 1, Need: make([]float64, len(rest)), follows: len(parts) > 0, owner: chunk.owner}
		used := false
		for i := range rest {
			have := there[i]
			if taken := p.taken[v]; taken != nil {
				have -= taken[i]
			}
			piece.Need[i] = max(0, min(rest[i], math.Floor(have)))
			rest[i] -= piece.Need[i]
			used = used || piece.Need[i] > 0
		}
		if used {
			for _, i := range slices.Backward(chunk.asked) { // as PBS prints it
				if piece.Need[i] > 0 {
					piece.text += p.s.textAt(i, piece.Need[i])
				}
			}
			parts = append(parts, Part{v, 1, piece})
		}
	}
	if len(parts) == 0 || slices.ContainsFunc(rest, func(x float64) bool { return x > 0 }) { // one that uses nothing up is not broken
		return false
	}
	for _, part := range parts {
		p.add(part)
	}
	return true
}

// ownOf returns what a job has of a host to itself: all its vnodes, in the order in which they are tried.
func (p *placer) ownOf(host int32) []int32 {
	vnodes := slices.Clone(p.s.hosts[host])
	if len(p.s.keys) > 0 && len(vnodes) > 1 {
		order := p.inOrder()
		slices.SortFunc(vnodes, func(a, b int32) int { return cmp.Compare(slices.Index(order, a), slices.Index(order, b)) })
	}
	return vnodes
}
