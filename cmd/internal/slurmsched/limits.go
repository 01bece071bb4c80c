package slurmsched

import (
	"math"
	"slices"
)

// None is a limit that is not set.
const None = math.MaxInt64

// Limits are those of a QOS or of an association, None where one is not set. Amounts are by the
// resources of Amounts.
type Limits struct {
	MaxWall int64 // seconds that a job may ask for

	JobTRES  Amounts // MaxTRES: of one job
	UserTRES Amounts // MaxTRESPerUser: of a user's running jobs
	AllTRES  Amounts // GrpTRES: of all running jobs

	JobMinutes Amounts // MaxTRESMins: of one job, by its time limit; nil for none

	UserJobs int64 // MaxJobsPerUser of a QOS, MaxJobs of an association
	AllJobs  int64 // GrpJobs
}

// Unlimited returns limits that limit nothing.
func Unlimited(kinds int) Limits {
	none := make(Amounts, fixedAmounts+kinds)
	for i := range none {
		none[i] = None
	}
	return Limits{MaxWall: None, JobTRES: none, UserTRES: none, AllTRES: none, UserJobs: None, AllJobs: None}
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

// Account is an association: an account, or a user in one.
type Account struct {
	Parent int // -1 for the root
	User   int // -1 for an account
	Limits Limits
}

// QOS is a quality of service.
type QOS struct {
	Name        string
	Limits      Limits
	Priority    float64
	UsageFactor float64 // of a second of its jobs
}

// ledger holds what running jobs have, as limits count it.
type ledger struct {
	accounts []Account
	qos      []QOS
	kinds    int

	byAccount []tally
	byQOS     []tally
	byUser    []*tally // by QOS, then by user; nil where none has run
	users     int
	amounts   Amounts       // see amountsOf
	together  map[int]int32 // jobs of arrays
}

// tally is what some running jobs have.
type tally struct {
	jobs int64
	tres Amounts
}

func (t *tally) add(a Amounts, sign int64) {
	t.jobs += sign
	for i := range a {
		t.tres[i] += sign * a[i]
	}
}

// newLedger returns a ledger without running jobs.
func newLedger(accounts []Account, qos []QOS, kinds int) *ledger {
	l := &ledger{accounts: accounts, qos: qos, kinds: kinds, amounts: make(Amounts, fixedAmounts+kinds), together: map[int]int32{}}
	for _, a := range accounts {
		l.users = max(l.users, a.User+2) // -1 stands for an account
	}
	l.byUser = make([]*tally, len(qos)*l.users)
	for range accounts {
		l.byAccount = append(l.byAccount, tally{tres: make(Amounts, fixedAmounts+kinds)})
	}
	for range qos {
		l.byQOS = append(l.byQOS, tally{tres: make(Amounts, fixedAmounts+kinds)})
	}
	return l
}

// user returns what a user's jobs of a QOS have.
func (l *ledger) user(qos, association int) *tally {
	t := &l.byUser[qos*l.users+l.accounts[association].User+1]
	if *t == nil {
		*t = &tally{tres: make(Amounts, fixedAmounts+l.kinds)}
	}
	return *t
}

// count puts a job that starts (1) or ends (-1) into the ledger.
func (l *ledger) count(j *Job, sign int64) {
	a := l.amountsOf(j.Request, j.Shares)
	l.byQOS[j.QOS].add(a, sign)
	l.user(j.QOS, j.Association).add(a, sign)
	if j.Array != 0 {
		l.together[j.Array] += int32(sign)
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		l.byAccount[i].add(a, sign)
	}
}

// admits reports whether limits allow a job that does not depend on where it runs: how many jobs
// run, and how long it may run.
func (l *ledger) admits(j *Job) bool {
	q := &l.qos[j.QOS].Limits
	if j.Together > 0 && l.together[j.Array] >= j.Together {
		return false
	}
	if j.Limit > q.MaxWall || l.byQOS[j.QOS].jobs >= q.AllJobs || l.user(j.QOS, j.Association).jobs >= q.UserJobs {
		return false
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		x := &l.accounts[i].Limits
		if l.byAccount[i].jobs >= x.AllJobs || i == j.Association && (j.Limit > x.MaxWall || l.byAccount[i].jobs >= x.UserJobs) {
			return false
		}
	}
	return true
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

// affords reports whether limits allow what a job would have.
func (l *ledger) affords(j *Job, a Amounts) bool {
	q := &l.qos[j.QOS].Limits
	for _, x := range []*Limits{q, &l.accounts[j.Association].Limits} {
		if x.JobMinutes != nil && a.minutes(j).above(x.JobMinutes, nil) {
			return false
		}
	}
	if a.above(q.JobTRES, nil) || a.above(q.AllTRES, l.byQOS[j.QOS].tres) || a.above(q.UserTRES, l.user(j.QOS, j.Association).tres) {
		return false
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		x := &l.accounts[i].Limits
		if a.above(x.AllTRES, l.byAccount[i].tres) || i == j.Association && a.above(x.JobTRES, nil) {
			return false
		}
	}
	return true
}

// minutes returns what a job uses of amounts until its time limit.
func (a Amounts) minutes(j *Job) Amounts {
	const minute = 60
	used := slices.Clone(a)
	for i := range used {
		used[i] *= j.Limit / minute
	}
	return used
}

// above reports whether amounts, with what is in use already, are above a limit.
func (a Amounts) above(limit, used Amounts) bool { return a.firstAbove(limit, used) >= 0 }

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
