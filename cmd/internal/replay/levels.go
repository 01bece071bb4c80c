package replay

import (
	"slices"

	"fairshare/cmd/internal/cycle"
)

// preemption is the preemption levels of jobs, and how jobs are preempted.
type preemption struct {
	*cycle.Levels
	orders  []preemptOrder
	running map[int32]int // how many jobs run, by their class, the lowest of which is the highest level

	soft     *limits // the soft limits; nil where no level asks for them
	checks   map[[5]int32][]check
	over     []bool // by entity, whether it is over its share at this cycle
	starves  bool   // whether jobs that have waited for long have a level of their own
	isShared bool   // whether the entities over their share have one
	isEver   bool   // whether jobs are preempted at any time
}

func newPreemption(e *engine) (*preemption, error) {
	levels := cycle.NewLevels(&e.site.Sched, e.queues)
	p := &preemption{Levels: levels, isEver: e.policy.Preemptive, running: map[int32]int{}, checks: map[[5]int32][]check{}}
	p.orders = parsePreemptOrder(e.site.Sched.Scheduler["preempt_order"])
	if !e.policy.Preemptive {
		return p, nil
	}
	p.starves = e.policy.HelpStarving && levels.Asks(cycle.Starving)
	p.isShared = levels.Asks(cycle.OverShare)
	if p.isShared {
		p.over = make([]bool, len(e.entities.Names))
	}
	if levels.Asks(cycle.OverServerLimit | cycle.OverQueueLimit) {
		soft, err := newLimits(e.site, true)
		if err != nil {
			return nil, err
		}
		if len(soft.list) > 0 {
			p.soft = soft
		}
	}
	return p, nil
}

// changes reports whether the level of a job may be another one at another time.
func (p *preemption) changes() bool { return p.soft != nil || p.starves || p.isShared }

// ever returns the preemption class that the jobs of a queue of a priority have whenever there are
// any.
func (p *preemption) ever(priority int) int32 { return p.Class(0, priority) }

// preemptLevel returns the preemption class of a queue's jobs of which nothing else is to be
// said, the highest level first.
func (e *engine) preemptLevel(queue int32) int32 {
	if !e.policy.Preemptive {
		return 0
	}
	return e.preemption.Class(0, e.queues[queue].Priority)
}

// statusOf returns what sets a job apart for its level, PBS's preempt_status: the soft limits
// that its user, group, project or queue exceeds with what runs, whether it has waited for
// long, or had when it started, and whether its entity is over its share.
func (e *engine) statusOf(job int32) (status cycle.Status) {
	p := e.preemption
	if p.soft != nil {
		for _, k := range e.softChecks(job) {
			switch {
			case k.counter.used <= k.counter.limit.most:
			case k.counter.limit.where == "":
				status |= cycle.OverServerLimit
			default:
				status |= cycle.OverQueueLimit
			}
		}
	}
	if p.starves {
		eligible := e.jobs[job].eligible
		if e.backlog.groupOf[job] != nil {
			eligible = e.backlog.eligible(job)
		}
		if eligible >= float64(e.site.SchedPriv.Config.MaxStarve) {
			status |= cycle.Starving
		}
	}
	if p.isShared && p.over[e.entities.Of[job]] {
		status |= cycle.OverShare
	}
	return status
}

// levelOf returns the preemption class of a job now.
func (e *engine) levelOf(job int32) int32 {
	if !e.policy.Preemptive {
		return 0
	}
	return e.preemption.Class(e.statusOf(job), e.queues[e.terms[job].queue].Priority)
}

// softChecks returns the soft limits that a job counts under.
func (e *engine) softChecks(job int32) []check {
	j, t := e.work.Jobs[job], &e.terms[job]
	names := [5]int32{t.request, t.queue, j.User, j.Group, j.Project}
	checks, isKnown := e.preemption.checks[names]
	if !isKnown {
		name := func(of int32) string { return e.work.Trace.Names.List[of] }
		amounts := e.work.Requests[t.request].Amounts
		checks = e.preemption.soft.of(e.queues[t.queue].Name, name(j.User), name(j.Group), name(j.Project), func(resource string) float64 { return amounts[resource] })
		e.preemption.checks[names] = checks
	}
	return checks
}

// findShares finds out who is over his share, which counts for a whole cycle.
func (e *engine) findShares() {
	if !e.preemption.isShared || e.usage.tree == nil {
		return
	}
	for i := range e.preemption.over {
		e.preemption.over[i] = e.usage.tree.OverShare(e.usage.ids[i])
	}
}

// relevel finds the levels of the jobs that run anew, as PBS's update_preemption_priority.
func (e *engine) relevel() {
	if !e.policy.Preemptive || !e.preemption.changes() {
		return
	}
	e.recountLevels()
}

// recountLevels counts the jobs that run by their levels anew.
func (e *engine) recountLevels() {
	clear(e.preemption.running)
	for _, job := range e.running {
		level := e.levelOf(job)
		e.jobs[job].level = level
		e.preemption.running[level]++
	}
}

// countLevel counts a job that starts or ends among those of its level, and under the soft
// limits.
func (e *engine) countLevel(job int32, sign float64) {
	e.preemption.running[e.jobs[job].level] += int(sign)
	e.countSoft(job, sign)
}

func (e *engine) countSoft(job int32, sign float64) {
	if e.preemption.soft == nil {
		return
	}
	for _, k := range e.softChecks(job) {
		k.counter.used += sign * k.need
	}
}

// mayPreempt reports whether jobs run that one of a level may preempt.
func (e *engine) mayPreempt(level int32) bool {
	if !e.policy.Preemptive {
		return false
	}
	for other, running := range e.preemption.running {
		if running > 0 && other > level {
			return true
		}
	}
	return false
}

// someMayPreempt reports whether jobs wait that may preempt others in a cycle. Where levels
// change while it goes on, that is not known before.
func (e *engine) someMayPreempt() bool {
	if e.policy.Preemptive && e.preemption.changes() {
		return e.backlog.waiting > 0
	}
	return slices.ContainsFunc(e.backlog.active, func(c *class) bool {
		return c.waiting > 0 && len(c.groups) > 0 && e.hours.isOpen(c) && e.mayPreempt(e.preemptLevel(c.groups[0].queue))
	})
}
