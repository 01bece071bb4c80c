package replay

import (
	"cmp"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
)

// Step is a time in which a job waited, and what for.
type Step struct {
	From, To float64 // To is the cycle at which the reason changed, or the job started
	Reason   string
}

// Waiting is a job that waits.
type Waiting struct {
	Job      *work.Job
	Value    float32
	Eligible int64  // eligible_time, in seconds
	Reason   string // what keeps it, "" if nothing does
}

// watch keeps what the job that is watched waits for after a cycle. a is nil where
// nothing could start.
func (e *engine) watch(a *attempt) {
	e.tally.count(a)
	if e.Judge {
		e.judge(a)
	}
	if e.Watch < 0 {
		return
	}
	if reason, waits := e.why(e.Watch, a); waits {
		e.addStep(reason)
	}
}

// why says what a job waits for after a cycle, "" for its cycle. a is nil where nothing could
// start. waits is false for a job that does not wait.
func (e *engine) why(job int32, a *attempt) (reason string, waits bool) {
	if e.depends.holds(job) && e.jobs[job].state == pending {
		return e.depends.why(job), e.depends.Submitted[e.depends.Unit[job]] <= e.now
	}
	if e.jobs[job].state != waiting {
		return "", false
	}
	return e.keeps(e.backlog.groupOf[job], job, a), true
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
	if a.fitFirst == nil || of.booked != nil || !a.fitsNow(of) || !a.isInHours(of, c.job) {
		return
	}
	if a.kept == nil {
		a.kept = map[*class]keeper{}
	}
	a.kept[of] = keeper{length, cmp.Or(a.bookings.reason(c.job, of), notDelayed)}
}

// keeps says what keeps a job of a group after a cycle.
func (e *engine) keeps(g *group, job int32, a *attempt) string {
	if a != nil {
		if k, ok := a.kept[g.class]; ok && e.length(job) >= k.length {
			return k.reason
		}
	}
	reason := e.leftOut(g, job, a)
	if reason == "" {
		reason = cmp.Or(e.hoursReason(g.class, job), e.reason(g.class, a))
	}
	if reason == "" || reason == notDelayed {
		reason = cmp.Or(e.bookings.reason(job, g.class), reason)
	}
	return reason
}

// judge keeps what the first cycle makes of each job, after which nothing more is wanted.
func (e *engine) judge(a *attempt) {
	for job := range e.jobs {
		reason, waits := e.why(int32(job), a)
		starts := e.result.Start[job] != 0 && !e.work.Jobs[job].WasRunning
		if waits || starts {
			e.result.Verdicts = append(e.result.Verdicts, Verdict{int32(job), starts, reason})
		}
	}
}

// Verdict is what a cycle makes of a job that waited when it began.
type Verdict struct {
	Job    int32 // in Work.Jobs
	Starts bool
	Reason string // what it waits for if it does not start
}

// addStep keeps what the job that is watched waits for now.
func (e *engine) addStep(reason string) {
	steps := &e.result.Steps
	if n := len(*steps); n == 0 || (*steps)[n-1].Reason != reason {
		*steps = append(*steps, Step{From: e.now, To: e.now, Reason: reason})
	}
}

// leftOut says why the cycle's attempt does not look at a job, which is of a group. It is "" if it
// does, or if nothing could start.
func (e *engine) leftOut(g *group, job int32, a *attempt) string {
	switch booked := g.class.booked; {
	case booked != nil && booked.on == nil:
		return notBegun
	case e.queues[g.queue].Stopped:
		return stoppedQueue
	case !e.hours.isOpen(g.class):
		return e.hoursReason(g.class, job)
	case e.isLeftOut(g):
		return noShares
	case a == nil:
		return ""
	}
	watched := []candidate{{group: g, member: member{job: job}}}
	if err := e.values.evaluate(watched); err == nil && len(e.considered(watched)) == 0 {
		return underThreshold
	}
	return ""
}

// closeStep ends the last step of the job that is watched, when it starts.
func (e *engine) closeStep(at float64) {
	steps := e.result.Steps
	for i := range steps {
		if i+1 < len(steps) {
			steps[i].To = steps[i+1].From
		} else {
			steps[i].To = at
		}
	}
}

// reason says what keeps a class of jobs now, after the cycle's attempt. It is "" for
// nothing.
func (e *engine) reason(c *class, a *attempt) string {
	if a != nil && a.fitFirst[c] && a.started > 0 {
		return waitsBehind + report.Count(a.started, "other")
	}
	for _, k := range c.checks {
		if k.reached() {
			return k.counter.limit.String()
		}
	}
	if c.booked != nil {
		if on := c.booked.on; on != nil && on.fits(c) {
			return ""
		}
		return roomInReservation
	}
	for i, need := range c.request.Total {
		if need > e.state.FreeTotal()[i] {
			return waitsForFree + e.cluster.Consumables[i]
		}
	}
	if !e.state.Fits(c.request) {
		return waitsForVnodes
	}
	if a != nil {
		return notDelayed
	}
	return ""
}

// stopAt takes the queue and its order at a time, as a cycle would find it that begins
// then.
func (e *engine) stopAt(at float64) {
	e.now = at
	e.admit()
	e.last = at
	e.cycles++
	e.accrue()
	e.turnHours()
	e.usage.apply()
	var all []candidate
	for _, c := range e.backlog.active {
		for _, g := range c.groups {
			if e.isLeftOut(g) {
				continue
			}
			for _, m := range g.members {
				all = append(all, candidate{group: g, member: m})
			}
		}
	}
	if e.err = e.values.evaluate(all); e.err != nil {
		return
	}
	all = e.considered(all)
	order := e.order(all, nil)
	for i, ok := order.Next(); ok; i, ok = order.Next() {
		c := all[i]
		e.result.Waiting = append(e.result.Waiting, Waiting{
			Job: e.work.Jobs[c.job], Value: c.value, Eligible: int64(max(0, e.backlog.eligible(c.job))), Reason: cmp.Or(e.bookings.reason(c.job, c.group.class), e.hoursReason(c.group.class, c.job), e.reason(c.group.class, nil)),
		})
		order.Started()
	}
}
