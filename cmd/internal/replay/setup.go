package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
)

// newEngine returns a replay of work under a site's policy. Its errors are about the site:
// *order.FormulaError, *pbs.LimitError and others.
func newEngine(w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*engine, error) {
	site := plan.Site
	e := &engine{
		Options: o, site: site, plan: plan, last: math.Inf(-1),
		present: present{
			work: w, policy: site.Policy(), cluster: c, state: c.NewState(), requests: work.NewRequests(w, c, site), isPlain: o.Plain,
			jobs: make([]progress, len(w.Jobs)), terms: make([]terms, len(w.Jobs)),
		},
		result: &Result{Work: w, Start: make([]float64, len(w.Jobs)), End: make([]float64, len(w.Jobs)), earlier: map[int32][]trace.Run{}, pauses: map[int32][]trace.Run{}, cut: map[int32]bool{}},
	}
	if o.KeepWhy {
		e.tally = newTally(e)
	}
	if o.Await != nil {
		e.awaited = min(o.Await.Jobs, len(w.Jobs))
		e.result.First = make([]float64, e.awaited)
	}
	e.interval, e.window = float64(Interval(site)), site.Sched.BackfillWindow()
	if o.KeepVnodes {
		e.result.Vnodes = make([]string, len(w.Jobs))
	}
	e.entities = w.EntitiesBy(site.Entity())
	if e.hours = newHours(e); e.hours != nil {
		e.policy = e.hours.both() // for what is set up
	}
	e.depth = site.Sched.Server.Int("backfill_depth", 1)
	queues := e.findQueues()
	if e.hours != nil && !e.hours.setQueues(e) {
		e.hours, e.policy = nil, e.hours.policyAt(w.First)
	}
	var err error
	if e.limits, err = newLimits(site, false); err != nil {
		return nil, err
	}
	if e.usage, err = newUsage(e, o.Begin, o.LastDecay, o.Lag); err != nil {
		return nil, err
	}
	if e.values, err = newValues(&e.present, plan, e.usage); err != nil {
		return nil, err
	}
	if e.preemption, err = newPreemption(e); err != nil {
		return nil, err
	}
	e.bookings = newBookings(e)
	e.accruals = newAccruals(&e.present, site.Sched.Threshold, e.limits, e.values, o.Until > 0)
	e.backlog = newBacklog(&e.present, e.limits, e.values, e.accruals, e.hours, e.bookings, e.preemption)
	e.values.backlog = e.backlog
	e.calendar = newCalendar(&e.present, e.depth, e.hours, e.bookings)
	e.vnodes = newVnodes(e)
	for i, j := range w.Jobs {
		e.terms[i] = terms{j.Request, queues[j.Queue], j.Walltime, j.Priority, j.Rank}
		for k, stage := range j.Stages() {
			if k == 0 {
				e.setTerms(int32(i), stage)
			} else {
				e.stages = append(e.stages, stageEvent{float64(stage.From), int32(i), stage})
				if stage.Queue != j.Stages()[k-1].Queue {
					e.moves = append(e.moves, float64(stage.From))
				}
			}
		}
		if _, err := e.requests.Try(e.terms[i].request, e.queues[e.terms[i].queue].Name); err != nil {
			e.jobs[i].state = done
			if o.Await != nil && i < o.Await.Jobs {
				e.awaited--
			}
			e.result.Impossible = append(e.result.Impossible, &work.ImpossibleError{ID: j.ID, Detail: err.Error()})
		}
		if j.Deleted != trace.Unknown {
			e.deletes = append(e.deletes, event{at: float64(j.Deleted), job: int32(i)})
		}
	}
	slices.SortStableFunc(e.stages, func(a, b stageEvent) int { return cmp.Compare(a.at, b.at) })
	slices.Sort(e.moves)
	slices.SortStableFunc(e.deletes, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	e.findCosts()
	e.depends = newDependencies(e)
	e.depends.leaveOut()
	if o.KeepUsage {
		e.result.Course = e.usageCourse()
	}
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
	request := e.work.RequestOf(s.Request, e.work.Jobs[job].Job)
	if _, err := e.requests.Try(request, name); err == nil { // else it would not run, and does as it was
		t.request = request
	}
}

// findCosts evaluates fairshare_usage_res for what each job requests: what its start
// adds to its entity's usage within a cycle.
func (e *engine) findCosts() {
	f := e.usageRes()
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
			cost = e.usageOf(f, t, float64(max(0, t.walltime)), nil)
			known[k] = cost
		}
		e.costs[i] = cost
	}
}

// usageOf returns what fairshare_usage_res comes to for a job that has run for some
// seconds, with what it has used of other resources where that is known, else requested.
func (e *engine) usageOf(f *formula.Formula, t *terms, seconds float64, used map[string]float64) float64 {
	values := map[string]formula.Value{}
	for _, name := range f.Names() {
		x := e.work.Requests[t.request].Amounts[name]
		if really, ok := used[name]; ok {
			x = really
		}
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

// Interval returns scheduler_iteration, the longest time between two cycles in seconds.
func Interval(site *pbs.Site) int {
	for _, of := range []pbs.Attributes{site.Sched.Server, site.Sched.Scheduler} {
		if seconds := of.Int("scheduler_iteration", 0); seconds > 0 {
			return seconds
		}
	}
	return accrual.DefaultInterval
}
