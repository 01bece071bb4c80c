package slurmsched

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
	accountTRES
	userTRES
	leastTRES
)

// hit is a limit that a job is over.
type hit struct {
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

// newLevel fills in the checks of a level.
func newLevel(v level) level {
	x := &v.limits
	for _, c := range []check{{allMinutes, x.AllMinutes, v.all}, {allTRES, x.AllTRES, v.all}, {runMinutes, x.RunMinutes, v.all}, {jobMinutes, x.JobMinutes, nil}, {jobTRES, x.JobTRES, nil},
		{nodeTRES, x.NodeTRES, nil}, {accountTRES, x.AccountTRES, v.account}, {userTRES, x.UserTRES, v.user}, {leastTRES, x.LeastTRES, nil}} {
		if c.limit.isSet() {
			v.checks = append(v.checks, c)
		}
	}
	return v
}

// waits returns the limit that keeps a job from starting wherever it would run.
func (l *ledger) waits(j *Job) hit {
	if j.Together > 0 && l.together[j.Array] >= j.Together {
		return hit{kind: arrayTasks}
	}
	levels := l.of(j)
	for i := range levels {
		v := &levels[i]
		kind := noLimit
		switch x := &v.limits; {
		case v.all.jobs >= x.AllJobs:
			kind = allJobs
		case x.AllWall != None && minutesIn(v.all.used.Wall) >= x.AllWall:
			kind = allWall
		case v.account != nil && v.account.jobs >= x.AccountJobs:
			kind = accountJobs
		case v.user.jobs >= x.UserJobs:
			kind = userJobs
		case j.Limit > x.MaxWall:
			kind = jobWall
		default:
			continue
		}
		return hit{kind, 0, v}
	}
	return hit{}
}

// exceeds returns the limit that a job would be over with what it would have; nil is for what it asks
// for, while nobody knows where it would run.
func (l *ledger) exceeds(j *Job, a Amounts) hit {
	isOpen := a == nil && j.Request.MaxNodes != j.Request.MinNodes // on how many nodes
	if a == nil {
		a = j.Request.asksInto(l.amounts)
	}
	levels := l.of(j)
	for i := range levels {
		v := &levels[i]
		for k := range v.checks {
			if isOpen && v.checks[k].kind == nodeTRES {
				continue
			}
			if at := l.over(&v.checks[k], j, a); at >= 0 {
				return hit{v.checks[k].kind, at, v}
			}
		}
	}
	return hit{}
}

// admits reports whether limits allow a job that do not depend on where it runs: how many jobs run,
// and how long it may run.
func (l *ledger) admits(j *Job) bool { return l.waits(j).kind == noLimit }

// affords reports whether limits allow what a job would have, nil for what it asks for.
func (l *ledger) affords(j *Job, a Amounts) bool { return l.exceeds(j, a).kind == noLimit }

// over returns the place of the first amount with which a job is over a limit, -1 for none.
func (l *ledger) over(c *check, j *Job, a Amounts) int {
	switch c.kind {
	case jobTRES:
		return a.firstAbove(c.limit, nil)
	case jobMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 { return minutesOf(j, x, 1) })
	case nodeTRES:
		return l.overEach(c, a, func(i int, x int64) int64 { return x / max(1, a[amountNodes]) })
	case runMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 { return l.mayUse(j, x) + minutesIn(c.of.left[i]) })
	case allMinutes:
		return l.overEach(c, a, func(i int, x int64) int64 {
			used := minutesIn(c.of.used.TRES[i])
			if l.isSafe {
				return max(used+1, used+minutesIn(c.of.left[i])+l.mayUse(j, x))
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
	return a.firstAbove(c.limit, c.of.tres)
}

// overEach returns the place of the first amount that a job asks for of which something is above the
// limit, -1 for none.
func (l *ledger) overEach(c *check, a Amounts, of func(i int, x int64) int64) int {
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
func (l *ledger) mayUse(j *Job, x int64) int64 {
	if q := &l.qos[j.QOS]; q.IsSafe {
		return minutesOf(j, x, q.UsageFactor)
	}
	return minutesOf(j, x, 1)
}

// minutesOf returns the minutes of an amount until a job's time limit, times a factor.
func minutesOf(j *Job, x int64, factor float64) int64 {
	return minutesIn(float64(x) * float64(j.Limit/minute) * factor * minute)
}

// limitNames are what squeue calls the limits of CPUs, memory, nodes and GRES.
type limitNames [fixedAmounts + 1]string

// amountNames are the names of limits of amounts, of a QOS and of an association.
var amountNames = map[limitKind][2]limitNames{
	allMinutes: {
		{"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes", "QOSGrpGRESMinutes"},
		{"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes", "AssocGrpGRESMinutes"},
	},
	allTRES: {
		{"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpGRES"},
		{"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpGRES"},
	},
	runMinutes: {
		{"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes", "QOSGrpGRESRunMinutes"},
		{"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes", "AssocGrpNodeRunMinutes", "AssocGrpGRESRunMinutes"},
	},
	jobMinutes: {
		{"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxNodeMinutesPerJob", "QOSMaxGRESMinutesPerJob"},
		{"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob", "AssocMaxNodeMinutesPerJob", "AssocMaxGRESMinutesPerJob"},
	},
	jobTRES: {
		{"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit", "QOSMaxGRESPerJob"},
		{"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit", "AssocMaxGRESPerJob"},
	},
	nodeTRES: {
		{"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxUnknownPerNode", "QOSMaxGRESPerNode"},
		{"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxUnknownPerNode", "AssocMaxGRESPerNode"},
	},
	leastTRES:   {{"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinGRES"}},
	accountTRES: {{"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount", "MaxGRESPerAccount"}},
	userTRES:    {{"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit", "QOSMaxGRESPerUser"}},
}

// otherNames are the names of the other limits.
var otherNames = map[limitKind][2]string{
	allJobs:     {"QOSGrpJobsLimit", "AssocGrpJobsLimit"},
	allWall:     {"QOSGrpWallLimit", "AssocGrpWallLimit"},
	accountJobs: {"MaxJobsPerAccount"},
	userJobs:    {"QOSMaxJobsPerUserLimit", "AssocMaxJobsLimit"},
	jobWall:     {"QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit"},
}

// reached returns the limit that keeps a job from running, as squeue calls it, "" for none. It says
// what admits and affords say of what the job asks for.
func (l *ledger) reached(j *Job) string {
	h := l.waits(j)
	if h.kind == noLimit {
		h = l.exceeds(j, nil)
	}
	switch {
	case h.kind == noLimit:
		return ""
	case h.kind == arrayTasks:
		return "JobArrayTaskLimit"
	}
	of, what := 1, ""
	if h.level.qos != "" {
		of, what = 0, " (QOS "+h.level.qos+")"
	}
	if names, ok := amountNames[h.kind]; ok {
		return names[of][min(h.at, fixedAmounts)] + what
	}
	return otherNames[h.kind][of] + what
}

// decaysIn returns in how many seconds what has been used will have decayed so far that a limit does
// not keep a job any longer, while nothing runs; +Inf for never.
func (l *ledger) decaysIn(j *Job, factor float64) float64 {
	h := l.waits(j)
	if h.kind == noLimit {
		h = l.exceeds(j, nil)
	}
	var used float64
	var most int64 // minutes
	switch h.kind {
	case allWall:
		used, most = h.level.all.used.Wall, h.level.limits.AllWall
	case allMinutes:
		used, most = h.level.all.used.TRES[h.at], h.level.limits.AllMinutes[h.at]
		if l.isSafe {
			most = min(most, most-l.mayUse(j, j.Request.asks(l.kinds)[h.at])+1)
		}
	}
	if most <= 0 || factor >= 1 || h.level.noDecay {
		return math.Inf(1)
	}
	return max(0, math.Log(float64(most)*minute/used)/math.Log(factor))
}
