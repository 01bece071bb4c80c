package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/work"
)

// charges are the usage that a record has come to at a time, and the jobs that go on with it.
type charges struct {
	now, last          float64
	base, rate, offset []float64
	reported           float64
	samples            *accrual.Samples
	lastDecay          int64
	runs               map[int32]runCharge
	young              []int32
}

// give makes charges those of an engine for some of the jobs.
func (c *charges) give(g *witness, jobs []int32) {
	g.now, g.last = max(g.now, c.now), c.last
	u := g.usage
	if c.base == nil {
		return
	}
	u.base, u.rate, u.offset, u.reported, u.samples, u.lastDecay = c.base, c.rate, c.offset, c.reported, c.samples, c.lastDecay
	clear(u.runs)
	for job, r := range c.runs {
		if own, isThere := slices.BinarySearch(jobs, job); isThere {
			u.runs[own] = r
		}
	}
	u.young = nil
	for _, job := range c.young {
		if own, isThere := slices.BinarySearch(jobs, job); isThere {
			u.young = append(u.young, int32(own))
		}
	}
}

// charger goes through a record for the usage that it comes to, at the times at which a witness does.
type charger struct {
	*usage
	work      *work.Work
	interval  float64
	now, last float64
	stopped   map[int32]bool
	ended     map[int32]bool // jobs whose end comes in the second of their start
}

// findCharges finds the usage from which each span goes on.
func findCharges(w *work.Work, plan *order.Plan, c *cluster.Cluster, o *Options, spans []*recordSpan) error {
	site := plan.Site
	at := &situation{work: w, cluster: c, policy: site.Policy(), entities: entitiesOf(w, site.Entity(), nil), terms: make([]terms, len(w.Jobs))}
	o.named = at.entities.Names
	u, err := newUsage(at, plan, *o)
	if err != nil {
		return err
	}
	others := othersOf(w, site)
	requests := cluster.NewRequests(w, c, site)
	var events []recordEvent
	for i, j := range w.Jobs {
		job := int32(i)
		for k, stage := range j.Stages() {
			request := w.RequestOf(stage.Request, j.Job) // from here on it is only read
			if k > 0 {
				events = append(events, recordEvent{stage.From, job, request, jobChanges})
			} else {
				at.terms[i].request = request
			}
		}
		if len(j.Stages()) == 0 {
			at.terms[i].request = j.Request
		}
		queue := w.Trace.Names.List[j.Queue]
		if _, err := requests.TryOf(at.terms[i].request, queue, cluster.Owner{User: j.User, Group: j.Group}); err == nil && (others == nil || !others[i]) && u.isOn {
			eachEvent(w, job, func(at int64, kind recordKind, run int) {
				events = append(events, recordEvent{at, job, int32(run), kind})
			})
		}
	}
	if !u.isOn {
		for _, s := range spans[1:] {
			s.charges = &charges{now: float64(s.from), last: float64(s.from)}
		}
		return nil
	}
	sortEvents(events)
	first := float64(w.First)
	all := &charger{usage: u, work: w, interval: float64(Interval(site)), now: first, last: first, stopped: map[int32]bool{}, ended: map[int32]bool{}}
	for i, j := range w.Jobs {
		if j.WasRunning && (others == nil || !others[i]) {
			u.begins(float64(j.Start))
			u.start(int32(i), float64(j.Start))
		}
	}
	u.accrue(first)
	next := 1
	for _, ev := range events {
		for next < len(spans) && ev.at >= spans[next].from {
			spans[next].charges = all.snapshot()
			next++
		}
		all.happen(ev)
	}
	return nil
}

func (c *charger) snapshot() *charges {
	of := &charges{now: c.now, last: c.last, base: slices.Clone(c.base), rate: slices.Clone(c.rate), offset: slices.Clone(c.offset), reported: c.reported, samples: c.samples.Clone(), lastDecay: c.lastDecay, runs: map[int32]runCharge{}, young: slices.Clone(c.young)}
	for job := range c.runs {
		if r := &c.runs[job]; r.isOn {
			of.runs[int32(job)] = *r
		}
	}
	return of
}

// happen lets an event happen as a witness does.
func (c *charger) happen(ev recordEvent) {
	at := float64(ev.at)
	for c.last+c.interval < at {
		c.last += c.interval
		c.now = max(c.now, c.last)
		c.accrue(c.now)
	}
	c.now = max(c.now, at)
	isOn := c.runs[ev.job].isOn
	cycle := max(c.now, at+.5)
	switch ev.kind {
	case runStarts:
		c.begins(at)
		if !isOn {
			c.start(ev.job, at)
		}
		if c.ended[ev.job] {
			c.stop(ev.job)
			delete(c.ended, ev.job)
		}
		return
	case runGoesOn:
		if c.stopped[ev.job] {
			delete(c.stopped, ev.job)
			c.start(ev.job, at)
		}
		return
	case runStops:
		if isOn {
			c.stop(ev.job)
			c.stopped[ev.job] = true
		}
	case runEnds:
		if c.stop(ev.job); !isOn && !c.stopped[ev.job] && c.startsAt(ev) {
			c.ended[ev.job] = true
		}
		delete(c.stopped, ev.job)
	case jobChanges:
		c.at.terms[ev.job].request = ev.run
	}
	c.turn(cycle)
}

// turn lets usage accrue up to a time, at which a cycle has been.
func (c *charger) turn(at float64) {
	c.now, c.last = at, at
	c.accrue(at)
}

// startsAt reports whether a run ends in the second in which it starts.
func (c *charger) startsAt(ev recordEvent) bool {
	j := c.work.Jobs[ev.job]
	if ev.run >= 0 {
		return j.Earlier()[ev.run].Start == ev.at
	}
	return j.Start == ev.at
}
