package cluster

import "slices"

// ParseReserved returns the allocation that a list such as exec_vnode names for a
// reservation with some place, without vnodes that the cluster does not have. It may be
// nowhere.
func (s *State) ParseReserved(text, place string) Allocation {
	r, err := s.Request("1", place, "")
	if err != nil {
		r = &Request{}
	}
	return s.ParseKnown(text, r)
}

// Within returns the vnodes of an allocation as a cluster in which each has what the
// allocation has of it, and their numbers in the whole. Any queue may use them. Of what the allocation does not
// name each has all that there is, as PBS's create_resv_nodes: a reservation of cpus alone takes jobs that ask for memory too.
func (c *Cluster) Within(a Allocation) (part *Cluster, numbers []int32) {
	for _, p := range a.Parts {
		numbers = append(numbers, p.Vnode)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	part = &Cluster{Consumables: c.Consumables, ncpus: c.ncpus, checks: c.checks, queues: map[string]bool{}, isReserved: true}
	hosts := map[string]int32{}
	for i, v := range numbers {
		vnode := c.Vnodes[v]
		vnode.Queue, vnode.Amounts = "", slices.Clone(vnode.Amounts)
		for k := range vnode.Amounts {
			named := 0.
			for _, p := range a.Parts {
				if p.Vnode == v {
					named += float64(p.Count) * p.Chunk.Need[k]
				}
			}
			if named > 0 {
				vnode.Amounts[k] = named
			}
		}
		host, ok := hosts[vnode.Host]
		if !ok {
			host = int32(len(part.hosts))
			hosts[vnode.Host] = host
			part.hosts = append(part.hosts, nil)
		}
		part.Vnodes = append(part.Vnodes, vnode)
		part.hosts[host] = append(part.hosts[host], int32(i))
		part.hostOf = append(part.hostOf, host)
	}
	part.number()
	return part, numbers
}

// MayUse reports whether a vnode with some amounts free may have room for some of a request.
func (s *State) MayUse(v int32, free []float64, r *Request) bool {
	if s.isClosed(v) {
		return false
	}
	hasSome := func(chunk *Chunk) bool {
		if len(s.hosts) < len(s.Vnodes) { // chunks may be broken over a host
			return slices.ContainsFunc(free, func(x float64) bool { return x > 0 })
		}
		return times(free, chunk.Need, 1) > 0
	}
	for i := range r.Chunks {
		if hasSome(&r.Chunks[i]) {
			return true
		}
	}
	return false
}
