package setup

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// LimitCheck tells which limit holds a job of the site: it asks the scheduler's ledger, in which the jobs are that run.
// It may be asked by several goroutines.
type LimitCheck struct {
	setup  *sched.Setup
	maker  *JobMaker
	at     int64 // when the site was asked, of a clock that all its times are of; 0 where nothing tells
	swept  int64 // when priorities were computed last
	listed []slurm.ListedJob
	places map[string]int // of those that are listed, by ID

	// What the running jobs of associations and of QOS may still use, as slurmctld counts it, which knows those that
	// are not listed as well.
	usedBy  map[sched.AccountName]managerUsage
	usedQOS map[string]managerUsage

	lock    sync.Mutex // of the ledger, which is made when it is asked first
	ledger  *sched.Ledger
	barrier *sched.Barrier
}

// Holds returns the limit that keeps a job from starting now in a partition and under a QOS; nil for nothing. A rule that keeps it
// out of the partition, and what does so as the site is now, stand in place of the limit. never is what does so for ever where
// something does in all partitions and under all QOS that it names, whatever else runs, as well.
func (l *LimitCheck) Holds(j *slurm.Job, partition, qos string) (limit, never *sched.Limit) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.ledger == nil {
		l.charge()
	}
	n := slurm.ListedJob{Job: *j}
	if at, isListed := l.places[j.ID]; isListed {
		n, n.Job = l.listed[at], *j
	}
	job, _ := l.maker.Listed(&n, l.at)
	at := l.maker.Place(job, partition, qos)
	if job == nil || at.Partition < 0 {
		return nil, nil
	}
	entry := l.setup.EntryOf(job, at)
	limit, never = l.ledger.Holds(entry), l.barrier.Never(job)
	isOfNow := never != nil && never.IsOfNow // in one of its partitions
	if own := l.barrier.In(entry); never != nil && own != nil {
		never = own
	}
	switch {
	case isOfNow:
		return never, nil
	case never == nil: // it may start elsewhere
		limit = cmp.Or(l.setup.KeepsOut(entry), limit)
		if never = l.unplaceable(&n, job); never != nil && never.IsOfNow {
			return never, nil
		}
	}
	if never = l.ledger.InUse(entry, never); never != nil && limit != nil && limit.Name == never.Name {
		limit = never // with what it would have on whole nodes
	}
	return limit, never
}

// QOSOf returns the QOS that a job may be of, as its association has them; nil where nothing tells them, or nobody asks.
func (l *LimitCheck) QOSOf(j *slurm.Job) []string {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.setup.MayUse) == 0 || l.setup.HasNoAccounts() {
		return nil
	}
	l.maker.index()
	name := sched.AccountName{Account: j.Account, User: j.User}
	if len(j.Partitions) > 0 {
		name.Partition = j.Partitions[0]
	}
	if at := l.maker.association(name); at >= 0 && at < len(l.setup.MayUse) && len(l.setup.MayUse[at]) > 0 {
		return l.setup.MayUse[at]
	}
	return nil
}

// unplaceable returns that no nodes have what a job asks for, as far as that is known; nil where they have.
func (l *LimitCheck) unplaceable(n *slurm.ListedJob, job *sched.Job) *sched.Limit {
	if n.CPUs == 0 { // not all that it asks for can be read
		return nil
	}
	if kind := l.maker.MissingGRES(n); kind != "" {
		return sched.LacksGRES(kind)
	}
	return l.barrier.Unplaceable(job)
}

// Under returns what tells which limit holds a job once the set-up, of which it has a copy, is changed.
func (l *LimitCheck) Under(change func(*sched.Setup) error) (*LimitCheck, error) {
	l.lock.Lock()
	changed := l.setup.Clone()
	l.lock.Unlock()
	changed.Suspended, changed.Names = nil, slices.Clip(changed.Names)
	if err := change(changed); err != nil {
		return nil, err
	}
	return &LimitCheck{setup: changed, maker: makerOfEach(changed), at: l.at, swept: l.swept, listed: l.listed, places: l.places, usedBy: l.usedBy, usedQOS: l.usedQOS}, nil
}

// NewOmissions says what is not modelled of what is otherwise than it was.
func (l *LimitCheck) NewOmissions(before *LimitCheck) []diag.Remark {
	return l.setup.NewOmissions(before.setup)
}

// makerOfEach returns a maker of jobs that are asked for once.
func makerOfEach(s *sched.Setup) *JobMaker {
	m := NewJobMaker(s)
	m.requests = nil
	return m
}

// StartsNone reports whether no job of a partition starts, as it is now.
func (l *LimitCheck) StartsNone(partition string) bool {
	at := l.setup.PartitionNamed(partition)
	return at >= 0 && l.setup.Partitions[at].StartsNone()
}

// charge makes the ledger, with the jobs that run and those that are suspended.
func (l *LimitCheck) charge() {
	var running []*sched.Job
	for i := range l.listed {
		n := &l.listed[i]
		if !IsRunning(n.State) && n.State != suspended || n.TRES == nil || l.places[n.ID] != i {
			continue
		}
		job, _ := l.maker.Listed(n, l.at)
		if job == nil {
			continue
		}
		if n.State == suspended {
			l.setup.Suspended = append(l.setup.Suspended, job)
		} else {
			running = append(running, job)
		}
	}
	l.ledger, l.barrier = sched.NewLedger(l.setup), l.setup.Barrier()
	for _, job := range running {
		l.ledger.Charge(job, l.swept)
	}
	for i, name := range l.setup.Names {
		l.leave(l.ledger.LeftOfAccount(i), l.usedBy[name])
	}
	for i := range l.setup.QOS {
		l.leave(l.ledger.LeftOfQOS(i), l.usedQOS[l.setup.QOS[i].Name])
	}
}

// leave sets what running jobs may still use to what slurmctld has counted, where it says so.
func (l *LimitCheck) leave(left []float64, has managerUsage) {
	for name, text := range has.left {
		if i := l.setup.AmountOf(name); i >= 0 {
			left[i] = dump.Number(text, 0) * 60
		}
	}
}

// ReadLimitCheck reads the limits that sacctmgr prints, where the site enforces any, as far as what it prints of the rest
// allows, and says what is not known of them. They are nil where there are none. listed are the jobs of the site, and
// swept is when all priorities were computed last.
func ReadLimitCheck(d *dump.Dump, conf *slurm.Conf, tree *fstree.Associations, listed []slurm.ListedJob, swept time.Time) (*LimitCheck, []diag.Remark) {
	if len(listed) == 0 || listed[0].TRES == nil {
		return nil, nil
	}
	r := &reader{dump: d, tree: tree, setup: &sched.Setup{Conf: conf}, isNow: true, isPartial: true}
	hasLimits := r.readParts(listed)
	if !r.hasAssociations && !r.setup.IsUnlimited {
		r.say(diag.Notef("%s has no sacctmgr -P show assoc: whether limits of associations keep jobs from starting is not known", d.Name))
	}
	if !hasLimits && len(d.Partitions(conf)) == 0 {
		return nil, r.remarks
	}
	r.setup.PreemptType = d.Config("preempttype")
	r.ignoreParameters()
	r.sayLackingColumns()
	r.sayUnknownTRES()
	if len(r.unused) > 0 {
		slices.Sort(r.unused)
		r.say(diag.Warningf("%s has no scontrol show assoc_mgr: whether GrpTRESMins or GrpWall keep jobs from starting is not known of %s", d.Name, report.First(r.unused)))
	}
	l := &LimitCheck{setup: r.setup, maker: makerOfEach(r.setup), listed: listed, places: map[string]int{}, usedBy: r.usedBy, usedQOS: r.usedQOS}
	for i := range listed {
		l.places[listed[i].ID] = i
	}
	reservations, _, _ := d.Reservations(time.UTC) // others have said what is wrong with those
	for i := range reservations {
		r.setup.Reservations = append(r.setup.Reservations, sched.Reservation{Name: reservations[i].Name, ID: int32(i + 1), Guests: reservations[i].Guests})
	}
	taken := d.Taken()
	if taken.IsZero() {
		return l, r.remarks
	}
	l.at = taken.Unix()
	if booted, err := time.Parse(dump.TimeLayout, d.Config("boot_time")); swept.IsZero() && err == nil {
		swept = booted
	}
	if l.swept = l.at; !swept.IsZero() {
		l.swept = sched.LastSweep(conf, l.at, swept.Unix())
	}
	return l, r.remarks
}

// Unmodelled says what of the site is not modelled on which the order of jobs depends or what holds them, and how many
// jobs of its list it concerns.
func (l *LimitCheck) Unmodelled() []diag.Remark {
	return weighListed(l.maker, slurm.OnQueue, l.listed, l.at)
}

// ignoreParameters notes what of the parameters of the scheduler is not modelled: limits do not depend on the others.
func (r *reader) ignoreParameters() {
	of := &reader{dump: r.dump, setup: &sched.Setup{Conf: r.setup.Conf, Cluster: r.setup.Cluster, Version: r.setup.Version}}
	of.readParameters()
	r.setup.Omissions = append(r.setup.Omissions, of.setup.Omissions...)
}

// readParts reads what limits are of from the parts that are there, and adds what the jobs name beside that. It
// reports whether there are QOS or associations.
func (r *reader) readParts(listed []slurm.ListedJob) bool {
	if r.readNodes(r.dump.Records(dump.KindNodes)) != nil {
		r.setup.Cluster, r.setup.Down = &sched.Cluster{}, nil
	}
	_ = r.readPartitions(r.dump.Partitions(r.setup.Conf)) // it lacks the nodes of those whose nodes cannot be read
	r.readRules()
	r.remarks = nil // others have said what is wrong with those
	_, _ = r.readQOS(), r.readAccounts()
	r.remarks = slices.DeleteFunc(r.remarks, func(x diag.Remark) bool { return !x.IsDamage })
	hasLimits := r.hasAssociations || len(r.setup.QOS) > 0
	r.addNamed(listed)
	return hasLimits
}

// addNamed adds the partitions, QOS and associations that jobs name and the parts lack, without limits.
func (r *reader) addNamed(listed []slurm.ListedJob) {
	c := r.setup
	m := NewJobMaker(c)
	m.index()
	hasQOS := len(c.QOS) > 0
	for i := range listed {
		n := &listed[i]
		for _, name := range n.Partitions {
			if m.Partition(name) < 0 {
				m.partitions[name] = len(c.Partitions)
				r.addPartition(name)
			}
		}
		if _, isKnown := m.qos[n.QOS]; !isKnown && !(hasQOS && len(c.QOS) == 1) {
			m.qos[n.QOS] = len(c.QOS)
			c.QOS = append(c.QOS, sched.QOS{Name: n.QOS, Limits: c.Unlimited(), UsageFactor: 1})
		}
		if len(n.Partitions) > 0 && m.association(sched.AccountName{Account: n.Account, User: n.User, Partition: n.Partitions[0]}) < 0 {
			name := sched.AccountName{Account: n.Account, User: n.User}
			m.associations[name] = r.addAccount(name, c.Unlimited(), sched.Usage{})
		}
	}
}

// addPartition adds a partition of which slurm.conf alone may tell something.
func (r *reader) addPartition(name string) {
	c := r.setup
	part := sched.Partition{Name: name, Nodes: sched.NewSet(len(c.Nodes))}
	if of := r.setup.Conf.Partitions[name]; of != nil && of.HasMaxTime() {
		part.MaxTime = int64(of.MaxTime * 60)
	}
	c.Partitions, c.UsualCPUMemory = append(c.Partitions, part), append(c.UsualCPUMemory, 0)
	c.WholeNodes, c.Access = append(c.WholeNodes, false), append(c.Access, sched.Access{})
	if c.PartitionQOS != nil {
		c.PartitionQOS = append(c.PartitionQOS, -1)
	}
}

// addAccount adds an association that the tree lacks, of which nothing tells what is above its account, and returns
// its place.
func (r *reader) addAccount(name sched.AccountName, l sched.Limits, used sched.Usage) int {
	c := r.setup
	a := sched.Account{Parent: -1, User: -1, Limits: l, Used: used}
	if name.User != "" {
		above := sched.AccountName{Account: name.Account}
		if a.Parent = slices.Index(c.Names, above); a.Parent < 0 {
			a.Parent = r.addAccount(above, c.Unlimited(), sched.Usage{})
		}
		a.User = r.userNumber(name.User)
	}
	c.Accounts, c.Names = append(c.Accounts, a), append(c.Names, name)
	return len(c.Names) - 1
}

// enforcesLimits reports whether the site enforces limits, and says so where it does not, or where its configuration does not tell it:
// then it does if Slurm says of any job that it waits for one.
func (r *reader) enforcesLimits() bool {
	if isEnforced(r.dump) {
		return true
	}
	if len(r.dump.All(dump.KindConfig))+len(r.dump.All(dump.KindConf)) > 0 {
		r.say(diag.Generalf("AccountingStorageEnforce has no limits: those of QOS and associations keep no job from starting"))
		return false
	}
	listed, _, _ := r.dump.Jobs()
	isHeld := slices.ContainsFunc(listed, func(n slurm.ListedJob) bool { return n.State == "PENDING" && slurm.ReasonNamed(n.Reason).IsOfLimit() })
	const unknown = "whether limits are enforced is not known (AccountingStorageEnforce in scontrol show config)"
	if isHeld {
		r.say(diag.Notef("%s: they are taken to be, since Slurm says that jobs wait for some", unknown))
	} else {
		r.say(diag.Notef("%s: those of QOS and associations are taken to keep no job from starting", unknown))
	}
	return isHeld
}

// isEnforced reports whether slurmctld enforces limits.
func isEnforced(d *dump.Dump) bool {
	value := strings.ToLower(d.Config("accountingstorageenforce"))
	return strings.Contains(value, "limits") || strings.Contains(value, "safe") || value == "all"
}

// enforcesQOS reports whether slurmctld lets jobs be of the QOS of their associations alone.
func enforcesQOS(d *dump.Dump) bool {
	value := strings.ToLower(d.Config("accountingstorageenforce"))
	return strings.Contains(value, "qos") || value == "all"
}

// isSafe reports whether slurmctld starts no job that may use more minutes than GrpTRESMins.
func isSafe(d *dump.Dump) bool {
	value := strings.ToLower(d.Config("accountingstorageenforce"))
	return strings.Contains(value, "safe") || value == "all"
}
