package replay

import (
	"math"

	"fairshare/cmd/internal/pbs/cluster"
)

// demand is what classes have in common that ask for the same of the same vnodes, whatever limits hold for them: whether there is
// room for it.
type demand struct {
	number int

	failed uint64 // the stamp of when no vnodes were found, 0 where that has not happened
	fitted uint64 // the version of what is free with which vnodes were found, and one more; 0 likewise

	cycle    uint64  // in which no vnodes were found beside what is planned
	freed    uint64  // how often vnodes had been released by then
	shortest float64 // for the shortest time for which that was so

	open    uint64  // what the calendar's stamp was, and one more, when couldStart last was true
	openFor float64 // for the longest time for which that was so
}

// noneFor notes that no vnodes are found in this cycle for some time beside what is planned.
func (d *demand) noneFor(length float64, at *situation) {
	d.cycle, d.freed, d.shortest = at.cycles, at.freed, length
}

// fits reports whether vnodes are free for a class, whatever is planned.
func (r *room) fits(c *class) bool {
	isSame := c.demand.fitted == r.at.state.Version()+1
	if isSame && !c.gains && !r.at.isPlain {
		return true
	}
	if !r.at.state.Fits(c.request) {
		return false
	}
	c.demand.fitted = r.at.state.Version() + 1
	return true
}

// shortestWithout returns the shortest time for which no vnodes were found for a class in this cycle beside what is planned, which has
// only become more since. It is infinite where vnodes were found, or other starts may have brought some.
func (p *situation) shortestWithout(c *class) float64 {
	d := c.demand
	if d.cycle != p.cycles || d.freed != p.freed || c.gains || p.isPlain {
		return math.Inf(1)
	}
	return d.shortest
}

// couldStart reports whether the shortest job of a class might start in this cycle beside what is planned, of which there only comes
// to be more.
func (a *attempt) couldStart(c *class) bool {
	d, length := c.demand, c.shortest
	isKnown := d.open == a.calendar.stamp+1 && length <= d.openFor
	if !a.room.mayPass(c) || c.gains || a.hours != nil || a.lengths != nil || isKnown {
		return true
	}
	from := math.Floor(a.now)
	if _, ok := a.state.Place(c.request, a.calendar.view(from, from+length)); ok {
		d.open, d.openFor = a.calendar.stamp+1, length
		return true
	}
	d.noneFor(length, &a.situation)
	return false
}

// findBeside returns vnodes for a class that are free for some time beside what is planned.
func (a *attempt) findBeside(c *candidate) (cluster.Allocation, bool) {
	class, length := c.group.class, a.length(c.job)
	shortest := a.shortestWithout(class)
	if length >= shortest {
		return cluster.Allocation{}, false
	}
	place, ok := a.state.Place(class.request, a.planned(c.job))
	if !ok {
		class.demand.noneFor(length, &a.situation)
	}
	return place, ok
}
