package sched

import (
	"cmp"
	"slices"
)

// Limits of how many waiting jobs age: the age of the others is 0 until there is room, as Slurm's acct_policy.c
// has it (_get_accrue_limits, _handle_add_accrue). They have no effect with PriorityFlags=ACCRUE_ALWAYS.

// limitsAge reports whether there are any.
func (e *engine) limitsAge() bool { return e.ledger.hasAging && !e.Conf.AccrueAlways }

// letAge lets the age of jobs count as far as limits allow, in the order of slurmctld's records of them: a task of an
// array whose age counts gets a record of its own, and those that wait are behind all others then. slurmctld does so
// whenever it makes a queue, for a main pass or a backfill cycle.
func (e *engine) letAge() {
	if e.judge != nil && e.judge.isTrying { // what is tried is taken back
		return
	}
	slices.SortStableFunc(e.ageless, func(a, b *Job) int { return cmp.Compare(e.record(a), e.record(b)) })
	left := e.ageless[:0]
	for _, j := range e.ageless {
		if j.Start > 0 || j.End > 0 {
			continue
		}
		room, isLimited := e.ledger.roomToAge(j)
		if isLimited && room <= 0 {
			left = append(left, j)
			continue
		}
		if isLimited {
			j.Eligible = e.now
			e.split(j)
		}
		e.ledger.age(j, 1)
	}
	clear(e.ageless[len(left):])
	e.ageless = left
}

// roomToAge returns how many more jobs may age under the limit that counts for a job. The first one that is
// set counts alone: of its QOS, of its association, of the accounts above. A partition's QOS has none.
func (l *Ledger) roomToAge(j *Job) (room int64, isLimited bool) {
	own, q := &l.accounts[j.Association], &l.qos[j.QOS].Limits
	user, account := l.in(j.QOS, ofUser, own.User), l.in(j.QOS, ofAccount, own.Parent)
	switch {
	case q.AllAging != None:
		return q.AllAging - l.byQOS[j.QOS].aging, true
	case q.AccountAging != None:
		return q.AccountAging - account.aging, true
	case q.UserAging != None:
		return q.UserAging - user.aging, true
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		x := &l.accounts[i].Limits
		if x.AllAging != None {
			return x.AllAging - l.byAccount[i].aging, true
		}
		if i == j.Association && x.UserAging != None { // those of accounts, their users have themselves
			return x.UserAging - l.byAccount[i].aging, true
		}
	}
	return 0, false
}

// age counts a job that waits and whose age counts (1), or one that no longer waits (-1).
func (l *Ledger) age(j *Job, sign int64) {
	if is := sign > 0; !l.hasAging || j.isAging == is {
		return
	}
	j.isAging, j.IsAgeless = sign > 0, false
	own := &l.accounts[j.Association]
	for _, t := range []*tally{&l.byQOS[j.QOS], l.in(j.QOS, ofUser, own.User), l.in(j.QOS, ofAccount, own.Parent)} {
		t.aging += sign
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		l.byAccount[i].aging += sign
	}
}
