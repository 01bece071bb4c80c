package replay

import (
	"cmp"

	"fairshare/cmd/internal/outcome"
)

// tell keeps what those want to know who ask what jobs wait for after a cycle. a is nil where
// nothing could start.
func (e *engine) tell(a *tries) {
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
	order := e.selection.order(all)
	for i, ok := order.Next(); ok; i, ok = order.Next() {
		c := all[i]
		e.result.Waiting = append(e.result.Waiting, outcome.Waiting{
			Job: e.work.Jobs[c.job], Value: float64(c.value), Eligible: int64(max(0, e.clocks.eligible(c.job))), Reason: cmp.Or(e.bookings.reason(c.job, c.group.class), e.hours.reason(c.group.class, e.now, e.length(c.job)), e.reasons.reason(c.group.class, nil)),
		})
		order.Started()
	}
}
