package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// newEngine returns a replay of work under a site's policy. Its errors are about the site:
// *order.FormulaError, *pbs.LimitError and others.
func newEngine(w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*engine, error) {
	site := plan.Site
	e := &engine{
		Options: o, site: site, plan: plan, last: math.Inf(-1),
		situation: situation{
			work: w, policy: site.Policy(), cluster: c, state: c.NewState(), requests: cluster.NewRequests(w, c, site), isPlain: o.Plain, eachValue: o.eachValue, keepsStays: o.keepsStays || o.Plain,
			jobs: make([]progress, len(w.Jobs)), terms: make([]terms, len(w.Jobs)), lengths: lengthsOf(w),
		},
		result: &outcome.Result{Work: w, Start: make([]float64, len(w.Jobs)), End: make([]float64, len(w.Jobs)), Earlier: map[int32][]trace.Run{}, Pauses: map[int32][]trace.Run{}, Cut: map[int32]bool{}},
	}
	if o.Plain {
		e.state.LooksAtAll()
	}
	e.findStays()
	if o.KeepWhy {
		e.tally = newTally(w.Last)
	}
	e.await()
	e.interval, e.window = float64(Interval(site)), site.Sched.BackfillWindow()
	if o.KeepVnodes {
		places := places{make([][]cluster.Part, len(w.Jobs)), map[int32][]int32{}}
		e.places, e.result.Vnodes = places, func(i int) string { return places.of(int32(i)).String(c) } // it keeps no engine
	}
	e.others = othersOf(w, site)
	e.entities = entitiesOf(w, site.Entity(), o.named)
	if e.hours = newHours(o.World, site); e.hours != nil {
		e.policy = e.hours.both() // for what is set up
	}
	depth := site.Sched.Server.Int("backfill_depth", 1)
	queues := e.findQueues()
	if e.hours != nil && !e.hours.setQueues(e.queues, w.First) {
		e.hours, e.policy = nil, e.hours.policyAt(w.First)
	}
	var err error
	if e.limits, err = newLimits(site, false); err != nil {
		return nil, err
	}
	if e.usage, err = newUsage(&e.situation, plan, o); err != nil {
		return nil, err
	}
	e.clocks = newClocks(&e.situation)
	if e.values, err = newValues(&e.situation, plan, e.usage, e.clocks); err != nil {
		return nil, err
	}
	if e.preemption, err = newPreemption(&e.situation, site, e.usage, e.clocks); err != nil {
		return nil, err
	}
	e.accruals = newAccruals(&e.situation, site.Sched.Threshold, e.limits, e.values, e.preemption, o.throttles, o.Until > 0)
	if e.accruals.isOn {
		e.clocks.first, e.clocks.most = work.FirstEligible(w, o.Latency)
	}
	e.calendar = newCalendar(&e.situation, depth, e.hours, e.preemption.resumes && depth > 0, o.World != nil && len(o.World.Reservations) > 0)
	e.bookings = newBookings(&e.situation, o.World, e.calendar)
	e.backlog = newBacklog(&e.situation, e.limits, e.values, e.accruals, e.hours, e.bookings.byQueue, e.preemption, e.clocks)
	e.room = &room{&e.situation, e.hours, e.calendar, e.bookings}
	e.selection = &selection{
		at: &e.situation, room: e.room, backlog: e.backlog, accruals: e.accruals, values: e.values, usage: e.usage, preemption: e.preemption,
		depth: depth, threshold: site.Sched.Threshold, preemptsFairshare: site.Sched.PreemptsFairshare(),
		front: front{first: cmp.Or(o.firstPart, firstPart), looksAtMany: o.firstPart != 0}, eachClass: o.eachClass, scattered: scatteredOf(w.Jobs),
		enforces: site.SchedPriv != nil && site.SchedPriv.Config.EnforceNoShares, looksAtAll: o.Plain || o.Judge,
	}
	e.agenda.at = &e.situation
	e.vnodes = newVnodes(&e.situation, o.World, site, e.calendar, e.bookings, &e.agenda)
	e.addJobs(queues)
	e.usage.findCosts(e.hours.usageRes(plan))
	e.depend()
	e.reasons = &reasons{&e.situation, e.room, e.selection, e.depends, e.result}
	if o.KeepUsage {
		e.result.Course, err = e.course()
	}
	return e, err
}

// addJobs sets what each job asks for, and when that changes. queues are those of the engine by their
// numbers in the work.
func (e *engine) addJobs(queues map[int32]int32) {
	for i, j := range e.work.Jobs {
		e.terms[i] = terms{j.Request, queues[j.Queue], askedWalltime(j), j.Priority, j.Rank, cluster.Owner{User: j.User, Group: j.Group}}
		if e.isOthers(int32(i)) {
			if j.Start != trace.Unknown {
				e.usage.begins(float64(j.Start)) // as the record has it: mom runs them all
			}
			e.leave(int32(i))
			continue
		}
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
		if _, err := e.requests.TryOf(e.terms[i].request, e.queues[e.terms[i].queue].Name, e.terms[i].owner); err != nil && !e.hasPlace(int32(i)) {
			e.jobs[i].state = done
			if e.awaits != nil && e.awaits[i] {
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
}

// hasPlace reports whether a job runs when the record begins on vnodes that there are. It keeps what it has of these, even if its
// request would fit on no vnode now, as after the queue of a vnode has been changed.
func (e *engine) hasPlace(job int32) bool {
	j := e.work.Jobs[job]
	request := e.request(&e.terms[job])
	if !j.WasRunning || request == nil {
		return false
	}
	_, ok := e.state.ParseVnodes(j.Vnodes(), request)
	return ok
}

// askedWalltime returns the walltime of a job as it comes, or as it runs when the record begins.
func askedWalltime(j *work.Job) int64 {
	if j.WasRunning {
		return j.Walltime
	}
	return j.AskedWalltime()
}

// depend finds out who waits for whom. Jobs that the cluster can never run are taken as over.
func (e *engine) depend() {
	if e.depends = newDependencies(&e.situation); e.depends == nil {
		return
	}
	e.result.Came = e.depends.came
	var never []int32 // and not those whom their end deletes
	for i := range e.jobs {
		if e.jobs[i].state == done {
			never = append(never, int32(i))
		}
	}
	for _, job := range never {
		at := float64(e.work.First)
		if j := e.work.Jobs[job]; e.isOthers(job) && j.End != trace.Unknown {
			at = max(at, float64(j.End)) // as it was
		}
		e.isOverFor(job, at, e.work.Jobs[job].IsOK())
	}
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

// Interval returns scheduler_iteration, the longest time between two cycles in seconds.
func Interval(site *pbs.Site) int {
	for _, of := range []pbs.Attributes{site.Sched.Server, site.Sched.Scheduler} {
		if seconds := of.Int("scheduler_iteration", 0); seconds > 0 {
			return seconds
		}
	}
	return accrual.DefaultInterval
}
