package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/work"
)

// accruals decide at the end of each cycle which jobs' eligible_time goes on, as PBS's
// update_accruetype: that of a job stands still which its threshold keeps, or a limit of
// its own user, group or project. Such limits are checked twice: against what runs, and
// against what runs and all jobs that were considered before it and did not start. A job
// that fails the second check alone may start, but its clock stands. Where a limit on all
// jobs is reached, PBS says no more than that, and the clock goes on. It also stands
// still while the job is over a soft limit.
type accruals struct {
	at         *situation
	isOn       bool        // whether clocks can stand still, and anything depends on them
	thresholds bool        // whether the threshold can stop them
	ofServer   bool        // whether the server has limits
	preemption *preemption // who is over a soft limit
	going      []int32     // jobs that could be stopped and are not
	passed     []int32     // those of this cycle
	mark       []uint64    // by job, the cycle in which it passed
}

// newAccruals returns who decides about eligible_time. isWanted says that somebody asks for it who
// is no part of the replay.
func newAccruals(at *situation, threshold float64, limits *limits, values *values, preemption *preemption, throttles, isWanted bool) *accruals {
	k := &accruals{at: at, preemption: preemption}
	k.thresholds = values.program != nil && threshold > math.MinInt32 // PBS's default
	hasOwn := slices.ContainsFunc(limits.list, func(l pbs.Limit) bool { return l.Kind != 'o' })
	hasOwn = hasOwn || throttles || hasThrottles(at.work)
	k.ofServer = slices.ContainsFunc(limits.list, func(l pbs.Limit) bool { return l.Queue == "" })
	k.isOn = (values.usesEligible || isWanted) && (hasOwn || k.thresholds || preemption.soft != nil)
	if k.isOn {
		k.mark = make([]uint64, len(at.work.Jobs))
	}
	return k
}

// hasThrottles reports whether work has arrays of which some subjobs may run at a time.
func hasThrottles(w *work.Work) bool {
	return slices.ContainsFunc(w.Jobs, func(j *work.Job) bool { return j.Subjobs > 0 })
}

// canStop reports whether the clocks of a class can stand still.
func (k *accruals) canStop(c *class) bool {
	return k.isOn && (k.thresholds || k.preemption.soft != nil || slices.ContainsFunc(c.checks, check.isOwn))
}

// begin lets the clock of a job go that comes: until its first cycle is over nothing is
// known of it.
func (k *accruals) begin(job int32, c *class) {
	if k.canStop(c) {
		k.going = append(k.going, job)
	}
}

// most returns how many jobs of a class can be told to go on at most, and one more, after
// which all fail the second check, and do so for whoever shares a limit with them.
func (k *accruals) most(c *class) int {
	switch {
	case !k.canStop(c):
		return 0
	case k.preemption.soft != nil:
		return c.waiting
	}
	rooms, isFilled := 0., false
	for _, check := range c.checks {
		switch {
		case !check.isOwn():
			return c.waiting // once it is reached, all go on
		case check.counts() && k.fills(check):
			isFilled = true
			rooms = max(rooms, math.Floor((check.counter.limit.most-check.counter.used)/check.need))
		}
	}
	if !isFilled || c.hasArrays || k.at.policy.StrictOrdering {
		return c.waiting
	}
	return int(min(float64(c.waiting), rooms+1))
}

// fills reports whether jobs that are considered and do not start count for the second
// check of a limit: PBS's update_total_counts counts for the limits of queues only where
// the server has none.
func (k *accruals) fills(c check) bool { return c.counter.limit.where == "" || !k.ofServer }

// judge decides for a job that was considered and did not start, or for the subjobs of an
// array that are left, which count once. isLimited says that it would exceed a limit of its own once top jobs
// start.
func (k *accruals) judge(c *candidate, isLimited bool) {
	if !k.isOn {
		return
	}
	goes, isSure := k.goes(c)
	for _, check := range c.group.class.checks {
		if check.counts() && k.fills(check) {
			check.counter.considered += check.need
		}
	}
	if isSure || goes && !isLimited {
		k.pass(c)
	}
}

// goes reports whether the clock of a job goes on that was considered and did not start, unless it would exceed a limit
// of its own once top jobs start. isSure says that it does so all the same.
func (k *accruals) goes(c *candidate) (goes, isSure bool) {
	goes = k.preemption.statusOf(c.job)&(cycle.OverServerLimit|cycle.OverQueueLimit) == 0
	for _, check := range c.group.class.checks {
		n := check.counter
		switch {
		case check.counts():
			if n.cycle != k.at.cycles {
				n.cycle, n.considered = k.at.cycles, 0
			}
			goes = goes && n.used+n.considered+check.need <= n.limit.most
		case check.isOwn():
			goes = goes && !check.reached()
		default:
			isSure = isSure || check.reached()
		}
	}
	return goes, isSure
}

// pass lets the clocks of a job go on, or of the subjobs of an array that are left.
func (k *accruals) pass(c *candidate) {
	if !k.canStop(c.group.class) {
		return
	}
	k.passed = append(k.passed, c.job)
	for _, m := range c.rest {
		k.passed = append(k.passed, m.job)
	}
}

// end stops the clocks of those jobs that did not pass, and lets those of the others go
// on: at the end of the cycle, when the server learns of it. Those of jobs that were left out of
// the cycle stay as they are.
func (k *accruals) end(q *backlog, at float64, isLeftOut func(g *group) bool) {
	for _, job := range k.passed {
		k.mark[job] = k.at.cycles
		q.clocks.goOn(job, at)
	}
	for _, job := range k.going {
		g := q.groupOf[job]
		if g == nil || k.mark[job] == k.at.cycles {
			continue
		}
		if isLeftOut(g) {
			k.passed = append(k.passed, job)
			continue
		}
		q.clocks.stop(job, at)
		q.settle(g, job)
	}
	k.going, k.passed = k.passed, k.going[:0]
}
