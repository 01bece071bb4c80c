package replay

import (
	"cmp"
	"math"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// reasons says what jobs wait for, as the other parts have it.
type reasons struct {
	at        *situation
	room      *room
	selection *selection
	depends   *dependencies
	result    *outcome.Result
}

// tries are what came of the jobs that a cycle has tried, for those who ask.
type tries struct {
	started  int
	fitFirst map[*class]bool   // whether classes fitted when it began, of jobs that are asked for
	atBegin  map[*class]*turn  // what there was for classes when it began, where that is asked for
	kept     map[*class]keeper // what kept the first job of a class that had free vnodes when it was tried

	denied map[int32]bool // jobs that were to start, and that PBS's server did not start

	watches bool           // whether it is asked for in which order the cycle looks at jobs and which it plans: it goes on when nothing can start
	topJobs map[int32]bool // those that it plans
	looked  []int32        // the jobs in the order in which it looks at them first
	seen    map[int32]bool // those of looked

	preempted map[int32]displaced // who goes for jobs that start by preemption

	turns    map[int32]*turn      // what there was for jobs that did not start when the cycle came to them
	sameTurn map[*class]*turn     // those since the last one has started
	begun    map[*counter]float64 // what the jobs that it has started so far need under limits
}

// displaced are the jobs that go for another one.
type displaced struct {
	jobs    []outcome.Displaced
	reached string // the limit that they have reached, "" for none
}

// watch lets a cycle tell in which order it looks at jobs, and which it plans.
func (t *tries) watch(is bool) {
	if t.watches = is; is {
		t.topJobs, t.seen, t.begun, t.preempted = map[int32]bool{}, map[int32]bool{}, map[*counter]float64{}, map[int32]displaced{}
	}
}

// deny notes a job that the server did not start.
func (t *tries) deny(job int32) {
	if t.denied == nil {
		t.denied = map[int32]bool{}
	}
	t.denied[job] = true
}

// look notes a job that the cycle looks at, once.
func (t *tries) look(job int32) {
	if t.watches && !t.seen[job] {
		t.seen[job] = true
		t.looked = append(t.looked, job)
	}
}

// why says what a job waits for after a cycle, "" for its cycle. a is nil where nothing could
// start. waits is false for a job that does not wait.
func (r *reasons) why(job int32, a *tries) (reason string, waits bool) {
	if r.depends.holds(job) && r.at.jobs[job].state == pending {
		return r.depends.why(job), r.depends.Submitted[r.depends.Unit[job]] <= r.at.now
	}
	switch r.at.jobs[job].state {
	case waiting:
		return r.keeps(r.selection.backlog.groupOf[job], job, a), true
	case suspended:
		return outcome.Suspended + waitsText(r.keeps(r.selection.backlog.groupOf[job], job, a)), true
	}
	return "", false
}

// waitsText returns a reason of a suspended job as a clause.
func waitsText(reason string) string {
	switch {
	case reason == "":
		return "it goes on in its next cycle"
	case strings.HasPrefix(reason, outcome.Behind):
		return "waits " + reason
	case strings.HasPrefix(reason, outcome.Never):
		return "never goes on: " + strings.TrimPrefix(reason, outcome.Never)
	case reason == WaitsForVnodes:
		return "waits for its vnodes"
	}
	return "waits for " + reason
}

// goesOn reports whether a job runs that was suspended when the replay began.
func (r *reasons) goesOn(job int32) bool {
	_, wasStopped := r.at.work.Jobs[job].Stopped()
	return wasStopped && r.at.jobs[job].state == runs
}

// count counts what the jobs of each queue wait for after a cycle.
func (r *reasons) count(a *tries) map[cause]int {
	counts := map[cause]int{}
	// Jobs of a group differ in how long they run and for how long they have been eligible.
	isAlike := r.room.hours == nil && !r.room.bookings.arePending() && r.selection.threshold == math.MinInt32
	for _, c := range r.selection.backlog.active {
		for _, g := range c.groups {
			if len(g.members) == 0 || r.at.jobs[g.members[0].job].state == suspended { // which has a group of its own
				continue
			}
			if isAlike {
				counts[cause{g.queue, named(r.keeps(g, g.members[0].job, a))}] += len(g.members)
				continue
			}
			for _, m := range g.members {
				counts[cause{g.queue, named(r.keeps(g, m.job, a))}]++
			}
		}
	}
	return counts
}

// keeper is what kept jobs of a class in a cycle that last for as long, or longer.
type keeper struct {
	length float64
	reason string
}

// keep keeps why a job has not started for which vnodes were free when it was tried, where anybody
// wants to know: those who start behind it may take them.
func (a *attempt) keep(c *candidate, length float64) {
	of := c.group.class
	if a.fitFirst == nil || of.booked != nil || !a.room.fitsNow(of) || !a.hours.admits(of, a.length(c.job)) {
		return
	}
	if a.kept == nil {
		a.kept = map[*class]keeper{}
	}
	reason := notDelayed
	if n := a.limitAhead(c); n != nil {
		reason = n.limit.String() + keptFor + notDelayed
	}
	a.kept[of] = keeper{length, cmp.Or(a.bookings.reason(c.job, of), reason)}
}

// keeps says what keeps a job of a group after a cycle.
func (r *reasons) keeps(g *group, job int32, a *tries) string {
	if reason := g.class.never(r.at.cluster); reason != "" {
		return reason
	}
	if a != nil {
		if a.denied[job] {
			return hostInUse
		}
		if k, ok := a.kept[g.class]; ok && r.at.length(job) >= k.length {
			return k.reason
		}
	}
	reason := r.leftOut(g, job, a)
	if reason == "" {
		reason = cmp.Or(r.room.hours.reason(g.class, r.at.now, r.at.length(job)), r.reason(g.class, job, a))
	}
	if reason == "" || reason == notDelayed {
		reason = cmp.Or(r.room.bookings.reason(job, g.class), reason)
	}
	return reason
}

// judge keeps what the first cycle makes of each job, after which nothing more is wanted.
func (r *reasons) judge(a *tries) {
	atEnd := map[*class]*turn{}
	for job := range r.at.jobs {
		reason, waits := r.why(int32(job), a)
		starts := r.result.Start[job] != 0 && !r.at.work.Jobs[job].WasRunning
		if r.goesOn(int32(job)) {
			starts, reason = true, outcome.GoesOn
		}
		if waits || starts {
			isTop := a != nil && a.topJobs[int32(job)]
			verdict := outcome.Verdict{Job: int32(job), Starts: starts, Reason: reason, Planned: isTop}
			if a != nil && starts {
				verdict.Preempts, verdict.Reached = a.preempted[int32(job)].jobs, a.preempted[int32(job)].reached
			}
			if g := r.selection.backlog.groupOf[job]; waits && !starts && r.at.jobs[job].state == waiting && g.class.booked == nil {
				c := g.class // whose room is not that of a reservation
				at := a.turn(int32(job))
				if at == nil || at.limit == "" && at.reason == "" && reason != notDelayed { // nobody starts behind it, or there was room for it then
					if at = atEnd[c]; at == nil {
						at = r.turn(c, a)
						atEnd[c] = at
					}
				}
				verdict.Asks, verdict.Free, verdict.Reason, verdict.Further = at.of.Asks, at.of.Free, at.withAmounts(reason), at.furtherLimits(reason)
				if begin := a.begins(c); begin != nil {
					verdict.Begin = &outcome.Begin{Free: begin.of.Free, NoRoom: begin.withAmounts(begin.reason)}
				}
				if at.started > 0 && at.of.Free != "" {
					verdict.Free += outcome.AfterStarts + " (" + report.Count(at.started, "job") + ")"
				}
			}
			r.result.Verdicts = append(r.result.Verdicts, verdict)
		}
	}
}

// addStep keeps what the job that is watched waits for now.
func (r *reasons) addStep(reason string) {
	steps := &r.result.Steps
	if n := len(*steps); n == 0 || (*steps)[n-1].Reason != reason {
		*steps = append(*steps, outcome.Step{From: r.at.now, To: r.at.now, Reason: reason})
	}
}

// leftOut says why the cycle's attempt does not look at a job, which is of a group. It is "" if it
// does, or if nothing could start.
func (r *reasons) leftOut(g *group, job int32, a *tries) string {
	switch booked := g.class.booked; {
	case booked != nil && booked.on == nil:
		return notBegun
	case r.at.queues[g.queue].Stopped:
		return stoppedQueue
	case !r.room.hours.isOpen(g.class):
		return r.room.hours.reason(g.class, r.at.now, r.at.length(job))
	case r.selection.isLeftOut(g):
		return noShares
	case a == nil:
		return ""
	}
	if r.selection.isUnder(g, job) {
		return underThreshold
	}
	return ""
}

// closeStep ends the last step of the job that is watched, when it starts.
func (r *reasons) closeStep(at float64) {
	steps := r.result.Steps
	for i := range steps {
		if i+1 < len(steps) {
			steps[i].To = steps[i+1].From
		} else {
			steps[i].To = at
		}
	}
}

// reason says what keeps a job of a class now, after the cycle's attempt. It is "" for
// nothing.
func (r *reasons) reason(c *class, job int32, a *tries) string {
	limit, at := c.limit(), a.turn(job)
	if at != nil {
		limit = at.limit
	}
	if limit != "" { // PBS looks at limits first: whatever else is free, the job would not start
		return limit
	}
	before := a.count()
	if at != nil {
		before = at.started
	}
	if before > 0 && a.fitFirst[c] {
		return waitsBehind + report.Count(before, "other")
	}
	if c.booked != nil {
		if on := c.booked.on; on != nil && on.fits(c) {
			return ""
		}
		return roomInReservation
	}
	if at != nil && at.reason != "" {
		return at.reason
	}
	if reason := r.noRoom(c); reason != "" {
		return reason
	}
	if a != nil {
		return notDelayed
	}
	return ""
}

// noRoom says why there is no room for jobs of a class now, "" where there is.
func (r *reasons) noRoom(c *class) string {
	if r.at.state.IsFullOfJobs(c.request) {
		return limitOfVnodes
	}
	for i, need := range c.request.Total {
		if need > r.at.state.FreeTotal()[i] {
			return waitsForFree + r.at.cluster.Consumables[i]
		}
	}
	if r.at.state.IsShortOfSets(c.request) {
		return waitsForSet + c.request.Sets()
	}
	if !r.at.state.Fits(c.request) {
		return WaitsForVnodes
	}
	return ""
}

// noteReasons keeps what those want to know who ask what jobs wait for after a cycle. a is nil where
// nothing could start.
func (e *engine) noteReasons(a *tries) {
	if e.tally != nil {
		e.tally.count(e.now, e.reasons.count(a))
	}
	if e.Judge {
		e.reasons.judge(a)
	}
	if e.Watch < 0 {
		return
	}
	if reason, waits := e.reasons.why(e.Watch, a); waits {
		e.reasons.addStep(reason)
	}
}
