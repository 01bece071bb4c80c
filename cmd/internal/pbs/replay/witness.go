package replay

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Decision is what the rules make of a recorded start, in the state that the record has then.
type Decision struct {
	Job    int32 // of the work
	At     int64 // when it started, 0 for a job that never did
	End    int64 // of that run, trace.Unknown where the record does not tell
	Vnodes string

	Recorded, Chosen []string // vnodes, each once

	IsKnown   bool // whether it is known on which vnodes it ran, and the site has them
	IsAllowed bool // whether the rules allow the start on those vnodes
	IsThere   bool // whether they choose them
	IsFirst   bool // whether they start nobody else before it who waited on

	Rule, Reason string // that does not allow it: as many jobs have it in common, and of this job

	Passed []Overtaken
	Since  int64    // the first recorded start at which the rules would have started this job, 0 for none
	Beside []string // vnodes that they would have given it then
	IsFree bool     // whether these stayed free
}

// Overtaken is a job that waited on although the rules would have started it.
type Overtaken struct {
	Job    int32
	Waited int64 // seconds
}

// Uncertainty returns how many seconds may lie between a decision and the start that the record has of it.
func Uncertainty(l work.Latency) float64 {
	const (
		logging = 2 // a second of the event that made the cycle, and one of the start
		usual   = 2 // times as long as is usual
	)
	return usual * (l.First + l.Most + l.More + logging)
}

// Decide goes through a record: what happened in it happens when it did, and at each start the rules are
// asked, in the state as it was, for what they would have done. The record has to be kept with its places.
// Decisions are yielded in the order of their starts, then those of jobs that never started, of each scheduler by
// itself. They are the caller's only until yield returns.
func Decide(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options, yield func(*Decision)) error {
	return o.eachScheduler(w, plan, c, func(plan *order.Plan, c *cluster.Cluster, o Options) error {
		return decide(ctx, w, plan, c, o, yield)
	})
}

// decide asks the rules of one scheduler.
func decide(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options, yield func(*Decision)) error {
	o.Watch = -1
	e, err := newEngine(w, plan, c, o)
	if err != nil {
		return err
	}
	g := &witness{engine: e, yield: yield, unsure: Uncertainty(o.Latency), late: map[int32]lateness{}, aliens: map[int32]cluster.Allocation{}}
	g.find()
	g.begin()
	const often = 1 << 8 // events
	for i := range g.events {
		if i%often == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if o.Progress != nil {
				o.Progress(i, len(g.events))
			}
		}
		g.happen(i)
		if e.err != nil {
			return e.err
		}
	}
	g.closeRecord()
	if o.Progress != nil {
		o.Progress(len(g.events), len(g.events))
	}
	return e.err
}

// witness is an engine in which happens what the record has.
type witness struct {
	*engine
	yield  func(*Decision)
	unsure float64 // seconds
	events []recordEvent
	starts []int32 // of events, those that are starts
	bursts []int64 // by start, when the first start was of those that follow close on each other
	soon   int     // of starts, how many are in pending or over

	places  []placeLink // of Trace.Places, those of a job in a list
	firstOf []int32     // by record of a job, its first place, -1 for none

	pending []*nearStart // that come within the uncertainty
	isStale bool         // whether anything has happened since the last pass
	held    []int32      // jobs that a pass has started, until it is over
	late    map[int32]lateness
	aliens  map[int32]cluster.Allocation // of jobs that could never run by the rules, and do
	ended   map[int32]bool               // jobs whose end comes in the second of their start
}

// lateness is that the rules would have started a job that waits.
type lateness struct {
	since  int64
	beside []string
	isFree bool
}

type placeLink struct{ next int32 }

// recordKind is what the record shows. In a second the one with the lower number comes first.
type recordKind uint8

const (
	runEnds recordKind = iota
	runStops
	jobGone // while it waited
	jobChanges
	jobComes
	runGoesOn
	runStarts
)

// recordEvent is something that the record shows.
type recordEvent struct {
	at   int64
	job  int32
	run  int32 // of Earlier, or -1 for the last one
	kind recordKind
}

// find finds the events of the record, in their order.
func (g *witness) find() {
	g.chain()
	for i, j := range g.work.Jobs {
		job := int32(i)
		if g.isOthers(job) {
			continue
		}
		add := func(at int64, kind recordKind, run int) {
			g.events = append(g.events, recordEvent{at, job, int32(run), kind})
		}
		if !j.WasRunning {
			add(j.Arrival, jobComes, 0)
		}
		for k, run := range j.Earlier() {
			if run.Start >= g.work.First {
				add(run.Start, runStarts, k)
			}
			add(run.End, runEnds, k)
		}
		for _, p := range j.Pauses() {
			add(p.Start, runStops, -1)
			if p.End != math.MaxInt64 && p.End != trace.Unknown {
				add(p.End, runGoesOn, -1)
			}
		}
		switch {
		case j.State == trace.Deleted && j.End != trace.Unknown:
			add(j.End, jobGone, -1)
		case j.Deleted != trace.Unknown:
			add(j.Deleted, jobGone, -1)
		case j.Start != trace.Unknown && j.State != trace.Waiting:
			if !j.WasRunning {
				add(j.Start, runStarts, -1)
			}
			if j.State == trace.Ended && j.End != trace.Unknown {
				add(j.End, runEnds, -1)
			}
		}
	}
	for k, s := range g.stages {
		g.events = append(g.events, recordEvent{int64(s.at), s.job, int32(k), jobChanges})
	}
	slices.SortStableFunc(g.events, func(a, b recordEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	for i := range g.events {
		if g.events[i].kind == runStarts {
			g.starts = append(g.starts, int32(i))
		}
	}
	g.findBursts()
}

// findBursts finds starts that follow so close on each other that one cycle may have made them all: the last of
// them may have been decided when the first was.
func (g *witness) findBursts() {
	const most = 10 // times the uncertainty
	g.bursts = make([]int64, len(g.starts))
	begin, last := int64(math.MinInt64/2), int64(math.MinInt64/2)
	for k, i := range g.starts {
		at := g.events[i].at
		if float64(at-last) > g.unsure || float64(at-begin) > most*g.unsure {
			begin = at
		}
		last = at
		g.bursts[k] = begin
	}
}

// chain makes lists of the places of each job.
func (g *witness) chain() {
	places := g.work.Trace.Places
	g.places = make([]placeLink, len(places))
	g.firstOf = make([]int32, len(g.work.Trace.Jobs))
	for i := range g.firstOf {
		g.firstOf[i] = -1
	}
	for i := len(places) - 1; i >= 0; i-- {
		of := places[i].Job
		g.places[i].next = g.firstOf[of]
		g.firstOf[of] = int32(i)
	}
}

// vnodesOf returns the exec_vnode of a run that began at a time, "" where the record does not tell.
func (g *witness) vnodesOf(job int32, start int64) string {
	j := g.work.Jobs[job]
	if j.Record < 0 {
		return ""
	}
	places := g.work.Trace.Places
	found := ""
	for i := g.firstOf[j.Record]; i >= 0; i = g.places[i].next {
		if places[i].Start == start {
			found = g.work.Trace.Names.List[places[i].Vnodes]
		}
	}
	return found
}

// begin lets those jobs run that did when the record begins.
func (g *witness) begin() {
	g.beginRunning()
	g.agenda.events = nil
	g.last = float64(g.work.First)
	g.usage.accrue(g.last)
	g.turnHours()
	g.cycles++
}

// happen lets an event happen, and asks the rules where a start is near.
func (g *witness) happen(i int) {
	ev := g.events[i]
	g.expect(float64(ev.at))
	g.advance(float64(ev.at))
	switch ev.kind {
	case runStarts:
		g.start(ev)
	case runEnds:
		g.runEnds(ev)
	case runStops:
		g.stop(ev.job)
		for _, s := range g.pending {
			s.isPreempting = true
			s.hasFitted = s.hasFitted || s.isTried && s.rank > notAllowed
		}
	case runGoesOn:
		g.goesOn(ev.job, float64(ev.at))
	case jobGone:
		g.gone(ev.job)
	case jobChanges:
		g.restage(g.stages[ev.run])
	case jobComes:
		g.arrive(ev.job)
	}
	g.isStale = true
	if ev.kind >= runGoesOn {
		return
	}
	if at := max(g.now, float64(ev.at)+.5); g.isOpen() || g.accruals.isOn {
		g.pass(at)
	} else {
		g.last = at
		g.usage.accrue(at)
	}
}

// expect looks for starts that are near once time has come to an event, and asks the rules about them before
// that happens: the cycle may not have known of it.
func (g *witness) expect(at float64) {
	known := len(g.pending)
	for ; g.soon < len(g.starts); g.soon++ {
		next := &g.events[g.starts[g.soon]]
		if float64(g.bursts[g.soon])-g.unsure > at {
			break
		}
		g.pending = append(g.pending, g.newStart(next))
	}
	if len(g.pending) > known && g.isOpen() {
		begin := max(g.now, float64(g.pending[known].at)-g.unsure)
		g.advance(begin)
		g.ask(begin)
	}
}

// advance lets time pass up to an event: usage accrues at the cycles that the timer makes, vnodes fail and come
// back, and reservations begin and end.
func (g *witness) advance(to float64) {
	for g.last+g.interval < to {
		g.last += g.interval
		g.now = max(g.now, g.last)
		g.usage.accrue(g.now)
	}
	g.now = max(g.now, to)
	for g.vnodes.until(g.now) {
		g.isStale = true
	}
	g.agenda.events = g.agenda.events[:0]
	before := g.bookings.passed
	g.turnBooked()
	g.isStale = g.isStale || g.bookings.passed > before
}

// closeRecord says of the jobs that never started what the rules would have done.
func (g *witness) closeRecord() {
	for i, j := range g.work.Jobs {
		job := int32(i)
		if g.jobs[i].state != waiting {
			continue
		}
		d := &Decision{Job: job, End: trace.Unknown}
		g.tellLate(d)
		if d.Since != 0 || j.State == trace.Waiting {
			g.yield(d)
		}
	}
}

// tellLate says since when the rules would have started a job, and where, and forgets it.
func (g *witness) tellLate(d *Decision) {
	if late, ok := g.late[d.Job]; ok {
		d.Since, d.Beside, d.IsFree = late.since, late.beside, late.isFree
		delete(g.late, d.Job)
	}
}
