package sched

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Limit is a limit, or a rule, that keeps a job from starting.
type Limit struct {
	Name   string // as squeue calls it, with its QOS, or a rule in words
	Reason string // as squeue calls it, such as QOSMaxCpuPerUserLimit; "" for a rule that it has no name for
	Detail string // what is in use, what the job asks for, and which limit of whom that is

	Refusal string // what sbatch prints where slurmctld does not take a job for it, "" where that is not known

	IsRule  bool // whether it keeps a job out of its partition whatever else runs, and is no limit of what is in use
	IsOfNow bool // whether it is of the state of a partition or of nodes, which an administrator may change, so that the job starts after all

	over *breach // which limit of amounts or jobs it is; nil for a rule
	has  Amounts // what the job would have by then
}

// String returns the limit in words.
func (l *Limit) String() string {
	if l == nil {
		return ""
	}
	if l.Reason == "" {
		return l.Detail
	}
	return l.Reason + ": " + l.Detail
}

// Holds returns the limit that keeps a job from starting, as far as that does not depend on where it would run; nil
// for none.
func (l *Ledger) Holds(j *Job) *Limit {
	h := l.reach(j)
	if h.kind == noLimit {
		return nil
	}
	return l.limit(j, h, j.Request.asks(l.kinds))
}

// limit returns a limit that a job is over with what it would have.
func (l *Ledger) limit(j *Job, h breach, a Amounts) *Limit {
	return &Limit{Name: h.name(), Reason: h.reason(), Detail: l.detail(j, h, a), over: &h, has: a}
}

// InUse returns a limit that a job is over whatever else runs, with what is in use of it; a rule as it is.
func (l *Ledger) InUse(j *Job, limit *Limit) *Limit {
	if limit == nil || limit.over == nil {
		return limit
	}
	levels := l.of(j)
	for i := range levels {
		if v := &levels[i]; v.qos == limit.over.level.qos && v.whose == limit.over.level.whose {
			is := *limit
			is.Detail = l.detail(j, breach{limit.over.kind, limit.over.at, v}, limit.has)
			return &is
		}
	}
	return limit
}

// reach returns the limit that keeps a job from running: what admits and affords say of what it asks for.
func (l *Ledger) reach(j *Job) breach {
	if h := l.waits(j); h.kind != noLimit {
		return h
	}
	return l.exceeds(j, nil)
}

// reached returns the limit that keeps a job from running, as squeue calls it with its QOS, "" for none.
func (l *Ledger) reached(j *Job) string { return l.reach(j).name() }

// isSet reports whether a limit that squeue calls by a reason is set of what limits a job.
func (l *Ledger) isSet(j *Job, reason string) bool {
	of := l.boundsOf(j)
	for _, c := range of.ceilings {
		if (breach{kind: c.kind, level: c.level}).reason() == reason {
			return true
		}
	}
	for i := range of.levels {
		level := &of.levels[i]
		for _, c := range level.checks {
			for at, most := range c.limit {
				if most != None && (breach{c.kind, at, level}).reason() == reason {
					return true
				}
			}
		}
	}
	return false
}

// name returns what squeue calls a limit, and its QOS; "" for none.
func (h breach) name() string {
	if h.kind > arrayTasks && h.level.qos != "" {
		return h.reason() + " (QOS " + h.level.qos + ")"
	}
	return h.reason()
}

// otherWords are what squeue calls other resources, by how their names begin.
var otherWords = [][2]string{{"gres/", "GRES"}, {"license/", "License"}, {"billing", "Billing"}, {"energy", "Energy"}, {"bb/", "BB"}}

// reason returns what squeue calls a limit, "" for none.
func (h breach) reason() string {
	switch h.kind {
	case noLimit:
		return ""
	case arrayTasks:
		return "JobArrayTaskLimit"
	}
	of := 1
	if h.level.qos != "" {
		of = 0
	}
	names, ok := amountNames[h.kind]
	if !ok {
		return otherNames[h.kind][of]
	}
	name := names[of][min(h.at, fixedAmounts)]
	if h.at < fixedAmounts {
		return name
	}
	word, what := "Unknown", h.level.setup.amountName(h.at) // slurmctld's own word
	if k := slices.IndexFunc(otherWords, func(x [2]string) bool { return strings.HasPrefix(what, x[0]) }); k >= 0 {
		word = otherWords[k][1]
	}
	return strings.Replace(name, "GRES", word, 1)
}

// IsLimit reports whether a reason for which squeue says that a job waits is the name of a limit that can hold it.
func IsLimit(reason string) bool {
	for _, names := range otherNames {
		if reason != "" && slices.Contains(names[:], reason) {
			return true
		}
	}
	words := append([][2]string{{"", "GRES"}, {"", "Unknown"}}, otherWords...)
	for _, names := range amountNames {
		for _, of := range names {
			isOther := func(word [2]string) bool {
				return of[fixedAmounts] != "" && reason == strings.Replace(of[fixedAmounts], "GRES", word[1], 1)
			}
			if reason != "" && slices.Contains(of[:fixedAmounts], reason) || slices.ContainsFunc(words, isOther) {
				return true
			}
		}
	}
	return false
}

// detail says in words what is in use of a limit, what a job asks for, and which limit of whom that is.
func (l *Ledger) detail(j *Job, h breach, a Amounts) string {
	if h.kind == arrayTasks {
		return fmt.Sprintf("%d of %d tasks of its array run", l.runningTasks[j.Array], j.Throttle)
	}
	v, x := h.level, &h.level.limits
	whose, column := "QOS "+v.qos, columns[h.kind][0]
	if v.qos == "" {
		whose, column = l.setup.nameOf(v.whose), columns[h.kind][1]
		if l.accounts[v.whose].User < 0 {
			whose = "account " + whose
		}
	}
	of := fmt.Sprintf("(%s of %s)", column, whose)
	jobs := func(in *tally, most int64) string { return fmt.Sprintf("%d of %d jobs run %s", in.jobs, most, of) }
	switch h.kind {
	case allJobs:
		return jobs(v.all, x.AllJobs)
	case accountJobs:
		return jobs(v.account, x.AccountJobs)
	case userJobs:
		return jobs(v.user, x.UserJobs)
	case jobWall:
		return fmt.Sprintf("it asks for %d minutes of at most %s %s", l.asksFor(j)/minute, report.Plain(float64(x.MaxWall)/minute), of)
	case allWall:
		used := minutesIn(v.all.used.Wall)
		if used < x.AllWall {
			return fmt.Sprintf("%d of %d minutes are used and %d asked for %s", used, x.AllWall, l.minutesOf(j), of)
		}
		return fmt.Sprintf("%d of %d minutes are used %s", used, x.AllWall, of)
	}
	c := v.checks[slices.IndexFunc(v.checks, func(c check) bool { return c.kind == h.kind })]
	bound := "of"
	if h.kind == leastTRES {
		bound = "of at least"
	}
	return fmt.Sprintf("%s, %s %d %s", l.compared(j, h, c, a), bound, c.limit[h.at], of)
}

// compared says in words what a job would have of a resource, and what is in use, as a limit of amounts compares it.
func (l *Ledger) compared(j *Job, h breach, c check, a Amounts) string {
	asks, what, asked := a[h.at], l.setup.amountName(h.at), "asked for"
	if j.Request.Exclusive && asks > j.Request.asks(l.kinds)[h.at] {
		asked += " with its whole nodes"
	}
	switch h.kind {
	case allMinutes:
		used := minutesIn(c.of.used.TRES[h.at])
		if used >= c.limit[h.at] {
			return fmt.Sprintf("%d %s minutes are used", used, what)
		}
		return fmt.Sprintf("%d %s minutes are used, %d left to running jobs and %d %s", used, what, minutesIn(c.of.left[h.at]), l.mayUse(j, asks), asked)
	case runMinutes, accountRunMinutes, userRunMinutes:
		return fmt.Sprintf("%d %s minutes are left to running jobs and %d %s", minutesIn(c.of.left[h.at]), what, l.mayUse(j, asks), asked)
	case jobMinutes:
		return fmt.Sprintf("%d %s minutes %s", l.mayUse(j, asks), what, asked)
	case jobTRES, leastTRES:
		return fmt.Sprintf("%d %s %s", asks, what, asked)
	case nodeTRES:
		return fmt.Sprintf("%d %s a node %s", asks/max(1, a[amountNodes]), what, asked)
	}
	return fmt.Sprintf("%d %s in use and %d %s", c.of.tres[h.at], what, asks, asked)
}

// columns are what sacctmgr calls limits, of a QOS and of an association.
var columns = map[limitKind][2]string{
	allJobs: {"GrpJobs", "GrpJobs"}, allWall: {"GrpWall", "GrpWall"}, accountJobs: {"MaxJobsPA"}, userJobs: {"MaxJobsPU", "MaxJobs"}, jobWall: {"MaxWall", "MaxWall"},
	allMinutes: {"GrpTRESMins", "GrpTRESMins"}, allTRES: {"GrpTRES", "GrpTRES"}, runMinutes: {"GrpTRESRunMins", "GrpTRESRunMins"}, jobMinutes: {"MaxTRESMins", "MaxTRESMins"},
	jobTRES: {"MaxTRES", "MaxTRES"}, nodeTRES: {"MaxTRESPerNode", "MaxTRESPerNode"}, leastTRES: {"MinTRES"}, accountTRES: {"MaxTRESPA"}, userTRES: {"MaxTRESPU"},
	accountRunMinutes: {"MaxTRESRunMinsPA"}, userRunMinutes: {"MaxTRESRunMinsPU"},
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

	accountRunMinutes: {{"MaxCpuRunMinsPerAccount", "MaxMemoryRunMinsPerAccount", "MaxNodeRunMinsPerAccount", "MaxGRESRunMinsPerAccount"}},
	userRunMinutes:    {{"MaxCpuRunMinsPerUser", "MaxMemoryRunMinsPerUser", "MaxNodeRunMinsPerUser", "MaxGRESRunMinsPerUser"}},
}

// otherNames are the names of the other limits.
var otherNames = map[limitKind][2]string{
	allJobs:     {"QOSGrpJobsLimit", "AssocGrpJobsLimit"},
	allWall:     {"QOSGrpWallLimit", "AssocGrpWallLimit"},
	accountJobs: {"MaxJobsPerAccount"},
	userJobs:    {"QOSMaxJobsPerUserLimit", "AssocMaxJobsLimit"},
	jobWall:     {"QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit"},
}
