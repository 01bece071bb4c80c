package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// smallSlurm is a Slurm site of a few jobs, nodes and partitions, of which each attribute can be another one.
type smallSlurm struct {
	objects smallObjects        // by kind and name, such as "job.21" and "config."
	orders  map[string][]string // the names of the attributes of each as they were set first
}

// newSmallSlurm returns a site that is asked at 2026-03-02T12:00:00 and where what slurmctld reads makes a difference: its
// nodes are full, jobs of four users in two accounts wait in two partitions, and it enforces limits.
func newSmallSlurm() *smallSlurm {
	s := &smallSlurm{objects: smallObjects{}, orders: map[string][]string{}}
	s.set("config.", `AccountingStorageEnforce=associations,limits,qos,safe|AccountingStorageTRES=cpu,mem,energy,node,billing|BOOT_TIME=2026-03-01T08:00:00|ClusterName=small|EnforcePartLimits=NO|JobRequeue=1|KillWait=30 sec|
		Licenses=(null)|MaxMemPerCPU=4000|OverTimeLimit=0 min|PreemptMode=OFF|PreemptType=preempt/none|PreemptExemptTime=00:00:00|PriorityParameters=(null)|PrioritySiteFactorParameters=(null)|PrioritySiteFactorPlugin=(null)|
		PriorityDecayHalfLife=1-00:00:00|PriorityCalcPeriod=00:05:00|PriorityFavorSmall=No|PriorityFlags=|PriorityMaxAge=1-00:00:00|PriorityUsageResetPeriod=NONE|PriorityType=priority/multifactor|PriorityWeightAge=1000|
		PriorityWeightAssoc=100|PriorityWeightFairShare=2000|PriorityWeightJobSize=100|PriorityWeightPartition=500|PriorityWeightQOS=1000|PriorityWeightTRES=CPU=10|SchedulerParameters=(null)|SchedulerType=sched/backfill|
		SelectType=select/cons_tres|SelectTypeParameters=CR_CORE_MEMORY|SLURM_VERSION=24.11.7|TopologyPlugin=topology/flat`)
	for i, name := range []string{"n1", "n2", "n3", "n4"} {
		s.set("node."+name, fmt.Sprintf(`Arch=x86_64|CoresPerSocket=4|CPUAlloc=%d|CPUEfctv=8|CPUTot=8|CPULoad=1.00|AvailableFeatures=r%d|ActiveFeatures=r%[2]d|Gres=(null)|NodeAddr=%s|NodeHostName=%[3]s|Version=24.11.7|RealMemory=32000|AllocMem=%[4]d|
			FreeMem=9000|Sockets=2|Boards=1|State=%[5]s|ThreadsPerCore=1|TmpDisk=0|Weight=1|Owner=N/A|MCS_label=N/A|Partitions=batch,fast|BootTime=2026-03-01T08:00:00|SlurmdStartTime=2026-03-01T08:00:00|LastBusyTime=2026-03-02T11:00:00|
			ResumeAfterTime=None|CfgTRES=cpu=8,mem=32000M,billing=8|AllocTRES=|CurrentWatts=0|AveWatts=0`, []int{8, 8, 4, 0}[i], 1+i/2, name, []int{16000, 16000, 8000, 0}[i], []string{"ALLOCATED", "ALLOCATED", "MIXED", "IDLE"}[i]))
	}
	for i, name := range []string{"batch", "fast"} {
		s.set("partition."+name, fmt.Sprintf(`AllowGroups=ALL|AllowAccounts=ALL|AllowQos=ALL|AllocNodes=ALL|Default=%s|QoS=N/A|DefaultTime=01:00:00|DisableRootJobs=NO|ExclusiveUser=NO|ExclusiveTopo=NO|GraceTime=0|Hidden=NO|MaxNodes=UNLIMITED|
			MaxTime=1-00:00:00|MinNodes=0|LLN=NO|MaxCPUsPerNode=UNLIMITED|MaxCPUsPerSocket=UNLIMITED|Nodes=n[1-4]|PriorityJobFactor=%d|PriorityTier=%[2]d|RootOnly=NO|ReqResv=NO|OverSubscribe=NO|OverTimeLimit=NONE|PreemptMode=OFF|State=UP|
			TotalCPUs=32|TotalNodes=4|SelectTypeParameters=NONE|JobDefaults=(null)|DefMemPerCPU=2000|MaxMemPerNode=UNLIMITED|TRES=cpu=32,mem=128000M,node=4,billing=32`, []string{"YES", "NO"}[i], 1+i))
	}
	const ofBoth = "|GrpTRES=|GrpTRESMins=|GrpTRESRunMins=|GrpJobs=|GrpSubmit=|GrpWall=|MaxTRES=|MaxTRESPerNode=|MaxTRESMins=|MaxWall="
	const ofQOS = ofBoth + "|Preempt=|PreemptExemptTime=|Flags=|UsageThres=|MaxTRESPU=|MaxJobsPU=|MaxSubmitPU=|MaxTRESPA=|MaxTRESRunMinsPA=|MaxTRESRunMinsPU=|MaxJobsPA=|MaxSubmitPA=|MinTRES="
	s.set("qos.normal", "Priority=10|UsageFactor=1.000000|PreemptMode=cluster|GraceTime=00:00:00"+ofQOS)
	s.set("qos.high", "Priority=100|UsageFactor=1.000000|PreemptMode=cluster|GraceTime=00:00:00"+ofQOS)
	for _, of := range []string{"root/", "a/", "a/ann", "a/bob", "b/", "b/cat", "b/dan"} {
		account, user, _ := strings.Cut(of, "/")
		s.set("assoc."+of, fmt.Sprintf("Cluster=small|Account=%s|User=%s|Share=1|Priority=1|QOS=normal,high|Def QOS=normal|Partition=|MaxJobs=|MaxSubmit="+ofBoth, account, user))
	}
	job := func(id int, user, account, partition, qos, state, submitted string, nodes, cpus int, limit, more string) {
		s.set(fmt.Sprintf("job.%d", id), fmt.Sprintf(`JobName=j%d|UserId=%s(%d)|GroupId=users(100)|MCS_label=N/A|Priority=%d|Nice=0|Account=%s|QOS=%s|JobState=%s|Reason=Priority|Dependency=(null)|Requeue=1|Restarts=0|BatchFlag=1|Reboot=0|
			ExitCode=0:0|RunTime=00:00:00|TimeLimit=%s|TimeMin=N/A|SubmitTime=2026-03-02T%s|EligibleTime=2026-03-02T%[9]s|AccrueTime=2026-03-02T%[9]s|StartTime=Unknown|EndTime=Unknown|Deadline=N/A|SuspendTime=None|SecsPreSuspend=0|
			LastSchedEval=2026-03-02T11:59:30|Scheduler=Main|Partition=%[10]s|AllocNode:Sid=login:1|ReqNodeList=(null)|ExcNodeList=(null)|NodeList=|NumNodes=%[11]d|NumCPUs=%[12]d|NumTasks=%[12]d|CPUs/Task=1|ReqB:S:C:T=0:0:*:*|
			ReqTRES=cpu=%[12]d,mem=%[13]dM,node=%[11]d,billing=%[12]d|AllocTRES=(null)|Socks/Node=*|NtasksPerN:B:S:C=0:0:*:*|CoreSpec=*|MinCPUsNode=1|MinMemoryCPU=2000M|MinTmpDiskNode=0|Features=(null)|DelayBoot=00:00:00|OverSubscribe=OK|
			Contiguous=0|Licenses=(null)|Network=(null)|Command=/x|WorkDir=/x|%[14]s`,
			id, user, 1000+id%10, 1500-id, account, qos, state, limit, submitted, partition, nodes, cpus, cpus*2000, more))
	}
	running := func(id int, user, account, node, at string, cpus int, limit string) {
		job(id, user, account, "batch", "normal", "RUNNING", at, 1, cpus, limit, "StartTime=2026-03-02T"+at+"|EndTime=Unknown|Reason=None|NodeList="+node+"|BatchHost="+node)
	}
	running(11, "ann", "a", "n1", "10:00:00", 8, "02:10:00")
	running(12, "bob", "a", "n2", "11:00:00", 8, "03:00:00")
	running(13, "cat", "b", "n3", "11:01:00", 4, "04:00:00")
	job(21, "ann", "a", "batch", "normal", "PENDING", "11:10:00", 3, 24, "01:00:00", "Reason=Resources")
	job(22, "bob", "a", "batch", "normal", "PENDING", "11:20:00", 1, 4, "06:00:00", "")
	job(23, "cat", "b", "batch", "normal", "PENDING", "11:30:00", 1, 2, "00:05:00", "")
	job(24, "dan", "b", "batch", "normal", "PENDING", "11:40:00", 2, 12, "00:05:00", "")
	job(25, "dan", "b", "fast", "high", "PENDING", "11:50:00", 2, 16, "01:00:00", "")
	return s
}

// set sets attributes of an object: NAME=VALUE, between bars.
func (s *smallSlurm) set(object, attributes string) {
	of := s.objects[object]
	if of == nil {
		of = map[string]string{}
		s.objects[object] = of
	}
	for part := range strings.SplitSeq(attributes, "|") {
		name, value, isPair := strings.Cut(strings.TrimSpace(part), "=")
		if !isPair {
			continue
		}
		if _, isKnown := of[name]; !isKnown {
			s.orders[object] = append(s.orders[object], name)
		}
		of[name] = value
	}
}

// edit makes changes such as "job.21.Priority=7;config.SchedulerType=sched/builtin". A name that ends with a dot has none.
func (s *smallSlurm) edit(changes string) {
	for change := range strings.SplitSeq(changes, ";") {
		kind, rest, isPair := strings.Cut(strings.TrimSpace(change), ".")
		switch {
		case !isPair:
		case kind == "config":
			s.set("config.", rest)
		default:
			name, attribute, _ := strings.Cut(rest, ".")
			s.set(kind+"."+name, attribute)
		}
	}
}

// records prints objects as scontrol does.
func (s *smallSlurm) records(kind, first string) string {
	var b strings.Builder
	for _, name := range s.objects.of(kind) {
		object := kind + "." + name
		fmt.Fprintf(&b, "%s=%s", first, name)
		for i, key := range s.orders[object] {
			separator := "\n   "
			if kind != "partition" && i == 0 || kind == "switch" { // on the first line
				separator = " "
			}
			fmt.Fprintf(&b, "%s%s=%s", separator, key, s.objects[object][key])
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// table prints objects as sacctmgr -P does.
func (s *smallSlurm) table(kind, first string) string {
	columns := map[string]bool{}
	for _, name := range s.objects.of(kind) {
		for key := range s.objects[kind+"."+name] {
			columns[key] = true
		}
	}
	header := slices.Sorted(maps.Keys(columns))
	var b strings.Builder
	b.WriteString(strings.Join(append(header, first), "|") + "\n")
	for _, name := range s.objects.of(kind) {
		for _, key := range header {
			b.WriteString(s.objects[kind+"."+name][key] + "|")
		}
		b.WriteString(map[bool]string{true: name}[first == "Name"] + "\n")
	}
	return b.String()
}

// write writes the site as its commands print it, and returns its folder.
func (s *smallSlurm) write(t testing.TB, name string) string {
	files := map[string]string{
		"scontrol-show-job.txt": s.records("job", "JobId"), "scontrol-show-node.txt": s.records("node", "NodeName"), "scontrol-show-partition.txt": s.records("partition", "PartitionName"),
		"sacctmgr-P-qos.txt": s.table("qos", "Name"), "sacctmgr-P-assoc.txt": s.table("assoc", "Comment"),
	}
	var config strings.Builder
	config.WriteString("Configuration data as of 2026-03-02T12:00:00\n")
	for _, key := range s.orders["config."] {
		fmt.Fprintf(&config, "%-24s= %s\n", key, s.objects["config."][key])
	}
	config.WriteString("\nSlurmctld(primary) at ctl is UP\n")
	files["scontrol-show-config.txt"] = config.String()
	if s.objects.of("resv") != nil {
		files["scontrol-show-res.txt"] = s.records("resv", "ReservationName")
	}
	if s.objects.of("switch") != nil {
		files["scontrol-show-topology.txt"] = s.records("switch", "SwitchName")
	}
	files["sshare-alP.txt"] = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins\n" +
		"root||||720000||1.000000|||| \n" +
		" a||1|0.500000|480000|0.666667|0.666667||0.750000|| \n  a|ann|1|0.500000|360000|0.500000|0.750000|0.250000|0.666667|| \n  a|bob|1|0.500000|120000|0.166667|0.250000|0.500000|2.000000|| \n" +
		" b||1|0.500000|240000|0.333333|0.333333||1.500000|| \n  b|cat|1|0.500000|180000|0.250000|0.750000|0.750000|0.666667|| \n  b|dan|1|0.500000|60000|0.083333|0.250000|1.000000|2.000000|| \n"
	files["sacct.txt"] = s.sacct()
	return write(t, "smallslurm/"+name, files)
}

// sacct prints the record: of jobs that have ended, then of those of the list.
func (s *smallSlurm) sacct() string {
	var b strings.Builder
	b.WriteString("JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|TimelimitRaw|ReqCPUS|ReqTRES|AllocTRES|ReqNodes|NNodes|NodeList|Priority|SubmitLine\n")
	for i := range 14 {
		user := []string{"ann", "bob", "cat", "dan"}[i%4]
		account := []string{"a", "a", "b", "b"}[i%4]
		partition, qos, nodes := "batch", "normal", 1+i%3
		if i%5 == 4 {
			partition, qos = "fast", "high"
		}
		cpus := nodes * (2 + 3*(i%3))
		begin := 6*60 + 3*i
		fmt.Fprintf(&b, "%d|%s|%s|%s|%s|2026-03-02T%02d:%02d:00|2026-03-02T%02[6]d:%02[7]d:00|2026-03-02T%02[8]d:%02[9]d:00|2026-03-02T%02[10]d:%02[11]d:00|COMPLETED|%d|%d|cpu=%[13]d,mem=%[14]dM,node=%[15]d,billing=%[13]d|"+
			"cpu=%[13]d,mem=%[14]dM,node=%[15]d,billing=%[13]d|%[15]d|%[15]d|n[1-%[15]d]|%[16]d|sbatch -N%[15]d -n%[13]d x\n",
			101+i, user, account, partition, qos, begin/60, begin%60, (begin+10*i+1)/60, (begin+10*i+1)%60, (begin+10*i+25)/60, (begin+10*i+25)%60, 30+i, cpus, cpus*2000, nodes, 1500-i)
	}
	for _, id := range s.objects.of("job") {
		of := s.objects["job."+id]
		user, _, _ := strings.Cut(of["UserId"], "(")
		minutes := 0
		var hours, more int
		if n, _ := fmt.Sscanf(of["TimeLimit"], "%d:%d", &hours, &more); n == 2 {
			minutes = hours*60 + more
		}
		least, _, isRange := strings.Cut(of["NumNodes"], "-")
		line := ""
		if isRange {
			line = "sbatch -N" + of["NumNodes"] + " -n" + of["NumTasks"] + " x"
		}
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%s|%s|%s|Unknown|%s|%d|%s|%s||%s|%[13]s|%[14]s|%s|%s\n", id, user, of["Account"], of["Partition"], of["QOS"], of["SubmitTime"], of["EligibleTime"], of["StartTime"], of["JobState"], minutes, of["NumCPUs"], of["ReqTRES"], least, of["NodeList"], of["Priority"], line)
	}
	return b.String()
}
