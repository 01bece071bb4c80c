package slurmsite

import (
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// Limit is a limit that keeps a job from starting now.
type Limit struct {
	Reason string // as Slurm calls it, such as QOSMaxCpuPerUserLimit
	Detail string
}

// String returns the limit in words.
func (l *Limit) String() string {
	if l == nil {
		return ""
	}
	return l.Reason + ": " + l.Detail
}

// limitSet are the limits of a QOS or of an association. Those of jobs are NaN where there is none.
type limitSet struct {
	name                                string // in words
	grp, perJob, perUser, perAccount    map[string]float64
	perNode, least                      map[string]float64
	grpMins, grpRunMins, jobMins        map[string]float64
	grpJobs, userJobs, accountJobs, max float64 // max is MaxWall, in minutes
	grpWall                             float64 // in minutes
	isOver                              bool    // OverPartQOS: it comes before the partition's QOS
	factor                              float64 // by which how long a job may run counts: UsageFactor under UsageFactorSafe, 1 otherwise
	limitFactor                         float64 // LimitFactor, 0 for none
	used                                managed
}

// running is what running jobs have.
type running struct {
	jobs float64
	tres map[string]float64
}

// holders are the limits of a site and what is in use of them.
type holders struct {
	site        *Site
	qos         map[string]*limitSet
	partitions  map[string]string // the QOS of each partition
	association map[slurmsched.AccountName]*limitSet
	parent      map[string]string // of accounts
	used        map[string]*running
	isSafe      bool // whether no job starts that may use more than GrpTRESMins
}

// readLimits reads the limits that sacctmgr prints, where the site enforces any.
func (s *Site) readLimits(f *folder) {
	h := &holders{site: s, qos: map[string]*limitSet{}, partitions: map[string]string{}, association: map[slurmsched.AccountName]*limitSet{}, parent: map[string]string{}, used: map[string]*running{}}
	if !isEnforced(f) || len(s.Jobs) == 0 || s.Jobs[0].TRES == nil {
		return
	}
	h.isSafe = isSafe(f)
	byName, byQOS := managers(f)
	limits := 0
	for _, x := range []struct {
		kind kind
		add  func(record) error
	}{{isQOS, h.addQOS}, {isAssociations, h.addAssociation}} {
		p := f.table(x.kind)
		for _, row := range s.tableOf(f, p) {
			limits++
			if err := x.add(row); err != nil {
				s.say(diag.Damagef("%s: %s%s %s: %v: its limits are not known", p.Name, row["name"], row["account"], row["user"], err))
			}
		}
	}
	if len(h.association) == 0 {
		s.say(diag.Notef("%s has no sacctmgr -P show assoc: whether limits of associations keep jobs from starting is not known", s.Name))
	}
	if limits == 0 {
		return
	}
	for _, p := range records(f.all(isPartitions), "PartitionName") {
		if name := p["qos"]; name != "" && name != "N/A" {
			h.partitions[p["partitionname"]] = name
		}
	}
	if s.Tree != nil {
		for i := 1; i < s.Tree.Len(); i++ {
			if x := s.Tree.At(i); !x.User {
				h.parent[x.Name] = s.Tree.At(int(x.Parent)).Name
			}
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; slices.Contains(holding, j.State) {
			for _, key := range h.keys(j, j.Partitions[0]) {
				h.charge(key, j)
			}
		}
	}
	s.limits = h
	h.setUsed(byName, byQOS)
}

// setUsed fills in what has been used of limits of that, and says of which nothing tells it.
func (h *holders) setUsed(associations map[slurmsched.AccountName]managed, qos map[string]managed) {
	var unknown []string
	set := func(l *limitSet, has managed) {
		l.used = has
		if has.minutes == nil && (len(l.grpMins)+len(l.grpRunMins) > 0 || !math.IsNaN(l.grpWall)) {
			unknown = append(unknown, l.name)
		}
	}
	for name, l := range h.association {
		set(l, associations[name])
	}
	for name, l := range h.qos {
		set(l, qos[name])
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		h.site.say(diag.Warningf("%s has no scontrol show assoc_mgr: whether GrpTRESMins, GrpTRESRunMins or GrpWall keep jobs from starting is not known of %s", h.site.Name, report.First(unknown)))
	}
}

// holding are the states of jobs that have resources.
var holding = []string{"RUNNING", "CONFIGURING", "SUSPENDED"}

// isEnforced reports whether slurmctld enforces limits.
func isEnforced(f *folder) bool {
	value := strings.ToLower(f.config("accountingstorageenforce"))
	return strings.Contains(value, "limits") || strings.Contains(value, "safe") || value == "all"
}

// isSafe reports whether slurmctld starts no job that may use more minutes than GrpTRESMins.
func isSafe(f *folder) bool {
	value := strings.ToLower(f.config("accountingstorageenforce"))
	return strings.Contains(value, "safe") || value == "all"
}

// newLimits reads what a QOS and an association have in common.
func newLimits(row record, name, userTRES, userJobs string) (*limitSet, error) {
	l := &limitSet{name: name, grpJobs: number(row["grpjobs"], math.NaN()), userJobs: number(row[userJobs], math.NaN()), accountJobs: number(row["maxjobspa"], math.NaN()), max: math.NaN(), grpWall: math.NaN()}
	for _, x := range []struct {
		text string
		into *map[string]float64
	}{{row["grptres"], &l.grp}, {row["maxtres"], &l.perJob}, {row[userTRES], &l.perUser}, {row["maxtrespa"], &l.perAccount},
		{row["maxtrespernode"], &l.perNode}, {row["mintres"], &l.least}, {row["grptresmins"], &l.grpMins}, {row["grptresrunmins"], &l.grpRunMins}, {row["maxtresmins"], &l.jobMins}} {
		list, err := slurm.ParseAmounts(x.text)
		if err != nil {
			return nil, err
		}
		*x.into = slurm.AmountsByName(list)
	}
	for key, into := range map[string]*float64{"maxwall": &l.max, "grpwall": &l.grpWall} {
		if row[key] == "" {
			continue
		}
		seconds, err := slurm.Duration(row[key])
		if err != nil {
			return nil, err
		}
		*into = seconds / 60
	}
	return l, nil
}

func (h *holders) addQOS(row record) error {
	l, err := newLimits(row, "QOS "+row["name"], "maxtrespu", "maxjobspu")
	if err == nil {
		l.isOver = strings.Contains(row["flags"], "OverPartQOS")
		if l.factor = 1; strings.Contains(row["flags"], "UsageFactorSafe") {
			l.factor = number(row["usagefactor"], 1)
		}
		l.limitFactor = number(row["limitfactor"], 0)
		h.qos[row["name"]] = l
	}
	return err
}

func (h *holders) addAssociation(row record) error {
	of := rowName(row)
	name := of.String()
	if of.User == "" {
		name = "account " + name
	}
	l, err := newLimits(row, name, "", "maxjobs")
	if err == nil {
		h.association[of] = l
	}
	return err
}

// qosOf returns the limits of the QOS that hold for a job in a partition, those that come first first.
func (h *holders) qosOf(j *slurm.Job, partition string) (list []string) {
	own, part := j.QOS, h.partitions[partition]
	switch {
	case part == "" || part == own:
		return []string{own}
	case h.qos[own] != nil && h.qos[own].isOver:
		return []string{own, part}
	}
	return []string{part, own}
}

// associationOf returns the association that a job is under: the user's one of its (first) partition alone,
// if there is one, or else the one of all.
func (h *holders) associationOf(j *slurm.Job) slurmsched.AccountName {
	name := slurmsched.AccountName{Account: j.Account, User: j.User}
	if len(j.Partitions) > 0 {
		of := name
		if of.Partition = j.Partitions[0]; h.association[of] != nil {
			return of
		}
	}
	return name
}

// accountsOf returns the accounts of a job from its own to the root.
func (h *holders) accountsOf(j *slurm.Job) (list []string) {
	for at := j.Account; at != "" && !slices.Contains(list, at); at = h.parent[at] {
		list = append(list, at)
	}
	return list
}

// keys are what a running job counts for.
func (h *holders) keys(j *slurm.Job, partition string) (keys []string) {
	for _, qos := range h.qosOf(j, partition) {
		keys = append(keys, "qos "+qos, "qos "+qos+" user "+j.User, "qos "+qos+" account "+j.Account)
	}
	keys = append(keys, "user "+h.associationOf(j).String())
	for _, account := range h.accountsOf(j) {
		keys = append(keys, "account "+account)
	}
	return keys
}

func (h *holders) charge(key string, j *slurm.Job) {
	r := h.used[key]
	if r == nil {
		r = &running{tres: map[string]float64{}}
		h.used[key] = r
	}
	r.jobs++
	for name, x := range j.TRES {
		r.tres[name] += x
	}
}

// inUse returns what is in use of a key.
func (h *holders) inUse(key string) running {
	if r := h.used[key]; r != nil {
		return *r
	}
	return running{}
}
