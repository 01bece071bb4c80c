package sched

import "math"

// limitKind is what a limit is of.
type limitKind int

// The kinds of limits, in the order in which slurmctld asks: first what does not depend on where the
// job runs, of all QOS and associations; then what the job would have.
const (
	noLimit limitKind = iota
	arrayTasks
	allJobs
	allWall
	accountJobs
	userJobs
	jobWall
	allMinutes
	allTRES
	runMinutes
	jobMinutes
	jobTRES
	nodeTRES
	leastTRES
	accountTRES
	userTRES
	accountRunMinutes
	userRunMinutes
)

// breach is a limit that a job is over.
type breach struct {
	kind  limitKind
	at    int // the place in Amounts, where it is of those
	level *level
}

// check is a limit of amounts that is set.
type check struct {
	kind  limitKind
	limit Amounts
	of    *tally // what is in use of it
}

// newLevel fills in the checks and the tallies of a level.
func newLevel(v level) level {
	if v.tallies = []*tally{v.all}; v.account != nil {
		v.tallies = append(v.tallies, v.user, v.account)
	}
	x := &v.limits
	for _, c := range []check{{allMinutes, x.AllMinutes, v.all}, {allTRES, x.AllTRES, v.all}, {runMinutes, x.RunMinutes, v.all}, {jobMinutes, x.JobMinutes, nil}, {jobTRES, x.JobTRES, nil},
		{nodeTRES, x.NodeTRES, nil}, {leastTRES, x.LeastTRES, nil}, {accountTRES, x.AccountTRES, v.account}, {userTRES, x.UserTRES, v.user},
		{accountRunMinutes, x.AccountRunMinutes, v.account}, {userRunMinutes, x.UserRunMinutes, v.user}} {
		if c.limit.isSet() {
			v.checks = append(v.checks, c)
		}
	}
	return v
}

// levelCheck is a limit of amounts, and the level that sets it.
type levelCheck struct {
	*check
	level *level
}

// checks returns the limits of amounts that some levels have.
func checks(levels []level) (list []levelCheck) {
	for i := range levels {
		for k := range levels[i].checks {
			list = append(list, levelCheck{&levels[i].checks[k], &levels[i]})
		}
	}
	return list
}

// isCrowded reports whether as many tasks of a job's array run as may.
func (l *Ledger) isCrowded(j *Job) bool {
	return j.Throttle > 0 && l.runningTasks[j.Array] >= j.Throttle
}

// ceiling is a limit of a level on how many jobs run, or on how long they may, whatever they ask of the nodes.
type ceiling struct {
	kind  limitKind
	limit int64
	of    *tally // of the jobs that count; nil where it is no limit of jobs
	level *level
}

// ceilings returns those that some levels have.
func ceilings(levels []level) (list []ceiling) {
	for i := range levels {
		v := &levels[i]
		x := &v.limits
		for _, c := range []ceiling{{allJobs, x.AllJobs, v.all, v}, {allWall, x.AllWall, nil, v}, {accountJobs, x.AccountJobs, v.account, v}, {userJobs, x.UserJobs, v.user, v}, {jobWall, x.MaxWall, nil, v}} {
			if c.limit != None && (c.kind != accountJobs || v.account != nil) {
				list = append(list, c)
			}
		}
	}
	return list
}

// waits returns the limit that keeps a job from starting wherever it would run.
func (l *Ledger) waits(j *Job) breach {
	if l.isCrowded(j) {
		return breach{kind: arrayTasks}
	}
	list := l.boundsOf(j).ceilings
	for i := range list {
		isOver := false
		switch c := &list[i]; c.kind {
		case allWall:
			isOver = l.isOverWall(j, c.level)
		case jobWall:
			isOver = l.asksFor(j) > c.limit
		default:
			isOver = c.of.jobs >= c.limit
		}
		if isOver {
			return breach{list[i].kind, 0, list[i].level}
		}
	}
	return breach{}
}

// isOutOfJobs reports whether so many jobs run that limits let no other one start of a job's association and QOS in its
// partition, whatever it asks for.
func (l *Ledger) isOutOfJobs(j *Job) bool {
	if !l.hasJobs {
		return false
	}
	switch l.waits(j).kind {
	case allJobs, accountJobs, userJobs:
		return true
	}
	return false
}

// exceeds returns the limit that a job would be over with what it would have; nil is for what it asks
// for, while nobody knows where it would run.
func (l *Ledger) exceeds(j *Job, a Amounts) breach {
	list := l.boundsOf(j).checks
	if len(list) == 0 {
		return breach{}
	}
	isOpen := a == nil && j.Request.MaxNodes != j.Request.MinNodes // on how many nodes
	if a == nil {
		a, l.placed = j.Request.asksInto(l.amounts), nil
	}
	for _, c := range list {
		if isOpen && c.kind == nodeTRES {
			continue
		}
		if at := l.over(c.check, j, a); at >= 0 {
			return breach{c.kind, at, c.level}
		}
	}
	return breach{}
}

// admits reports whether limits allow a job that do not depend on where it runs: how many jobs run,
// and how long it may run.
func (l *Ledger) admits(j *Job) bool { return l.waits(j).kind == noLimit }

// affords reports whether limits allow what a job would have, nil for what it asks for.
func (l *Ledger) affords(j *Job, a Amounts) bool { return l.exceeds(j, a).kind == noLimit }

// affordsOn reports whether limits allow what a job would have of some nodes.
func (l *Ledger) affordsOn(j *Job, shares []Share) bool {
	return len(l.boundsOf(j).checks) == 0 || l.affords(j, l.amountsOf(j.Request, shares))
}

// exceedsAtStart returns the limit that a job is over that starts on its nodes.
func (l *Ledger) exceedsAtStart(j *Job, shares []Share) breach {
	if len(l.boundsOf(j).checks) == 0 {
		return breach{}
	}
	return l.exceeds(j, l.atStart(j.Request, shares))
}

// over returns the place of the first amount with which a job is over a limit, -1 for none.
func (l *Ledger) over(c *check, j *Job, a Amounts) int {
	counts := func(seconds float64) int64 { // of what others have used and may use: nothing for jobs that are charged nothing
		if l.qos[j.QOS].UsageFactor == 0 {
			return 0
		}
		return minutesIn(seconds)
	}
	switch c.kind {
	case jobTRES:
		return a.firstAbove(c.limit, nil)
	case jobMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 { return l.mayUse(j, x) })
	case nodeTRES:
		return l.overEach(c, a, func(i int, x int64) int64 { return x / max(1, a[amountNodes]) })
	case runMinutes, accountRunMinutes, userRunMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 { return l.mayUse(j, x) + counts(c.of.left[i]) })
	case allMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 {
			used := counts(c.of.used.TRES[i])
			if l.isSafe {
				return max(used+1, used+counts(c.of.left[i])+l.mayUse(j, x))
			}
			return used + 1 // nothing may have been left
		})
	case leastTRES:
		for i, x := range j.Request.asks(l.kinds) {
			if c.limit[i] != None && x < c.limit[i] {
				return i
			}
		}
		return -1
	}
	if c.limit[amountNodes] == None {
		return a.firstAbove(c.limit, c.of.tres)
	}
	nodes := a[amountNodes]
	if nodes > c.limit[amountNodes] { // before it is known where it runs (acct_policy_get_max_nodes)
		return amountNodes
	}
	a[amountNodes] = c.of.newNodes(l.placed)
	at := a.firstAbove(c.limit, c.of.tres)
	a[amountNodes] = nodes
	return at
}

// newNodes returns how many of the nodes of a job no running job has that counts. Until it is known where it
// runs, these are none.
func (t *tally) newNodes(placed []Share) int64 {
	n := int64(len(placed))
	for _, s := range placed {
		if t.on[s.Node] > 0 {
			n--
		}
	}
	return n
}

// overEach returns the place of the first amount that a job asks for of which something is above the
// limit, -1 for none.
func (l *Ledger) overEach(c *check, a Amounts, of func(i int, x int64) int64) int {
	for i, x := range a {
		if x > 0 && c.limit[i] != None && of(i, x) > c.limit[i] {
			return i
		}
	}
	return -1
}

const minute = 60

// minutesIn returns the whole minutes of some seconds.
func minutesIn(seconds float64) int64 { return int64(math.Min(seconds/minute, math.MaxInt64/4)) }

// mayUse returns the minutes of an amount that a job may use until its time limit.
func (l *Ledger) mayUse(j *Job, x int64) int64 {
	return minutesIn(float64(x) * float64(l.minutesOf(j)) * minute)
}

// minutesOf returns the whole minutes of a job's time limit, as limits count them: under UsageFactorSafe
// times the UsageFactor of its QOS.
func (l *Ledger) minutesOf(j *Job) int64 {
	if q := &l.qos[j.QOS]; q.IsSafe {
		return minutesIn(math.Floor(float64(j.Limit/minute)*q.UsageFactor) * minute)
	}
	return j.Limit / minute
}

// asksFor returns the seconds that MaxWall counts of a job's time limit. Slurm 22.05 multiplies there as well
// (acct_policy.c, acct_policy_job_runnable_pre_select), and 24.11 does not.
func (l *Ledger) asksFor(j *Job) int64 {
	if l.isWallFactored && l.qos[j.QOS].IsSafe {
		return l.minutesOf(j) * minute
	}
	return j.Limit
}

// isOverWall reports whether GrpWall keeps a job from starting: it is used up, or with
// AccountingStorageEnforce=safe the job might use it up.
func (l *Ledger) isOverWall(j *Job, v *level) bool {
	used := minutesIn(v.all.used.Wall)
	return used >= v.limits.AllWall || l.isSafe && used+l.minutesOf(j) > v.limits.AllWall
}

// holding returns the limit that keeps a job from starting on some of a machine's nodes, and what the job has then: what
// it is given where it fits, which is more than it asks for on whole nodes.
func (l *Ledger) holding(j *Job, m *Machine, among Set) (breach, Amounts) {
	a := j.Request.asks(l.kinds)
	if b := l.waits(j); b.kind != noLimit {
		return b, a
	}
	if b := l.exceeds(j, nil); b.kind != noLimit {
		return b, a
	}
	if shares := (&placer{}).place(m, j.Request, among); shares != nil {
		copy(a, l.atStart(j.Request, shares))
		return l.exceeds(j, a), a
	}
	return breach{}, a
}

// holding returns what keeps a job from starting while nothing runs.
func (e *engine) holding(j *Job) (breach, Amounts) {
	among := e.Partitions[j.Partition].Nodes.clone()
	among.intersect(e.up)
	return e.ledger.holding(j, e.freed, among)
}

// decaysIn returns in how many seconds what has been used will have decayed so far that a limit does
// not keep a job any longer that has some amounts, while nothing runs; +Inf for never.
func (l *Ledger) decaysIn(j *Job, b breach, a Amounts, factor float64) float64 {
	var used float64
	var most int64 // minutes
	switch b.kind {
	case allWall:
		used, most = b.level.all.used.Wall, b.level.limits.AllWall
		if l.isSafe {
			most = min(most, most-l.minutesOf(j)+1)
		}
	case allMinutes:
		used, most = b.level.all.used.TRES[b.at], b.level.limits.AllMinutes[b.at]
		if l.isSafe {
			most = min(most, most-l.mayUse(j, a[b.at])+1)
		}
	}
	if most <= 0 || factor >= 1 || b.level.noDecay {
		return math.Inf(1)
	}
	return max(0, math.Log(float64(most)*minute/used)/math.Log(factor))
}

// held returns which jobs limits hold and by what kind, where nothing but the decay of what has been used can
// let them go; nil otherwise.
func (e *engine) held(isIdle bool) map[*Job]limitKind {
	if !isIdle || !e.ledger.isMetered {
		return nil
	}
	held := map[*Job]limitKind{}
	for _, j := range e.queue {
		b, _ := e.holding(j)
		held[j] = b.kind
	}
	return held
}
