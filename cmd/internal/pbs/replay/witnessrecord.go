package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
)

// What the record shows is imposed on the engine: runs start and end on the vnodes that they had.

// turnBooked takes in what has happened to reservations up to now. The jobs of one that ends free what they had
// of it.
func (g *witness) turnBooked() {
	ended, _ := g.bookings.admit()
	for _, job := range ended {
		g.vacate(job)
		g.jobs[job].state, g.jobs[job].place = done, cluster.Allocation{}
	}
}

// start finds out what the rules make of a start at last, and lets the job run.
func (g *witness) start(ev recordEvent) {
	at := slices.IndexFunc(g.pending, func(s *nearStart) bool { return s.job == ev.job && s.at == ev.at })
	s := g.pending[at]
	if !s.isSettled() && g.backlog.groupOf[s.job] != nil {
		g.pass(max(g.now, float64(ev.at)-g.Latency.First))
	}
	g.pending = slices.Delete(g.pending, at, at+1)
	g.conclude(s)
	g.impose(s, ev)
}

// impose lets a job run as the record has it.
func (g *witness) impose(s *nearStart, ev recordEvent) {
	p := &g.jobs[s.job]
	if p.state == runs {
		return // the record is damaged: it starts twice
	}
	if s.isAlien {
		place := g.state.ParseKnown(s.vnodes, nil)
		g.state.Occupy(place)
		g.aliens[s.job] = place
		return
	}
	if g.backlog.groupOf[s.job] != nil {
		p.eligible = g.backlog.remove(s.job)
	}
	p.used = 0
	g.occupyAt(s.job, float64(ev.at), g.placeOf(s))
	if g.ended[s.job] {
		delete(g.ended, s.job)
		g.runEnds(recordEvent{at: ev.at, job: s.job, run: ev.run})
	}
}

// occupyAt lets a job run from a time on, at a place that is one within its reservation where it has one.
func (g *witness) occupyAt(job int32, at float64, place cluster.Allocation) {
	p := &g.jobs[job]
	p.place = place
	t := &g.terms[job]
	if c := g.backlog.class(g.work.Jobs[job], t); c.booked != nil && c.booked.on != nil {
		c.booked.on.enter(p, c.asks, place)
	}
	first := p.first
	wasStopped := p.state == suspended
	g.occupy(job, at)
	if wasStopped {
		p.first, g.resumed = first, append(g.resumed, job)
	}
	g.agenda.events = g.agenda.events[:0] // it ends when it did
}

// placeOf returns where a recorded start was, as far as the site has the vnodes: within its reservation where
// it has one.
func (g *witness) placeOf(s *nearStart) cluster.Allocation {
	state := g.state
	if c := g.backlog.class(g.work.Jobs[s.job], &g.terms[s.job]); c.booked != nil && c.booked.on != nil {
		state = c.booked.on.state
	}
	return state.ParseKnown(s.vnodes, g.request(&g.terms[s.job]))
}

// runEnds ends a run: the last one, or one after which the job waits again.
func (g *witness) runEnds(ev recordEvent) {
	p := &g.jobs[ev.job]
	if place, isAlien := g.aliens[ev.job]; isAlien {
		g.state.Release(place)
		delete(g.aliens, ev.job)
		return
	}
	if p.state != runs {
		if p.state == suspended {
			g.backlog.remove(ev.job)
			p.state = done
			return
		}
		if p.state == waiting || p.state == pending { // it starts in this second
			g.ended[ev.job] = true
		}
		return
	}
	p.ends = float64(ev.at)
	g.vacate(ev.job)
	p.place, p.used = cluster.Allocation{}, 0
	if ev.run < 0 {
		p.state = done
		g.result.End[ev.job] = p.ends
		return
	}
	p.state = waiting
	j := g.work.Jobs[ev.job]
	eligible := 0.
	if isReplayed := slices.Contains(j.Reran(), j.Earlier()[ev.run]); !isReplayed { // since a job of a higher level or a vnode took its place
		eligible = math.Floor(p.eligible)
		if g.policy.Preemptive && !isLost(ev.at, g.vnodes.events) {
			p.preempted = math.Floor(g.now)
		}
	}
	g.backlog.add(ev.job, eligible)
}

// stop lets a job be suspended.
func (g *witness) stop(job int32) {
	p := &g.jobs[job]
	if p.state != runs {
		return
	}
	place := p.place
	g.vacate(job)
	p.place = place
	p.used += max(0, g.now-p.starts)
	p.state, p.preempted = suspended, math.Floor(g.now)
	g.result.Pauses[job] = append(g.result.Pauses[job], trace.Run{Start: outcome.Second(g.now), End: math.MaxInt64})
	g.backlog.add(job, p.eligible)
}

// goesOn lets a suspended job go on where it was.
func (g *witness) goesOn(job int32, at float64) {
	p := &g.jobs[job]
	if p.state != suspended {
		return
	}
	g.backlog.remove(job)
	g.occupyAt(job, at, p.place)
}

// gone takes a job away that is deleted while it waits.
func (g *witness) gone(job int32) {
	switch p := &g.jobs[job]; p.state {
	case waiting, suspended:
		g.backlog.remove(job)
		p.state = done
		g.never(job)
	case pending:
		p.state = done
	}
}
