package conformance

// slurmPreempts is a site where QOS high preempts QOS normal, and where all nodes are full.
const slurmPreempts = ";config.PreemptType=preempt/qos;config.PreemptMode=REQUEUE;qos.high.Preempt=normal;job.13.NumCPUs=4;partition.fast.PriorityTier=1"

// slurmArray is a site with an array of four tasks.
const slurmArray = ";job.26.JobName=a|UserId=cat(1006)|Account=b|QOS=normal|Priority=1900|Nice=0|JobState=PENDING|Reason=Priority|ArrayJobId=26|ArrayTaskId=1-4|TimeLimit=00:30:00|SubmitTime=2026-03-02T11:30:00|" +
	"EligibleTime=2026-03-02T11:30:00|AccrueTime=2026-03-02T11:30:00|StartTime=Unknown|Partition=batch|NodeList=|NumNodes=1|NumCPUs=4|NumTasks=4|CPUs/Task=1|ReqTRES=cpu=4,mem=8000M,node=1,billing=4|MinMemoryCPU=2000M|OverSubscribe=OK"

const (
	slurmReserved = ";resv.r.StartTime=2026-03-02T11:00:00|EndTime=2026-03-02T20:00:00|Duration=09:00:00|Nodes=n4|NodeCnt=1|CoreCnt=8|Features=(null)|PartitionName=batch|Flags=SPEC_NODES|TRES=cpu=8|Users=bob|Groups=(null)|Accounts=(null)|Licenses=(null)|State=ACTIVE"
	slurmTree     = ";config.SchedulerParameters=max_switch_wait=36000;config.TopologyPlugin=topology/tree;switch.s0.Level=1|LinkSpeed=1|Nodes=n[1-4]|Switches=s[1-2];switch.s1.Level=0|LinkSpeed=1|Nodes=n[1-2];switch.s2.Level=0|LinkSpeed=1|Nodes=n[3-4]"
	slurmWide     = ";job.23.NumCPUs=10|NumTasks=10|NumNodes=2|ReqTRES=cpu=10,mem=20000M,node=2,billing=10"
	slurmThreads  = ";node.n4.State=DOWN;node.n3.CoresPerSocket=2|ThreadsPerCore=2;job.13.NumCPUs=3|NumTasks=3|ReqTRES=cpu=3,mem=6000M,node=1,billing=3;job.23.NumCPUs=5|NumTasks=5|ReqTRES=cpu=5,mem=10000M,node=1,billing=5"
	slurmAges     = ";config.PriorityWeightAge=1000000"
	slurmGPUs     = ";node.n3.Gres=gpu:4;node.n4.Gres=gpu:4"
	slurmBilled   = ";qos.normal.MaxTRESPU=billing=20"
)

// otherSlurmValues are other values of all that is read of a site, by whose it is and its name, as changes of the small
// site and, behind a bar, what the site has before as well. Those of attributes that are said or without effect are
// unlikely ones, where there are none here.
var otherSlurmValues = map[string][2]string{
	"job JobId":             {"job.20.JobName=j20|UserId=cat(1006)|Account=b|QOS=normal|Priority=1477|Nice=0|JobState=PENDING|Reason=Priority|TimeLimit=00:05:00|SubmitTime=2026-03-02T11:30:00|EligibleTime=2026-03-02T11:30:00|AccrueTime=2026-03-02T11:30:00|StartTime=Unknown|Partition=batch|NodeList=|NumNodes=1|NumCPUs=2|NumTasks=2|CPUs/Task=1|ReqTRES=cpu=2,mem=4000M,node=1,billing=2|OverSubscribe=OK"},
	"job UserId":            {"job.23.UserId=dan(1007)"},
	"job Account":           {"job.23.UserId=ann(1001)|Account=a"},
	"job Priority":          {"job.24.Priority=9000"},
	"job Nice":              {"job.23.Nice=100"},
	"job QOS":               {"job.23.QOS=high"},
	"job JobState":          {"job.12.JobState=COMPLETING"},
	"job Reason":            {"job.23.Reason=JobHeldUser|Priority=0"},
	"job TimeLimit":         {"job.11.TimeLimit=08:00:00"},
	"job SubmitTime":        {"job.24.SubmitTime=2026-03-02T08:00:00", ";job.23.Priority=1500;job.24.Priority=1500"},
	"job EligibleTime":      {"job.23.EligibleTime=2026-03-02T15:00:00|Reason=BeginTime"},
	"job AccrueTime":        {"job.23.AccrueTime=2026-03-02T03:00:00"},
	"job StartTime":         {"job.11.StartTime=2026-03-02T11:30:00"},
	"job Partition":         {"job.24.Partition=fast"},
	"job ReqNodeList":       {"job.23.ReqNodeList=n1"},
	"job ExcNodeList":       {"job.23.ExcNodeList=n[2-4]"},
	"job NodeList":          {"job.13.NodeList=n4|BatchHost=n4"},
	"job NumNodes":          {"job.23.NumNodes=1", ";job.23.NumNodes=3|NumCPUs=3|NumTasks=3|ReqTRES=cpu=3,mem=6000M,node=3,billing=3"},
	"job NumCPUs":           {"job.23.NumCPUs=6|NumTasks=6|ReqTRES=cpu=6,mem=12000M,node=1,billing=6"},
	"job NumTasks":          {"job.23.NumTasks=1|NumCPUs=1|ReqTRES=cpu=1,mem=2000M,node=1,billing=1", ";job.23.NumCPUs=3|NumTasks=3|NtasksPerN:B:S:C=1:0:*:*|ReqTRES=cpu=3,mem=6000M,node=1,billing=3"},
	"job CPUs/Task":         {"job.23.CPUs/Task=5|NumTasks=2", slurmWide},
	"job TRES":              {"job.23.TRES=cpu=7,mem=14000M,node=1,billing=7"},
	"job ReqTRES":           {"job.23.ReqTRES=cpu=8,mem=16000M,node=1,billing=8"},
	"job MinCPUsNode":       {"job.23.MinCPUsNode=8", ";job.23.NumTasks=1"},
	"job MinMemoryNode":     {"job.23.MinMemoryNode=30G|MinMemoryCPU="},
	"job MinMemoryCPU":      {"job.23.MinMemoryCPU=15000M"},
	"job Features":          {"job.23.Features=r1"},
	"job Licenses":          {"job.23.Licenses=lic:2", ";config.Licenses=lic:1"},
	"job Reservation":       {"job.22.Reservation=r", slurmReserved},
	"job ArrayJobId":        {"job.26.ArrayJobId=|ArrayTaskId=", slurmArray},
	"job ArrayTaskId":       {"job.26.ArrayTaskId=1-2", slurmArray},
	"job ArrayTaskThrottle": {"job.26.ArrayTaskThrottle=1", slurmArray},
	"job TresPerNode":       {"job.23.TresPerNode=gres/gpu:5", slurmGPUs},
	"job TresPerJob":        {"job.23.TresPerJob=gres/gpu:9", slurmGPUs},
	"job TresPerTask":       {"job.23.TresPerTask=gres/gpu:5", slurmGPUs},
	"job Switches":          {"job.21.Switches=1@10:00:00", slurmTree},
	"job Requeue":           {"job.13.Requeue=0", slurmPreempts},
	"job BatchFlag":         {"job.13.BatchFlag=0", slurmPreempts},
	"job SiteFactor":        {"job.23.SiteFactor=500"},

	"node NodeName":       {"node.n5.Arch=x86_64|CoresPerSocket=4|CPUAlloc=0|CPUEfctv=8|CPUTot=8|RealMemory=32000|AllocMem=0|Sockets=2|State=IDLE|ThreadsPerCore=1|Weight=1|Partitions=batch;partition.batch.Nodes=n[1-5]"},
	"node State":          {"node.n4.State=DOWN"},
	"node CPUTot":         {"node.n4.CPUTot=16|CPUEfctv=16"},
	"node CPUEfctv":       {"node.n4.CPUEfctv=6"},
	"node CPUAlloc":       {"node.n4.CPUAlloc=8"},
	"node RealMemory":     {"node.n4.RealMemory=3000"},
	"node AllocMem":       {"node.n3.AllocMem=30000"},
	"node MemSpecLimit":   {"node.n4.MemSpecLimit=31000"},
	"node Sockets":        {"node.n4.Sockets=1|CPUTot=16|CPUEfctv=16", ";node.n4.Sockets=4|CPUTot=16|CPUEfctv=16|CoresPerSocket=4;job.24.NtasksPerN:B:S:C=0:0:2:*"},
	"node CoresPerSocket": {"node.n3.CoresPerSocket=4|ThreadsPerCore=1", slurmThreads},
	"node ThreadsPerCore": {"node.n3.CoresPerSocket=4|ThreadsPerCore=1", slurmThreads},
	"node Weight":         {"node.n4.Weight=10"},
	"node Gres":           {"node.n4.Gres=gpu:1", slurmGPUs + ";job.23.TresPerNode=gres/gpu:4"},
	"node ActiveFeatures": {"node.n4.ActiveFeatures=r9", ";job.23.Features=r2"},
	"node Reason":         {"node.n4.Reason=bad [root@2026-03-02T09:00:00]", ";node.n4.State=DOWN"},
	"node Partitions":     {"node.n4.Partitions=batch"},

	"partition PartitionName":        {"partition.more.Nodes=n[1-4]|State=UP|PriorityTier=1|PriorityJobFactor=9|TotalCPUs=32|TotalNodes=4"},
	"partition State":                {"partition.fast.State=DOWN"},
	"partition Nodes":                {"partition.fast.Nodes=n[1-2]"},
	"partition PriorityTier":         {"partition.batch.PriorityTier=5"},
	"partition PriorityJobFactor":    {"partition.batch.PriorityJobFactor=9"},
	"partition AllowAccounts":        {"partition.fast.AllowAccounts=a"},
	"partition DenyAccounts":         {"partition.fast.DenyAccounts=b"},
	"partition AllowQos":             {"partition.fast.AllowQos=normal"},
	"partition DenyQos":              {"partition.fast.DenyQos=high"},
	"partition QoS":                  {"partition.batch.QoS=part", ";qos.part.Priority=0|UsageFactor=1.000000|MaxTRESPU=cpu=1"},
	"partition MaxTime":              {"partition.batch.MaxTime=00:04:00"},
	"partition DefaultTime":          {"partition.batch.DefaultTime=05:00:00"},
	"partition MaxNodes":             {"partition.batch.MaxNodes=1"},
	"partition DefMemPerCPU":         {"partition.batch.DefMemPerCPU=16000"},
	"partition MaxMemPerCPU":         {"partition.batch.MaxMemPerCPU=500"},
	"partition MaxMemPerNode":        {"partition.batch.MaxMemPerNode=5000", ";config.MaxMemPerCPU=500"},
	"partition PreemptMode":          {"partition.batch.PreemptMode=OFF", ";config.PreemptType=preempt/partition_prio;config.PreemptMode=REQUEUE;partition.batch.PreemptMode=REQUEUE"},
	"partition GraceTime":            {"partition.batch.GraceTime=1800", ";config.PreemptType=preempt/partition_prio;config.PreemptMode=REQUEUE;partition.batch.PreemptMode=REQUEUE"},
	"partition TRESBillingWeights":   {"partition.batch.TRESBillingWeights=CPU=3.0", slurmBilled},
	"partition OverSubscribe":        {"partition.batch.OverSubscribe=FORCE:4"},
	"partition AllowGroups":          {"partition.batch.AllowGroups=chem"},
	"partition RootOnly":             {"partition.batch.RootOnly=YES"},
	"partition ReqResv":              {"partition.batch.ReqResv=YES"},
	"partition MaxCPUsPerNode":       {"partition.batch.MaxCPUsPerNode=4"},
	"partition MaxCPUsPerSocket":     {"partition.batch.MaxCPUsPerSocket=2"},
	"partition MinNodes":             {"partition.batch.MinNodes=2"},
	"partition OverTimeLimit":        {"partition.batch.OverTimeLimit=5"},
	"partition LLN":                  {"partition.batch.LLN=YES"},
	"partition ExclusiveUser":        {"partition.batch.ExclusiveUser=YES"},
	"partition ExclusiveTopo":        {"partition.batch.ExclusiveTopo=YES"},
	"partition SelectTypeParameters": {"partition.batch.SelectTypeParameters=CR_SOCKET"},

	"job OverSubscribe":    {"job.22.OverSubscribe=USER"},
	"job ReqB:S:C:T":       {"job.22.ReqB:S:C:T=0:2:4:*"},
	"job NtasksPerN:B:S:C": {"job.22.NtasksPerN:B:S:C=0:1:*:*"},

	"qos Name":              {"qos.high.Name=x;qos.third.Priority=7|UsageFactor=1.000000;job.23.QOS=third"},
	"qos Priority":          {"qos.high.Priority=500"},
	"qos UsageFactor":       {"qos.normal.UsageFactor=9.000000", ";config.PriorityWeightFairShare=90000"},
	"qos LimitFactor":       {"qos.normal.LimitFactor=0.010000", ";assoc.a/ann.GrpTRES=cpu=64"},
	"qos Preempt":           {"qos.high.Preempt=normal", ";config.PreemptType=preempt/qos;config.PreemptMode=REQUEUE"},
	"qos PreemptMode":       {"qos.normal.PreemptMode=cancel", slurmPreempts},
	"qos PreemptExemptTime": {"qos.normal.PreemptExemptTime=10:00:00", slurmPreempts},
	"qos GraceTime":         {"qos.normal.GraceTime=00:30:00", slurmPreempts},
	"qos Flags":             {"qos.normal.Flags=NoReserve", ";config.PreemptType=preempt/qos;config.PreemptMode=REQUEUE"},

	"flag OverPartQOS":        {"qos.normal.Flags=OverPartQOS", ";qos.part.Priority=0|UsageFactor=1.000000|MaxTRESPU=cpu=1;partition.batch.QoS=part;qos.normal.MaxTRESPU=cpu=40"},
	"flag NoDecay":            {"qos.normal.Flags=NoDecay", ";qos.normal.GrpTRESMins=cpu=9000;config.PriorityDecayHalfLife=00:10:00"},
	"flag UsageFactorSafe":    {"qos.normal.Flags=UsageFactorSafe", ";qos.normal.UsageFactor=20.000000;qos.normal.GrpTRESMins=cpu=3000"},
	"flag PartitionTimeLimit": {"qos.normal.Flags=PartitionTimeLimit", ";partition.batch.MaxTime=00:04:00"},
	"flag NoReserve":          {"qos.normal.Flags=NoReserve", ";config.PreemptType=preempt/qos;config.PreemptMode=REQUEUE"},

	"assoc GrpJobsAccrue": {"assoc.a/.GrpJobsAccrue=1", slurmAges},
	"assoc MaxJobsAccrue": {"assoc.b/dan.MaxJobsAccrue=1", slurmAges},
	"assoc Priority":      {"assoc.b/cat.Priority=50"},
	"assoc Cluster":       {"assoc.a/ann.Cluster=other", ";assoc.a/ann.MaxTRES=cpu=1"},
	"assoc Account":       {"assoc.a/ann.Account=b", ";assoc.a/ann.MaxTRES=cpu=1"},
	"assoc User":          {"assoc.a/ann.User=bob", ";assoc.a/ann.MaxTRES=cpu=1;assoc.a/bob.User=zed"},
	"assoc Partition":     {"assoc.a/ann.Partition=fast", ";assoc.a/ann.MaxTRES=cpu=1"},

	"assoc QOS": {"assoc.b/cat.QOS=high"},

	"word default_queue_depth":    {"config.SchedulerParameters=default_queue_depth=1", ";config.SchedulerType=sched/builtin"},
	"word partition_job_depth":    {"config.SchedulerParameters=partition_job_depth=1"},
	"word sched_interval":         {"config.SchedulerParameters=sched_interval=1200"},
	"word batch_sched_delay":      {"config.SchedulerParameters=batch_sched_delay=1000"},
	"word bf_interval":            {"config.SchedulerParameters=bf_interval=1800"},
	"word bf_resolution":          {"config.SchedulerParameters=bf_resolution=3600"},
	"word bf_window":              {"config.SchedulerParameters=bf_window=1"},
	"word bf_max_job_test":        {"config.SchedulerParameters=bf_max_job_test=1"},
	"word bf_max_job_start":       {"config.SchedulerParameters=bf_max_job_start=1"},
	"word bf_max_job_user":        {"config.SchedulerParameters=bf_max_job_user=1"},
	"word bf_max_job_part":        {"config.SchedulerParameters=bf_max_job_part=1"},
	"word bf_max_job_assoc":       {"config.SchedulerParameters=bf_max_job_assoc=1"},
	"word bf_max_job_user_part":   {"config.SchedulerParameters=bf_max_job_user_part=1"},
	"word bf_max_job_array_resv":  {"config.SchedulerParameters=bf_max_job_array_resv=1", slurmArray},
	"word bf_node_space_size":     {"config.SchedulerParameters=bf_node_space_size=2"},
	"word bf_one_resv_per_job":    {"config.SchedulerParameters=bf_one_resv_per_job", ";job.24.Partition=fast,batch;job.23.Partition=fast,batch;job.22.Partition=fast,batch"},
	"word bf_min_prio_reserve":    {"config.SchedulerParameters=bf_min_prio_reserve=100000"},
	"word bf_min_age_reserve":     {"config.SchedulerParameters=bf_min_age_reserve=86400"},
	"word preempt_reorder_count":  {"config.SchedulerParameters=preempt_reorder_count=0", slurmPreempts},
	"word preempt_strict_order":   {"config.SchedulerParameters=preempt_strict_order", slurmPreempts},
	"word preempt_youngest_first": {"config.SchedulerParameters=preempt_youngest_first", slurmPreempts},
	"word max_switch_wait":        {"config.SchedulerParameters=max_switch_wait=1", slurmTree + ";job.21.Switches=1@10:00:00"},

	"select CR_CPU":  {"config.SelectTypeParameters=CR_CPU_MEMORY", slurmThreads},
	"select CR_Core": {"config.SelectTypeParameters=CR_CORE", ";job.23.MinMemoryNode=30G|MinMemoryCPU="},
}
