package replay

import (
	"math"

	"fairshare/cmd/internal/pbs/cluster"
)

// room is whether jobs of a class may start now: within the limits and the hours, on vnodes
// that are free, and beside reservations.
type room struct {
	at       *situation
	hours    *hours // nil where all times are alike
	calendar *calendar
	bookings *bookings
}

// fitsNow reports whether jobs of a class fit within the limits and on vnodes, with
// nothing planned.
func (r *room) fitsNow(c *class) bool {
	return !r.hadNone(c) && !c.isLimited() && r.hours.isOpen(c) && r.hasVnodes(c)
}

// mayFit reports whether jobs of a class may start in this cycle: they fit now, or may once another one has started.
func (r *room) mayFit(c *class) bool {
	if r.fitsNow(c) {
		return true
	}
	return c.gains && c.booked == nil && !c.isLimited() && r.hours.isOpen(c) && r.at.state.CouldFit(c.request)
}

// stamp counts what may give a class vnodes: once it has found none, it finds none until this has changed.
func (p *situation) stamp(c *class) uint64 {
	if c.gains {
		return p.freed + p.taken + 1
	}
	return p.freed + 1
}

// hadNone reports whether no vnodes were found for a class, and nothing has happened since that may give it some.
func (r *room) hadNone(c *class) bool { return c.demand.failed == r.at.stamp(c) && !r.at.isPlain }

// hasVnodes reports whether vnodes are free for a class.
func (r *room) hasVnodes(c *class) bool {
	if r.hadNone(c) {
		return false
	}
	if c.booked == nil && r.fits(c) {
		return r.at.isPlain || r.bookings.fitsBeside(c) // a shorter one may
	}
	if c.booked != nil && c.booked.on != nil && c.booked.on.fits(c) {
		return true
	}
	c.demand.failed = r.at.stamp(c)
	return false
}

// stateOf returns what is free of the vnodes that jobs of a class may use, nil for none.
func (r *room) stateOf(c *class) *cluster.State {
	switch {
	case c.booked == nil:
		return r.at.state
	case c.booked.on == nil:
		return nil
	}
	return c.booked.on.state
}

// mayPass reports whether a job of a class may start where a longer one that asks for the
// same may not.
func (r *room) mayPass(c *class) bool {
	return c.booked == nil && (r.calendar.plans || r.bookings.mayHold(c))
}

// mostStarts returns how many jobs of a class can start at most.
func (r *room) mostStarts(c *class) int {
	most := float64(c.waiting)
	for i, need := range c.request.Total {
		if need > 0 {
			most = min(most, math.Floor(r.stateOf(c).FreeTotal()[i]/need))
		}
	}
	for _, k := range c.checks {
		most = min(most, math.Floor((k.counter.limit.most-k.counter.used)/k.need))
	}
	return int(max(1, most))
}
