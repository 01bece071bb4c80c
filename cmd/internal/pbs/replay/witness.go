package replay

import (
	"context"
	"math"

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
	IsFirst   bool // whether they start nobody else before it who kept waiting
	IsAlone   bool // whether they start nobody else at all then who kept waiting, whom the record does not start with it

	Rule, Reason string // that does not allow it: as many jobs have it in common, and of this job

	Passed []Overtaken
	Since  int64    // the first recorded start at which the rules would have started this job, 0 for none
	Beside []string // vnodes that they would have given it then
	IsFree bool     // whether these stayed free
}

// Overtaken is a job that kept waiting although the rules would have started it.
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
	if spans := spansOf(w, o); len(spans) > 1 {
		return decideSpans(ctx, w, plan, c, o, spans, yield)
	}
	g, err := newWitness(w, plan, c, o, placesOf(w.Trace))
	if err != nil {
		return err
	}
	g.yield = yield
	g.begin()
	if err := g.through(ctx, math.MaxInt64, o.Progress); err != nil {
		return err
	}
	g.closeRecord()
	if o.Progress != nil {
		o.Progress(len(g.events), len(g.events))
	}
	return g.err
}

// newWitness returns an engine before the first event of a record.
func newWitness(w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options, recorded *recordedPlaces) (*witness, error) {
	o.keepsStays = true
	e, err := newEngine(w, plan, c, o)
	if err != nil {
		return nil, err
	}
	g := &witness{engine: e, recorded: recorded, unsure: Uncertainty(o.Latency), late: map[int32]lateness{}, aliens: map[int32]cluster.Allocation{}, ended: map[int32]bool{}}
	g.find()
	return g, nil
}

// through lets the events happen that come before a time. progress may be nil.
func (g *witness) through(ctx context.Context, until int64, progress func(done, all int)) error {
	const often = 1 << 8 // events
	for ; g.happened < len(g.events) && g.events[g.happened].at < until; g.happened++ {
		if g.happened%often == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if progress != nil {
				progress(g.happened, len(g.events))
			}
		}
		g.happen(g.happened)
		if g.err != nil {
			return g.err
		}
	}
	return nil
}

// witness is an engine in which happens what the record has.
type witness struct {
	*engine
	yield    func(*Decision)
	unsure   float64 // seconds
	events   []recordEvent
	happened int     // how many events have
	starts   []int32 // of events, those that are starts
	bursts   []int64 // by start, when the first start was of those that follow close on each other
	soon     int     // of starts, how many are in pending or over

	recorded *recordedPlaces

	pending []*nearStart // that come within the uncertainty
	isStale bool         // whether anything has happened since the last pass
	held    []int32      // jobs that a pass has started, until it is over
	late    map[int32]lateness
	aliens  map[int32]cluster.Allocation // of jobs that could never run by the rules, and do
	ended   map[int32]bool               // jobs whose end comes in the second of their start
	isSpan  bool                         // whether the record goes on before or behind it, and who kept waiting since when is told by who joins them
}

// lateness is that the rules would have started a job that waits.
type lateness struct {
	since  int64
	beside []string
	isFree bool
}

// find finds the events of the record, in their order.
func (g *witness) find() {
	for i := range g.work.Jobs {
		if job := int32(i); !g.isOthers(job) {
			eachEvent(g.work, job, func(at int64, kind recordKind, run int) {
				g.events = append(g.events, recordEvent{at, job, int32(run), kind})
			})
		}
	}
	for k, s := range g.stages {
		g.events = append(g.events, recordEvent{int64(s.at), s.job, int32(k), jobChanges})
	}
	sortEvents(g.events)
	for i := range g.events {
		if g.events[i].kind == runStarts {
			g.starts = append(g.starts, int32(i))
		}
	}
	g.findBursts()
}

// mostOfBurst bounds how long starts follow close on each other that one cycle may have made, in uncertainties.
const mostOfBurst = 10

// findBursts finds starts that follow so close on each other that one cycle may have made them all: the last of
// them may have been decided when the first was.
func (g *witness) findBursts() {
	g.bursts = make([]int64, len(g.starts))
	begin, last := int64(math.MinInt64/2), int64(math.MinInt64/2)
	for k, i := range g.starts {
		at := g.events[i].at
		if float64(at-last) > g.unsure || float64(at-begin) > mostOfBurst*g.unsure {
			begin = at
		}
		last = at
		g.bursts[k] = begin
	}
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
	case runStops:
		g.stop(ev.job)
		for _, s := range g.pending {
			s.isPreempting = true
			s.hasFitted = s.hasFitted || s.isTried && s.rank > notAllowed
		}
	default:
		g.change(ev)
	}
	g.isStale = true
	if ev.kind >= runGoesOn {
		return
	}
	if at := max(g.now, float64(ev.at)+.5); g.isOpen() || g.accruals.isOn {
		g.pass(at)
	} else {
		g.accrue(at)
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
	g.turn(to)
}

// turn lets time pass up to an event, at which usage is known from elsewhere.
func (g *witness) turn(to float64) {
	g.now = max(g.now, to)
	for g.vnodes.until(g.now) {
		g.isStale = true
	}
	g.agenda.events = g.agenda.events[:0]
	before := g.bookings.passed
	g.turnBooked()
	g.isStale = g.isStale || g.bookings.passed > before
}

// change lets an event happen that is no start and no suspension.
func (g *witness) change(ev recordEvent) {
	switch ev.kind {
	case runEnds:
		g.runEnds(ev)
	case runGoesOn:
		g.goesOn(ev.job, float64(ev.at))
	case jobGone:
		g.gone(ev.job)
	case jobChanges:
		g.restage(g.stages[ev.run])
	case jobComes:
		g.arrive(ev.job)
	}
}

// accrue lets usage accrue up to a time, at which a cycle has been.
func (g *witness) accrue(at float64) {
	g.now, g.last = at, at
	g.usage.accrue(at)
}

// closeRecord says of the jobs that never started what the rules would have done.
func (g *witness) closeRecord() {
	for i := range g.work.Jobs {
		if g.jobs[i].state == waiting {
			g.never(int32(i))
		}
	}
}

// never says of a job that waits and never starts what the rules would have done.
func (g *witness) never(job int32) {
	d := &Decision{Job: job, End: trace.Unknown}
	g.tellLate(d)
	if g.isSpan || d.matters(g.work) {
		g.yield(d)
	}
}

// matters reports whether a job that never started is told of: one that the rules would have started, or that waited until
// the record ends.
func (d *Decision) matters(w *work.Work) bool {
	j := w.Jobs[d.Job]
	return d.Since != 0 || j.State == trace.Waiting && j.Deleted == trace.Unknown
}

// tellLate says since when the rules would have started a job, and where, and forgets it.
func (g *witness) tellLate(d *Decision) {
	if late, ok := g.late[d.Job]; ok {
		d.Since, d.Beside, d.IsFree = late.since, late.beside, late.isFree
		delete(g.late, d.Job)
	}
}
