package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/work"
)

// Jobs may say more of how long they run than their walltime. One with soft_walltime is planned with that, and when it
// runs longer it is extended by as much again, up to its walltime. One with min_walltime shrinks to fit: it is tried
// and planned with max_walltime or else its walltime, and where it cannot start now with that it gets less, but not
// less than min_walltime.

// lengths are what jobs of a request say of how long they run besides their walltime, 0 for nothing.
type lengths struct{ soft, least, most float64 }

// lengthsOf returns what jobs of work say of how long they run, by request; nil where none says more than a walltime.
func lengthsOf(w *work.Work) []lengths {
	var all []lengths
	for i, r := range w.Requests {
		of := lengths{r.Amounts["soft_walltime"], r.Amounts["min_walltime"], r.Amounts["max_walltime"]}
		if of == (lengths{}) {
			continue
		}
		if all == nil {
			all = make([]lengths, len(w.Requests))
		}
		all[i] = of
	}
	return all
}

// lengthsFor returns what a job says of how long it runs.
func (p *situation) lengthsFor(t *terms) lengths {
	if int(t.request) >= len(p.lengths) {
		return lengths{}
	}
	return p.lengths[t.request]
}

// planned returns for how long a job is planned from its start on, work.Unlimited for any time.
func (p *situation) planned(t *terms) float64 {
	length := float64(work.Unlimited)
	if t.walltime >= 0 {
		length = float64(t.walltime)
	}
	of := p.lengthsFor(t)
	if of.least > 0 && of.most > 0 && t.walltime < 0 {
		length = of.most
	}
	if of.soft > 0 {
		length = min(length, of.soft)
	}
	return length
}

// shrinks reports whether a job may start with less than it is planned with.
func (p *situation) shrinks(job int32) bool { return p.lengthsFor(&p.terms[job]).least > 0 }

// least returns for how long a job has to be able to run where it starts.
func (p *situation) least(job int32) float64 {
	length := p.length(job)
	if least := p.lengthsFor(&p.terms[job]).least; least > 0 {
		return min(length, least)
	}
	return length
}

// extend lets jobs be planned on that have run longer than their soft_walltime.
func (e *engine) extend() {
	for i := 0; e.lengths != nil && i < len(e.running); {
		job := e.running[i]
		j, t := &e.jobs[job], &e.terms[job]
		soft := e.lengthsFor(t).soft
		most := math.Inf(1)
		if t.walltime >= 0 {
			most = math.Floor(j.starts) + max(1, float64(t.walltime)-j.used)
		}
		if j.due > e.now {
			return
		}
		if soft <= 0 || j.due >= most || j.booking != nil {
			i++
			continue
		}
		starts := math.Floor(j.starts) - j.used
		due := min(most, starts+soft*(1+math.Floor((e.now-starts)/soft)))
		if due <= j.due {
			i++
			continue
		}
		e.expectEnd(job, due)
		e.changed = true // who is planned behind it starts later, and others may pass
	}
}

// shrink returns where a job starts with less than it is planned with, and with how much, as PBS's
// shrink_job_algorithm: up to the next dedicated time or change of prime time, or else up to the begin of what is
// planned, the farthest first, or else with min_walltime.
func (a *attempt) shrink(c *candidate) (place cluster.Allocation, length float64, ok bool) {
	const most = 5 // begins that are tried
	class, whole := c.group.class, a.length(c.job)
	least := a.least(c.job)
	if class.booked != nil || class.isLimited() || !a.hours.isOpen(class) || !a.room.hasVnodes(class) {
		return place, 0, false // now, however short it is
	}
	if !a.hours.admits(class, whole) {
		if length = math.Ceil(a.hours.longest[class.kind]); length < least {
			return place, 0, false
		}
		if place, ok = a.beside(c, length); ok {
			return place, length, true
		}
	}
	if place, ok = a.beside(c, least); !ok {
		return place, 0, false
	}
	for i, begin := range a.calendar.begins(math.Floor(a.now)+least, math.Floor(a.now)+whole) {
		if i == most {
			break
		}
		length := begin - math.Floor(a.now)
		if !a.hours.admits(class, length) {
			continue
		}
		if there, fits := a.beside(c, length); fits {
			return there, length, true
		}
	}
	return place, least, true
}

// beside returns where a job starts that runs for some time, beside what is planned.
func (a *attempt) beside(c *candidate, length float64) (cluster.Allocation, bool) {
	now := math.Floor(a.now)
	return a.state.Place(c.group.class.request, a.calendar.view(now, now+a.heldFor(c.job, length)))
}

// heldFor returns for how long vnodes have to be free of what is planned where a job starts that runs for some time. As in
// PBS's check_resources_for_node, that is its whole walltime where any reservation begins within it, though it were of other vnodes.
func (a *attempt) heldFor(job int32, length float64) float64 {
	whole := float64(a.terms[job].walltime) - a.jobs[job].used
	if whole > length && a.shrinks(job) && a.calendar.isReservedBefore(a.now+whole) {
		return whole
	}
	return length
}

// isReservedBefore reports whether a reservation begins from now on, and before a time.
func (c *calendar) isReservedBefore(at float64) bool {
	return slices.ContainsFunc(c.tops[:c.fixed], func(t top) bool { return t.start > c.at.now && t.start < at })
}

// begins returns when top jobs and reservations begin from one time on up to another, the last one first.
func (c *calendar) begins(from, to float64) []float64 {
	c.planHeld()
	var all []float64
	for _, t := range c.tops {
		if t.start >= from && t.start < to {
			all = append(all, t.start)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// grant gives a job that shrinks to fit the walltime with which it starts.
func (e *engine) grant(job int32, length float64) {
	if !e.shrinks(job) || length == work.Unlimited {
		return
	}
	e.terms[job].walltime = int64(length)
	e.usage.setCost(job)
}

// ungrant lets a job that shrinks to fit ask again for what it did before it ran.
func (e *engine) ungrant(job int32) {
	if e.lengths != nil && e.shrinks(job) && len(e.work.Jobs[job].Stages()) == 0 {
		e.terms[job].walltime = e.work.Jobs[job].AskedWalltime()
		e.usage.setCost(job)
	}
}

// lasts returns for how long the last run of a job lasts that may have got another walltime than in the record: one
// that was killed at its walltime runs for as long as it may.
func (e *engine) lasts(job int32, seconds float64) float64 {
	if e.lengths == nil || !e.shrinks(job) || e.terms[job].walltime < 0 {
		return seconds
	}
	recorded, got := float64(e.work.Jobs[job].Walltime), float64(e.terms[job].walltime)
	if recorded > 0 && seconds >= recorded {
		return got + seconds - recorded
	}
	return min(seconds, got)
}
