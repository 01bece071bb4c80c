package slurmsite

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// asked are limits that slurmctld asks about a job.
type asked struct {
	*limitSet
	prefix, all, user, account string // the word in reasons, and keys of what is in use
}

// holds returns the limit that keeps a job of a partition from starting now, nil for none. The order
// is that in which slurmctld asks: first how many jobs there are and how long they run, QOS before
// associations, then what they ask for.
func (h *holders) holds(j *slurm.Job, partition string) *Limit {
	if h == nil || j.State != "PENDING" || j.TRES == nil {
		return nil
	}
	minutes := j.TimeLimit
	if part := h.site.Conf.Partitions[partition]; math.IsNaN(minutes) && part != nil {
		minutes = part.MaxTime
	}
	list := h.askedOf(j, partition)
	isSet := map[string]bool{} // limits that a QOS sets: they stand for those of the next one and of associations
	counts := func(x *asked, names ...string) bool {
		for _, name := range names {
			if isSet[name] {
				return false
			}
		}
		if x.prefix == "QOS" {
			isSet[names[0]] = true
		}
		return true
	}
	counted := minutes
	if q := h.qos[j.QOS]; q != nil && q.factor != 1 {
		counted = math.Floor(minutes * q.factor)
	}
	for i := range list {
		if limit := h.holdsAtAll(&list[i], minutes, counted, counts); limit != nil {
			return limit
		}
	}
	for i := range list {
		if limit := h.holdsFor(&list[i], j, counted, counts); limit != nil {
			return limit
		}
	}
	return nil
}

// askedOf returns the limits of a job, in the order in which they are asked.
func (h *holders) askedOf(j *slurm.Job, partition string) (list []asked) {
	factor := 0.0
	for _, qos := range h.qosOf(j, partition) {
		if l := h.qos[qos]; l != nil {
			factor = cmp.Or(factor, l.limitFactor)
			list = append(list, asked{l, "QOS", "qos " + qos, "qos " + qos + " user " + j.User, "qos " + qos + " account " + j.Account})
		}
	}
	if of := h.associationOf(j); h.association[of] != nil {
		own, key := *h.association[of], "user "+of.String()
		own.grp, own.perJob = scaled(own.grp, factor), scaled(own.perJob, factor)
		list = append(list, asked{&own, "Assoc", key, key, ""})
	}
	for _, account := range h.accountsOf(j) {
		if l := h.association[slurmsched.AccountName{Account: account}]; l != nil {
			above := limitSet{name: l.name, grp: scaled(l.grp, factor), grpJobs: l.grpJobs, grpWall: l.grpWall, userJobs: math.NaN(), accountJobs: math.NaN(), max: math.NaN(), used: l.used} // what each job or user may have, the users have themselves
			if h.parent[account] != "" {
				above.grpMins, above.grpRunMins = l.grpMins, l.grpRunMins // which are not enforced of the root
			}
			list = append(list, asked{&above, "Assoc", "account " + account, "", ""})
		}
	}
	return list
}

// scaled returns amounts times a LimitFactor, 0 for none.
func scaled(amounts map[string]float64, factor float64) map[string]float64 {
	if factor == 0 {
		return amounts
	}
	more := map[string]float64{}
	for name, x := range amounts {
		more[name] = math.Floor(x * factor)
	}
	return more
}

// holdsAtAll returns the limit that keeps a job from starting wherever it would run.
func (h *holders) holdsAtAll(x *asked, minutes, counted float64, counts func(*asked, ...string) bool) *Limit {
	userJobs, names := "AssocMaxJobsLimit", []string{"MaxJobs", "MaxJobsPU", "MaxJobsPA"} // both of a QOS stand for it
	if x.prefix == "QOS" {
		userJobs, names = "QOSMaxJobsPerUserLimit", []string{"MaxJobsPU"}
	}
	for _, limit := range []struct {
		most   float64
		key    string
		reason string
		names  []string
	}{
		{x.grpJobs, x.all, x.prefix + "GrpJobsLimit", []string{"GrpJobs"}},
		{x.accountJobs, x.account, "MaxJobsPerAccount", []string{"MaxJobsPA"}},
		{x.userJobs, x.user, userJobs, names},
	} {
		if math.IsNaN(limit.most) || limit.key == "" || !counts(x, limit.names...) {
			continue
		}
		if n := h.inUse(limit.key).jobs; n >= limit.most {
			return &Limit{limit.reason, fmt.Sprintf("%s of %s jobs run (%s of %s)", report.Plain(n), report.Plain(limit.most), limit.names[0], x.name)}
		}
	}
	if wall := math.Floor(number(x.used.wall, math.NaN())); !math.IsNaN(x.grpWall) && counts(x, "GrpWall") && (wall >= x.grpWall || h.isSafe && wall+counted > x.grpWall) {
		if wall < x.grpWall {
			return &Limit{x.prefix + "GrpWallLimit", fmt.Sprintf("%s of %s minutes are used and %s asked for (GrpWall of %s)", report.Plain(wall), report.Plain(x.grpWall), report.Plain(counted), x.name)}
		}
		return &Limit{x.prefix + "GrpWallLimit", fmt.Sprintf("%s of %s minutes are used (GrpWall of %s)", report.Fixed(wall, 0), report.Plain(x.grpWall), x.name)}
	}
	if !math.IsNaN(x.max) && counts(x, "MaxWall") && minutes > x.max {
		return &Limit{x.prefix + "MaxWallDurationPerJobLimit", fmt.Sprintf("it asks for %s minutes of at most %s (MaxWall of %s)", report.Plain(minutes), report.Plain(x.max), x.name)}
	}
	return nil
}

// holdsFor returns the limit that keeps a job from starting for what it asks for.
func (h *holders) holdsFor(x *asked, j *slurm.Job, minutes float64, counts func(*asked, ...string) bool) *Limit {
	inUse := func(key string) func(tres string, most float64) string {
		return func(tres string, most float64) string {
			used, asks := h.inUse(key).tres[tres], j.TRES[tres]
			if tres == "node" { // those that jobs share count once, and where this one would run is not known
				used = 0
			}
			if used+asks <= most {
				return ""
			}
			return fmt.Sprintf("%s %s in use and %s asked for", report.Plain(used), tres, report.Plain(asks))
		}
	}
	asks := func(what string, of func(amount float64) float64) func(tres string, most float64) string {
		return func(tres string, most float64) string {
			if mine := of(j.TRES[tres]); mine > most {
				return fmt.Sprintf("%s %s%s asked for", report.Plain(mine), tres, what)
			}
			return ""
		}
	}
	mayUse := func(amount float64) float64 { return amount * minutes }
	for _, limit := range []struct {
		most map[string]float64
		name string
		word func(tres string) string
		over func(tres string, most float64) string // in words, "" where it is not
	}{
		{x.grpMins, "GrpTRESMins", func(tres string) string { return x.minutes("Grp", tres, "Minutes") }, func(tres string, most float64) string {
			used, left := number(x.used.minutes[tres], 0), number(x.used.left[tres], 0)
			switch isOver := used+left+mayUse(j.TRES[tres]) > most; {
			case x.used.minutes == nil || used < most && !(h.isSafe && isOver):
				return ""
			case !h.isSafe || used >= most:
				return fmt.Sprintf("%s %s minutes are used", report.Plain(used), tres)
			default:
				return fmt.Sprintf("%s %s minutes are used, %s left to running jobs and %s asked for", report.Plain(used), tres, report.Plain(left), report.Plain(mayUse(j.TRES[tres])))
			}
		}},
		{x.grp, "GrpTRES", func(tres string) string { return x.prefix + "Grp" + limitWord(tres, "Limit") }, inUse(x.all)},
		{x.grpRunMins, "GrpTRESRunMins", func(tres string) string { return x.minutes("Grp", tres, "RunMinutes") }, func(tres string, most float64) string {
			left := number(x.used.left[tres], 0)
			if x.used.left == nil || left+mayUse(j.TRES[tres]) <= most {
				return ""
			}
			return fmt.Sprintf("%s %s minutes are left to running jobs and %s asked for", report.Plain(left), tres, report.Plain(mayUse(j.TRES[tres])))
		}},
		{x.jobMins, "MaxTRESMins", func(tres string) string { return x.minutes("Max", tres, "MinutesPerJob") }, asks(" minutes", mayUse)},
		{x.perJob, "MaxTRES", func(tres string) string { return x.memory("Max", tres, "PerJobLimit") }, asks("", func(amount float64) float64 { return amount })},
		{x.perNode, "MaxTRESPerNode", func(tres string) string { return strings.TrimSuffix(x.memory("Max", tres, "PerNodeLimit"), "Limit") },
			asks(" a node", func(amount float64) float64 { return math.Floor(amount / max(1, j.TRES["node"])) })},
		{x.perAccount, "MaxTRESPA", func(tres string) string {
			return "Max" + strings.TrimSuffix(limitWord(tres, "PerAccountLimit"), "Limit")
		}, inUse(x.account)},
		{x.perUser, "MaxTRESPU", func(tres string) string { return x.prefix + "Max" + limitWord(tres, "PerUserLimit") }, inUse(x.user)},
	} {
		for _, tres := range slices.Sorted(maps.Keys(limit.most)) {
			if j.TRES[tres] <= 0 || !counts(x, limit.name+" "+tres) {
				continue
			}
			if detail := limit.over(tres, limit.most[tres]); detail != "" {
				return &Limit{limit.word(tres), fmt.Sprintf("%s, of %s (%s of %s)", detail, report.Plain(limit.most[tres]), limit.name, x.name)}
			}
		}
	}
	for _, tres := range slices.Sorted(maps.Keys(x.least)) {
		if counts(x, "MinTRES "+tres) && j.TRES[tres] < x.least[tres] {
			word := "QOSMin" + strings.TrimSuffix(limitWord(tres, "Limit"), "Limit")
			switch tres {
			case "cpu":
				word += "NotSatisfied"
			case "mem":
				word = "QOSMinMemory"
			}
			return &Limit{word, fmt.Sprintf("%s %s asked for, of at least %s (MinTRES of %s)", report.Plain(j.TRES[tres]), tres, report.Plain(x.least[tres]), x.name)}
		}
	}
	return nil
}

// memory returns the name of a limit of jobs: those of memory have other words in QOS and associations.
func (x *asked) memory(what, tres, end string) string {
	if x.prefix == "Assoc" && tres == "mem" {
		return "Assoc" + what + "Mem" + strings.TrimSuffix(end, "Limit")
	}
	return x.prefix + what + limitWord(tres, end)
}

// minutes returns the name of a limit of minutes.
func (x *asked) minutes(what, tres, end string) string {
	switch {
	case tres == "cpu" && what == "Grp":
		return x.prefix + what + "CPU" + end + "Limit"
	case tres == "cpu":
		return x.prefix + what + "Cpu" + end + "Limit"
	}
	return strings.TrimSuffix(x.memory(what, tres, end+"Limit"), "Limit")
}

// limitWord returns what the limit of a resource is called in reasons: CpuLimit, GRES,
// MemoryPerUser, NodePerJobLimit.
func limitWord(tres, what string) string {
	bare := strings.TrimSuffix(what, "Limit")
	switch {
	case tres == "cpu":
		return "Cpu" + what
	case tres == "node":
		return "Node" + what
	case tres == "mem" && bare == "":
		return "Mem" + what
	case tres == "mem":
		return "Memory" + bare
	case strings.HasPrefix(tres, "gres/"):
		return "GRES" + bare
	case strings.HasPrefix(tres, "license/"):
		return "License" + bare
	}
	for _, x := range [][2]string{{"billing", "Billing"}, {"energy", "Energy"}, {"bb/", "BB"}} {
		if strings.HasPrefix(tres, x[0]) {
			return x[1] + bare
		}
	}
	return "Unknown" + bare // slurmctld's own word
}
