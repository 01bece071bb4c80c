package replay

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Options are what a replay needs besides the work, the site and the cluster.
type Options struct {
	Begin     *usagefile.Database // usage at the begin; nil for that of the site's tree
	LastDecay int64               // a last_decay of the scheduler's, for the phase of decay; 0 if it is not known
	Lag       float64             // how old reports of use are when usage accrues, in seconds
	Latency   Latency
	Own       []float64 // by job, its own latency, NaN for Latency; may be nil
	Window    float64   // opt_backfill_fuzzy: ends so close are applied together in the calendar, in seconds

	KeepVnodes bool    // whether Result.Vnodes is wanted
	Until      float64 // the time at which to stop, 0 for the end
	Watch      int32   // the number of a job whose way is explained, -1 for none

	// Recorded are the cycles of a real scheduler, which then decide when the replay's
	// are, what has ended and what usage was reported; nil to run freely.
	Recorded []RecordedCycle

	Progress func(done, all int) // called now and then; may be nil
}

// Result is what a replay comes to. Times are in seconds since 1970.
type Result struct {
	Work    *Work
	Start   []float64 // by job, of its last run; 0 for one that never started
	End     []float64 // by job, 0 for one that has not ended
	Vnodes  []string  // by job, exec_vnode, where it was asked for
	Until   float64   // the time of the last cycle
	Cycles  int
	Preempt int // how often a job was preempted
	Usage   *fstree.Tree
	Steps   []Step    // of the job that is watched
	Waiting []Waiting // in their order, where the replay was to stop
	IsCut   bool      // whether it was interrupted
}

// engine is a replay as it runs.
type engine struct {
	Options
	work    *Work
	site    *pbs.Site
	policy  fstree.Policy
	plan    *order.Plan
	cluster *cluster.Cluster
	queues  []pbs.Queue
	latency Latency

	state    *cluster.State
	limits   *limits
	backlog  *backlog
	values   *values
	usage    *usage
	calendar *calendar
	requests map[[2]int32]*cluster.Request

	now      float64
	cycles   uint64
	busy     float64 // until when the last cycle's starts go on
	interval float64
	last     float64 // the begin of the last cycle
	idle     int     // cycles since all events were over
	freed    uint64  // counts releases of vnodes
	changed  bool    // whether anything has happened since the last cycle that may let jobs start
	depth    int     // backfill_depth
	depths   []int   // by queue

	jobs    []progress // by job
	terms   []terms    // by job
	running running
	stopped []int32     // suspended jobs, in the order in which they are considered
	levels  map[int]int // how many jobs run, by preemption level
	costs   []float64
	heads   []*candidate // memory of first
	events  events
	stages  []stageEvent
	arrived int // jobs of Work.Jobs that have
	staged  int
	result  *Result
	err     error
}

// progress is where a job is.
type progress struct {
	state   state
	run     int16 // of Job.Runs
	starts  float64
	ends    float64 // as it will, once it runs
	due     float64 // as its walltime says
	used    float64 // seconds that it has run before it was suspended
	place   cluster.Allocation
	version uint32 // of its end, which a suspension makes void
}

type state byte

const (
	pending state = iota
	waiting
	runs
	suspended
	done
)

// terms are what a job asks for at the time.
type terms struct {
	request, queue int32
	walltime       int64
	priority       int32
	rank           float64
}

// event is something that happens to a job.
type event struct {
	at      float64
	job     int32
	version uint32
	isEnd   bool // else it is deleted
}

type stageEvent struct {
	at  float64
	job int32
	trace.Stage
}

// New returns a replay of work under a site's policy. Its errors are about the site:
// *order.FormulaError, *LimitError, *ImpossibleError and others.
func newEngine(w *Work, plan *order.Plan, c *cluster.Cluster, o Options) (*engine, error) {
	site := plan.Site
	e := &engine{
		Options: o, work: w, site: site, plan: plan, policy: site.Policy(), cluster: c, latency: o.Latency,
		state: c.NewState(), requests: map[[2]int32]*cluster.Request{}, interval: 600, last: math.Inf(-1), levels: map[int]int{},
		jobs: make([]progress, len(w.Jobs)), terms: make([]terms, len(w.Jobs)),
		result: &Result{Work: w, Start: make([]float64, len(w.Jobs)), End: make([]float64, len(w.Jobs))},
	}
	e.interval = float64(site.Sched.Server.Int("scheduler_iteration", site.Sched.Scheduler.Int("scheduler_iteration", 600)))
	if o.KeepVnodes {
		e.result.Vnodes = make([]string, len(w.Jobs))
	}
	e.depth = site.Sched.Server.Int("backfill_depth", 1)
	queues := e.findQueues()
	var err error
	if e.limits, err = newLimits(site); err != nil {
		return nil, err
	}
	if e.usage, err = newUsage(e, o.Begin, o.LastDecay, o.Lag); err != nil {
		return nil, err
	}
	if e.values, err = newValues(e, plan); err != nil {
		return nil, err
	}
	e.backlog = newBacklog(e)
	e.calendar = newCalendar(e)
	for i, j := range w.Jobs {
		e.terms[i] = terms{j.Request, queues[j.Queue], j.Walltime, j.Priority, j.Rank}
		for k, stage := range j.Stages() {
			if k == 0 {
				e.setTerms(int32(i), stage)
			} else {
				e.stages = append(e.stages, stageEvent{float64(stage.From), int32(i), stage})
			}
		}
		if _, err := e.tryRequest(e.terms[i].request, e.terms[i].queue); err != nil {
			return nil, &ImpossibleError{ID: j.ID, Detail: err.Error()}
		}
		if j.Deleted != trace.Unknown {
			e.events = append(e.events, event{at: float64(j.Deleted), job: int32(i)})
		}
	}
	slices.SortStableFunc(e.stages, func(a, b stageEvent) int { return cmp.Compare(a.at, b.at) })
	heap.Init(&e.events)
	e.findCosts()
	return e, nil
}

// findQueues returns the queues of jobs by the number of their name. Those that the
// site does not have come after its own, with priority 0.
func (e *engine) findQueues() map[int32]int32 {
	e.queues = slices.Clone(e.site.Queues)
	found := map[int32]int32{}
	find := func(name int32) {
		if _, ok := found[name]; ok {
			return
		}
		text := e.work.Trace.Names.List[name]
		at := slices.IndexFunc(e.queues, func(q pbs.Queue) bool { return q.Name == text })
		if at < 0 {
			at = len(e.queues)
			e.queues = append(e.queues, pbs.Queue{Name: text})
		}
		found[name] = int32(at)
	}
	for _, j := range e.work.Jobs {
		find(j.Queue)
		for _, stage := range j.Stages() {
			find(stage.Queue)
		}
	}
	for _, q := range e.queues {
		e.depths = append(e.depths, q.Attributes.Int("backfill_depth", -1))
	}
	return found
}

func (e *engine) setTerms(job int32, s trace.Stage) {
	t := &e.terms[job]
	name := e.work.Trace.Names.List[s.Queue]
	t.queue = int32(slices.IndexFunc(e.queues, func(q pbs.Queue) bool { return q.Name == name }))
	t.walltime = s.Walltime
	if s.Priority != trace.Unknown {
		t.priority = int32(s.Priority)
	}
	if s.Queued != trace.Unknown {
		t.rank = float64(s.Queued)
	}
	t.request = e.work.requestOf(s.Request, e.work.Jobs[job].Job)
}

// ImpossibleError is a job that the cluster can never run, or jobs that together need
// more than it has.
type ImpossibleError struct{ ID, Detail string }

func (e *ImpossibleError) Error() string {
	if e.ID == "" {
		return e.Detail
	}
	return "job " + e.ID + ": " + e.Detail
}

// tryRequest returns what a job of a queue asks of the cluster. It is an error if no
// vnodes could ever give it.
func (e *engine) tryRequest(number, queue int32) (*cluster.Request, error) {
	key := [2]int32{number, 0}
	if e.cluster.HasQueues() {
		key[1] = queue
	}
	if r := e.requests[key]; r != nil {
		return r, nil
	}
	text := e.work.Requests[number]
	r, err := e.cluster.Request(text.Select, text.Place, e.queues[queue].Name)
	if err != nil {
		return nil, err
	}
	if !e.cluster.CanEverFit(r) {
		return nil, fmt.Errorf("select=%s:place=%s fits on no vnodes of the cluster (%s in all)", text.Select, text.Place, e.cluster)
	}
	e.requests[key] = r
	return r, nil
}

func (e *engine) request(number, queue int32) *cluster.Request {
	r, _ := e.tryRequest(number, queue)
	return r
}

// findCosts evaluates fairshare_usage_res for what each job requests: what its start
// adds to its entity's usage within a cycle.
func (e *engine) findCosts() {
	f := e.plan.UsageRes()
	if f == nil {
		return
	}
	e.costs = make([]float64, len(e.work.Jobs))
	type key struct {
		request  int32
		walltime int64
	}
	known := map[key]float64{}
	for i := range e.costs {
		t := &e.terms[i]
		k := key{t.request, t.walltime}
		cost, ok := known[k]
		if !ok {
			cost = e.usageOf(f, t, float64(max(0, t.walltime)))
			known[k] = cost
		}
		e.costs[i] = cost
	}
}

// usageOf returns what fairshare_usage_res comes to for a job that has run for some
// seconds.
func (e *engine) usageOf(f *formula.Formula, t *terms, seconds float64) float64 {
	values := map[string]formula.Value{}
	for _, name := range f.Names() {
		x := e.work.Requests[t.request].Amounts[name]
		if name == "walltime" {
			x = seconds
		}
		values[name], _ = formula.Amount(x)
	}
	r := f.Eval(values)
	if r.Err != nil || !(r.Value > 0) || math.IsInf(r.Value, 0) {
		return 0
	}
	return r.Value
}

// Run replays work under the policy of a plan's site on a cluster. If the context is
// done before the replay is, the result is what there is so far.
func Run(ctx context.Context, w *Work, plan *order.Plan, c *cluster.Cluster, o Options) (*Result, error) {
	e, err := newEngine(w, plan, c, o)
	if err != nil {
		return nil, err
	}
	e.beginRunning()
	for e.next() {
		e.admit()
		e.cycle()
		if e.err != nil {
			return nil, e.err
		}
		const often = 1 << 12 // cycles
		if e.cycles%often == 0 {
			if e.Progress != nil {
				e.Progress(e.arrived, len(w.Jobs))
			}
			if ctx.Err() != nil {
				e.result.IsCut = true
				break
			}
		}
	}
	e.result.Until, e.result.Cycles = e.last, int(e.cycles)
	if e.err != nil {
		return nil, e.err
	}
	e.usage.apply()
	e.result.Usage = e.usage.tree
	return e.result, nil
}

// next advances to the next cycle: one begins when a job becomes eligible or ends,
// and scheduler_iteration after the one before, but not before that is over. It
// reports whether there is one.
func (e *engine) next() bool {
	if e.Recorded != nil {
		if int(e.cycles) == len(e.Recorded) {
			return false
		}
		e.now = e.Recorded[e.cycles].At
		return true
	}
	const patience = 100 // cycles without an event, after the last one
	at := math.Inf(1)
	if e.arrived < len(e.work.Jobs) {
		at = e.work.Jobs[e.arrived].Came
	}
	if len(e.events) > 0 {
		at = min(at, e.events[0].at)
	}
	if isOver := math.IsInf(at, 1) && (e.backlog.waiting == 0 && len(e.stopped) == 0 || e.idle > patience); isOver {
		return false
	}
	e.idle++
	if !math.IsInf(at, 1) {
		e.idle = 0
	}
	if timer := e.last + e.interval; timer < at && e.cycles > 0 {
		at = timer
	}
	e.now = max(at, e.busy)
	if e.Until > 0 && e.now >= e.Until {
		e.stopAt(e.Until)
		return false
	}
	return true
}

// admit takes in what has happened up to now: what jobs ask for has changed, jobs
// have come, ended or were deleted.
func (e *engine) admit() {
	for e.staged < len(e.stages) && e.stages[e.staged].at <= e.now {
		e.restage(e.stages[e.staged])
		e.staged++
	}
	if e.Recorded != nil {
		e.admitRecorded(e.Recorded[e.cycles])
		return
	}
	for e.arrived < len(e.work.Jobs) && e.work.Jobs[e.arrived].Came <= e.now {
		e.arrive(int32(e.arrived))
		e.arrived++
	}
	for len(e.events) > 0 && e.events[0].at <= e.now {
		ev := heap.Pop(&e.events).(event)
		switch j := &e.jobs[ev.job]; {
		case ev.isEnd && j.version == ev.version && j.state == runs:
			e.end(ev.job)
		case !ev.isEnd && j.state == waiting:
			e.backlog.remove(ev.job)
			j.state = done
			e.changed = true // it was the first that waited, perhaps
		case !ev.isEnd && j.state == pending:
			j.state = done
		}
	}
}

// arrive lets a job wait that comes now.
func (e *engine) arrive(job int32) {
	if e.jobs[job].state != pending {
		return
	}
	e.jobs[job].state = waiting
	j := e.work.Jobs[job]
	e.backlog.add(job, max(0, e.now-j.Came)+float64(j.Arrival-j.EligibleSince()))
	e.changed = true
}

// restage changes what a job asks for: qalter and qmove.
func (e *engine) restage(s stageEvent) {
	isWaiting := e.jobs[s.job].state == waiting
	var eligible float64
	if isWaiting {
		eligible = e.backlog.remove(s.job)
	}
	e.setTerms(s.job, s.Stage)
	if e.costs != nil {
		t := &e.terms[s.job]
		e.costs[s.job] = e.usageOf(e.plan.UsageRes(), t, float64(max(0, t.walltime)))
	}
	if isWaiting {
		e.backlog.add(s.job, eligible)
		e.changed = true
	}
	if j := &e.jobs[s.job]; j.state == runs {
		e.running.remove(e, s.job)
		j.due = e.dueOf(s.job)
		e.running.add(e, s.job)
	}
}

// beginRunning lets the jobs run that did when the record begins, on the vnodes that
// they had.
func (e *engine) beginRunning() {
	for i, j := range e.work.Jobs {
		if !j.WasRunning {
			continue
		}
		p := &e.jobs[i]
		job := int32(i)
		place, ok := e.cluster.ParseVnodes(j.Vnodes())
		if !ok {
			if place, ok = e.state.Place(e.request(e.terms[i].request, e.terms[i].queue), nil); !ok {
				continue
			}
		}
		p.place, p.run = place, int16(len(j.Runs)-1)
		e.now = float64(e.work.First)
		e.occupy(job, float64(j.Start))
	}
}

// end ends a run of a job: it waits again if it was to run again, as a rerun.
func (e *engine) end(job int32) {
	j, p := e.work.Jobs[job], &e.jobs[job]
	e.vacate(job)
	if int(p.run)+1 < len(j.Runs) {
		p.run++
		p.used = 0
		p.state = waiting
		e.backlog.add(job, 0)
		return
	}
	p.state, p.place = done, cluster.Allocation{}
	e.result.End[job] = p.ends
}

// vacate frees what a job occupies.
func (e *engine) vacate(job int32) {
	p := &e.jobs[job]
	e.state.Release(p.place)
	e.count(job, -1)
	e.running.remove(e, job)
	e.calendar.occupied(job, false)
	e.usage.stop(job, e.work.Jobs[job].Entity)
	e.freed++
	e.changed = true
}

// occupy lets a job run from a time on.
func (e *engine) occupy(job int32, at float64) {
	j, p := e.work.Jobs[job], &e.jobs[job]
	e.state.Occupy(p.place)
	e.count(job, 1)
	p.state, p.starts = runs, at
	p.ends = at + float64(j.Runs[p.run]) - p.used
	p.due = e.dueOf(job)
	p.version++
	e.running.add(e, job)
	e.calendar.occupied(job, true)
	if e.Recorded == nil && (j.IsEndKnown || j.Walltime > 0 || int(p.run)+1 < len(j.Runs)) {
		heap.Push(&e.events, event{at: p.ends, job: job, version: p.version, isEnd: true})
	}
	if rate := e.rate(job); rate > 0 && e.Recorded == nil {
		e.usage.start(job, rate, at)
	}
}

// dueOf returns when a job that runs is to end by its walltime.
func (e *engine) dueOf(job int32) float64 {
	const years = 5 * 365 * 24 * 3600 // of a job without walltime
	p := &e.jobs[job]
	if w := e.terms[job].walltime; w >= 0 {
		return p.starts + float64(w) - p.used
	}
	return p.starts + years
}

// rate returns the usage that a job accrues in a second: fairshare_usage_res over its
// run.
func (e *engine) rate(job int32) float64 {
	if !e.usage.isOn || e.usage.formula == nil {
		return 0
	}
	return e.usage.rateOf(e, job)
}

// count counts a job that starts or ends under the limits that hold for it.
func (e *engine) count(job int32, sign float64) {
	e.levels[e.preemptLevel(e.terms[job].queue)] += int(sign)
	e.countChecks(job, sign)
}

func (e *engine) countChecks(job int32, sign float64) {
	if len(e.limits.counters) == 0 {
		return
	}
	for _, k := range e.checksOf(job) {
		k.counter.used += sign * k.need
	}
}

func (e *engine) checksOf(job int32) []check {
	return e.backlog.class(e.work.Jobs[job], &e.terms[job]).checks
}

// events is a heap, the next one first.
type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].job < h[j].job
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// running is the jobs that run, by when they are to end.
type running []int32

func (r *running) find(e *engine, job int32) (int, bool) {
	return slices.BinarySearchFunc(*r, job, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.jobs[a].due, e.jobs[b].due), cmp.Compare(a, b))
	})
}

func (r *running) add(e *engine, job int32) {
	at, _ := r.find(e, job)
	*r = slices.Insert(*r, at, job)
}

func (r *running) remove(e *engine, job int32) {
	if at, ok := r.find(e, job); ok {
		*r = slices.Delete(*r, at, at+1)
	}
}
