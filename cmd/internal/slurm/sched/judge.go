package sched

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Recording is what became of jobs.
type Recording struct {
	Workload
	Runs  []RecordedRun                                  // by the numbers of the workload
	Nodes func(number int) (nodes []int32, isKnown bool) // that a job had, in ascending order; whether the site has all of them
	Last  int64                                          // the last time that it tells of
	Tells func(done, all int)                            // called now and then; may be nil
	Swept int64                                          // as in Options

	Workers int // how many spans of a long record are judged at a time, 0 for one on each processor; the answer is the same

	spans, warmUp int  // for tests: in how many spans it is judged, and how many starts are judged before each; 0 for what is usual
	isWhole       bool // for tests: cycles go on though they have come to all starts, others are looked for though they matter to none, and all sweeps put jobs into their order
}

// RecordedRun is when and where a job ran. How long it did is its Job.Run.
type RecordedRun struct {
	Start int64 // 0 for never
	Place Place // in which partition and under which QOS it ran
	In    int32 // the Reservation.ID of the MAGNETIC one that attracted it, in which it ran; 0 for none
	CPUs  int32 // of all of its nodes together, 0 where that is not known
	Gone  int64 // when it was cancelled while it waited, 0 for never
}

// Decision is what the rules make of a recorded start, in the state that the record has then.
type Decision struct {
	Number int
	Job    *Job
	At     int64 // when it started, 0 for a job that never did

	Recorded, Chosen []int32 // nodes

	IsKnown   bool   // whether it is known on which nodes it ran, and the site has them
	IsOpen    bool   // whether nobody can tell whether the rules allow it, since what others have of the nodes is not known
	IsAllowed bool   // whether the rules allow the start on those nodes
	IsThere   bool   // whether they choose them
	Had       string // what it had of them that the rules do not give, "" for the same, or where nobody can tell
	IsFirst   bool   // whether they start nobody else before it who kept waiting
	IsAlone   bool   // whether they start nobody else at all then who kept waiting, whom the record does not start with it

	Rule, Reason string // that does not allow it: as many jobs have it in common, and of this job
	IsOfMoment   bool   // whether that is about what others have or are to have then
	IsOfOrder    bool   // whether it is about who goes first

	Passed []Overtaken
	Since  int64   // the first recorded start at which the rules would have started this job, 0 for none
	Beside []int32 // nodes that they would have given it then
	IsFree bool    // whether these stayed free
	IsKept bool    // whether they would not have started it, but kept its nodes from another one that was started
}

// Overtaken is a job that kept waiting although the rules would have started it.
type Overtaken struct {
	Number int
	Waited int64 // seconds
}

// Uncertainty returns for how many seconds a job may wait on that the rules would start: until the next pass over the
// full queue, or the next cycle.
func (s *Setup) Uncertainty() int64 {
	next := s.Interval
	if s.Backfill != nil {
		next = max(next, s.Backfill.Interval+cycleTime)
	}
	return next + max(s.BatchDelay, passDelay) + cleanDelay
}

// Decide goes through a record: what happened in it happens when it did, and at each start the rules are asked, in the
// state as it was, for what a main pass and a backfill cycle would have done. Decisions are yielded in the order of their
// starts, then those of jobs that never started. They are the caller's only until yield returns. Make and Nodes are called
// by several workers at once where a record is long.
func Decide(ctx context.Context, s *Setup, r Recording, yield func(*Decision)) error {
	if spans := spansOf(r); len(spans) > 1 {
		return decideSpans(ctx, s, r, spans, yield)
	}
	g := newJudge(ctx, s, r)
	g.yield = yield
	if err := g.through(ctx, len(g.starts)); err != nil {
		return err
	}
	g.closeRecord()
	if r.Tells != nil {
		r.Tells(len(g.starts), len(g.starts))
	}
	return nil
}

// newJudge returns a judge before the first event of a record.
func newJudge(ctx context.Context, s *Setup, r Recording) *judge {
	g := &judge{Recording: r, unsure: s.Uncertainty(), jobs: map[int]*Job{}, late: map[int]lateness{}, beside: map[int]*waitsBeside{}, of: map[*Job]*nearStart{}, splits: map[int]bool{}, moved: map[int]bool{}, unsplit: make([]int32, len(s.Nodes)), front: make([]*Job, len(s.Partitions))}
	work := r.Workload
	work.Make = func(number int) *Job {
		j := r.Make(number)
		g.jobs[number] = j
		return j
	}
	work.Done = g.done
	g.engine = newEngine(ctx, s, work)
	g.engine.judge = g
	g.sweepFrom(r.Swept)
	g.starts = r.starts()
	return g
}

// starts returns the numbers of the jobs that started, in that order.
func (r *Recording) starts() (list []int32) {
	for number := range r.Runs {
		if r.Runs[number].Start > 0 {
			list = append(list, int32(number))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(r.Runs[a].Start, r.Runs[b].Start) })
	return list
}

// through lets happen what does so up to a start, for the end of the starts until everything is over.
func (g *judge) through(ctx context.Context, to int) error {
	const often = 1 << 10 // moments
	for moments := 0; g.from < to || to == len(g.starts) && g.happens() != never; moments++ {
		if moments%often == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if g.Tells != nil {
				g.Tells(g.from, len(g.starts))
			}
		}
		g.from = g.moment(g.from)
	}
	return nil
}

// closeRecord says of the jobs that wait or run until the end what the rules would have done.
func (g *judge) closeRecord() {
	for _, number := range slices.Sorted(maps.Keys(g.jobs)) {
		if j := g.jobs[number]; j.Start == 0 {
			g.tellLate(&Decision{Number: number, Job: j})
		}
	}
}

// judge is an engine in which happens what the record has, and that is asked what it would have done.
type judge struct {
	*engine
	Recording
	yield  func(*Decision)
	unsure int64 // seconds
	starts []int32
	from   int          // of the starts, the one that comes next
	asked  int          // likewise, the first one about which the rules are asked
	isSpan bool         // whether the record goes on before or behind it, and who kept waiting since when is told by who joins them
	jobs   map[int]*Job // by number, those that have come and are not over
	late   map[int]lateness

	near    []*nearStart        // the starts of this moment
	of      map[*Job]*nearStart // of those, by job
	tries   []trial             // that are to be taken back
	ghosts  []ghost             // of the pass or the cycle
	plans   []*Plan             // of the cycle
	front   []*Job              // by partition, the first job that does not fit in the pass
	queued  []*Job
	splits  map[int]bool // jobs of several nodes of which nobody knows how many CPUs they have of each
	moved   map[int]bool // of those, the running ones whose CPUs were shown to be elsewhere
	unsplit []int32      // by node, how many of those run there
	over    []*Job       // whose nodes are clean since a moment ago

	watched int64                // when a cycle was last asked for those that wait beside free nodes
	beside  map[int]*waitsBeside // those that it would have started, by number

	isTrying  bool // whether a pass or a cycle is made that is taken back
	isGhostly bool // whether the rules would start others as well
	isHolding bool // whether these start
	places    placer
}

// lateness is that the rules would have started a job that waits.
type lateness struct {
	since  int64
	beside []int32
	isFree bool
	isKept bool
}

// moment goes to the next second in which something happens, and returns the place of the start that comes next.
func (g *judge) moment(from int) (next int) {
	at := min(g.happens(), g.sweepAt)
	start := never
	if from < len(g.starts) {
		start = g.Runs[g.starts[from]].Start
	}
	hasMore := at <= start
	g.now = max(g.now, min(at, start))
	if g.now != max(start, g.now) || start == never {
		g.advance()
		g.sweepIfDue()
		g.still()
		return from
	}
	to := from
	for to < len(g.starts) && g.Runs[g.starts[to]].Start <= g.now {
		to++
	}
	g.gather(g.starts[from:to])
	isAsked := from >= g.asked
	if hasMore {
		if isAsked {
			g.ask()
		}
		g.advance()
		g.fill()
	}
	for _, s := range g.near {
		g.heal(s)
	}
	if isAsked {
		g.askAll()
	}
	if g.sweepAt <= g.now {
		if g.sweepIfDue(); isAsked {
			g.askAll()
		}
	}
	for _, s := range g.near {
		if isAsked {
			g.conclude(s)
		}
	}
	for _, s := range g.near {
		g.impose(s)
	}
	if isAsked {
		g.watch()
	}
	return to
}

// advance lets happen what is due now, and keeps passes and cycles out.
func (g *judge) advance() {
	const longest = 3 // seconds that cleaning may take
	for _, j := range g.cleaning {
		if g.cleanAt(j) <= g.now {
			g.over = append(g.over, j)
		}
	}
	g.over = slices.DeleteFunc(g.over, func(j *Job) bool { return j.End < g.now-longest })
	g.happen()
	g.letAge()
	g.still()
}

func (g *judge) still() { g.passAt, g.cycleAt, g.fullAt = 0, 0, never }

// gather notes the starts of this moment.
func (g *judge) gather(numbers []int32) {
	g.near = g.near[:0]
	clear(g.of)
	for _, number := range numbers {
		s := &nearStart{number: int(number), run: g.Runs[number]}
		s.nodes, s.isKnown = g.Recording.Nodes(int(number))
		g.near = append(g.near, s)
	}
	g.fill()
}

// fill finds the jobs that start now among those that have come.
func (g *judge) fill() {
	for _, s := range g.near {
		if s.job = g.jobs[s.number]; s.job != nil {
			g.of[s.job] = s
		}
	}
}

// impose starts a job as the record has it.
func (g *judge) impose(s *nearStart) {
	j := s.job
	if j == nil || j.Start > 0 {
		return // the record is damaged
	}
	entry := g.entryOf(s)
	g.engine.start(entry, g.shares(s, entry, g.settled))
	g.doubt(s)
	g.queue = slices.DeleteFunc(g.queue, func(x *Job) bool { return x.whole() == j })
	g.still()
}

// entryOf returns the entry of the queue that a start is of.
func (g *judge) entryOf(s *nearStart) *Job {
	j := s.job
	for _, x := range g.queue {
		if x.whole() == j && s.isOf(x) {
			return x
		}
	}
	entry := *j
	entry.enter(s.run.Place)
	entry.Reservation = s.reservation()
	entry.of, entry.bounds = j, nil
	return &entry
}

// done forgets a job that is over.
func (g *judge) done(number int, j *Job) {
	if j.Start == 0 && g.jobs[number] != nil {
		g.tellLate(&Decision{Number: number, Job: j})
	}
	g.settleSplit(number, j)
	delete(g.jobs, number)
	delete(g.late, number)
}

// conclude says what has been found about a start.
func (g *judge) conclude(s *nearStart) {
	if s.job == nil {
		return
	}
	d := &Decision{
		Number: s.number, Job: s.job, At: s.run.Start, Recorded: s.nodes, Chosen: s.chosen, IsKnown: s.isKnown,
		IsAllowed: s.rank >= notChosen, IsThere: s.rank == asItIs, IsFirst: true, IsAlone: len(s.ghosts) == 0, Rule: s.rule, Reason: s.reason, IsOfMoment: s.rule == waitsForCount || isOfRoom(s.rule),
		Had:       s.had(),
		IsOfOrder: s.rank == notAllowed && isOfOrder(s.rule),
	}
	if d.IsKnown && s.rank != asItIs && g.isDoubtful(s) {
		d.IsKnown, d.IsOpen = false, s.rank < notChosen && isOfRoom(s.rule)
	}
	for _, x := range s.ghosts {
		waited := g.waitsOn(x.number, s.run.Start)
		if _, isKnown := g.late[x.number]; !isKnown {
			g.late[x.number] = lateness{s.run.Start, x.nodes, x.isFree, false}
		}
		if x.isBefore {
			d.IsFirst = false
			d.Passed = append(d.Passed, Overtaken{x.number, waited})
		}
	}
	g.keepFront(s, d)
	late := g.late[s.number]
	d.Since, d.Beside, d.IsFree, d.IsKept = late.since, late.beside, late.isFree, late.isKept
	delete(g.late, s.number)
	g.yield(d)
}

// keepFront notes whom the rules would have kept nodes for that a start took.
func (g *judge) keepFront(s *nearStart, d *Decision) {
	if d.IsOpen || s.rank != notAllowed || s.rule != waitsBehind && s.rule != waitsForPlans {
		return
	}
	for _, j := range s.inFront {
		number := g.numbers[j]
		if _, isKnown := g.late[number]; !isKnown && j.Start == 0 && g.waitsOn(number, g.now) > g.unsure {
			g.late[number] = lateness{s.run.Start, s.nodes, false, true}
		}
	}
}

// tellLate yields a job that never started, if the rules would have started it.
func (g *judge) tellLate(d *Decision) {
	late, isLate := g.late[d.Number]
	if d.Since, d.Beside, d.IsFree, d.IsKept = late.since, late.beside, late.isFree, late.isKept; isLate || g.isSpan {
		g.yield(d)
	}
}

// waitsOn returns for how many seconds a job waits on from a time: until it starts, is cancelled, or the record ends.
func (g *judge) waitsOn(number int, from int64) int64 {
	run := g.Runs[number]
	return cmp.Or(run.Start, run.Gone, g.Last) - from
}
