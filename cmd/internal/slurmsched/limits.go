package slurmsched

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

	UserJobs    int64 // MaxJobsPerUser of a QOS, MaxJobs of an association
	AccountJobs int64 // MaxJobsPerAccount
	AllJobs     int64 // GrpJobs
	AllWall     int64 // GrpWall: minutes that jobs have run, as far as they have not decayed
}

// Unlimited returns limits that limit nothing.
func Unlimited(kinds int) Limits {
	none := make(Amounts, fixedAmounts+kinds)
	for i := range none {
		none[i] = None
	}
	return Limits{MaxWall: None, JobTRES: none, UserTRES: none, AllTRES: none, UserJobs: None, AccountJobs: None, AllJobs: None, AllWall: None}
}

func (l *Limits) amounts() []*Amounts {
	return []*Amounts{&l.JobTRES, &l.NodeTRES, &l.LeastTRES, &l.UserTRES, &l.AccountTRES, &l.AllTRES, &l.JobMinutes, &l.AllMinutes, &l.RunMinutes}
}

func (l *Limits) numbers() []*int64 {
	return []*int64{&l.MaxWall, &l.UserJobs, &l.AccountJobs, &l.AllJobs, &l.AllWall}
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
	of := Limits{MaxWall: None, UserJobs: None, AccountJobs: None, AllJobs: l.AllJobs, AllWall: l.AllWall, AllTRES: l.AllTRES}
	if !isRoot { // of which sacctmgr's manual says that these are not enforced
		of.AllMinutes, of.RunMinutes = l.AllMinutes, l.RunMinutes
	}
	return of
}

// isMetered reports whether a limit is of what jobs have used, or may still use.
func (l *Limits) isMetered() bool {
	return l.AllMinutes != nil || l.RunMinutes != nil || l.AllWall != None
}

// Amounts are CPUs, memory (MB), nodes and then the kinds of GRES.
type Amounts []int64

const (
	amountCPU = iota
	amountMemory
	amountNodes
	fixedAmounts
)

// amountsOf returns what a job has of its nodes, until the next call.
func (l *ledger) amountsOf(r *Request, shares []Share) Amounts {
	a := l.amounts
	clear(a)
	for _, s := range shares {
		a[amountCPU] += int64(s.CPUs)
		a[amountMemory] += r.memoryFor(s.CPUs)
		a[amountNodes]++
		for k, x := range r.GRES {
			a[fixedAmounts+k] += int64(x)
		}
	}
	return a
}

// asks returns what a job asks for, before it is known where it runs.
func (r *Request) asks(kinds int) Amounts { return r.asksInto(make(Amounts, fixedAmounts+kinds)) }

// asksInto puts what a job asks for into amounts.
func (r *Request) asksInto(a Amounts) Amounts {
	nodes := int64(r.MinNodes)
	a[amountCPU], a[amountMemory], a[amountNodes] = int64(r.CPUs), r.NodeMemory*nodes+r.CPUMemory*int64(r.CPUs), nodes
	clear(a[fixedAmounts:])
	for k, x := range r.GRES {
		a[fixedAmounts+k] = int64(x) * nodes
	}
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
