package slurmsite

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/slurmsched"
)

// field is a column of sacctmgr show assoc or show qos, and what a replay makes of it: a limit that holds, or
// something that is read elsewhere, or what is not modelled and is said with its weight, or neither since no
// start depends on it.
type field struct {
	name  string   // as sacctmgr heads the column
	other []string // further names by which sacctmgr sets it
	isOf  int      // of which of the two

	amounts func(l *slurmsched.Limits) *slurmsched.Amounts
	number  func(l *slurmsched.Limits) *int64
	seconds int64  // that the number counts, where it is a time
	submits bool   // whether it is of submissions
	isOpen  bool   // whether 0 is no limit
	since   [2]int // the version of Slurm that enforces it first, zeros for all

	isRead bool   // whether it is read elsewhere
	in     string // the column that has it as well
	lacks  string // what of it is not modelled, in words for a warning; "" for nothing
	idle   string // why no start depends on it
}

// What a field may be of.
const (
	ofAssociation = 1 << iota
	ofQualities   // QOS
	ofBoth        = ofAssociation | ofQualities
)

// fields are all columns that sacctmgr of Slurm 22.05 to 24.11 prints of associations and QOS (its common.c),
// and what acct_policy.c makes of them.
var fields = []field{
	{name: "GrpTRES", isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.AllTRES }},
	{name: "GrpTRESMins", isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.AllMinutes }},
	{name: "GrpTRESRunMins", isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.RunMinutes }},
	{name: "MaxTRES", other: []string{"MaxTRESPerJob"}, isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.JobTRES }},
	{name: "MaxTRESPerNode", isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.NodeTRES }},
	{name: "MaxTRESMins", other: []string{"MaxTRESMinsPerJob"}, isOf: ofBoth, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.JobMinutes }},
	{name: "MaxTRESPU", other: []string{"MaxTRESPerUser"}, isOf: ofQualities, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.UserTRES }},
	{name: "MaxTRESPA", other: []string{"MaxTRESPerAccount"}, isOf: ofQualities, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.AccountTRES }},
	{name: "MaxTRESRunMinsPU", other: []string{"MaxTRESRunMinsPerUser"}, isOf: ofQualities, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.UserRunMinutes }, since: [2]int{24, 5}},
	{name: "MaxTRESRunMinsPA", other: []string{"MaxTRESRunMinsPerAccount"}, isOf: ofQualities, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.AccountRunMinutes }, since: [2]int{24, 5}},
	{name: "MinTRES", other: []string{"MinTRESPerJob"}, isOf: ofQualities, amounts: func(l *slurmsched.Limits) *slurmsched.Amounts { return &l.LeastTRES }},

	{name: "GrpJobs", isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.AllJobs }},
	{name: "MaxJobs", isOf: ofAssociation, number: func(l *slurmsched.Limits) *int64 { return &l.UserJobs }},
	{name: "MaxJobsPU", other: []string{"MaxJobsPerUser"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.UserJobs }},
	{name: "MaxJobsPA", other: []string{"MaxJobsPerAccount"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.AccountJobs }},
	{name: "GrpSubmit", other: []string{"GrpSubmitJobs"}, isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.AllSubmit }, submits: true},
	{name: "MaxSubmit", other: []string{"MaxSubmitJobs"}, isOf: ofAssociation, number: func(l *slurmsched.Limits) *int64 { return &l.UserSubmit }, submits: true},
	{name: "MaxSubmitPU", other: []string{"MaxSubmitJobsPU", "MaxSubmitJobsPerUser"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.UserSubmit }, submits: true},
	{name: "MaxSubmitPA", other: []string{"MaxSubmitJobsPA", "MaxSubmitJobsPerAccount"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.AccountSubmit }, submits: true},
	{name: "GrpJobsAccrue", isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.AllAging }},
	{name: "MaxJobsAccrue", isOf: ofAssociation, number: func(l *slurmsched.Limits) *int64 { return &l.UserAging }},
	{name: "MaxJobsAccruePU", other: []string{"MaxJobsAccruePerUser"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.UserAging }},
	{name: "MaxJobsAccruePA", other: []string{"MaxJobsAccruePerAccount"}, isOf: ofQualities, number: func(l *slurmsched.Limits) *int64 { return &l.AccountAging }},
	{name: "MaxWall", other: []string{"MaxWallDurationPerJob"}, isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.MaxWall }, seconds: 1},
	{name: "GrpWall", isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.AllWall }, seconds: 60},

	{name: "MinPrioThres", other: []string{"MinPrioThreshold"}, isOf: ofBoth, number: func(l *slurmsched.Limits) *int64 { return &l.LeastPriority }, isOpen: true},

	{name: "UsageThres", isOf: ofQualities, idle: "without the flag EnforceUsageThreshold, which is weighed"},
	{name: "Preempt", isOf: ofQualities, lacks: "its jobs preempt none"},
	{name: "PreemptMode", isOf: ofQualities, idle: "it says how jobs are preempted, and Preempt which are"},
	{name: "PreemptExemptTime", isOf: ofQualities, idle: "as PreemptMode"},
	{name: "GraceTime", isOf: ofQualities, idle: "as PreemptMode"},
	{name: "Flags", isOf: ofQualities, isRead: true},
	{name: "Flags", isOf: ofAssociation, idle: "they are of who may change it"},
	{name: "UsageFactor", isOf: ofQualities, isRead: true},
	{name: "LimitFactor", isOf: ofQualities, isRead: true},
	{name: "Priority", isOf: ofBoth, isRead: true},
	{name: "Name", isOf: ofQualities, isRead: true},
	{name: "Cluster", isOf: ofAssociation, isRead: true},
	{name: "Account", isOf: ofAssociation, isRead: true},
	{name: "User", isOf: ofAssociation, isRead: true},
	{name: "Partition", isOf: ofAssociation, isRead: true},
	{name: "Share", isOf: ofAssociation, idle: "sshare prints it"},
	{name: "QOS", isOf: ofAssociation, idle: "jobs of the record have a QOS that they were allowed"},
	{name: "QOS_RAW", isOf: ofAssociation, idle: "as QOS"},
	{name: "Def QOS", isOf: ofAssociation, idle: "as QOS"},
	{name: "ID", isOf: ofBoth, idle: "a number of the database"},
	{name: "LFT", isOf: ofAssociation, idle: "as ID"},
	{name: "RGT", isOf: ofAssociation, idle: "as ID"},
	{name: "Lineage", isOf: ofAssociation, idle: "as ID"},
	{name: "ParentID", isOf: ofAssociation, idle: "sshare prints the tree"},
	{name: "ParentName", isOf: ofAssociation, idle: "sshare prints the tree"},
	{name: "Comment", isOf: ofAssociation, idle: "a text"},
	{name: "Descr", isOf: ofQualities, idle: "a text"},

	{name: "GrpCPUs", isOf: ofBoth, in: "GrpTRES"},
	{name: "GrpMem", isOf: ofBoth, in: "GrpTRES"},
	{name: "GrpNodes", isOf: ofBoth, in: "GrpTRES"},
	{name: "GrpCPUMins", isOf: ofBoth, in: "GrpTRESMins"},
	{name: "GrpCPURunMins", isOf: ofBoth, in: "GrpTRESRunMins"},
	{name: "MaxCPUs", isOf: ofBoth, in: "MaxTRES"},
	{name: "MaxNodes", isOf: ofBoth, in: "MaxTRES"},
	{name: "MaxCPUMins", isOf: ofBoth, in: "MaxTRESMins"},
	{name: "MaxCPUsPU", isOf: ofQualities, in: "MaxTRESPU"},
	{name: "MaxNodesPU", isOf: ofQualities, in: "MaxTRESPU"},
	{name: "MaxCPURunMinsPU", isOf: ofQualities, in: "MaxTRESRunMinsPU"},
	{name: "MinCPUs", isOf: ofQualities, in: "MinTRES"},
}

// qualityFlag is a flag of a QOS, and what a replay makes of it.
type qualityFlag struct {
	name   string
	isRead bool
	lacks  string // what of it is not modelled, in words for a warning; "" for nothing
	idle   string // why no start depends on it
}

// qualityFlags are all flags of QOS that Slurm 22.05 to 24.11 knows (slurmdb.h, QOS_FLAG_…).
var qualityFlags = []qualityFlag{
	{name: "OverPartQOS", isRead: true},
	{name: "NoDecay", isRead: true},
	{name: "UsageFactorSafe", isRead: true},
	{name: "DenyOnLimit", idle: "each job of the record was taken; one over a limit of its own never starts, and holds up nobody"},
	{name: "PartitionMaxNodes", idle: "limits of partitions hold no job of the record, which Slurm took and started"},
	{name: "PartitionMinNodes", idle: "as PartitionMaxNodes"},
	{name: "PartitionTimeLimit", idle: "as PartitionMaxNodes"},
	{name: "EnforceUsageThreshold", lacks: "jobs below its UsageThres start all the same"},
	{name: "NoReserve", isRead: true},
	{name: "RequiresReservation", lacks: "its jobs run without a reservation"},
	{name: "Relative", lacks: "its limits are parts of a hundred of the cluster, and none of them holds"},
}

// column returns the key of a field in a row.
func (f *field) column() string { return strings.ToLower(f.name) }

// isLimit reports whether a field is a limit that holds here.
func (f *field) isLimit() bool { return f.amounts != nil || f.number != nil }

// fieldNamed returns the field of QOS or of associations with a name, in whatever letters; nil for none.
func fieldNamed(name string, isOf int) *field {
	for i := range fields {
		f := &fields[i]
		is := func(other string) bool { return strings.EqualFold(other, name) }
		if f.isOf&isOf != 0 && (is(f.name) || slices.ContainsFunc(f.other, is)) {
			return f
		}
	}
	return nil
}
