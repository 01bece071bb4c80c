package sched

import (
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Setup is a site as its scheduler knows it.
type Setup struct {
	*Cluster
	Conf     *slurm.Conf
	Accounts []Account
	Tree     []fstree.Association // of the accounts, with their shares and usage
	Names    []AccountName        // of the accounts
	QOS      []QOS

	IsQOSUntold bool // whether no table tells of the QOS: those that associations and jobs name have no limits

	Priorities   []float64 // the associations' own, of the accounts; nil where none has one
	MostPriority float64   // the largest of them

	MayUse   [][]string // by account: the QOS that its jobs may be of; nil where nothing tells any, or AccountingStorageEnforce has no qos
	UsualQOS []string   // by account: that of jobs which name none, "" for none; nil as MayUse

	UsualAccount map[string]string // by user: that of jobs which name none (DefAccount); nil where nothing tells it

	Others []string // the resources beside CPUs, memory, nodes and GRES of which there are limits, such as billing

	PartitionQOS []int // by partition: the place of its own QOS, -1 for none; nil where none has one
	IsSafe       bool  // AccountingStorageEnforce=safe: no job starts that may use more than GrpTRESMins
	IsUnlimited  bool  // whether it enforces no limits
	IsAgingMute  bool  // whether nothing tells of how many jobs the age counts, and it may matter: sacctmgr was not asked for that

	Manager  string // SlurmUser, "" where nothing tells it
	Enforces string // EnforcePartLimits: whether ALL or ANY of the partitions that a job names have to let it in, or else it is refused; NO or "" takes it

	ClusterName string // "" where nothing tells it
	Version     [2]int // of Slurm: the year and the month, zeros where nothing tells it

	NoRequeue      bool   // JobRequeue=0: a job whose node fails is over, unless it asks to be requeued
	CredentialLife int64  // cred_expire of AuthInfo, in seconds, after which a requeued job is eligible again; 0 for the default
	PreemptType    string // such as preempt/qos, "" for none
	Preemption     Preemption

	Suspended  []*Job // jobs that neither go on nor wait, and count for limits as if they ran
	Licences   []Licence
	InUse      []Use        // by node, as the site says, at its moment
	Elsewhere  []Use        // of these, what none of the jobs has that are known, for as long as nobody knows; nil for nothing, see KeepElsewhere
	Backfill   *Backfilling // nil under sched/builtin
	Booted     string       // BOOT_TIME: when slurmctld began, in the site's zone; "" where nothing tells it
	Threshold  Threshold
	Interval   int64 // sched_interval: seconds from one pass over the full queue to the next
	BatchDelay int64 // batch_sched_delay: seconds from one pass to the next of default depth, at least
	Depth      int   // default_queue_depth: jobs that another pass looks at

	PartitionDepth    int    // partition_job_depth: jobs of each partition that a pass looks at, 0 for no limit
	WholeNodes        []bool // by partition: whether its jobs get nodes for themselves (OverSubscribe=EXCLUSIVE); nil where none is so
	ExclusiveTopology []bool // likewise: whether they get parts of the topology for themselves (ExclusiveTopo)

	SwitchWait      int64          // max_switch_wait: for how many seconds at most jobs wait for --switches
	Down            []int32        // by node, the CPUs that it has once it is no longer down or drained
	UsualCPUMemory  []int64        // DefMemPerCPU by partition, in MB
	UsualNodeMemory []int64        // DefMemPerNode by partition, in MB, 0 for none
	GPUDefaults     []string       // JobDefaults by partition, "" for none; nil where nothing tells them
	IsFiltered      bool           // whether plugins change or refuse jobs as they are submitted (JobSubmitPlugins, CliFilterPlugins)
	MostMemory      []int64        // MaxMemPerCPU by partition, in MB, 0 for no limit; nil where none has one
	ClusterMemory   MemoryBound    // what counts of a partition that has neither
	Access          []Access       // by partition, nil where all are open to everybody
	DefaultTimes    []int64        // DefaultTime by partition, in seconds; 0 where it is MaxTime
	KillWait        int64          // how long after its time limit a job is expected to be over, in seconds
	Reservations    []Reservation  // those that are known
	Failures        []Failure      // of nodes, in the order of time
	Outages         []Outage       // the times in which nodes take no job
	Zone            *time.Location // of the site's times
	Omissions       []Omission

	changed map[partitionRule]bool // see ChangeRule

	isPlain bool // see Options.isPlain
}

// MemoryBound is MaxMemPerCPU and MaxMemPerNode, in MB, 0 for no limit.
type MemoryBound struct{ CPU, Node int64 }

// AccountName is what an association is called: an account, and a user in it or "", and the partition where
// it is of the user's jobs in that alone.
type AccountName struct{ Account, User, Partition string }

// String returns ACCOUNT, ACCOUNT/USER or ACCOUNT/USER/PARTITION.
func (n AccountName) String() string {
	text := n.Account
	for _, part := range []string{n.User, n.Partition} {
		if part != "" {
			text += "/" + part
		}
	}
	return text
}

// Access is who may use a partition: with a list, those in it alone, and none of those that are denied.
type Access struct {
	Accounts, QOS, DeniedAccounts, DeniedQOS []string

	Groups           []string // of whose members nothing tells who they are
	IsOfRoot         bool     // whether root alone submits to it (RootOnly)
	NeedsReservation bool     // whether jobs are to name a reservation (ReqResv)
}

// AssociationOf returns the place of the association that a user's jobs of a partition are under: the one of
// that partition alone, or else the one of all (Slurm's assoc_mgr.c, assoc_mgr_fill_in_assoc); -1 for none.
func (s *Setup) AssociationOf(account, user, partition string) int {
	if i := slices.Index(s.Names, AccountName{account, user, partition}); i >= 0 {
		return i
	}
	return slices.Index(s.Names, AccountName{account, user, ""})
}

// HasNoAccounts reports whether the site is known to have no accounting, and so neither associations nor QOS.
func (s *Setup) HasNoAccounts() bool { return s.Conf != nil && s.Conf.HasNoAccounts }

// IsBySpan reports whether plans are those of Slurm since 24.11, see Backfilling.IsBySpan.
func (s *Setup) IsBySpan() bool { return s.isFrom(24, 11) }

// IsOnTheSecond reports whether main passes are made at the begin of a second, before all that comes about within it, and
// cycles begin a whole bf_interval apart, as recorded of 23.11, 24.11 and 25.05, and not of 22.05.
func (s *Setup) IsOnTheSecond() bool { return s.isFrom(23, 11) }

// isFrom reports whether the site's Slurm is known to be of a version or of a later one.
func (s *Setup) isFrom(year, month int) bool {
	return s.Version[0] > 0 && !s.IsOlderThan(year, month)
}

// IsOlderThan reports whether the site's Slurm is known to be older than a version.
func (s *Setup) IsOlderThan(year, month int) bool {
	return s.Version[0] > 0 && slices.Compare(s.Version[:], []int{year, month}) < 0
}

// DefaultBackfill is what sched/backfill does without bf_* parameters.
func DefaultBackfill() Backfilling {
	return Backfilling{Interval: 30, Resolution: 60, Window: 1440 * 60, MaxTest: 500, MaxPerArray: 20}
}

// AmountOf returns the place of a resource, such as cpu or gres/gpu, in Amounts, -1 for one that no
// limit here is of.
func (s *Setup) AmountOf(name string) int {
	switch name {
	case "cpu":
		return amountCPU
	case "mem":
		return amountMemory
	case "node":
		return amountNodes
	}
	for i, kind := range s.GRES {
		if name == "gres/"+kind {
			return fixedAmounts + i
		}
	}
	if i := slices.Index(s.Others, name); i >= 0 {
		return fixedAmounts + len(s.GRES) + i
	}
	return -1
}

// amountName returns what the resource at a place in Amounts is called.
func (s *Setup) amountName(at int) string {
	switch at -= fixedAmounts; {
	case at < 0:
		return [fixedAmounts]string{"cpu", "mem", "node"}[at+fixedAmounts]
	case at < len(s.GRES):
		return "gres/" + s.GRES[at]
	default:
		return s.Others[at-len(s.GRES)]
	}
}

// AmountNames returns the names of all resources that amounts are of.
func (s *Setup) AmountNames() (names []string) {
	for at := range fixedAmounts + len(s.GRES) + len(s.Others) {
		names = append(names, s.amountName(at))
	}
	return names
}

// Amounts returns amounts of resources by their names.
func (s *Setup) Amounts(tres map[string]float64) Amounts {
	a := make(Amounts, fixedAmounts+len(s.GRES)+len(s.Others))
	for name, x := range tres {
		if i := s.AmountOf(name); i >= 0 {
			a[i] = int64(min(x, math.MaxInt64/2))
		}
	}
	return a
}

// OthersOf returns what there is of Others among some resources, nil where no limit is of any.
func (s *Setup) OthersOf(tres map[string]float64) []int64 {
	if len(s.Others) == 0 {
		return nil
	}
	return s.Amounts(tres)[fixedAmounts+len(s.GRES):]
}

// Unlimited returns limits that limit nothing.
func (s *Setup) Unlimited() Limits { return Unlimited(len(s.GRES) + len(s.Others)) }
