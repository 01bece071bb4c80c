// Package order is the queue of a Slurm site at one moment: it puts the jobs into the order in which Slurm considers
// them, and says why each has its place.
package order

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/fstree"
)

// Site is a Slurm site at one moment.
type Site struct {
	Name    string
	Remarks []diag.Remark

	Conf    *slurm.Conf
	Jobs    []slurm.Job
	Stored  []dump.StoredPriority // what sprio lists, nil where there is none
	Weights map[string]float64    // of the terms, as sprio -w prints them; nil where it does not
	Tree    *fstree.Associations  // with the usage of the last sweep, nil where it is not known
	QOS     map[string]float64    // priorities by name, nil where they are not known
	Taken   time.Time             // when the site was asked
	Version string                // of Slurm, such as 24.11; "" where nothing tells it
	Swept   time.Time             // when all priorities were computed last, zero where nothing tells

	isHalving  bool   // whether the half-life of usage is given where nothing tells the configuration
	lacksConf  string // what of the configuration nothing tells, so that no priority is computed
	isAsListed bool   // whether squeue's own order alone tells where jobs stand, within each partition
	isOfSome   bool   // whether the list may lack the jobs of others
	isOfSprio  bool   // whether it may, and ranks are those among the jobs that sprio has
	isChosen   bool   // whether sprio lists some jobs alone, whose terms it tells, see findChosen

	newest  *fstree.Associations  // Tree with the usage of now
	newer   []diag.Remark         // on what differs between the two, where no remark is
	rounded int                   // how many terms of a priority are taken from sprio, see Row.Rounded
	hasQOS  bool                  // whether the tables of QOS are known, or the site has none
	printed map[[2]string]float64 // FairShare by account and user, as sshare or sprio prints it
	cut     *accounts.CutError    // with what sshare prints of a tree that is not whole, nil where there is a whole one or none
	factors map[string]float64    // QOS factors as sprio prints them, where QOS are not known

	assoc      *setup.AssociationPriorities // nil where nothing tells them
	preemption Preemption
	precedence *sched.Precedence // by the preemption
	magnets    magnets
	closed     map[string]bool  // whether nothing starts in a partition, by all that scontrol prints
	raised     map[string]int32 // by job, the CPUs of each of its tasks where MaxMemPerCPU has raised them

	Unseen Unseen // what is in use by jobs that the list lacks

	limits     *setup.LimitCheck          // nil where they are not known or not enforced
	counts     func(resource string) bool // whether AccountingStorageTRES has a resource
	unmodelled []diag.Remark              // what is not modelled of the order and of what holds jobs, which is among the remarks
}

// lacksJobs is what a site lacks that has no jobs.
const lacksJobs = "the jobs: scontrol show job, squeue or sprio -l tells them"

// Describe says where the site comes from, and of when it is.
func (s *Site) Describe() string {
	if s.Taken.IsZero() {
		return s.Name
	}
	return s.Name + ", of " + s.Taken.Format(dump.TimeLayout)
}

func (s *Site) say(r diag.Remark) { s.Remarks = append(s.Remarks, r) }

// Open returns the site that a folder or an archive holds.
func Open(name string) (*Site, error) {
	d, err := dump.Open(name)
	if err != nil {
		return &Site{Name: name, Remarks: d.Remarks}, err
	}
	return New(d)
}

// IdleWeights says which weights of PriorityWeightTRES add nothing, whatever a job asks for.
func (s *Site) IdleWeights() []string {
	if list := setup.Uncounted(s.Conf, s.counts); list != nil {
		return list
	}
	return s.Conf.Idle()
}

// LacksConf returns what the site lacks for its configuration, so that no priority can be computed, "" where it is known.
func (s *Site) LacksConf() string { return s.lacksConf }

// Halving returns a site of which nothing tells the configuration with the half-life of its usage, as slurm.conf would set it.
func (s *Site) Halving(halfLife string) (*Site, error) {
	of := *s
	of.Conf, of.isHalving = s.Conf.Clone(), true
	_, err := of.Conf.Set("PriorityDecayHalfLife", halfLife)
	return &of, err
}

// New returns the site that has printed something. Its Remarks are there beside an error as well.
func New(d *dump.Dump) (*Site, error) {
	s := &Site{Name: d.Name, Remarks: slices.Concat(d.Remarks, d.Denied(), d.Cut(), d.Unread()), Taken: d.Taken()}
	version, unknown := sched.ParseVersion(d.Config("slurm_version"))
	if unknown == nil {
		s.Version = sched.VersionText(version)
	}
	conf, remarks, err := d.Conf()
	lacks := (*dump.MissingError)(nil)
	if errors.As(err, &lacks) && len(d.All(dump.KindPriorities))+len(d.All(dump.KindQueue))+len(d.All(dump.KindJobs)) > 0 {
		hasPartitions, unknown := false, "preemption is"
		if conf, hasPartitions = d.Unconfigured(); hasPartitions {
			s.lacksConf = "scontrol show config"
		} else {
			s.lacksConf, unknown = "scontrol show config, node and partition", "tiers of partitions, reservations and preemption are"
		}
		err = nil
		s.say(diag.Warningf("%v: no priority is computed, and %s not known", lacks, unknown).Briefly("%s lacks %s: %s not known", s.Name, s.lacksConf, unknown))
	}
	if s.Conf, s.Remarks = conf, append(s.Remarks, remarks...); err != nil {
		if lacks != nil && len(d.All(dump.KindJobs)) == 0 {
			err = d.Lacks(lacksJobs)
		}
		return s, err
	}
	listed, isListed := s.readJobs(d)
	shares := d.Shares()
	switch {
	case len(s.Jobs) == 0 && s.Stored == nil:
		return s, d.Lacks(lacksJobs)
	case !isListed:
		s.say(diag.Warningf("%s has no scontrol show job: only what sprio prints is known of the jobs", s.Name))
	case s.Stored == nil && d.HasJobs() && !shares.AreUnknown(s.Conf):
		s.say(diag.Warningf("%s has no sprio -l: priorities are those that scontrol shows, and which jobs Slurm considers is computed", s.Name))
	}
	s.dropStarted()
	s.findChosen(d)
	hasNone := func(j slurm.Job) bool { return math.IsNaN(j.Priority) }
	if s.Stored == nil && slices.ContainsFunc(s.Jobs, hasNone) {
		if s.isAsListed = d.IsSortedQueue(); !s.isAsListed {
			what := "the priorities (sprio -l, scontrol show job, or squeue -o with %Q, tells them)"
			if len(d.All(dump.KindQueue)) > 0 {
				what += ", and its jobs do not stand by partition and priority either, as those of plain squeue do"
			}
			return s, &UnplacedError{d.Lacks(what)}
		}
		s.say(diag.Warningf("nothing tells the priorities: jobs stand as squeue lists them, by partition and within each by priority, unless SQUEUE_SORT or --sort says otherwise: places in two partitions and of equal priorities are not known (sprio -l tells them)").Briefly("nothing tells the priorities (sprio -l does): each partition's jobs stand as squeue lists them"))
	}
	s.printed = shares.Printed.ByName()
	s.findAccounts()
	s.sayUntold(d)
	s.takeTree(shares)
	s.Remarks = slices.Concat(s.Remarks, shares.Remarks, shares.Lacks(s.Name, s.Conf, s.Stored != nil, !slices.ContainsFunc(s.Jobs, hasNone)))
	s.readQOS(d)
	s.assoc = setup.ReadAssociationPriorities(d)
	s.readFactors()
	preemptType, mode, qos := setup.ReadPreemption(d)
	s.UsePreemption(Preemption{preemptType, mode, qos})
	s.magnets, remarks = magnetsOf(d, s.Tree)
	s.Remarks = append(s.Remarks, remarks...)
	s.closed = map[string]bool{}
	for _, p := range d.Partitions(s.Conf) {
		s.closed[p["partitionname"]] = (&sched.Partition{State: strings.ToUpper(p["state"])}).StartsNone()
	}
	s.findSweep()
	s.holdAges()
	s.counts = setup.Counts(d)
	s.limits, remarks = setup.ReadLimitCheck(d, s.Conf, s.newest, listed, s.Swept)
	if s.limits != nil {
		s.unmodelled = s.limits.Unmodelled()
	}
	s.unmodelled = append(s.unmodelled, sched.SayOrder(version)...)
	s.Remarks = slices.Concat(s.Remarks, remarks, s.unmodelled)
	s.countThreads()
	s.sayPartitions()
	s.sayApart(d)
	s.sayUnseen(d, listed)
	s.Remarks = append(s.Remarks, setup.Lost(d, s.Tree, s.Jobs)...)
	s.sayUnknown()
	return s, nil
}

// ChangeLimits changes what keeps jobs from starting, in a copy of what tells it.
func (s *Site) ChangeLimits(change func(*sched.Setup) error) error {
	if s.limits == nil {
		return errors.New("nothing tells what keeps jobs from starting: scontrol show job and partition, and sacctmgr show qos and assoc do")
	}
	limits, err := s.limits.Under(change)
	if err != nil {
		return err
	}
	s.limits, s.closed = limits, maps.Clone(s.closed)
	for name := range s.closed {
		s.closed[name] = limits.StartsNone(name)
	}
	return nil
}

// NewOmissions says what is not modelled of what keeps jobs from starting otherwise than it did.
func (s *Site) NewOmissions(before *Site) []diag.Remark {
	if s.limits == before.limits {
		return nil
	}
	return s.limits.NewOmissions(before.limits)
}

// readJobs reads the jobs and the priorities that are stored. It returns the list, and whether there is one.
func (s *Site) readJobs(d *dump.Dump) (listed []slurm.ListedJob, isListed bool) {
	listed, isListed, remarks := d.Jobs()
	s.Remarks = append(s.Remarks, remarks...)
	s.Jobs, s.raised = make([]slurm.Job, 0, len(listed)), map[string]int32{}
	for i := range listed {
		s.Jobs = append(s.Jobs, listed[i].Job)
		if each := listed[i].RaisedCPUs(); each > 0 {
			s.raised[listed[i].ID] = each
		}
	}
	s.Stored, remarks = d.Priorities(s.Jobs)
	s.Weights = d.PrintedWeights()
	s.Remarks = append(s.Remarks, remarks...)
	s.joinTasks()
	s.complete()
	return listed, isListed
}

// joinTasks makes the tasks of an array that wait one job where squeue -r lists each: sprio has their array alone, and Slurm
// one record of those that are alike.
func (s *Site) joinTasks() {
	isStored, isListed := map[string]bool{}, map[string]bool{}
	for _, p := range s.Stored {
		isStored[p.ID] = true
	}
	for _, j := range s.Jobs {
		isListed[j.ID] = true
	}
	places := map[string]int{} // of arrays, or without sprio of what is alike of them
	jobs := s.Jobs[:0]
	for _, j := range s.Jobs {
		array, index, isTask := strings.Cut(j.ID, "_")
		if isTask && j.TRES == nil && j.State == "PENDING" && !isStored[j.ID] && !isListed[array] {
			alike := array
			if !isStored[array] {
				alike = fmt.Sprint(array, j.Partitions, j.Priority, j.Reason)
			}
			if at, isThere := places[alike]; isThere {
				jobs[at].Indices += "," + index
				continue
			}
			if places[alike] = len(jobs); !slices.ContainsFunc(jobs, func(other slurm.Job) bool { return other.ID == array }) {
				j.ID = array
			}
			j.Array, j.Indices = array, index
		}
		jobs = append(jobs, j)
	}
	s.Jobs = jobs
}

// complete adds what sprio prints of the jobs that squeue lists: the account and the QOS, where that has no column of
// them, and the partitions, of which its width may have cut off some.
func (s *Site) complete() {
	rows := map[string][]*dump.StoredPriority{}
	for i := range s.Stored {
		rows[s.Stored[i].ID] = append(rows[s.Stored[i].ID], &s.Stored[i])
	}
	several := 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		own := rows[j.ID]
		if j.TRES != nil || len(own) == 0 {
			continue
		}
		names := func(of func(*dump.StoredPriority) string) (list []string) {
			for _, p := range own {
				if name := of(p); name != "" && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
			return list
		}
		j.Account = cmp.Or(j.Account, own[0].Account)
		if qos := names(func(p *dump.StoredPriority) string { return p.QOS }); j.QOS == "" {
			j.QOS = strings.Join(qos, ",")
			if len(qos) > 1 {
				several++
			}
		}
		partitions := names(func(p *dump.StoredPriority) string { return p.Partition })
		if slices.ContainsFunc(j.Partitions, func(name string) bool { return !slices.Contains(partitions, name) }) {
			j.Partitions = partitions
		}
	}
	if several > 0 {
		s.say(diag.Warningf("which QOS is the first one of %s with several is not known, and by that they stand: the first of sprio is taken", report.Count(several, "job")))
	}
}

// findAccounts takes the account of a job that no list tells from sshare, where its user has but one there.
func (s *Site) findAccounts() {
	of := map[string][]string{}
	for name := range s.printed {
		of[name[1]] = append(of[name[1]], name[0])
	}
	found := 0
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.TRES == nil && j.Account == "" && len(of[j.User]) == 1 {
			j.Account = of[j.User][0]
			found++
		}
	}
	if found > 0 {
		s.say(diag.Notef("the accounts of %s are those of sshare, where the user has but one", report.Count(found, "job")))
	}
}

// sayUntold says what no table tells of jobs that squeue lists.
func (s *Site) sayUntold(d *dump.Dump) {
	stored := map[string]bool{}
	for i := range s.Stored {
		stored[s.Stored[i].ID] = true
	}
	s.Remarks = append(s.Remarks, d.Untold(s.Jobs, func(id string) bool { return stored[id] })...)
	waiting, untold := 0, 0
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.State == "PENDING" {
			waiting++
			if j.Reason == "" && j.TRES == nil {
				untold++
			}
		}
	}
	if !s.isRanked() && untold > 0 {
		s.say(diag.Warningf("which jobs are held, or wait for others or for a time, is not told without the column REASON (%d of %d that wait): they count as considered, and take ranks", untold, waiting).OfAsked())
	}
}

// readQOS reads the priorities of the QOS.
func (s *Site) readQOS(d *dump.Dump) {
	if p := d.Table(dump.KindQOS); p.Text != "" {
		qos, err := d.QOSPriorities(p)
		if err == nil {
			s.QOS, s.hasQOS = qos, true
			return
		}
		s.say(diag.Damagef("%s: %v", p.Name, err))
	}
	s.hasQOS = s.Conf.HasNoAccounts
	if s.Conf.HasNoAccounts || s.lacksConf != "" { // of which it is said what is not known without it
		return
	}
	isPreempting := strings.EqualFold(d.Config("preempttype"), "preempt/qos")
	unknown, brief := "the limits of QOS are not known", "limits of QOS are not known"
	if isPreempting {
		unknown += ", nor which jobs go first since they may preempt others (PreemptType=preempt/qos)"
		brief += ", nor preemption by QOS, by which jobs go first"
	}
	text := fmt.Sprintf("%s has no sacctmgr -P show qos: %s", s.Name, unknown)
	switch {
	case s.Conf.Weights.QOS == 0:
	case s.Stored != nil:
		text += "; the QOS factors are those that sprio prints"
	default:
		text = fmt.Sprintf("%s has no sacctmgr -P show qos and no sprio -l: the QOS factors are not known and count as 0 in the priorities that are computed; %s", s.Name, unknown)
	}
	s.say(diag.Warningf("%s", text).Briefly("%s has no sacctmgr -P show qos: %s", s.Name, brief))
}

// readFactors takes factors from the terms that sprio prints, where nothing else tells them. Those
// are whole numbers, so that a priority may differ by one or two.
func (s *Site) readFactors() {
	terms := map[string]map[string]float64{}
	for _, p := range s.Stored {
		terms[p.ID] = p.Terms
	}
	s.factors = map[string]float64{"": 1} // the largest one
	isAssocKnown := s.assoc != nil
	areTaken := map[string]bool{}
	defer func() { s.rounded = len(areTaken) }()
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if x, ok := terms[j.ID]["site"]; ok {
			j.Site = x
		}
		if x, ok := terms[j.ID]["assoc"]; ok && !isAssocKnown && s.Conf.Weights.Assoc > 0 {
			areTaken["assoc"] = true
			s.assoc = s.assoc.With(j.Account, j.User, x/s.Conf.Weights.Assoc)
		}
		if x, ok := terms[j.ID]["fairshare"]; ok && s.Tree == nil && s.Conf.Weights.Fairshare > 0 {
			if _, isPrinted := s.printed[[2]string{j.Account, j.User}]; !isPrinted {
				areTaken["fairshare"] = true
				s.printed[[2]string{j.Account, j.User}] = x / s.Conf.Weights.Fairshare
			}
		}
		if x, ok := terms[j.ID]["qos"]; ok && s.QOS == nil && s.Conf.Weights.QOS > 0 {
			areTaken["qos"] = true
			s.factors[j.QOS] = x / s.Conf.Weights.QOS
		}
	}
}
