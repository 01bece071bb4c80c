package slurm

import (
	"maps"
	"slices"
	"strings"
)

// JobAttributes are all keys that scontrol show job of Slurm 22.05 to 25.05 prints (job_info.c, slurm_sprint_job_info). What
// lacks goes on behind "they".
var JobAttributes = Attributes{
	{Name: "JobId", Copy: CopyID, In: Needed, IsFilled: true},
	{Name: "JobName", Copy: CopyJobName, In: Always},
	{Name: "UserId", Copy: CopyUserNumber, In: Needed},
	{Name: "Priority", Copy: CopyAmount, In: Needed, IsFilled: true},
	{Name: "Nice", Copy: CopyAmount, In: Always, IsFilled: true},
	{Name: "Account", Copy: CopyAccount, In: Always, IsFilled: true},
	{Name: "QOS", Copy: CopyQOS, In: Always, IsFilled: true},
	{Name: "JobState", Copy: CopyWord, In: Needed, IsFilled: true},
	{Name: "Reason", Copy: CopyReason, In: Always, IsFilled: true},
	{Name: "TimeLimit", Copy: CopyValue, In: Needed, IsFilled: true},
	{Name: "SubmitTime", Copy: CopyTime, In: Needed, IsFilled: true},
	{Name: "EligibleTime", Copy: CopyTime, In: Always, IsFilled: true},
	{Name: "AccrueTime", Copy: CopyTime, In: Always, IsFilled: true},
	{Name: "StartTime", Copy: CopyTime, In: Always, IsFilled: true},
	{Name: "EndTime", Copy: CopyTime, In: Always, IsFilled: true},
	{Name: "SuspendTime", Copy: CopyTime},
	{Name: "SecsPreSuspend", Copy: CopyValue},
	{Name: "PreemptTime", Copy: CopyTime},
	{Name: "Partition", Copy: CopyPartition, In: Needed},
	{Name: "ReqNodeList", Copy: CopyHosts, In: Always},
	{Name: "ExcNodeList", Copy: CopyHosts, In: Always},
	{Name: "NodeList", Copy: CopyHosts, In: Always},
	{Name: "NumNodes", Copy: CopyValue, In: Needed, IsFilled: true},
	{Name: "NumCPUs", Copy: CopyValue, In: Needed, IsFilled: true},
	{Name: "NumTasks", Copy: CopyValue, In: Always, IsFilled: true},
	{Name: "CPUs/Task", Copy: CopyValue, In: Always},
	{Name: "TRES", Copy: CopyTRES, In: Needed, Or: "ReqTRES"},
	{Name: "ReqTRES", Copy: CopyTRES},
	{Name: "AllocTRES", Copy: CopyTRES},
	{Name: ofEachNode, Copy: CopyHosts}, {Name: "CPU_IDs", Copy: CopyValue}, {Name: "Mem", Copy: CopyValue}, {Name: "GRES", Copy: CopyGRES},
	{Name: "MinCPUsNode", Copy: CopyValue, In: Always, IsFilled: true},
	{Name: "MinMemoryNode", Copy: CopyValue, In: Always, Or: "MinMemoryCPU", IsFilled: true},
	{Name: "MinMemoryCPU", Copy: CopyValue},
	{Name: "Features", Copy: CopyFeatures, In: Always},
	{Name: "Licenses", Copy: CopyLicences, In: Always},
	{Name: "Reservation", Copy: CopyReservation},
	{Name: "ArrayJobId", Copy: CopyID},
	{Name: "ArrayTaskId", Copy: CopyValue},
	{Name: "ArrayTaskThrottle", Copy: CopyValue},
	{Name: "TresPerNode", Copy: CopyGRES},
	{Name: "TresPerJob", Copy: CopyGRES},
	{Name: "TresPerTask", Copy: CopyTRES},
	{Name: "Switches", Copy: CopyValue},
	{Name: "SiteFactor", Copy: CopyValue},
	{Name: "Dependency", Copy: CopyDependency},
	{Name: "Requeue", Copy: CopyValue},
	{Name: "Restarts", Copy: CopyValue},
	{Name: "BatchFlag", Copy: CopyValue},
	{Name: "OverSubscribe", Lacks: "share their nodes with no jobs of other users or labels (--exclusive=user, mcs or topo), which here they do", none: []string{"OK", "YES", "NO", "EXCLUSIVE", "FORCE"}, Copy: CopyValue, In: Always, IsFilled: true},
	{Name: "Contiguous", Lacks: "want nodes that are neighbours (--contiguous), and here get others as well", none: []string{"0"}, Copy: CopySome, In: Always},
	{Name: "Deadline", Lacks: "have to end by a time (--deadline), after which Slurm removes them", Copy: CopySome, In: Always},
	{Name: "TimeMin", Lacks: "may get less time than they ask for (--time-min), and could start earlier", Copy: CopySome, In: Always},
	{Name: "CoreSpec", Lacks: "leave cores of their nodes to the system (--core-spec)", none: []string{"*", "0"}, Copy: CopySome, In: Always, Or: "ThreadSpec"},
	{Name: "ThreadSpec", Lacks: "leave threads of their nodes to the system (--thread-spec)", none: []string{"*", "0"}, Copy: CopySome},
	{Name: "ReqB:S:C:T", Lacks: "want nodes of so many sockets or cores (--sockets-per-node, --cores-per-socket)", none: []string{"0:0:*:*"}, Copy: CopyValue, In: Always, IsFilled: true},
	{Name: "Socks/Node", Lacks: "want so many sockets of each node", none: []string{"*"}, Copy: CopySome, In: Always, IsFilled: true},
	{Name: "NtasksPerN:B:S:C", Lacks: "want so many tasks on each board or core", none: []string{"0:0:*:*"}, Copy: CopyValue, In: Always, IsFilled: true},
	{Name: "MinTmpDiskNode", Lacks: "want temporary disk space (--tmp), which all nodes are taken to have", none: []string{"0"}, Copy: CopySome, In: Always},
	{Name: "Prefer", Lacks: "prefer nodes with some features (--prefer), and here get others as well", Copy: CopySome},
	{Name: "Network", Lacks: "ask for network resources (--network), which are taken to be free", Copy: CopySome},
	{Name: "SegmentSize", Lacks: "want nodes in segments of a block (--segment)", none: []string{"0"}, Copy: CopySome},
	{Name: "HetJobId", Lacks: "are parts of heterogeneous jobs, which start together, and here each when it can", Copy: CopySome},
	{Name: "BurstBuffer", Lacks: "ask for burst buffers, which are taken to be free", Copy: CopySome},
	{Name: "TresPerSocket", Lacks: "ask for resources of each socket", Copy: CopySome},
	{Name: "CpusPerTres", Lacks: "ask for CPUs of each GPU", Copy: CopySome},
	{Name: "MemPerTres", Lacks: "ask for memory of each GPU", Copy: CopySome},
	{Name: "FedOrigin", Lacks: "are of a federation, and may start on another cluster", Copy: CopySome},
	{Name: "Reboot", Lacks: "have their nodes booted first (--reboot)", none: []string{"0"}, Copy: CopySome},
	{Name: "BatchFeatures", Lacks: "want their first node to have features of its own (--batch)", Copy: CopySome},
	{Name: "HetJobIdSet", Idle: "as HetJobId"},
	{Name: "HetJobOffset", Idle: "as HetJobId"},
	{Name: "BurstBufferState", Idle: "as BurstBuffer"},
	{Name: "FedViableSiblings", Idle: "as FedOrigin"},
	{Name: "FedActiveSiblings", Idle: "as FedOrigin"},
	{Name: "DelayBoot", Idle: "it says how long a job waits before nodes are booted with other features"},
	{Name: "GroupId", Idle: "lists of groups are said where a partition has one", Copy: CopyGroupNumber},
	{Name: "MCS_label", Idle: "as OverSubscribe=MCS", Copy: CopySome},
	{Name: "ExitCode", Idle: "it is of jobs that have ended"},
	{Name: "DerivedExitCode", Idle: "it is of jobs that have ended"},
	{Name: "FailedNode", Idle: "it is over"},
	{Name: "WCKey", Idle: "a label, by which no limit and no factor goes"},
	{Name: "RunTime", Idle: "EndTime, or SuspendTime and SecsPreSuspend, say since when it has run"},
	{Name: "PreemptEligibleTime", Idle: "it says when others may preempt it"},
	{Name: "LastSchedEval", Idle: "it is over", Copy: CopyTime},
	{Name: "Scheduler", Idle: "as LastSchedEval"},
	{Name: "SchedNodeList", Idle: "a plan of Slurm, which is made anew"},
	{Name: "AllocNode:Sid", Idle: "the host of the submission"},
	{Name: "BatchHost", Idle: "NodeList has it"},
	{Name: "LicensesAlloc", Idle: "as Licenses"},
	{Name: "Command", Idle: ofTexts},
	{Name: "WorkDir", Idle: ofTexts},
	{Name: "StdErr", Idle: ofTexts},
	{Name: "StdIn", Idle: ofTexts},
	{Name: "StdOut", Idle: ofTexts},
	{Name: "Comment", Idle: ofTexts},
	{Name: "AdminComment", Idle: ofTexts},
	{Name: "SystemComment", Idle: ofTexts},
	{Name: "Extra", Idle: ofTexts},
	{Name: "MailUser", Idle: ofTexts},
	{Name: "MailType", Idle: ofTexts},
	{Name: "SubmitLine", Idle: ofTexts},
	{Name: "Container", Idle: ofTexts},
	{Name: "ContainerID", Idle: ofTexts},
	{Name: "Gres", Idle: "TresPerNode has it"},
	{Name: "TresBind", Idle: "which cores a task runs on"},
	{Name: "TresFreq", Idle: "how fast a GPU runs"},
	{Name: "Power", Idle: "nothing starts otherwise"},
	{Name: "CronJob", Idle: "it waits for its begin"},
	{Name: "ResvPorts", Idle: "ports are not counted"},
	{Name: "KillOInInvalidDependent", Idle: "a job whose dependency never holds never starts, whether it is removed or not"},
	{Name: "NtasksPerTRES", Idle: "tasks are counted"},
	{Name: "StepMgrEnabled", Idle: "of steps"},
	{Name: "JOB_GRES", Idle: "of a job that runs"},
	{Name: "MemLimits", Idle: "of a job that runs"},
	{Name: "ClusterFeatures", Idle: "as FedOrigin"},
	{Name: "ResizeTime", Idle: "it is over"},
	{Name: "PreSusTime", Idle: "as SuspendTime"},
	{Name: "QosReq", Idle: "as QOS"},
	{Name: "Requeues", Idle: "it is over"},
	{Name: "WaitForSwitch", Idle: "as Switches"},
}

// jobAttributes has those of jobs by their names, which are as Slurm writes them.
var jobAttributes = func() map[string]*Attribute {
	named := map[string]*Attribute{}
	for i := range JobAttributes {
		named[JobAttributes[i].Name] = &JobAttributes[i]
	}
	return named
}()

// isOfUse reports whether a field of a job is read, or said, or not known.
func isOfUse(key string) bool {
	s := jobAttributes[key]
	return s == nil || s.Idle == "" || s.Copy != CopyNot
}

// JobCopy returns how a copy keeps a field of scontrol show job.
func JobCopy(name string) Copy {
	if s := jobAttributes[name]; s != nil {
		return s.Copy
	}
	return CopyNot
}

// unreadPart returns the part of a value of which what lacks depends, where the rest is read.
func unreadPart(key, value string) string {
	switch key {
	case "ReqB:S:C:T": // the last is read
		if at := strings.LastIndexByte(value, ':'); at >= 0 {
			return strings.Trim(value[:at], "0*:")
		}
	case "NtasksPerN:B:S:C": // those of nodes and sockets are read
		if of := strings.Split(value, ":"); len(of) == 4 {
			return strings.Trim(of[1]+of[3], "0*")
		}
	}
	return value
}

// Lack is something that a job asks for and that is not modelled.
type Lack struct {
	Field string // with its value, as scontrol show job has them
	What  string // in words behind "they"
}

// Option returns the option of sbatch that asks for it, "" where the words name none.
func (l Lack) Option() string {
	if _, option, ok := strings.Cut(l.What, "(--"); ok {
		option, _, _ = strings.Cut(option, ")")
		return "--" + option
	}
	return ""
}

// String names it: "Contiguous=1 (--contiguous)".
func (l Lack) String() string {
	if option := l.Option(); option != "" {
		return l.Field + " (" + option + ")"
	}
	return l.Field
}

// lacking returns what a waiting job asks for that is not modelled.
func lacking(fields map[string]string) (lacks []Lack) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if s := jobAttributes[key]; s != nil && s.Matters(unreadPart(key, fields[key])) {
			lacks = append(lacks, Lack{key + "=" + fields[key], s.Lacks})
		}
	}
	return lacks
}

// unknown returns the fields of a job that are not known here.
func unknown(fields map[string]string) (names []string) {
	for key := range fields {
		if jobAttributes[key] == nil {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

// missing returns what a job lacks of what Slurm prints of every job, as Attributes.Missing does.
func missing(fields map[string]string) (needed string, others []string) {
	return JobAttributes.Missing(func(name string) (string, bool) {
		text, isThere := fields[name]
		return text, isThere
	})
}
