package slurm

import (
	"slices"
	"strings"
	"testing"
)

// anyText are the settings of which slurmctld 22.05 takes nonsense, as it has been asked, by why it does; so they are not checked.
var anyText = map[string]string{
	"they are names, addresses and paths": `AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost AccountingStorageLoc AccountingStoragePass
		AccountingStorageUser BackupAddr BackupController ClusterName ControlAddr ControlMachine JobCompHost JobCompLoc JobCompPass JobCompUser JobCredentialPrivateKey
		JobCredentialPublicCertificate MailDomain MailProg PlugStackConfig PluginDir SlurmctldAddr SlurmctldHost SlurmctldLogFile SlurmctldPidFile SlurmctldPort
		SlurmdLogFile SlurmdPidFile SlurmdSpoolDir SlurmSchedLogFile SlurmUser SlurmdUser StateSaveLocation TmpFS SrunPortRange`,
	"they are programs": `Epilog EpilogSlurmctld HealthCheckProgram Prolog PrologSlurmctld RebootProgram ResumeFailProgram ResumeProgram ResvEpilog ResvProlog
		SallocDefaultCommand SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SrunEpilog SrunProlog SuspendProgram TaskEpilog TaskProlog UnkillableStepProgram
		SlurmctldPlugstack InteractiveStepOptions`,
	"they are lists of words, of which others are left out": `AccountingStorageParameters AccountingStoreFlags AuthAltParameters AuthInfo BcastExclude BcastParameters
		CommunicationParameters CpuFreqDef CpuFreqGovernors DebugFlags DependencyParameters FederationParameters GpuFreqDef GresTypes HealthCheckNodeState
		JobAcctGatherFrequency JobAcctGatherParams JobCompParams LaunchParameters Licenses LogTimeFormat MCSParameters MpiParams PowerParameters PrEpParameters
		PriorityParameters PrioritySiteFactorParameters PrivateData PropagateResourceLimits PropagateResourceLimitsExcept ReconfigFlags RequeueExit RequeueExitHold
		SbcastParameters ScronParameters SlurmctldParameters SlurmdParameters SuspendExcNodes SuspendExcParts SwitchParameters TaskPluginParam TopologyParam
		X11Parameters PrologFlags`,
	"they are plugins, which a site may have of its own": `AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInterconnectType AcctGatherInfinibandType
		AcctGatherProfileType AccountingStorageType AuthAltTypes AuthType BurstBufferType CliFilterPlugins CoreSpecPlugin CredType CryptoType ExtSensorsType
		JobAcctGatherType JobCompType JobContainerType JobSubmitPlugins LaunchType MCSPlugin MpiDefault NodeFeaturesPlugins PowerPlugin PrEpPlugins
		PrioritySiteFactorPlugin ProctrackType RoutePlugin SwitchType TaskPlugin`,
	"they are checked with the lists of words and plugins of the scheduler": `AccountingStorageEnforce EnforcePartLimits PreemptMode PreemptParameters PreemptType
		SchedulerParameters SchedulerType SelectType SelectTypeParameters TopologyPlugin JobDefaults`,
	"they are levels by number or word":                            `SlurmctldDebug SlurmctldSyslogDebug SlurmdDebug SlurmdSyslogDebug SlurmSchedLogLevel PropagatePrioProcess`,
	"they are those of which Slurm takes texts that are no number": `SuspendTime Port OverTimeLimit`,
	"they are those of other versions than 22.05": `BOOT_TIME SLURM_VERSION CertgenParameters CertgenType CertmgrParameters CertmgrType DataParserParameters DynamicNodes
		EpilogTimeout HashPlugin JobCompPassScript MaxBatchRequeue MaxSubmitLineSize NamespaceType PrologTimeout SuspendExcStates SwitchName TLSParameters TLSType
		UrlParserType UseSpecResources PriorityMaxPriority`,
	"they begin lines of their own": `Include NodeSet NodeName PartitionName DownNodes FrontendName`,
	"a node or a partition has any text there": `ActiveFeatures Feature Features Gres CPUSpecList CpuBind NodeAddr NodeHostName BcastAddr Reason AllocNodes AllowAccounts
		AllowGroups AllowQos DenyAccounts DenyQos QoS Nodes NodeSets Topology`,
}

// ofPrint are the keys of nodes and partitions that scontrol prints, and slurm.conf has not.
var ofPrint = `Owner MCS_label ResCoresPerGPU RestrictedCoresPerGPU Arch GresUsed AllocTRES GresDrain GPUSpec CfgTRES AvailableFeatures NextState FreeMem CPULoad Version OS
	Comment Extra InstanceId InstanceType BootTime SlurmdStartTime LastBusyTime ResumeAfterTime CapWatts CurrentWatts LowestJoules ConsumedJoules AveWatts ExtSensorsJoules
	ExtSensorsWatts ExtSensorsTemp CPUTot CPUEfctv CPUAlloc AllocMem Partitions ReservationName ResvName TotalCPUs TotalNodes TRES JobDefaults SelectTypeParameters`

// Each setting of slurm.conf, of nodes and of partitions is checked: nonsense of each type is found, once, or it stands above for what
// reason Slurm takes it. An empty one is found everywhere.
func TestNonsense(t *testing.T) {
	excused := func(name string) bool {
		for _, names := range anyText {
			if IsIn(strings.Fields(names), name) {
				return true
			}
		}
		return IsIn(strings.Fields(ofPrint), name)
	}
	const before = "PriorityType=priority/multifactor\nPriorityWeightAge=1\nNodeName=n1 CPUs=1\n"
	for _, line := range []struct {
		begin string
		names []string
	}{
		{"", slices.Concat(knownNames(), weightSettings, []string{"PriorityMaxAge", "PriorityFavorSmall", "FairShareDampeningFactor", "PriorityWeightTRES", "PriorityFlags", "PriorityCalcPeriod", "PriorityDecayHalfLife", "PriorityUsageResetPeriod", "PriorityType"})},
		{"NodeName=n2 ", nodeKeys},
		{"PartitionName=p Nodes=n1 ", partitionKeys},
	} {
		for _, name := range line.names {
			if name == "Include" || strings.HasPrefix(line.begin, name) || strings.EqualFold(name, "NodeName") || strings.EqualFold(name, "PartitionName") || strings.EqualFold(name, "NodeSet") {
				continue
			}
			for _, value := range []string{"-2", "99999999999999999999", "zzz", ""} {
				if value != "" && (excused(name) || goneKeys[name] != "" || slices.Contains(otherKeys, name) && isGone(name)) {
					continue
				}
				conf, problems, _ := ParseConf(before+line.begin+name+"="+value+"\n", Beside{})
				problems = slices.DeleteFunc(problems, func(text string) bool {
					return !strings.HasPrefix(text, "line 4: ") || strings.Contains(text, "twice") || strings.Contains(text, "set again")
				})
				if n := len(conf.Unread) + len(conf.Refused) + len(conf.Unknown) + len(problems); n != 1 {
					t.Errorf("%s%s=%s: %d findings: %v %q %q %q", line.begin, name, value, n, conf.Unread, conf.Refused, conf.Unknown, problems)
				}
			}
		}
	}
}

// isGone reports whether Slurm no longer has a setting.
func isGone(name string) bool { _, is := goneKeys[name]; return is }

// All that is wrong with a line of a partition is told, each by itself.
func TestAllOfALine(t *testing.T) {
	conf, problems, _ := ParseConf(strings.Join([]string{
		"PriorityWeightAge=1", "NodeName=n1 CPUs=1", "PartitionName=p Nodes=n1 Default=YES",
		"PartitionName=p Nodes=n8,n9 Default=YES PriorityTier=x GraceTime=abc Hidden=maybe MaxTime=soon TRESBillingWeights=cpu=x Colour=red", "PartitionName=q Nodes=n8,n9,n1 PriorityJobFactor=70000", "NodeName=n1 CPUs=x Weight=y", "PartitionName=r PriorityTier=65534",
		"partitionname=s state=FOO gracetime=abc",
	}, "\n"), Beside{})
	got := slices.Concat(conf.Refused, problems)
	for _, line := range conf.Unread {
		got = append(got, line.Error())
	}
	want := []string{
		`line 4: Default=YES of partition p takes that of partition p: the last one counts`,
		`line 4: PartitionName=p: Colour is no key of PartitionName`, `line 4: PartitionName=p: GraceTime: "abc" is neither a whole number from 0 to 4294967295 nor UNLIMITED, and slurmctld does not start with it`,
		`line 4: PartitionName=p: Hidden: maybe is unknown`, `line 4: PartitionName=p: MaxTime: "soon" is not a time`, `line 4: PartitionName=p: PriorityTier: "x" is not a whole number from 0 to 65533`,
		`line 4: PartitionName=p: TRESBillingWeights: "cpu=x" is not NAME=NUMBER of resources that Slurm counts`, `line 4: partition p is defined on two lines`,
		`line 5: PartitionName=q: PriorityJobFactor: "70000" is not a whole number from 0 to 65533`, `line 5: PartitionName=q: there is no node n8, n9`,
		`line 6: NodeName=n1: CPUs: "x" is neither a whole number from 0 to 65535`, `line 6: NodeName=n1: Weight: "y" is neither a whole number from 0 to 4294967295`, `line 6: node n1 is defined on two lines`,
		`line 7: PartitionName=r: PriorityTier is 65534, and 65533 is the largest`,
		`line 8: PartitionName=s: GraceTime: "abc" is neither`, `line 8: PartitionName=s: State: FOO is unknown`, // as they are written in slurm.conf
	}
	slices.Sort(got)
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is set of a copy of a configuration, and refused there, is not refused by the configuration itself.
func TestRefusedOfClone(t *testing.T) {
	conf, _, err := ParseConf("PriorityWeightAge=1\n", Beside{})
	if err != nil {
		t.Fatal(err)
	}
	changed := conf.Clone()
	if _, err := changed.Set("PriorityCalcPeriod", "0"); err == nil || !changed.Refuses("PriorityCalcPeriod") {
		t.Errorf("PriorityCalcPeriod=0: %v", err)
	}
	if conf.Refuses("PriorityCalcPeriod") {
		t.Error("the configuration refuses what was set of its copy")
	}
}
