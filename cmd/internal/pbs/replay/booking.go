package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
)

// isInWay reports whether vnodes of a booking have room for a request now.
func (k *booking) isInWay(s *cluster.State, r *cluster.Request) bool {
	return slices.ContainsFunc(k.place.Parts, func(p cluster.Part) bool { return s.MayUse(p.Vnode, s.Free(p.Vnode), r) })
}

// fits reports whether jobs of a class fit into a booking: on its vnodes, and with all that
// they ask for, be it of a chunk or not, into all that the reservation has.
func (k *booking) fits(c *class) bool {
	for name, most := range k.of.most {
		if c.asks[name] > most-k.asked[name] {
			return false
		}
	}
	return k.state.Fits(c.request)
}

// count counts what a job asks for that comes, or goes.
func (k *booking) count(p *progress, sign float64) {
	for name := range k.of.most {
		k.asked[name] += sign * p.asks[name]
	}
}

// partOn returns which part of what a job has is on a vnode, the first one, -1 for none.
func (p *progress) partOn(v int32) int {
	if p.booking == nil {
		return slices.IndexFunc(p.place.Parts, func(part cluster.Part) bool { return part.Vnode == v })
	}
	return slices.IndexFunc(p.inside.Parts, func(part cluster.Part) bool { return p.booking.numbers[part.Vnode] == v })
}

// setAway takes a vnode away from the reservations that have begun on it, or gives it back.
func (b *bookings) setAway(v int32, isAway bool) {
	for _, k := range b.current {
		if at := slices.Index(k.numbers, v); at >= 0 {
			k.state.SetAway(int32(at), isAway)
		}
	}
}

// enter lets a job into the booking of its class, at a place within that. It returns its
// place in the whole.
func (k *booking) enter(p *progress, asks map[string]float64, place cluster.Allocation) cluster.Allocation {
	p.booking, p.asks, p.inside, p.place = k, asks, place, cluster.Allocation{}
	whole := cluster.Allocation{Parts: slices.Clone(place.Parts)}
	for i := range whole.Parts {
		whole.Parts[i].Vnode = k.numbers[whole.Parts[i].Vnode]
	}
	return whole
}

// occupy lets a job run in its booking, at most until that ends. One that was killed by the
// end of its reservation would have run on.
func (k *booking) occupy(job int32, of *work.Job, p *progress) {
	k.state.Occupy(p.inside)
	k.jobs = append(k.jobs, job)
	k.count(p, 1)
	const late = 120 // seconds after the end of a reservation in which what was killed ends
	endedIt := func(h world.Hold) bool { return of.Start < h.End && h.End <= of.End && of.End <= h.End+late }
	wasKilled := of.IsEndKnown && slices.ContainsFunc(k.of.Holds, endedIt)
	if wasKilled && of.Walltime > 0 {
		p.ends = max(p.ends, p.starts+float64(of.Walltime))
	}
	p.ends = min(p.ends, k.gone)
}

// vacate takes a job out of its booking.
func (k *booking) vacate(job int32, p *progress) {
	k.state.Release(p.inside)
	k.count(p, -1)
	k.jobs = slices.DeleteFunc(k.jobs, func(other int32) bool { return other == job })
	p.booking, p.asks, p.inside = nil, nil, cluster.Allocation{}
}

// killedWith reports whether a job ends with its booking, and not by itself.
func (p *progress) killedWith() bool { return p.booking != nil && p.ends >= p.booking.gone }
