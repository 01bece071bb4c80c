package slurmsched

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

	PartitionQOS []int // by partition: the place of its own QOS, -1 for none; nil where none has one
	IsSafe       bool  // AccountingStorageEnforce=safe: no job starts that may use more than GrpTRESMins
	IsUnlimited  bool  // whether it enforces no limits

	Version [2]int // of Slurm: the year and the month, zeros where nothing tells it

	Backfill *Backfilling // nil under sched/builtin
	Booted   string       // BOOT_TIME: when slurmctld began, in the site's zone; "" where nothing tells it
	Interval int64        // sched_interval: seconds from one pass over the full queue to the next
	Depth    int          // default_queue_depth: jobs that another pass looks at

	Down         []int32 // by node, the CPUs that it has once it is no longer down or drained
	CPUMemory    []int64 // DefMemPerCPU by partition, in MB
	DefaultTimes []int64 // DefaultTime by partition, in seconds; 0 where it is MaxTime
	KillWait     int64
	Kept         []Kept // by reservations that are known
	Ignored      []Ignored
}

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

// AssociationOf returns the place of the association that a user's jobs of a partition are under: the one of
// that partition alone, or else the one of all (Slurm's assoc_mgr.c, assoc_mgr_fill_in_assoc); -1 for none.
func (s *Setup) AssociationOf(account, user, partition string) int {
	if i := slices.Index(s.Names, AccountName{account, user, partition}); i >= 0 {
		return i
	}
	return slices.Index(s.Names, AccountName{account, user, ""})
}

// IsOlderThan reports whether the site's Slurm is known to be older than a version.
func (s *Setup) IsOlderThan(year, month int) bool {
	return s.Version[0] > 0 && slices.Compare(s.Version[:], []int{year, month}) < 0
}

// DefaultBackfill is what sched/backfill does without bf_* parameters.
func DefaultBackfill() Backfilling {
	return Backfilling{Interval: 30, Resolution: 60, Window: 1440 * 60, MaxTest: 500}
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
	return -1
}

// Parameters are those of SchedulerParameters on which a replay depends.
var Parameters = []string{"sched_interval", "default_queue_depth", "bf_interval", "bf_resolution", "bf_window", "bf_max_job_user", "bf_max_job_test"}

// fromOne are those of which slurm.conf takes no 0.
var fromOne = []string{"sched_interval", "bf_interval", "bf_resolution", "bf_window", "bf_max_job_test"}

// idle are those that matter to a machine that is too slow alone, which none is in a replay.
var idle = []string{"max_sched_time", "bf_yield_interval", "bf_max_time", "bf_continue"}

// Set sets a parameter of SchedulerParameters, such as bf_window=2880.
func (s *Setup) Set(name, value string) error {
	if strings.HasPrefix(name, "bf_") && s.Backfill == nil {
		return errors.New(name + " has no effect: the site runs sched/builtin")
	}
	if name == "bf_continue" && value == "" {
		return nil // it matters to cycles that are interrupted, which none is here
	}
	n, err := strconv.ParseInt(value, 10, 64)
	const most = 1 << 31
	least := int64(0)
	if slices.Contains(fromOne, name) {
		least = 1
	}
	switch {
	case !slices.Contains(Parameters, name) && !slices.Contains(idle, name):
		return fmt.Errorf("%s is not modelled", name)
	case err != nil || n < least || n > most:
		return fmt.Errorf("%s needs a whole number from %d to %d, not %q", name, least, int64(most), value)
	}
	switch name {
	case "sched_interval":
		s.Interval = n
	case "default_queue_depth":
		s.Depth = int(n)
	case "bf_interval":
		s.Backfill.Interval = n
	case "bf_resolution":
		s.Backfill.Resolution = n
	case "bf_window":
		s.Backfill.Window = n * 60
	case "bf_max_job_user":
		s.Backfill.MaxPerUser = int(n)
	case "bf_max_job_test":
		s.Backfill.MaxTest = int(n)
	}
	return nil
}
