package slurmsched

import "math"

// Account is an association: an account, or a user in one.
type Account struct {
	Parent int // -1 for the root
	User   int // -1 for an account
	Limits Limits
	Used   Used // at the beginning
}

// QOS is a quality of service.
type QOS struct {
	Name        string
	Limits      Limits
	Priority    float64
	UsageFactor float64 // of a second of its jobs
	Used        Used    // at the beginning

	IsOver  bool // OverPartQOS: its limits come before those of a partition's QOS
	NoDecay bool // what its jobs have used does not decay
	IsSafe  bool // UsageFactorSafe: what a job may use counts with UsageFactor
}

// Used is what jobs have used, in seconds, with the UsageFactor of their QOS. TRES is by the resources
// of Amounts, nil for nothing.
type Used struct {
	TRES []float64
	Wall float64
}

// ledger holds what running jobs have, as limits count it, and what jobs have used.
type ledger struct {
	accounts     []Account
	qos          []QOS
	partitionQOS []int
	kinds        int
	isSafe       bool
	isMetered    bool // whether any limit is of what jobs use over time

	byAccount []tally
	byQOS     []tally
	within    map[[3]int]*tally // by QOS, and by user or account in it
	together  map[int]int32     // jobs of arrays
	levels    map[[3]int][]level
	amounts   Amounts // see amountsOf
}

// tally is what some jobs have and have used.
type tally struct {
	jobs int64
	tres Amounts // of running jobs
	used Used
	left []float64 // seconds of tres that running jobs may still use
}

// level is a QOS or an association that limits a job.
type level struct {
	limits  Limits // that count: none that a level before it sets
	checks  []check
	qos     string // its name, "" for an association
	noDecay bool
	all     *tally // of all jobs under it
	user    *tally // of those of the job's user; all for an association
	account *tally // of those of the job's account; nil for an association
}

// newLedger returns a ledger without running jobs.
func newLedger(s *Setup) *ledger {
	l := &ledger{accounts: s.Accounts, qos: s.QOS, partitionQOS: s.PartitionQOS, kinds: len(s.GRES), isSafe: s.IsSafe, within: map[[3]int]*tally{}, together: map[int]int32{}, levels: map[[3]int][]level{}}
	l.amounts = make(Amounts, fixedAmounts+l.kinds)
	for i := range s.Accounts {
		l.byAccount = append(l.byAccount, *l.newTally(s.Accounts[i].Used))
		l.isMetered = l.isMetered || s.Accounts[i].Limits.isMetered()
	}
	for i := range s.QOS {
		l.byQOS = append(l.byQOS, *l.newTally(s.QOS[i].Used))
		l.isMetered = l.isMetered || s.QOS[i].Limits.isMetered()
	}
	return l
}

func (l *ledger) newTally(used Used) *tally {
	n := fixedAmounts + l.kinds
	t := &tally{tres: make(Amounts, n), left: make([]float64, n), used: Used{make([]float64, n), used.Wall}}
	copy(t.used.TRES, used.TRES)
	return t
}

// Who has a tally of their own in a QOS.
const (
	ofUser = iota
	ofAccount
)

// in returns the tally of a user or an account in a QOS.
func (l *ledger) in(qos, who, number int) *tally {
	key := [3]int{qos, who, number}
	if l.within[key] == nil {
		l.within[key] = l.newTally(Used{})
	}
	return l.within[key]
}

// of returns the levels that limit a job, those that come first first: the QOS of its partition, its
// own (before that with OverPartQOS), and the associations from its own to the root.
func (l *ledger) of(j *Job) []level {
	key := [3]int{j.Partition, j.QOS, j.Association}
	list, isKnown := l.levels[key]
	if isKnown {
		return list
	}
	chain := []int{j.QOS}
	if l.partitionQOS != nil {
		switch part := l.partitionQOS[j.Partition]; {
		case part < 0 || part == j.QOS:
		case l.qos[j.QOS].IsOver:
			chain = []int{j.QOS, part}
		default:
			chain = []int{part, j.QOS}
		}
	}
	set := Unlimited(l.kinds)
	own := &l.accounts[j.Association]
	for _, i := range chain {
		q := &l.qos[i]
		list = append(list, newLevel(level{limits: q.Limits.without(&set), qos: q.Name, noDecay: q.NoDecay, all: &l.byQOS[i], user: l.in(i, ofUser, own.User), account: l.in(i, ofAccount, own.Parent)}))
		set = set.with(q.Limits)
	}
	if set.AccountJobs != None { // which stands for MaxJobs of an association as well
		set.UserJobs = set.AccountJobs
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		limits := l.accounts[i].Limits
		limits.UserTRES, limits.AccountTRES, limits.LeastTRES, limits.AccountJobs = nil, nil, nil, None // which it has not
		if i != j.Association {
			limits = limits.ofParent(l.accounts[i].Parent < 0)
		}
		list = append(list, newLevel(level{limits: limits.without(&set), all: &l.byAccount[i], user: &l.byAccount[i]}))
	}
	l.levels[key] = list
	return list
}

// count puts a job that starts (1) or ends (-1) into the ledger.
func (l *ledger) count(j *Job, sign int64) {
	a := l.amountsOf(j.Request, j.Shares)
	if j.Array != 0 {
		l.together[j.Array] += int32(sign)
	}
	levels := l.of(j)
	for i := range levels {
		v := &levels[i]
		v.all.add(a, sign)
		if v.qos != "" {
			v.user.add(a, sign)
			v.account.add(a, sign)
		}
		if l.isMetered {
			v.all.leave(a, float64(sign)*j.left*l.qos[j.QOS].UsageFactor)
		}
	}
}

func (t *tally) add(a Amounts, sign int64) {
	t.jobs += sign
	for i := range a {
		t.tres[i] += sign * a[i]
	}
}

// leave changes how long running jobs may still use amounts.
func (t *tally) leave(a Amounts, seconds float64) {
	for i := range a {
		t.left[i] += seconds * float64(a[i])
	}
}

// use charges seconds of a running job, of which each decays by a factor.
func (l *ledger) use(j *Job, seconds, factor float64) {
	if !l.isMetered {
		return
	}
	a := l.amountsOf(j.Request, j.Shares)
	ran := min(seconds, j.left)
	j.left -= ran
	used := seconds * l.qos[j.QOS].UsageFactor
	decayed := used * math.Pow(factor, seconds)
	levels := l.of(j)
	for i := range levels {
		v := &levels[i]
		seconds := decayed
		if v.noDecay {
			seconds = used
		}
		v.all.used.Wall += seconds
		for k := range a {
			v.all.used.TRES[k] += seconds * float64(a[k])
		}
		v.all.leave(a, -ran*l.qos[j.QOS].UsageFactor)
	}
}

// decay lets what has been used decay by a factor.
func (l *ledger) decay(factor float64) {
	if !l.isMetered {
		return
	}
	for i := range l.byAccount {
		l.byAccount[i].used.decay(factor)
	}
	for i := range l.byQOS {
		if !l.qos[i].NoDecay {
			l.byQOS[i].used.decay(factor)
		}
	}
}

func (u *Used) decay(factor float64) {
	u.Wall *= factor
	for i := range u.TRES {
		u.TRES[i] *= factor
	}
}
