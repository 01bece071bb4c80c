package slurm

import (
	"maps"
	"slices"
	"strings"
)

// jobField is a key of scontrol show job, and what of it is known here.
type jobField struct {
	none  []string // the values that ask for nothing, beside (null), N/A, None and no value
	lacks string   // what is asked for and not modelled, in words that go on behind "they"; "" for nothing
	idle  string   // why no start depends on it; "" for a field that is read
}

// jobFields are all keys that scontrol show job of Slurm 22.05 to 25.05 prints (job_info.c, slurm_sprint_job_info).
var jobFields = map[string]jobField{
	"JobId": {}, "JobName": {}, "UserId": {}, "Priority": {}, "Nice": {}, "Account": {}, "QOS": {}, "JobState": {}, "Reason": {}, "TimeLimit": {}, "SubmitTime": {}, "EligibleTime": {},
	"AccrueTime": {}, "StartTime": {}, "Partition": {}, "ReqNodeList": {}, "ExcNodeList": {}, "NodeList": {}, "NumNodes": {}, "NumCPUs": {}, "NumTasks": {}, "CPUs/Task": {}, "TRES": {}, "ReqTRES": {},
	"MinCPUsNode": {}, "MinMemoryNode": {}, "MinMemoryCPU": {}, "Features": {}, "Licenses": {}, "Reservation": {}, "ArrayJobId": {}, "ArrayTaskId": {}, "ArrayTaskThrottle": {}, "TresPerNode": {}, "TresPerJob": {}, "TresPerTask": {}, "Switches": {}, "SiteFactor": {},

	"OverSubscribe":    {none: []string{"OK", "YES", "NO", "EXCLUSIVE", "FORCE"}, lacks: "share their nodes with no jobs of other users or labels (--exclusive=user, mcs or topo), which here they do"},
	"Contiguous":       {none: []string{"0"}, lacks: "want nodes that are neighbours (--contiguous), and here get others as well"},
	"Deadline":         {lacks: "have to end by a time (--deadline), after which Slurm removes them"},
	"TimeMin":          {lacks: "may get less time than they ask for (--time-min), and could start earlier"},
	"CoreSpec":         {none: []string{"*", "0"}, lacks: "leave cores of their nodes to the system (--core-spec)"},
	"ThreadSpec":       {none: []string{"*", "0"}, lacks: "leave threads of their nodes to the system (--thread-spec)"},
	"ReqB:S:C:T":       {none: []string{"0:0:*:*"}, lacks: "want nodes of so many sockets or cores (--sockets-per-node, --cores-per-socket)"},
	"Socks/Node":       {none: []string{"*"}, lacks: "want so many sockets of each node"},
	"NtasksPerN:B:S:C": {none: []string{"0:0:*:*"}, lacks: "want so many tasks on each board or core"},
	"MinTmpDiskNode":   {none: []string{"0"}, lacks: "want temporary disk space (--tmp), which all nodes are taken to have"},
	"Prefer":           {lacks: "prefer nodes with some features (--prefer), and here get others as well"},
	"Network":          {lacks: "ask for network resources (--network), which are taken to be free"},
	"SegmentSize":      {none: []string{"0"}, lacks: "want nodes in segments of a block (--segment)"},
	"HetJobId":         {lacks: "are parts of heterogeneous jobs, which start together, and here each when it can"},
	"HetJobIdSet":      {idle: "as HetJobId"},
	"HetJobOffset":     {idle: "as HetJobId"},
	"BurstBuffer":      {lacks: "ask for burst buffers, which are taken to be free"},
	"BurstBufferState": {idle: "as BurstBuffer"},
	"TresPerSocket":    {lacks: "ask for resources of each socket"},
	"CpusPerTres":      {lacks: "ask for CPUs of each GPU"},
	"MemPerTres":       {lacks: "ask for memory of each GPU"},
	"FedOrigin":        {lacks: "are of a federation, and may start on another cluster"},

	"FedViableSiblings": {idle: "as FedOrigin"}, "FedActiveSiblings": {idle: "as FedOrigin"},
	"Reboot": {none: []string{"0"}, lacks: "have their nodes booted first (--reboot)"}, "DelayBoot": {idle: "it says how long a job waits before nodes are booted with other features"},
	"Dependency": {idle: "Reason says whether it waits for them"}, "GroupId": {idle: "lists of groups are said where a partition has one"}, "MCS_label": {idle: "as OverSubscribe=MCS"},
	"Requeue": {idle: "no job is requeued"}, "Restarts": {idle: "it is over"}, "BatchFlag": {idle: "a job without a script starts as others do"}, "ExitCode": {idle: "it is of jobs that have ended"},
	"RunTime": {idle: "StartTime says it"}, "EndTime": {idle: "TimeLimit says it"}, "SuspendTime": {idle: "JobState says it"}, "SecsPreSuspend": {idle: "as SuspendTime"}, "PreemptTime": {idle: "it is over"},
	"PreemptEligibleTime": {idle: "it says when others may preempt it"}, "LastSchedEval": {idle: "it is over"}, "Scheduler": {idle: "as LastSchedEval"}, "SchedNodeList": {idle: "a plan of Slurm, which is made anew"},
	"AllocNode:Sid": {idle: "the host of the submission"}, "BatchHost": {idle: "NodeList has it"}, "AllocTRES": {idle: "of a job that runs"}, "LicensesAlloc": {idle: "as Licenses"},
	"Command": {idle: "a text"}, "WorkDir": {idle: "a text"}, "StdErr": {idle: "a text"}, "StdIn": {idle: "a text"}, "StdOut": {idle: "a text"}, "Comment": {idle: "a text"}, "AdminComment": {idle: "a text"},
	"SystemComment": {idle: "a text"}, "Extra": {idle: "a text"}, "MailUser": {idle: "a text"}, "MailType": {idle: "a text"}, "SubmitLine": {idle: "a text"}, "Container": {idle: "a text"}, "ContainerID": {idle: "a text"},
	"Gres": {idle: "TresPerNode has it"}, "GRES": {idle: "of a job that runs"}, "TresBind": {idle: "which cores a task runs on"}, "TresFreq": {idle: "how fast a GPU runs"}, "Power": {idle: "nothing starts otherwise"},
	"CronJob": {idle: "it waits for its begin"}, "ResvPorts": {idle: "ports are not counted"}, "KillOInInvalidDependent": {idle: "as Dependency"}, "NtasksPerTRES": {idle: "tasks are counted"}, "StepMgrEnabled": {idle: "of steps"},
	"Nodes": {idle: "of a job that runs"}, "CPU_IDs": {idle: "of a job that runs"}, "Mem": {idle: "of a job that runs"}, "JOB_GRES": {idle: "of a job that runs"}, "MemLimits": {idle: "of a job that runs"}, "ClusterFeatures": {idle: "as FedOrigin"},
	"ResizeTime": {idle: "it is over"}, "PreSusTime": {idle: "as SuspendTime"}, "QosReq": {idle: "as QOS"}, "Requeues": {idle: "it is over"}, "WaitForSwitch": {idle: "as Switches"}, "BatchFeatures": {lacks: "want their first node to have features of its own (--batch)"},
}

// asksNothing reports whether a value of a field asks for nothing.
func (f jobField) asksNothing(key, value string) bool {
	switch value {
	case "", "(null)", "N/A", "None", "Unknown":
		return true
	}
	switch key {
	case "ReqB:S:C:T": // the last is read
		at := strings.LastIndexByte(value, ':')
		return at >= 0 && strings.Trim(value[:at], "0*:") == ""
	case "NtasksPerN:B:S:C": // those of nodes and sockets are read
		of := strings.Split(value, ":")
		return len(of) == 4 && strings.Trim(of[1]+of[3], "0*") == ""
	}
	return slices.Contains(f.none, value)
}

// lacking returns what a waiting job asks for that is not modelled, and fields that are not known.
func lacking(fields map[string]string) (lacks, unknown []string) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch f, isKnown := jobFields[key]; {
		case !isKnown:
			unknown = append(unknown, key)
		case f.lacks != "" && !f.asksNothing(key, fields[key]):
			lacks = append(lacks, f.lacks)
		}
	}
	return lacks, unknown
}
