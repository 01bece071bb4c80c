package replay

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/cycle"
)

// preemption is the preemption levels of jobs, and how jobs are preempted.
type preemption struct {
	*cycle.Levels
	at      *situation
	usage   *usage
	clocks  *clocks
	starve  float64 // max_starve, in seconds
	orders  []pbs.PreemptOrder
	targets bool         // preempt_targets_enable
	resumes bool         // sched_preempt_enforce_resumption: suspended jobs are top jobs
	isFreed []bool       // by consumable, whether suspended jobs release it; nil where they release all
	running []levelCount // how many jobs run, by their class, the lowest of which is the highest level

	soft     *limits // the soft limits; nil where no level asks for them
	checks   map[[5]int32][]check
	over     []bool // by entity, whether it is over its share at this cycle
	starves  bool   // whether jobs that have waited for long have a level of their own
	isShared bool   // whether the entities over their share have one
	isEver   bool   // whether jobs are preempted at any time
}

func newPreemption(at *situation, site *pbs.Site, usage *usage, clocks *clocks) (*preemption, error) {
	levels := cycle.NewLevels(&site.Sched, at.queues)
	p := &preemption{Levels: levels, at: at, usage: usage, clocks: clocks, isEver: at.policy.Preemptive, checks: map[[5]int32][]check{}}
	p.orders = site.Sched.PreemptOrder()
	p.isFreed = site.Sched.ReleasedOnSuspend(at.cluster.Consumables)
	p.targets = !strings.EqualFold(site.Sched.Scheduler["preempt_targets_enable"], "false")
	if !p.isEver {
		return p, nil
	}
	p.resumes = strings.EqualFold(site.Sched.Scheduler["sched_preempt_enforce_resumption"], "true")
	if p.starves = at.policy.HelpStarving && levels.Asks(cycle.Starving); p.starves {
		p.starve = float64(site.SchedPriv.Config.MaxStarve)
	}
	p.isShared = levels.Asks(cycle.OverShare)
	if p.isShared {
		p.over = make([]bool, len(at.entities.Names))
	}
	if levels.Asks(cycle.OverServerLimit | cycle.OverQueueLimit) {
		soft, err := newLimits(site, true)
		if err != nil {
			return nil, err
		}
		if len(soft.list) > 0 {
			p.soft = soft
		}
	}
	return p, nil
}

// split returns what a job gives back of its vnodes when it is suspended, and what it keeps.
func (p *preemption) split(place cluster.Allocation) (released, kept cluster.Allocation) {
	if p.isFreed == nil {
		return place, cluster.Allocation{}
	}
	return place.Split(p.isFreed)
}

// changes reports whether the level of a job may be another one at another time.
func (p *preemption) changes() bool { return p.soft != nil || p.starves || p.isShared }

// turns reports whether a job that runs may be preempted in another way at another time: preempt_order has percentages.
func (p *preemption) turns() bool { return len(p.orders) > 1 }

// ever returns the preemption class that the jobs of a queue of a priority have whenever there are
// any.
func (p *preemption) ever(priority int) int32 { return p.Class(0, priority) }

// ofQueue returns the preemption class of a queue's jobs of which nothing else is to be
// said, the highest level first.
func (p *preemption) ofQueue(queue int32) int32 {
	if !p.at.policy.Preemptive {
		return 0
	}
	return p.Class(0, p.at.queues[queue].Priority)
}

// statusOf returns what sets a job apart for its level, PBS's preempt_status: the soft limits
// that its user, group, project or queue exceeds with what runs, whether it has waited for
// long, or had when it started, and whether its entity is over its share.
func (p *preemption) statusOf(job int32) (status cycle.Status) {
	if p.soft != nil {
		for _, k := range p.softChecks(job) {
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
		j := &p.at.jobs[job]
		eligible := j.eligible
		if j.state == waiting || j.state == suspended {
			eligible = p.clocks.eligible(job)
		}
		if eligible >= p.starve {
			status |= cycle.Starving
		}
	}
	if p.isShared && p.over[p.at.entities.Of[job]] {
		status |= cycle.OverShare
	}
	return status
}

// levelOf returns the preemption class of a job now.
func (p *preemption) levelOf(job int32) int32 {
	if !p.at.policy.Preemptive {
		return 0
	}
	return p.Class(p.statusOf(job), p.at.queues[p.at.terms[job].queue].Priority)
}

// softChecks returns the soft limits that a job counts under.
func (p *preemption) softChecks(job int32) []check {
	j, t := p.at.work.Jobs[job], &p.at.terms[job]
	names := [5]int32{t.request, t.queue, j.User, j.Group, j.Project}
	checks, isKnown := p.checks[names]
	if !isKnown {
		name := func(of int32) string { return p.at.work.Trace.Names.List[of] }
		amounts := p.at.work.Requests[t.request].Amounts
		checks = p.soft.of(p.at.queues[t.queue].Name, name(j.User), name(j.Group), name(j.Project), func(resource string) float64 { return amounts[resource] })
		p.checks[names] = checks
	}
	return checks
}

// findShares finds out who is over his share, which counts for a whole cycle.
func (p *preemption) findShares() {
	if !p.isShared || p.usage.tree == nil {
		return
	}
	for i := range p.over {
		p.over[i] = p.usage.tree.OverShare(p.usage.ids[i])
	}
}

// relevel finds the levels of the jobs that run anew, as PBS's update_preemption_priority.
func (p *preemption) relevel() {
	if !p.at.policy.Preemptive || !p.changes() {
		return
	}
	p.recount()
}

// recount counts the jobs that run by their levels anew.
func (p *preemption) recount() {
	p.running = p.running[:0]
	for _, job := range p.at.running {
		level := p.levelOf(job)
		p.at.jobs[job].level = level
		p.countLevel(level, 1)
	}
}

// count counts a job that starts or ends among those of its level, and under the soft
// limits.
func (p *preemption) count(job int32, sign float64) {
	p.countLevel(p.at.jobs[job].level, int(sign))
	p.countSoft(job, sign)
}

func (p *preemption) countSoft(job int32, sign float64) {
	if p.soft == nil {
		return
	}
	for _, k := range p.softChecks(job) {
		k.counter.used += sign * k.need
	}
}

// mayPreempt reports whether jobs run that one of a level may preempt.
func (p *preemption) mayPreempt(level int32) bool {
	lowest, isAny := p.lowestRunning()
	return isAny && level < lowest
}

// lowestRunning returns the lowest level of which jobs run. isAny is false where none run, or none is preempted.
func (p *preemption) lowestRunning() (lowest int32, isAny bool) {
	if !p.at.policy.Preemptive {
		return 0, false
	}
	for _, of := range p.running {
		if of.jobs > 0 && (!isAny || of.level > lowest) {
			lowest, isAny = of.level, true
		}
	}
	return lowest, isAny
}

// levelCount is how many jobs run of a level.
type levelCount struct {
	level int32
	jobs  int
}

// countLevel counts jobs of a level, of which there are few.
func (p *preemption) countLevel(level int32, by int) {
	at := slices.IndexFunc(p.running, func(of levelCount) bool { return of.level == level })
	if at < 0 {
		at = len(p.running)
		p.running = append(p.running, levelCount{level: level})
	}
	p.running[at].jobs += by
}
