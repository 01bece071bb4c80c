package sched

import (
	"math"
	"slices"
)

// None is a limit that is not set.
const None = math.MaxInt64

// Limits are those of a QOS or of an association, None where one is not set. Amounts are by the
// resources of Amounts, nil where none is set.
type Limits struct {
	MaxWall int64 // seconds that a job may ask for

	JobTRES     Amounts // MaxTRES: of one job
	NodeTRES    Amounts // MaxTRESPerNode: of one job, for each of its nodes
	LeastTRES   Amounts // MinTRES: that a job has to ask for
	UserTRES    Amounts // MaxTRESPerUser: of a user's running jobs
	AccountTRES Amounts // MaxTRESPerAccount: of an account's running jobs
	AllTRES     Amounts // GrpTRES: of all running jobs

	JobMinutes Amounts // MaxTRESMins: of one job, by its time limit
	AllMinutes Amounts // GrpTRESMins: that jobs have used, as far as it has not decayed
	RunMinutes Amounts // GrpTRESRunMins: that running jobs may use until their time limits

	UserRunMinutes    Amounts // MaxTRESRunMinsPU: the same of a user's running jobs
	AccountRunMinutes Amounts // MaxTRESRunMinsPA: the same of an account's

	UserJobs    int64 // MaxJobsPU of a QOS, MaxJobs of an association
	AccountJobs int64 // MaxJobsPA
	AllJobs     int64 // GrpJobs
	AllWall     int64 // GrpWall: minutes that jobs have run, as far as they have not decayed

	UserSubmit    int64 // MaxSubmitPU of a QOS, MaxSubmit of an association: jobs that wait or run
	AccountSubmit int64 // MaxSubmitPA
	AllSubmit     int64 // GrpSubmit

	UserAging    int64 // MaxJobsAccruePU of a QOS, MaxJobsAccrue of an association: waiting jobs whose age counts
	AccountAging int64 // MaxJobsAccruePA
	AllAging     int64 // GrpJobsAccrue

	LeastPriority int64 // MinPrioThres: jobs with less hold up nobody, see Threshold
}

// Unlimited returns limits that limit nothing.
func Unlimited(kinds int) Limits {
	none := make(Amounts, fixedAmounts+kinds)
	for i := range none {
		none[i] = None
	}
	l := Limits{JobTRES: none, UserTRES: none, AllTRES: none}
	for _, x := range l.numbers() {
		*x = None
	}
	return l
}

// OfUse returns the name of a limit of what jobs have used that is set, "" for none.
func (l *Limits) OfUse() string {
	switch {
	case l.AllMinutes != nil:
		return "GrpTRESMins"
	case l.AllWall != None:
		return "GrpWall"
	}
	return ""
}

func (l *Limits) amounts() []*Amounts {
	return []*Amounts{&l.JobTRES, &l.NodeTRES, &l.LeastTRES, &l.UserTRES, &l.AccountTRES, &l.AllTRES, &l.JobMinutes, &l.AllMinutes, &l.RunMinutes, &l.UserRunMinutes, &l.AccountRunMinutes}
}

func (l *Limits) numbers() []*int64 {
	return []*int64{&l.MaxWall, &l.UserJobs, &l.AccountJobs, &l.AllJobs, &l.AllWall, &l.UserSubmit, &l.AccountSubmit, &l.AllSubmit, &l.UserAging, &l.AccountAging, &l.AllAging, &l.LeastPriority}
}

// without returns the limits that others do not set: those come first, and the first one that is set
// counts, for amounts of each resource alone.
func (l Limits) without(others *Limits) Limits {
	set := others.numbers()
	for i, x := range l.numbers() {
		if *set[i] != None {
			*x = None
		}
	}
	amounts := others.amounts()
	for i, a := range l.amounts() {
		*a = slices.Clone(*a)
		for k := range *a {
			if before := *amounts[i]; before != nil && before[k] != None {
				(*a)[k] = None
			}
		}
	}
	return l
}

// with returns limits, and beside them those of others that they do not set.
func (l Limits) with(others Limits) Limits {
	set := others.numbers()
	for i, x := range l.numbers() {
		if *x == None {
			*x = *set[i]
		}
	}
	amounts := others.amounts()
	for i, a := range l.amounts() {
		more := *amounts[i]
		if *a == nil {
			*a = more
			continue
		}
		*a = slices.Clone(*a)
		for k := range more {
			if (*a)[k] == None {
				(*a)[k] = more[k]
			}
		}
	}
	return l
}

// ofParent returns the limits of an account that its members have in common: what each job or user
// may have, they have themselves.
func (l Limits) ofParent(isRoot bool) Limits {
	var of Limits
	for _, x := range of.numbers() {
		*x = None
	}
	of.AllJobs, of.AllWall, of.AllTRES, of.AllSubmit, of.AllAging = l.AllJobs, l.AllWall, l.AllTRES, l.AllSubmit, l.AllAging
	if !isRoot { // of which sacctmgr's manual says that these are not enforced
		of.AllMinutes, of.RunMinutes = l.AllMinutes, l.RunMinutes
	}
	return of
}

// isMetered reports whether a limit is of what jobs have used, or may still use.
func (l *Limits) isMetered() bool {
	return l.AllMinutes != nil || l.RunMinutes != nil || l.UserRunMinutes != nil || l.AccountRunMinutes != nil || l.AllWall != None
}

// scale multiplies the amounts of one job and of all jobs, as LimitFactor of a QOS does with those of
// associations (Slurm's acct_policy.c, _apply_limit_factor: cut to whole numbers).
func (l *Limits) scale(factor float64) {
	for _, a := range []*Amounts{&l.JobTRES, &l.AllTRES} {
		*a = slices.Clone(*a)
		for i, x := range *a {
			if x != None {
				(*a)[i] = int64(min(float64(x)*factor, math.MaxInt64/2))
			}
		}
	}
}

// Amounts are CPUs, memory (MB), nodes, then the kinds of GRES, and then Setup.Others.
type Amounts []int64

const (
	amountCPU = iota
	amountMemory
	amountNodes
	fixedAmounts
)

// amountsOf returns what a job has of its nodes, until the next call. Until then, affords takes it to run
// there.
func (l *Ledger) amountsOf(r *Request, shares []Share) Amounts {
	a := l.amounts
	l.placed = shares
	clear(a)
	for _, s := range shares {
		a[amountCPU] += int64(s.CPUs)
		a[amountMemory] += r.memoryOn(&l.nodes[s.Node], s.CPUs)
		a[amountNodes]++
		if len(r.GRES) == 0 {
			continue
		}
		cpus := r.runsOn(&l.nodes[s.Node], s.CPUs)
		for k := range r.GRES {
			a[fixedAmounts+k] += int64(r.gresOn(k, cpus))
		}
	}
	copy(a[len(a)-len(r.Others):], r.Others)
	return a
}

// atStart returns what limits take a job to have that starts on its nodes, until the next call: amountsOf, and all GRES of whole
// nodes (Slurm's node_scheduler.c, _handle_exclusive_gres).
func (l *Ledger) atStart(r *Request, shares []Share) Amounts {
	a := l.amountsOf(r, shares)
	if r.Exclusive {
		clear(a[fixedAmounts : fixedAmounts+len(r.GRES)])
		for _, s := range shares {
			for k, x := range l.nodes[s.Node].GRES {
				a[fixedAmounts+k] += int64(x)
			}
		}
	}
	return a
}

// given returns what a running job has: what the site says of it, or else what it is given of its nodes. That is
// atStart, and of a GRES of which it has named no type, the types that the nodes have (Slurm's job_mgr.c,
// job_set_alloc_tres: of gres_list_alloc).
func (l *Ledger) given(j *Job) Amounts {
	if j.Given != nil {
		return j.Given
	}
	r, shares := j.Request, j.Shares
	a := l.atStart(r, shares)
	if r.Exclusive {
		return a
	}
	for kind, types := range l.types {
		if len(types) == 0 || kind >= len(r.GRES) || r.AllGRES(kind, 1) == 0 {
			continue
		}
		for _, s := range shares {
			cpus := r.runsOn(&l.nodes[s.Node], s.CPUs)
			left := r.gresOn(kind, cpus)
			for _, t := range types {
				left -= r.gresOn(t, cpus)
			}
			for _, t := range types {
				n := max(0, min(left, l.nodes[s.Node].GRES[t]))
				a[fixedAmounts+t] += int64(n)
				left -= n
			}
		}
	}
	return a
}

// Memory returns how much memory a job asks for on all of its nodes together, in MB, before it is known where it runs.
func (r *Request) Memory() int64 { return r.NodeMemory*int64(r.MinNodes) + r.CPUMemory*int64(r.CPUs) }

// asks returns what a job asks for, before it is known where it runs.
func (r *Request) asks(kinds int) Amounts { return r.asksInto(make(Amounts, fixedAmounts+kinds)) }

// asksInto puts what a job asks for into amounts.
func (r *Request) asksInto(a Amounts) Amounts {
	a[amountCPU], a[amountMemory], a[amountNodes] = int64(r.CPUs), r.Memory(), int64(r.MinNodes)
	clear(a[fixedAmounts:])
	if r.hasGRES() {
		for k := range r.GRES {
			a[fixedAmounts+k] = r.AllGRES(k, r.MinNodes)
		}
	}
	copy(a[min(len(a), fixedAmounts+len(r.GRES)):], r.Others)
	return a
}

// isSet reports whether a limit is set of any resource.
func (a Amounts) isSet() bool {
	return slices.ContainsFunc(a, func(x int64) bool { return x != None })
}

// firstAbove returns the place of the first amount that is above a limit with what is in use
// already, -1 for none.
func (a Amounts) firstAbove(limit, used Amounts) int {
	for i, x := range a {
		if used != nil {
			x += used[i]
		}
		if a[i] > 0 && limit[i] != None && x > limit[i] {
			return i
		}
	}
	return -1
}
