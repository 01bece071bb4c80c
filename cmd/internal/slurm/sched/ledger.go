package sched

import (
	"cmp"
	"slices"
	"strings"
)

// Account is an association: an account, or a user in one.
type Account struct {
	Parent int // -1 for the root
	User   int // -1 for an account
	Limits Limits
	Used   Usage // at the beginning
}

// QOS is a quality of service.
type QOS struct {
	Name        string
	Limits      Limits
	Priority    float64
	UsageFactor float64 // of a second of its jobs
	Used        Usage   // at the beginning

	LimitFactor float64 // by which GrpTRES and MaxTRES of associations count for its jobs, 0 for none

	IsOver  bool // OverPartQOS: its limits come before those of a partition's QOS
	NoDecay bool // what its jobs have used does not decay
	IsSafe  bool // UsageFactorSafe: how long a job may run counts with UsageFactor

	IsLong    bool // PartitionTimeLimit: its jobs may have longer time limits than MaxTime of their partition
	IsWide    bool // PartitionMaxNodes: its jobs may have more nodes than MaxNodes of their partition
	IsNarrow  bool // PartitionMinNodes: and fewer than MinNodes
	NoReserve bool // its jobs get no plans
	IsDenying bool // DenyOnLimit: a job that is over a limit by itself is refused

	Preempts []string // the QOS whose jobs its jobs may preempt

	PreemptMode   PreemptMode // what becomes of its jobs that are preempted
	PreemptExempt int64       // for how many seconds they are left alone after their start, 0 for as long as slurm.conf says
	Grace         int64       // for how many seconds they go on then
}

// QOSNames returns the names of some QOS, in their order: what jobs name that may run under one of several is the name of none.
func QOSNames(list []QOS) (names []string) {
	for i := range list {
		if !strings.Contains(list[i].Name, ",") {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// Usage is what jobs have used, in seconds, with the UsageFactor of their QOS. TRES is by the resources
// of Amounts, nil for nothing.
type Usage struct {
	TRES []float64
	Wall float64
}

// Ledger holds what running jobs have, as limits count it, and what jobs have used.
type Ledger struct {
	setup        *Setup
	accounts     []Account
	qos          []QOS
	partitionQOS []int
	kinds        int
	isSafe       bool
	nodes        []Node
	types        [][]int // of each kind of GRES, those that are a type of it: of gpu, gpu:a100
	isMetered    bool    // whether any limit is of what jobs use over time
	hasNodes     bool    // whether any limit is of the nodes that jobs have
	hasJobs      bool    // whether any limit is of jobs that run
	hasSubmit    bool    // whether any limit is of jobs that are submitted
	hasAging     bool    // whether any limit is of jobs whose age counts

	isWallFactored bool

	threshold    Threshold
	hasThreshold bool // whether any limit is of who holds up others

	licences []Licence
	licensed []int64 // that running jobs have, by licences

	byAccount    []tally
	byQOS        []tally
	tallies      map[[3]int]*tally  // by QOS, and by user or account in it
	runningTasks map[int32]int32    // by array
	bounds       map[[3]int]*bounds // by partition, QOS and association
	amounts      Amounts            // see amountsOf
	placed       []Share            // see amountsOf
}

// tally is what some jobs have and have used.
type tally struct {
	jobs  int64
	came  int64   // jobs that wait or run
	aging int64   // jobs that wait and whose age counts
	tres  Amounts // of running jobs; nodes that several have count once
	on    []int32 // by node, how many of the jobs run there; nil where no limit is of nodes
	used  Usage
	left  []float64 // seconds of tres that running jobs may still use
}

// level is a QOS or an association that limits a job.
type level struct {
	setup   *Setup
	limits  Limits // that count: none that a level before it sets
	checks  []check
	qos     string // its name, "" for an association
	whose   int    // the association's place
	noDecay bool
	all     *tally   // of all jobs under it
	user    *tally   // of those of the job's user; all for an association
	account *tally   // of those of the job's account; nil for an association
	tallies []*tally // those of the three that differ
}

// bounds are what limits the jobs of an association in a partition and a QOS.
type bounds struct {
	ledger                      *Ledger
	partition, qos, association int
	levels                      []level
	ceilings                    []ceiling    // of the levels, in the order in which they are asked for
	checks                      []levelCheck // of the levels, likewise
}

// NewLedger returns a ledger in which no job runs; those that are suspended are in it.
func NewLedger(s *Setup) *Ledger {
	l := &Ledger{setup: s, accounts: s.Accounts, qos: s.QOS, partitionQOS: s.PartitionQOS, kinds: len(s.GRES) + len(s.Others), nodes: s.Nodes, isSafe: s.IsSafe, isWallFactored: s.IsOlderThan(22, 6),
		threshold: s.Threshold, licences: s.Licences, licensed: make([]int64, len(s.Licences)),
		tallies: map[[3]int]*tally{}, runningTasks: map[int32]int32{}, bounds: map[[3]int]*bounds{}}
	if s.IsOlderThan(24, 5) { // which does not know them
		l.qos = slices.Clone(s.QOS)
		for i := range l.qos {
			l.qos[i].Limits.UserRunMinutes, l.qos[i].Limits.AccountRunMinutes = nil, nil
		}
	}
	l.amounts = make(Amounts, fixedAmounts+l.kinds)
	for _, kind := range s.GRES {
		var types []int
		for t, name := range s.GRES {
			if strings.HasPrefix(name, kind+":") {
				types = append(types, t)
			}
		}
		l.types = append(l.types, types)
	}
	for i := range s.Accounts {
		l.look(&s.Accounts[i].Limits)
	}
	for i := range s.QOS {
		l.look(&s.QOS[i].Limits)
	}
	for i := range s.Accounts {
		l.byAccount = append(l.byAccount, *l.newTally(s.Accounts[i].Used))
	}
	for i := range s.QOS {
		l.byQOS = append(l.byQOS, *l.newTally(s.QOS[i].Used))
	}
	for _, j := range s.Suspended {
		of := *j // which other ledgers charge as well
		l.Charge(&of, of.Start)
	}
	return l
}

// look notes what has to be counted for some limits.
func (l *Ledger) look(x *Limits) {
	isOfNodes := func(a Amounts) bool { return a != nil && a[amountNodes] != None }
	l.isMetered = l.isMetered || x.isMetered()
	l.hasNodes = l.hasNodes || isOfNodes(x.AllTRES) || isOfNodes(x.UserTRES) || isOfNodes(x.AccountTRES)
	l.hasJobs = l.hasJobs || min(x.UserJobs, x.AccountJobs, x.AllJobs) != None
	l.hasSubmit = l.hasSubmit || min(x.UserSubmit, x.AccountSubmit, x.AllSubmit) != None
	l.hasThreshold = l.hasThreshold || x.LeastPriority != None
	l.hasAging = l.hasAging || min(x.UserAging, x.AccountAging, x.AllAging) != None
}

func (l *Ledger) newTally(used Usage) *tally {
	n := fixedAmounts + l.kinds
	t := &tally{tres: make(Amounts, n), left: make([]float64, n), used: Usage{make([]float64, n), used.Wall}}
	copy(t.used.TRES, used.TRES)
	if l.hasNodes {
		t.on = make([]int32, len(l.nodes))
	}
	return t
}

// Who has a tally of their own in a QOS.
const (
	ofUser = iota
	ofAccount
)

// in returns the tally of a user or an account in a QOS.
func (l *Ledger) in(qos, who, number int) *tally {
	key := [3]int{qos, who, number}
	if l.tallies[key] == nil {
		l.tallies[key] = l.newTally(Usage{})
	}
	return l.tallies[key]
}

// of returns the levels that limit a job, those that come first first: the QOS of its partition, its
// own (before that with OverPartQOS), and the associations from its own to the root.
func (l *Ledger) of(j *Job) []level { return l.boundsOf(j).levels }

// boundsOf returns what limits a job.
func (l *Ledger) boundsOf(j *Job) *bounds {
	if b := j.bounds; b != nil && b.ledger == l && b.partition == j.Partition && b.qos == j.QOS && b.association == j.Association {
		return b
	}
	key := [3]int{j.Partition, j.QOS, j.Association}
	if j.bounds = l.bounds[key]; j.bounds == nil {
		levels := l.levelsOf(j)
		j.bounds = &bounds{l, j.Partition, j.QOS, j.Association, levels, ceilings(levels), checks(levels)}
		l.bounds[key] = j.bounds
	}
	return j.bounds
}

// levelsOf is of, where it is not known yet.
func (l *Ledger) levelsOf(j *Job) (list []level) {
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
		list = append(list, newLevel(level{setup: l.setup, limits: q.Limits.without(&set), qos: q.Name, noDecay: q.NoDecay, all: &l.byQOS[i], user: l.in(i, ofUser, own.User), account: l.in(i, ofAccount, own.Parent)}))
		set = set.with(q.Limits)
	}
	if set.AccountJobs != None { // which stands for MaxJobs of an association as well
		set.UserJobs = set.AccountJobs
	}
	if set.AccountSubmit != None { // and this one for MaxSubmit
		set.UserSubmit = set.AccountSubmit
	}
	factor := 0.0
	for _, i := range slices.Backward(chain) {
		factor = cmp.Or(l.qos[i].LimitFactor, factor)
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		limits := l.accounts[i].Limits
		limits.UserTRES, limits.AccountTRES, limits.LeastTRES, limits.UserRunMinutes, limits.AccountRunMinutes = nil, nil, nil, nil, nil // which it has not
		limits.AccountJobs, limits.AccountSubmit = None, None
		if factor > 0 {
			limits.scale(factor)
		}
		if i != j.Association {
			limits = limits.ofParent(l.accounts[i].Parent < 0)
		}
		list = append(list, newLevel(level{setup: l.setup, limits: limits.without(&set), whose: i, all: &l.byAccount[i], user: &l.byAccount[i]}))
	}
	return list
}

// Charge puts a running job into the ledger, of which a sweep has counted what it had used until some time.
func (l *Ledger) Charge(j *Job, swept int64) {
	j.left = float64(max(0, j.Limit-max(0, swept-j.Start)))
	l.count(j, 1)
}

// LeftOfAccount returns the seconds of each amount that the running jobs of an association may still use: whoever knows
// of jobs that are not charged may set them.
func (l *Ledger) LeftOfAccount(i int) []float64 { return l.byAccount[i].left }

// LeftOfQOS returns the same of a QOS.
func (l *Ledger) LeftOfQOS(i int) []float64 { return l.byQOS[i].left }

// count puts a job that starts (1) or ends (-1) into the ledger.
func (l *Ledger) count(j *Job, sign int64) {
	a := l.given(j)
	if j.Throttle != 0 {
		l.runningTasks[j.Array] += int32(sign)
	}
	for i, n := range j.Licences {
		l.licensed[i] += sign * n
	}
	levels := l.of(j)
	for i := range levels {
		for _, t := range levels[i].tallies {
			t.add(a, j.Shares, sign)
			if l.isMetered {
				t.leave(a, float64(sign)*j.left*l.qos[j.QOS].UsageFactor)
			}
		}
	}
}

// add adds a job that starts (1), or takes out one that ends (-1). Nodes that others have as well count once
// (Slurm's acct_policy.c, _add_usage_node_bitmap).
func (t *tally) add(a Amounts, shares []Share, sign int64) {
	t.jobs += sign
	for i := range a {
		if i != amountNodes {
			t.tres[i] += sign * a[i]
		}
	}
	if t.on == nil {
		return
	}
	for _, s := range shares {
		was := t.on[s.Node] > 0
		t.on[s.Node] += int32(sign)
		if is := t.on[s.Node] > 0; is != was {
			t.tres[amountNodes] += sign
		}
	}
}

// leave changes how long running jobs may still use amounts.
func (t *tally) leave(a Amounts, seconds float64) {
	for i := range a {
		t.left[i] += seconds * float64(a[i])
	}
}

// use charges seconds of a running job, of which a part is left by then.
func (l *Ledger) use(j *Job, seconds, left float64) {
	if !l.isMetered {
		return
	}
	a := l.given(j)
	ran := min(seconds, j.left)
	j.left -= ran
	used := seconds * l.qos[j.QOS].UsageFactor
	decayed := used * left
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
		for _, t := range v.tallies {
			t.leave(a, -ran*l.qos[j.QOS].UsageFactor)
		}
	}
}

// decay lets what has been used decay by a factor.
func (l *Ledger) decay(factor float64) {
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

func (u *Usage) decay(factor float64) {
	u.Wall *= factor
	for i := range u.TRES {
		u.TRES[i] *= factor
	}
}
