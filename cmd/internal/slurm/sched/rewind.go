package sched

import (
	"cmp"
	"iter"
	"slices"
)

// RecordedUse is a run as it was recorded, of a job that has the partition, the QOS and the association under which it ran.
type RecordedUse struct {
	Job        *Job
	Given      Amounts // what limits of use count of it, nil where nothing tells it
	Start, End int64   // End is 0 where it goes on
}

// Rewound says how what a site had used at the begin of a record was found.
type Rewound struct {
	Weight float64 // for how much usage at the begin a unit of what is printed stands, 1 without decay: so often counts there what is off
	Over   float64 // what the record has more than that, as a part of all that users have
	Whose  []int   // the associations of users of whom it has more, the one with most of it first
}

// exact is the part of what is added up of a user's runs by which that may be off.
const exact = 0.002

// Rewind makes what a set-up has used, which slurmctld printed at some time, that of the begin of a record, be it before that or after: what the
// runs of the record have added in between is taken away, and decay undone. What comes out below 0, or so near to it as that may be off, is 0.
func (s *Setup) Rewind(runs iter.Seq[RecordedUse], begin, printed, swept int64) Rewound {
	last := LastSweep(s.Conf, printed, swept)
	remains := s.Decay(last - begin) // more than 1 where it was printed before
	added, budgets := make([]float64, len(s.Tree)), newBudgets(s)
	for run := range runs {
		start, end := max(run.Start, begin), run.End
		if run.Start == 0 || start >= printed || end != 0 && end <= start {
			continue
		}
		second := s.Used(&Job{QOS: run.Job.QOS, Billing: 1}, start, end, printed, swept)
		used := second * run.Job.Billing
		for i := int32(run.Job.Association); i >= 0; i = s.Tree[i].Parent {
			added[i] += used
		}
		if end == 0 || end > printed {
			end = last
		}
		budgets.take(run, second, float64(end-start))
	}
	budgets.rewind(remains)
	tree, of := slices.Clone(s.Tree), Rewound{Weight: 1 / remains}
	rest := make([]float64, len(tree))
	for i := range tree {
		rest[i] = tree[i].Usage - added[i]
	}
	all := 0.
	for i := range tree {
		if !tree[i].User {
			continue
		}
		all += tree[i].Usage
		more := -rest[i]
		if more < -exact*added[i] {
			continue
		}
		if more > exact*added[i] {
			of.Over, of.Whose = of.Over+more, append(of.Whose, i)
		}
		rest[i] = 0 // or as good as that
		for above := tree[i].Parent; above >= 0; above = tree[above].Parent {
			rest[above] += more // as if it had not run so much
		}
	}
	of.Over /= max(all, of.Over, 1)
	slices.SortStableFunc(of.Whose, func(a, b int) int { return cmp.Compare(tree[a].Usage-added[a], tree[b].Usage-added[b]) })
	for i := range tree {
		tree[i].Usage = max(0, rest[i]) / remains
	}
	s.Tree = tree
	return of
}

// budgets are what has been used of limits of use. It is nil where nothing tells it.
type budgets struct {
	setup  *Setup
	ledger *Ledger
}

func newBudgets(s *Setup) *budgets {
	if !s.CountsUse() {
		return nil
	}
	return &budgets{s, NewLedger(s)}
}

// CountsUse reports whether it is told what associations or QOS have used of what limits may count (scontrol show assoc_mgr).
func (s *Setup) CountsUse() bool {
	return slices.ContainsFunc(s.Accounts, func(a Account) bool { return a.Used.TRES != nil }) || slices.ContainsFunc(s.QOS, func(q QOS) bool { return q.Used.TRES != nil })
}

// take takes a run out of them that ran for some seconds, and of what decayed since.
func (b *budgets) take(run RecordedUse, decayed, seconds float64) {
	if b == nil || run.Given == nil || run.Job.Partition < 0 || seconds <= 0 {
		return
	}
	levels := b.ledger.of(run.Job)
	for i := range levels {
		v := &levels[i]
		seconds := seconds * b.setup.QOS[run.Job.QOS].UsageFactor
		if !v.noDecay {
			seconds = decayed
		}
		v.all.used.Wall -= seconds
		for k := range run.Given {
			v.all.used.TRES[k] -= seconds * float64(run.Given[k])
		}
	}
}

// rewind makes what is left of them that of the begin, of which so much remains.
func (b *budgets) rewind(remains float64) {
	if b == nil {
		return
	}
	of := func(was Usage, t *tally, remains float64) Usage {
		if was.TRES == nil { // which nothing tells
			return was
		}
		is := Usage{Wall: max(0, t.used.Wall) / remains}
		for _, x := range t.used.TRES {
			is.TRES = append(is.TRES, max(0, x)/remains)
		}
		return is
	}
	s := b.setup
	s.Accounts, s.QOS = slices.Clone(s.Accounts), slices.Clone(s.QOS)
	for i := range s.Accounts {
		s.Accounts[i].Used = of(s.Accounts[i].Used, &b.ledger.byAccount[i], remains)
	}
	for i := range s.QOS {
		if s.QOS[i].NoDecay {
			s.QOS[i].Used = of(s.QOS[i].Used, &b.ledger.byQOS[i], 1)
		} else {
			s.QOS[i].Used = of(s.QOS[i].Used, &b.ledger.byQOS[i], remains)
		}
	}
}
