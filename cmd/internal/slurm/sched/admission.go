package sched

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// An admission is a rule by which a job never starts in its partition, whatever runs and whatever there is room for:
// slurmctld takes most of these jobs, but for EnforcePartLimits, and holds them (Slurm's job_mgr.c, job_limits_check and
// _valid_pn_min_mem, job_scheduler.c, and reservation.c, _valid_job_access_resv). All that tells whether a job may start
// asks admissions.
type admission struct {
	field  string // as scontrol or sacctmgr calls it
	reason string // as squeue calls it, "" where that is not known
	words  string // what sbatch prints where slurmctld refuses a job for it

	isOfPartition bool // whether the job may start in another one of its partitions
	isPlanned     bool // whether slurmctld's queue has the job all the same, so that a cycle plans it, though it starts none
	isOfNow       bool // whether it says nothing of another time: a job that has started there once waits for it too, and none waits for ever
	isEnforced    bool // whether slurmctld refuses such a job where EnforcePartLimits says so
	isRefused     bool // whether it refuses such a job wherever
	isOfWhom      bool // whether it looks at who submits the job
	isOfAccount   bool // whether it is a list of accounts
	isOfQOS       bool // whether it is a list of QOS

	keepsOut func(s *Setup, j *Job) bool
	says     func(s *Setup, j *Job) string // what it does to a job that it keeps out
}

// admissions are all such rules, in the order in which slurmctld asks them: first those that keep a job out of its queue.
var admissions = []admission{
	{field: "MaxNodes", words: "Node count specification invalid", reason: "PartitionNodeLimit", isOfPartition: true, isEnforced: true, keepsOut: func(s *Setup, j *Job) bool {
		most := s.Partitions[j.Partition].MaxNodes
		return most != 0 && j.Request.MinNodes > most && !s.QOS[j.QOS].IsWide
	}, says: func(s *Setup, j *Job) string {
		p := &s.Partitions[j.Partition]
		return fmt.Sprintf("partition %s lets no job have more than %s, and it asks for %d", p.Name, report.Count(int(max(0, p.MaxNodes)), "node"), j.Request.MinNodes)
	}},
	{field: "MinNodes", words: "Node count specification invalid", reason: "PartitionNodeLimit", isOfPartition: true, isEnforced: true, keepsOut: func(s *Setup, j *Job) bool {
		return j.Request.MaxNodes > 0 && j.Request.MaxNodes < s.Partitions[j.Partition].MinNodes && !s.QOS[j.QOS].IsNarrow
	}, says: func(s *Setup, j *Job) string {
		p := &s.Partitions[j.Partition]
		return fmt.Sprintf("partition %s lets no job have fewer than %s, and it asks for %d at most", p.Name, report.Count(int(p.MinNodes), "node"), j.Request.MaxNodes)
	}},
	{field: "State", reason: "PartitionDown", isOfPartition: true, isOfNow: true, keepsOut: func(s *Setup, j *Job) bool { return s.Partitions[j.Partition].State == "DOWN" }, says: isStopped},
	{field: "State", reason: "PartitionInactive", isOfPartition: true, isOfNow: true, keepsOut: func(s *Setup, j *Job) bool { return s.Partitions[j.Partition].State == "INACTIVE" }, says: isStopped},
	{field: "MaxTime", words: "Requested time limit is invalid (missing or exceeds some limit)", reason: "PartitionTimeLimit", isOfPartition: true, isEnforced: true, keepsOut: func(s *Setup, j *Job) bool {
		longest := s.Partitions[j.Partition].MaxTime
		return longest > 0 && !j.NoLimit && j.Limit > longest && !s.QOS[j.QOS].IsLong && !s.isOfManager(j)
	}, says: func(s *Setup, j *Job) string {
		p, asked := &s.Partitions[j.Partition], report.Duration(float64(j.Limit))
		if j.Limit == Endless {
			asked = "no end"
		}
		return fmt.Sprintf("partition %s has jobs of up to %s, and it asks for %s", p.Name, report.Duration(float64(p.MaxTime)), asked)
	}},
	{field: "MaxMemPerNode", words: "Memory required by task is not available", reason: "MaxMemPerLimit", isOfPartition: true, isEnforced: true, keepsOut: func(s *Setup, j *Job) bool {
		most := s.Partitions[j.Partition].NodeMemory
		return most > 0 && j.Request.leastMemory() > most
	}, says: func(s *Setup, j *Job) string {
		p := &s.Partitions[j.Partition]
		return fmt.Sprintf("partition %s lets no job have more than %d MB of a node, and it asks for %d", p.Name, p.NodeMemory, j.Request.leastMemory())
	}},
	{field: "QOS of the association", words: "Invalid qos specification", reason: "InvalidQOS", isRefused: true, isOfWhom: true, keepsOut: func(s *Setup, j *Job) bool { return !s.MayBeOf(j.Association, j.QOS) && !s.isOfManager(j) }, says: func(s *Setup, j *Job) string {
		return fmt.Sprintf("%s may not use QOS %s: theirs are %s", s.Names[j.Association], s.QOS[j.QOS].Name, strings.Join(s.MayUse[j.Association], ", "))
	}},
	{field: "Users or Accounts", words: "Access denied to requested reservation", isRefused: true, isOfWhom: true, keepsOut: func(s *Setup, j *Job) bool {
		k := s.ReservationOf(j)
		return k != nil && !s.LetsIn(k, j)
	}, says: func(s *Setup, j *Job) string {
		return fmt.Sprintf("reservation %s does not let in %s", s.ReservationOf(j).Name, s.Names[j.Association])
	}},
	{field: "AllowAccounts", words: "Invalid account or account/partition combination specified", isOfPartition: true, isEnforced: true, isPlanned: true, isOfAccount: true, keepsOut: func(s *Setup, j *Job) bool {
		a := s.accessTo(j)
		return a.Accounts != nil && !slurm.IsIn(a.Accounts, s.accountOf(j))
	}, says: listsAccounts},
	{field: "DenyAccounts", words: "Invalid account or account/partition combination specified", isOfPartition: true, isEnforced: true, isPlanned: true, isOfAccount: true, keepsOut: func(s *Setup, j *Job) bool {
		a := s.accessTo(j)
		return a.Accounts == nil && a.DeniedAccounts != nil && slurm.IsIn(a.DeniedAccounts, s.accountOf(j))
	}, says: listsAccounts},
	{field: "AllowQos", words: "Invalid qos specification", isOfPartition: true, isEnforced: true, isPlanned: true, isOfQOS: true, keepsOut: func(s *Setup, j *Job) bool {
		a := s.accessTo(j)
		return a.QOS != nil && !slurm.IsIn(a.QOS, s.QOS[j.QOS].Name) && s.userOf(j) != "root"
	}, says: lists},
	{field: "DenyQos", words: "Invalid qos specification", isOfPartition: true, isEnforced: true, isPlanned: true, isOfQOS: true, keepsOut: func(s *Setup, j *Job) bool {
		a := s.accessTo(j)
		return a.QOS == nil && slurm.IsIn(a.DeniedQOS, s.QOS[j.QOS].Name)
	}, says: lists},
}

// isStopped says that no job starts in its partition as it is now.
func isStopped(s *Setup, j *Job) string {
	p := &s.Partitions[j.Partition]
	return fmt.Sprintf("partition %s is %s and starts no job until an administrator puts it up", p.Name, p.State)
}

// listsAccounts says that a list of accounts of its partition does not let a job in.
func listsAccounts(s *Setup, j *Job) string {
	if s.userOf(j) == "" { // an account's, see isTold
		return fmt.Sprintf("partition %s does not let in account %s", s.Partitions[j.Partition].Name, s.accountOf(j))
	}
	return lists(s, j)
}

// lists says that a list of its partition does not let a job in.
func lists(s *Setup, j *Job) string {
	if s.userOf(j) == "" { // an account's or nobody's, see isTold
		return fmt.Sprintf("partition %s does not let in QOS %s", s.Partitions[j.Partition].Name, s.QOS[j.QOS].Name)
	}
	return fmt.Sprintf("partition %s does not let in account %s with QOS %s", s.Partitions[j.Partition].Name, s.accountOf(j), s.QOS[j.QOS].Name)
}

// keptOutBy returns the rule by which a job does not start in its partition, or the one that an entry of it is of; nil for
// none. One that is known to have started there broke none but those of now.
func (s *Setup) keptOutBy(j *Job) *admission {
	return s.brokenBy(j, func(a *admission) bool { return a.isOfNow || s.isAsked(a, j) })
}

// keptOutForEverBy is keptOutBy without the rules of now.
func (s *Setup) keptOutForEverBy(j *Job) *admission {
	return s.brokenBy(j, func(a *admission) bool { return !a.isOfNow && s.isAsked(a, j) })
}

// isAsked reports whether a rule that is not of now may keep a job out.
func (s *Setup) isAsked(a *admission, j *Job) bool {
	return !j.IsLetIn || a.isOfPartition && (j.hasPlaces() || s.changed[partitionRule{j.Partition, a.field}])
}

// partitionRule is a rule of a partition, as the field is called that it looks at.
type partitionRule struct {
	partition int
	field     string
}

// ChangeRule has a rule of a partition keep jobs out that were let in before it was so: the field is changed, as scontrol calls it.
func (s *Setup) ChangeRule(partition int, field string) {
	if s.changed = maps.Clone(s.changed); s.changed == nil {
		s.changed = map[partitionRule]bool{}
	}
	s.changed[partitionRule{partition, field}] = true
}

// brokenBy returns the first of some rules by which a job does not start in its partition, nil for none.
func (s *Setup) brokenBy(j *Job, isAsked func(a *admission) bool) *admission {
	for i := range admissions {
		if a := &admissions[i]; isAsked(a) && a.keepsOut(s, j) {
			return a
		}
	}
	return nil
}

// barred is the rule that keeps a job out of its partition: passes and cycles ask for it again and again, and it stays the
// same while the job waits.
type barred struct {
	by      *admission // nil for none
	isKnown bool
}

// barredBy is keptOutBy of a job, or of an entry of it, that stays in its partition.
func (s *Setup) barredBy(j *Job) *admission {
	if !j.barred.isKnown || s.isPlain {
		j.barred = barred{s.keptOutBy(j), true}
	}
	return j.barred.by
}

// isQueued reports whether slurmctld's queue has a job, or an entry of it.
func (s *Setup) isQueued(j *Job) bool {
	rule := s.barredBy(j)
	return rule == nil || rule.isPlanned
}

// rule returns what jobs have in common that the rule keeps out, as jobs wait for it.
func (a *admission) rule() string {
	if a.isPlanned {
		return notLetIn
	}
	return cmp.Or(a.reason, a.field+" of its reservation")
}

// limit returns the rule as a limit that holds a job.
func (a *admission) limit(s *Setup, j *Job) *Limit {
	text := a.says(s, j) + " (" + a.field + ")"
	return &Limit{Name: text, Reason: a.reason, Detail: text, Refusal: a.words, IsRule: true, IsOfNow: a.isOfNow}
}

// isOpenTo reports whether no rule keeps a job out of its partition, or of the one that an entry of it is of.
func (s *Setup) isOpenTo(j *Job) bool { return s.barredBy(j) == nil }

// KeepsOut returns the rule that keeps an entry of a job from starting, nil for none.
func (s *Setup) KeepsOut(entry *Job) *Limit {
	if rule := s.keptOutBy(entry); rule != nil {
		return rule.limit(s, entry)
	}
	return s.exceeds(entry)
}

// ClosedTo returns the rule by which a partition starts no job that asks for as much, whoever of its account submits it, or
// whoever at all where its association is none of the site's, and of whatever QOS where that is not known; nil for none.
func (s *Setup) ClosedTo(j *Job, isQOSKnown bool) *Limit {
	if !s.IsLicensed(j) {
		return tooManyLicences()
	}
	if rule := s.brokenBy(j, func(a *admission) bool { return s.isTold(a, j, isQOSKnown) }); rule != nil {
		return rule.limit(s, j)
	}
	return s.exceeds(j)
}

// isTold reports whether as much is known of a job as a rule looks at: who submits it, its account, its QOS.
func (s *Setup) isTold(a *admission, j *Job, isQOSKnown bool) bool {
	switch {
	case a.isOfWhom:
		return s.userOf(j) != ""
	case a.isOfAccount:
		return j.Association < len(s.Names)
	}
	return isQOSKnown || !a.isOfQOS
}

// Contradicts returns the rule by which an entry that is known to have started does not start as the site is, as its field
// is called; "" for none.
func (s *Setup) Contradicts(entry *Job) string {
	if rule := s.brokenBy(entry, func(a *admission) bool { return !a.isOfNow }); rule != nil {
		return rule.field
	}
	return ""
}

// MayBeOf reports whether the jobs of an association may be of a QOS. Where nothing tells it, or nobody asks, they may.
func (s *Setup) MayBeOf(association, qos int) bool {
	return association >= len(s.MayUse) || len(s.MayUse[association]) == 0 || slices.Contains(s.MayUse[association], s.QOS[qos].Name)
}

// noAccess is that to a partition which is open to everybody.
var noAccess Access

// accessTo returns who may use the partition of a job.
func (s *Setup) accessTo(j *Job) *Access {
	if s.Access == nil {
		return &noAccess
	}
	return &s.Access[j.Partition]
}

// accountOf returns the account of a job.
func (s *Setup) accountOf(j *Job) string { return s.Names[j.Association].Account }

// isOfManager reports whether a job is of root or SlurmUser, whom slurmctld lets have what users may not.
func (s *Setup) isOfManager(j *Job) bool {
	user := s.userOf(j)
	return user == "root" || user != "" && user == s.Manager
}

// userOf returns the user of a job, "" where that is not known.
func (s *Setup) userOf(j *Job) string {
	if j.Association >= len(s.Names) {
		return ""
	}
	return s.Names[j.Association].User
}

// LetsIn reports whether a reservation lets a job run in it.
func (s *Setup) LetsIn(k *Reservation, j *Job) bool {
	if k.Guests.AreAll() {
		return true
	}
	var accounts []string
	for i := j.Association; i >= 0; i = s.Accounts[i].Parent {
		accounts = append(accounts, s.Names[i].Account)
	}
	return k.Guests.LetsIn(s.Names[j.Association].User, accounts)
}

// leastMemory returns how much memory a job asks for on each of its nodes at least, in MB.
func (r *Request) leastMemory() int64 {
	return cmp.Or(r.NodeMemory, r.CPUMemory*int64(max(1, r.TasksPerNode))*int64(max(1, r.CPUsPerTask)))
}
