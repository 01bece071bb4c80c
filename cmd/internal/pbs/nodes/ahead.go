package nodes

import (
	"cmp"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
)

// booking is what is left of the vnodes of a reservation when it begins.
type booking struct {
	name  string
	times map[int32][]int // by vnode, how often it has room for each chunk of a request
}

// ahead returns the reservations of other queues that begin before a job ends which starts now; walltime is 0 where nothing tells how long
// it runs.
func (r *reader) ahead(asked *cluster.Request, walltime int64, queue string) (all []booking) {
	for _, b := range r.Reservations {
		for _, h := range b.Holds {
			isOver := walltime > 0 && h.Start >= r.At+walltime
			if b.Queue == queue || h.Start <= r.At || isOver || asked == nil {
				continue
			}
			all = append(all, r.left(b, h.Start, asked))
		}
	}
	return all
}

// nameOf returns what people call a reservation: its queue, which one that settings add has not.
func nameOf(b *world.Reservation) string { return cmp.Or(b.Queue, b.ID) }

// left returns what is left of the vnodes at a time at which a reservation begins: jobs and reservations of now
// have ended that end by then, and others have begun.
func (r *reader) left(which *world.Reservation, at int64, asked *cluster.Request) booking {
	of := booking{nameOf(which), map[int32][]int{}}
	var ended, begun []cluster.Allocation
	for _, c := range r.has {
		if c.until > 0 && c.until <= at {
			ended = append(ended, c.place)
		}
	}
	for _, b := range r.Reservations {
		for _, h := range b.Holds {
			if !h.Lasts(at) || h.Lasts(r.At) {
				continue
			}
			place := r.state.ParseReserved(h.Nodes, h.Place)
			begun = append(begun, place)
			for _, part := range place.Parts {
				if b == which {
					of.times[part.Vnode] = nil
				}
			}
		}
	}
	change := func(ends, begins func(cluster.Allocation)) {
		for _, place := range ended {
			ends(place)
		}
		for _, place := range begun {
			begins(place)
		}
	}
	change(r.state.Release, r.state.Occupy)
	for v := range of.times {
		for i := range asked.Chunks {
			of.times[v] = append(of.times[v], r.state.Room(asked, &asked.Chunks[i], v).Times)
		}
	}
	change(r.state.Occupy, r.state.Release)
	return of
}
