package setup

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// Field is a column of sacctmgr show assoc or show qos, and what a replay makes of it: a limit that holds, or
// something that is read elsewhere, or what is not modelled and is said with its weight, or neither since no
// start depends on it.
type Field struct {
	Name  string   // as sacctmgr heads the column
	Other []string // further names by which sacctmgr sets it
	isOf  int      // of which of the two

	Amounts func(l *sched.Limits) *sched.Amounts
	Number  func(l *sched.Limits) *int64
	Seconds int64  // that the number counts, where it is a time
	Submits bool   // whether it is of submissions
	IsOpen  bool   // whether 0 is no limit
	Since   [2]int // the version of Slurm that enforces it first, zeros for all

	isExtra bool // whether sacctmgr prints it only where format= names it

	isRead bool   // whether it is read elsewhere
	in     string // the column that has it as well
	lacks  string // what of it is not modelled, in words for a warning; "" for nothing
	idle   string // why no start depends on it
}

// What a field may be of.
const (
	OfAssociation = 1 << iota
	OfQOS         // QOS
	OfBoth        = OfAssociation | OfQOS
)

// fields are all columns that sacctmgr of Slurm 22.05 to 24.11 prints of associations and QOS (its common.c),
// and what acct_policy.c makes of them.
var fields = []Field{
	{Name: "GrpTRES", isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.AllTRES }},
	{Name: "GrpTRESMins", isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.AllMinutes }},
	{Name: "GrpTRESRunMins", isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.RunMinutes }},
	{Name: "MaxTRES", Other: []string{"MaxTRESPerJob"}, isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.JobTRES }},
	{Name: "MaxTRESPerNode", isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.NodeTRES }},
	{Name: "MaxTRESMins", Other: []string{"MaxTRESMinsPerJob"}, isOf: OfBoth, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.JobMinutes }},
	{Name: "MaxTRESPU", Other: []string{"MaxTRESPerUser"}, isOf: OfQOS, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.UserTRES }},
	{Name: "MaxTRESPA", Other: []string{"MaxTRESPerAccount"}, isOf: OfQOS, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.AccountTRES }},
	{Name: "MaxTRESRunMinsPU", Other: []string{"MaxTRESRunMinsPerUser"}, isOf: OfQOS, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.UserRunMinutes }, Since: [2]int{24, 5}, isExtra: true},
	{Name: "MaxTRESRunMinsPA", Other: []string{"MaxTRESRunMinsPerAccount"}, isOf: OfQOS, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.AccountRunMinutes }, Since: [2]int{24, 5}, isExtra: true},
	{Name: "MinTRES", Other: []string{"MinTRESPerJob"}, isOf: OfQOS, Amounts: func(l *sched.Limits) *sched.Amounts { return &l.LeastTRES }},

	{Name: "GrpJobs", isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.AllJobs }},
	{Name: "MaxJobs", isOf: OfAssociation, Number: func(l *sched.Limits) *int64 { return &l.UserJobs }},
	{Name: "MaxJobsPU", Other: []string{"MaxJobsPerUser"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.UserJobs }},
	{Name: "MaxJobsPA", Other: []string{"MaxJobsPerAccount"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.AccountJobs }},
	{Name: "GrpSubmit", Other: []string{"GrpSubmitJobs"}, isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.AllSubmit }, Submits: true},
	{Name: "MaxSubmit", Other: []string{"MaxSubmitJobs"}, isOf: OfAssociation, Number: func(l *sched.Limits) *int64 { return &l.UserSubmit }, Submits: true},
	{Name: "MaxSubmitPU", Other: []string{"MaxSubmitJobsPU", "MaxSubmitJobsPerUser"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.UserSubmit }, Submits: true},
	{Name: "MaxSubmitPA", Other: []string{"MaxSubmitJobsPA", "MaxSubmitJobsPerAccount"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.AccountSubmit }, Submits: true},
	{Name: "GrpJobsAccrue", isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.AllAging }, isExtra: true},
	{Name: "MaxJobsAccrue", isOf: OfAssociation, Number: func(l *sched.Limits) *int64 { return &l.UserAging }, isExtra: true},
	{Name: "MaxJobsAccruePU", Other: []string{"MaxJobsAccruePerUser"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.UserAging }, isExtra: true},
	{Name: "MaxJobsAccruePA", Other: []string{"MaxJobsAccruePerAccount"}, isOf: OfQOS, Number: func(l *sched.Limits) *int64 { return &l.AccountAging }, isExtra: true},
	{Name: "MaxWall", Other: []string{"MaxWallDurationPerJob"}, isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.MaxWall }, Seconds: 1},
	{Name: "GrpWall", isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.AllWall }, Seconds: 60},

	{Name: "MinPrioThres", Other: []string{"MinPrioThreshold"}, isOf: OfBoth, Number: func(l *sched.Limits) *int64 { return &l.LeastPriority }, IsOpen: true, isExtra: true},

	{Name: "UsageThres", isOf: OfQOS, idle: "without the flag EnforceUsageThreshold, which is weighed"},
	{Name: "Preempt", isOf: OfQOS, isRead: true},
	{Name: "PreemptMode", isOf: OfQOS, isRead: true},
	{Name: "PreemptExemptTime", isOf: OfQOS, isRead: true},
	{Name: "GraceTime", isOf: OfQOS, isRead: true},
	{Name: "Flags", isOf: OfQOS, isRead: true},
	{Name: "Flags", isOf: OfAssociation, idle: "they are of who may change it"},
	{Name: "UsageFactor", isOf: OfQOS, isRead: true},
	{Name: "LimitFactor", isOf: OfQOS, isRead: true, isExtra: true},
	{Name: "Priority", isOf: OfBoth, isRead: true},
	{Name: "Name", isOf: OfQOS, isRead: true},
	{Name: "Cluster", isOf: OfAssociation, isRead: true},
	{Name: "Account", isOf: OfAssociation, isRead: true},
	{Name: "User", isOf: OfAssociation, isRead: true},
	{Name: "Partition", isOf: OfAssociation, isRead: true},
	{Name: "Share", isOf: OfAssociation, idle: "sshare prints it"},
	{Name: "QOS", isOf: OfAssociation, isRead: true},
	{Name: "QOS_RAW", isOf: OfAssociation, idle: "as QOS"},
	{Name: "Def QOS", isOf: OfAssociation, isRead: true},
	{Name: "ID", isOf: OfBoth, idle: "a number of the database"},
	{Name: "LFT", isOf: OfAssociation, idle: "as ID"},
	{Name: "RGT", isOf: OfAssociation, idle: "as ID"},
	{Name: "Lineage", isOf: OfAssociation, idle: "as ID"},
	{Name: "ParentID", isOf: OfAssociation, idle: "sshare prints the tree"},
	{Name: "ParentName", isOf: OfAssociation, idle: "sshare prints the tree"},
	{Name: "Comment", isOf: OfAssociation, idle: "a text"},
	{Name: "Descr", isOf: OfQOS, idle: "a text"},

	{Name: "GrpCPUs", isOf: OfBoth, in: "GrpTRES"},
	{Name: "GrpMem", isOf: OfBoth, in: "GrpTRES"},
	{Name: "GrpNodes", isOf: OfBoth, in: "GrpTRES"},
	{Name: "GrpCPUMins", isOf: OfBoth, in: "GrpTRESMins"},
	{Name: "GrpCPURunMins", isOf: OfBoth, in: "GrpTRESRunMins"},
	{Name: "MaxCPUs", isOf: OfBoth, in: "MaxTRES"},
	{Name: "MaxNodes", isOf: OfBoth, in: "MaxTRES"},
	{Name: "MaxCPUMins", isOf: OfBoth, in: "MaxTRESMins"},
	{Name: "MaxCPUsPU", isOf: OfQOS, in: "MaxTRESPU"},
	{Name: "MaxNodesPU", isOf: OfQOS, in: "MaxTRESPU"},
	{Name: "MaxCPURunMinsPU", isOf: OfQOS, in: "MaxTRESRunMinsPU"},
	{Name: "MinCPUs", isOf: OfQOS, in: "MinTRES"},
}

// QOSFlags are all flags of QOS that Slurm 22.05 to 25.05 knows (slurmdb.h, QOS_FLAG_…). What lacks is what is so with it.
var QOSFlags = slurm.Attributes{
	{Name: "OverPartQOS"},
	{Name: "NoDecay"},
	{Name: "UsageFactorSafe"},
	{Name: "DenyOnLimit", Idle: "each job of the record was taken; one over a limit of its own never starts, and holds up nobody; `when --submit` says that such a job is refused"},
	{Name: "PartitionMaxNodes"},
	{Name: "PartitionMinNodes"},
	{Name: "PartitionTimeLimit"},
	{Name: "EnforceUsageThreshold", Lacks: "jobs below its UsageThres start all the same", On: slurm.OnQueue},
	{Name: "NoReserve"},
	{Name: "RequiresReservation", Lacks: "its jobs run without a reservation", On: slurm.OnQueue},
	{Name: "Relative", Lacks: "its limits are parts of a hundred of the cluster, and none of them holds", On: slurm.OnQueue},
}

// column returns the key of a field in a row.
func (f *Field) column() string { return strings.ToLower(f.Name) }

// FieldsOf returns the columns of associations or of QOS, and what becomes of each.
func FieldsOf(isOf int) (all slurm.Attributes) {
	for i := range fields {
		f := &fields[i]
		if f.isOf&isOf == 0 {
			continue
		}
		x := slurm.Attribute{Name: f.Name, Lacks: f.lacks, Idle: f.idle}
		if f.in != "" {
			x.Idle = f.in + " has it"
		}
		all = append(all, x)
	}
	return all
}

// lackingColumns returns the columns of QOS or of associations that matter to a site, that a table of it does not have,
// and that sacctmgr prints by itself.
func lackingColumns(s *sched.Setup, rows []dump.Row, isOf int) (names []string) {
	if len(rows) == 0 {
		return nil
	}
	preempts := isPreempting(strings.ToLower(s.PreemptType))
	for i := range fields {
		f := &fields[i]
		matters := f.isRead
		switch {
		case f.IsLimit():
			matters = !s.IsUnlimited
		case strings.HasPrefix(f.Name, "Preempt") || f.Name == "GraceTime":
			matters = preempts
		case f.Name == "Priority" && isOf == OfAssociation:
			matters = s.Conf != nil && s.Conf.Weights.Assoc > 0
		case f.Name == "Cluster": // of several, the jobs tell it
			matters = false
		}
		if _, isThere := rows[0][f.column()]; matters && !isThere && f.isOf&isOf != 0 && !f.isExtra {
			names = append(names, f.Name)
		}
	}
	return names
}

// IsLimit reports whether a field is a limit that holds here.
func (f *Field) IsLimit() bool { return f.Amounts != nil || f.Number != nil }

// LimitsOf returns the names of the limits of QOS or of associations, which each of them can have.
func LimitsOf(isOf int) (names []string) {
	for i := range fields {
		if f := &fields[i]; f.isOf&isOf != 0 && f.IsLimit() {
			names = append(names, f.Name)
		}
	}
	return names
}

// FieldNamed returns the field of QOS or of associations with a name, in whatever letters; nil for none.
func FieldNamed(name string, isOf int) *Field {
	for i := range fields {
		f := &fields[i]
		is := func(other string) bool { return strings.EqualFold(other, name) }
		if f.isOf&isOf != 0 && (is(f.Name) || slices.ContainsFunc(f.Other, is)) {
			return f
		}
	}
	return nil
}
