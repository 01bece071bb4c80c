package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// Stop says when a replay may stop, though not everything has ended by then.
type Stop struct {
	Jobs  []int32 // the replay ends when these jobs of the work have started
	Until float64 // or at this time
}

// await prepares to wait for the first starts of jobs.
func (e *engine) await() {
	if e.Stop == nil {
		return
	}
	n := len(e.work.Jobs)
	e.awaits, e.awaited, e.result.First = make([]bool, n), len(e.Stop.Jobs), make([]float64, n)
	for _, job := range e.Stop.Jobs {
		e.awaits[job] = true
	}
}

// isOver reports whether all that a replay is for has come about, or will not any more.
func (e *engine) isOver() bool {
	return e.Stop != nil && (e.awaited == 0 || e.now >= e.Stop.Until)
}

// cease stops awaiting a job that starts, unless it has started before and was requeued.
func (e *engine) cease(job int32, at float64) {
	if e.awaits == nil || !e.awaits[job] || e.result.First[job] != 0 {
		return
	}
	e.result.First[job] = at
	e.awaited--
}

// giveUp stops awaiting a job that has come and alone exceeds a limit.
func (e *engine) giveUp(job int32) {
	if e.awaits != nil && e.awaits[job] && e.backlog.groupOf[job].class.never(e.cluster) != "" {
		e.awaits[job] = false
		e.awaited--
	}
}

// noteExceeding keeps which jobs still wait and never start as long as a limit stands, and how many the threshold of the formula keeps.
func (e *engine) noteExceeding() {
	for job, g := range e.backlog.groupOf {
		if g == nil || e.jobs[job].state != waiting {
			continue
		}
		if reason := g.class.never(e.cluster); reason != "" {
			e.result.Exceeding = append(e.result.Exceeding, e.work.Jobs[job].ID+": "+strings.TrimPrefix(reason, outcome.Never))
		} else if e.accruals.thresholds && e.Stop == nil && e.selection.isUnder(g, int32(job)) {
			e.result.Kept = append(e.result.Kept, fmt.Sprintf("%s, %s", underThreshold, report.Plain(e.selection.threshold)))
		}
	}
}

// stopAt takes the queue and its order at a time, as a cycle would find it that begins
// then.
func (e *engine) stopAt(at float64) {
	e.now = at
	e.admit()
	e.last = at
	e.cycles++
	e.usage.accrue(e.now)
	e.turnHours()
	e.usage.apply()
	var all []candidate
	for _, c := range e.backlog.active {
		for _, g := range c.groups {
			if e.selection.isLeftOut(g) {
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
	all = e.selection.considered(all)
	waits := map[int32]outcome.Waiting{}
	for _, c := range all {
		waits[c.job] = outcome.Waiting{
			Job: e.work.Jobs[c.job], Value: float64(c.value), Eligible: int64(max(0, e.clocks.eligible(c.job))), Reason: cmp.Or(c.group.class.never(e.cluster), e.bookings.reason(c.job, c.group.class), e.hours.reason(c.group.class, e.now, e.length(c.job)), e.reasons.reason(c.group.class, c.job, nil)),
		}
	}
	looked, starts, tops := e.lookAt(all)
	for _, job := range looked {
		if w, ok := waits[job]; ok { // and was not preempted in this very cycle
			w.Starts, w.Planned = starts(job), tops[job]
			e.result.Waiting = append(e.result.Waiting, w)
		}
	}
}

// lookAt returns the order in which a cycle looks at jobs now, which of them it starts, and which it plans: it goes
// through one. Who starts in it does not count as started, and the replay ends with it.
func (e *engine) lookAt(all []candidate) (looked []int32, starts func(job int32) bool, tops map[int32]bool) {
	before := *e.result
	result := before
	result.Start, result.End, result.First = slices.Clone(before.Start), slices.Clone(before.End), slices.Clone(before.First)
	result.Cut, result.Earlier, result.Pauses = maps.Clone(before.Cut), maps.Clone(before.Earlier), maps.Clone(before.Pauses)
	for job, pauses := range result.Pauses { // of which the last may end
		result.Pauses[job] = slices.Clone(pauses)
	}
	e.result, e.tally, e.awaits, e.Watch, e.KeepVnodes = &result, nil, nil, -1, false
	e.preemption.findShares()
	e.preemption.relevel()
	e.selection.someMayStart()
	var fitting []*class
	for _, c := range e.backlog.active {
		if c.waiting > 0 && e.room.mayFit(c) {
			fitting = append(fitting, c)
		}
	}
	a := &attempt{engine: e, all: all, fitting: fitting, classes: fitting, failed: e.newFailures(), waits: e.backlog.waiting}
	a.watch(true)
	e.err = a.run()
	e.result = &before
	return a.looked, func(job int32) bool { return result.Start[job] != before.Start[job] }, a.topJobs
}
