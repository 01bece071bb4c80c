package calibrate

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// UnusedTime is a time for which a vnode ran nothing although jobs waited that could have run there,
// and another job even started on other vnodes that come after it: a sign of a failure or a
// reservation that no log tells.
type UnusedTime struct {
	Vnode    string
	From, To int64   // seconds since 1970: the end of the last job on it, and the start of the next one
	CPUs     float64 // of the vnode
	Waited   int     // jobs that waited although all vnodes were free that they would have got, this one among them
	Passed   int     // jobs that started on other vnodes although they would have got this one
}

// Hours returns for how many hours the vnode ran nothing.
func (u UnusedTime) Hours() float64 { return float64(u.To-u.From) / 3600 }

// CPUHours returns how many cpu hours were not used.
func (u UnusedTime) CPUHours() float64 { return u.CPUs * u.Hours() }

// When a time is taken for one of which no log tells the reason, in seconds.
const (
	leastUnused = 1800
	settling    = 60 // for which a vnode has to be free before jobs count: starts are logged late
)

// How much of the record is looked at.
const (
	mostWaiting = 200    // jobs, at a time
	mostMoments = 20_000 // times at which jobs wait
)

// unusedFinder goes through a record in search of vnodes that were not used.
type unusedFinder struct {
	work     *work.Work
	world    *world.World
	requests *cluster.Requests
	state    *cluster.State
	holds    [][]world.Hold // by vnode, by their begin; those that are over go
	vnodes   []vnodeUse
	running  map[int32]cluster.Allocation // by the number in Trace.Places
	waiting  []*work.Job                  // by arrival; some of them are gone
	isGone   []bool                       // by job, whether it has started or was deleted
	gone     int                          // how many in waiting are
	found    []UnusedTime
}

// vnodeUse is what a vnode runs, and who could have run there since it runs nothing.
type vnodeUse struct {
	jobs           int
	away           map[world.VnodeChange]bool // for Offline or Down
	since          int64                      // when it became free
	waited, passed map[int32]bool             // jobs
}

func (u *vnodeUse) isFree() bool { return u.jobs == 0 && len(u.away) == 0 }

// vnodeStep is that a job comes, or that a run of it begins or ends on some vnodes, or that
// something else happens to a vnode.
type vnodeStep struct {
	at   int64
	job  *work.Job
	of   int32 // in Trace.Places, or in World.Vnodes with happens
	kind stepKind
}

// stepKind is what happens to a job or a vnode. At the same time, what has the smaller number comes
// first.
type stepKind int8

const (
	happens stepKind = iota // what a world.VnodeEvent tells
	ends
	arrives
	starts
)

// findUnused returns the times for which vnodes were not used although jobs waited, those with
// the most cpu hours first. isKnown is false if the record does not tell where jobs ran.
func findUnused(s *study.Study) (found []UnusedTime, isKnown bool) {
	w, c := s.Work, s.Cluster
	if len(w.Trace.Places) == 0 {
		return nil, false
	}
	f := &unusedFinder{
		work: w, world: s.Options.World, requests: cluster.NewRequests(w, c, s.Inputs.Site), state: c.NewState(),
		holds: make([][]world.Hold, len(c.Vnodes)), vnodes: make([]vnodeUse, len(c.Vnodes)), running: map[int32]cluster.Allocation{}, isGone: make([]bool, len(w.Jobs)),
	}
	for v := range c.Vnodes {
		f.vnodes[v].away = map[world.VnodeChange]bool{}
		f.begin(int32(v), w.First)
	}
	steps := f.steps()
	every := len(steps)/mostMoments + 1
	for i, step := range steps {
		f.take(step)
		if i%every == 0 && i+1 < len(steps) && steps[i+1].at > step.at {
			f.look(step.at)
		}
	}
	for v := range f.vnodes {
		f.end(int32(v), w.Last)
	}
	slices.SortStableFunc(f.found, func(a, b UnusedTime) int {
		return cmp.Or(cmp.Compare(b.CPUHours(), a.CPUHours()), cmp.Compare(a.From, b.From))
	})
	return f.found, true
}

// steps returns what the record has, in its order.
func (f *unusedFinder) steps() []vnodeStep {
	t := f.work.Trace
	var steps []vnodeStep
	of := map[*trace.Job]*work.Job{}
	for _, j := range f.work.Jobs {
		of[j.Job] = j
		if j.Arrival != trace.Unknown && !trace.IsReservation(f.queueOf(j)) {
			steps = append(steps, vnodeStep{at: j.Arrival, kind: arrives, job: j})
		}
	}
	for number, p := range t.Places {
		j := of[t.Jobs[p.Job]]
		if j == nil {
			continue
		}
		from, end := p.Start, j.End
		if at := slices.IndexFunc(j.Earlier(), func(r trace.Run) bool { return r.Start == p.Start }); at >= 0 {
			end = j.Earlier()[at].End
		} else if end == trace.Unknown {
			end = f.work.Last + 1
		}
		use := func(from, to int64) {
			if to > from {
				steps = append(steps, vnodeStep{from, j, int32(number), starts}, vnodeStep{to, j, int32(number), ends})
			}
		}
		for _, pause := range j.Pauses() {
			if pause.Start >= from && pause.End <= end {
				use(from, pause.Start)
				from = pause.End
			}
		}
		use(from, end)
	}
	if f.world != nil {
		steps = f.withWorld(steps)
	}
	slices.SortStableFunc(steps, func(a, b vnodeStep) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	return steps
}

// withWorld returns the steps with what is known to have happened besides the jobs.
func (f *unusedFinder) withWorld(steps []vnodeStep) []vnodeStep {
	seen := map[string]bool{}
	for i, e := range f.world.Vnodes {
		v, isKnown := f.state.Number(e.Vnode)
		if !isKnown || e.Kind == world.Resized {
			continue
		}
		if before, isBack := map[world.VnodeChange]world.VnodeChange{world.Online: world.Offline, world.Up: world.Down}[e.Kind]; isBack && !seen[e.Vnode] {
			f.setAway(v, before, true, f.work.First) // it was away when the record began
		}
		seen[e.Vnode] = true
		steps = append(steps, vnodeStep{at: e.At, kind: happens, of: int32(i)})
	}
	for _, r := range f.world.Reservations {
		for _, h := range r.Holds {
			for name := range cluster.Vnodes(h.Nodes) {
				if v, isKnown := f.state.Number(name); isKnown {
					f.holds[v] = append(f.holds[v], h)
				}
			}
		}
	}
	for _, holds := range f.holds {
		slices.SortFunc(holds, func(a, b world.Hold) int { return cmp.Compare(a.Start, b.Start) })
	}
	return steps
}

func (f *unusedFinder) queueOf(j *work.Job) string { return f.work.Trace.Names.List[j.Queue] }

// take lets a step happen.
func (f *unusedFinder) take(s vnodeStep) {
	switch s.kind {
	case happens:
		e := f.world.Vnodes[s.of]
		v, _ := f.state.Number(e.Vnode)
		switch e.Kind {
		case world.Offline, world.Down:
			f.setAway(v, e.Kind, true, s.at)
		case world.Online:
			f.setAway(v, world.Offline, false, s.at)
		case world.Up:
			f.setAway(v, world.Down, false, s.at)
		}
	case arrives:
		f.waiting = append(f.waiting, s.job)
	case ends:
		got := f.running[s.of]
		delete(f.running, s.of)
		f.state.Release(got)
		f.use(got, -1, s.at)
	case starts:
		f.start(s)
	}
}

// start lets a job run where it did. A vnode that it would have got, and did not, was passed.
func (f *unusedFinder) start(s vnodeStep) {
	r, err := f.requests.Try(s.job.Request, f.queueOf(s.job))
	if err != nil {
		r = &cluster.Request{}
	}
	got := f.state.ParseKnown(f.work.Trace.ExecVnodes.List[f.work.Trace.Places[s.of].Vnodes], r)
	if err == nil && !f.isGone[s.job.Number] {
		f.would(s.job, r, s.at, func(u *vnodeUse, v int32) {
			if !slices.ContainsFunc(got.Parts, func(p cluster.Part) bool { return p.Vnode == v }) {
				u.passed[s.job.Number] = true
			}
		})
	}
	f.leave(s.job)
	f.running[s.of] = got
	f.state.Occupy(got)
	f.use(got, 1, s.at)
}

// leave notes that a job does not wait any more.
func (f *unusedFinder) leave(j *work.Job) {
	if f.isGone[j.Number] {
		return
	}
	f.isGone[j.Number] = true
	if f.gone++; f.gone > len(f.waiting)/2 {
		f.waiting = slices.DeleteFunc(f.waiting, func(j *work.Job) bool { return f.isGone[j.Number] })
		f.gone = 0
	}
}

// look notes who waits at a time although the vnodes are free that he would get.
func (f *unusedFinder) look(at int64) {
	type asked struct{ request, queue int32 }
	seen := map[asked]bool{}
	looked := 0
	for _, j := range f.waiting {
		if j.Deleted != trace.Unknown && j.Deleted <= at {
			f.isGone[j.Number] = true
		}
		if f.isGone[j.Number] {
			continue
		}
		if looked++; looked > mostWaiting {
			break
		}
		key := asked{j.Request, j.Queue}
		if seen[key] || j.Arrival+settling > at {
			continue
		}
		seen[key] = true
		if r, err := f.requests.Try(j.Request, f.queueOf(j)); err == nil {
			f.would(j, r, at, func(u *vnodeUse, v int32) { u.waited[j.Number] = true })
		}
	}
}

// would calls note with each vnode that a job would get at a time and that has been free for a
// while. It calls it with none if there is no room, or a reservation is in the way.
func (f *unusedFinder) would(j *work.Job, r *cluster.Request, at int64, note func(*vnodeUse, int32)) {
	if trace.IsReservation(f.queueOf(j)) {
		return
	}
	would, ok := f.state.Place(r, nil)
	if !ok || slices.ContainsFunc(would.Parts, func(p cluster.Part) bool { return f.isHeld(p.Vnode, at, j.Walltime) }) {
		return
	}
	for _, p := range would.Parts {
		if u := &f.vnodes[p.Vnode]; u.isFree() && u.since+settling <= at {
			note(u, p.Vnode)
		}
	}
}

// isHeld reports whether a reservation has a vnode before a job would end that starts there, or
// had it a moment ago.
func (f *unusedFinder) isHeld(v int32, at, walltime int64) bool {
	holds := f.holds[v]
	for len(holds) > 0 && holds[0].End+settling <= at {
		holds = holds[1:]
	}
	f.holds[v] = holds
	for _, h := range holds {
		if h.Start >= at+max(0, walltime) {
			break
		}
		if h.End+settling > at && h.From <= at && (h.Until == 0 || at < h.Until+settling) {
			return true
		}
	}
	return false
}

// use counts a job on its vnodes.
func (f *unusedFinder) use(on cluster.Allocation, by int, at int64) {
	for _, p := range on.Parts {
		if by > 0 {
			f.end(p.Vnode, at)
		}
		if f.vnodes[p.Vnode].jobs += by; by < 0 {
			f.begin(p.Vnode, at)
		}
	}
}

// setAway takes a vnode away, or gives it back.
func (f *unusedFinder) setAway(v int32, why world.VnodeChange, isAway bool, at int64) {
	if isAway {
		f.end(v, at)
		f.vnodes[v].away[why] = true
	} else {
		delete(f.vnodes[v].away, why)
		f.begin(v, at)
	}
	f.state.SetAway(v, len(f.vnodes[v].away) > 0)
}

// begin notes that a vnode may have become free.
func (f *unusedFinder) begin(v int32, at int64) {
	if u := &f.vnodes[v]; u.isFree() {
		u.since, u.waited, u.passed = at, map[int32]bool{}, map[int32]bool{}
	}
}

// end keeps the time for which a vnode has been free if jobs could have run there.
func (f *unusedFinder) end(v int32, at int64) {
	u := &f.vnodes[v]
	if u.isFree() && at-u.since >= leastUnused && len(u.waited) > 0 && len(u.passed) > 0 {
		f.found = append(f.found, UnusedTime{f.state.Vnodes[v].Name, u.since, at, f.cpus(v), len(u.waited), len(u.passed)})
	}
}

// cpus returns how many cpus a vnode has.
func (f *unusedFinder) cpus(v int32) float64 {
	if at := slices.Index(f.state.Consumables, "ncpus"); at >= 0 {
		return f.state.Vnodes[v].Amounts[at]
	}
	return 0
}
