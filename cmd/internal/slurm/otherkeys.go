package slurm

import (
	"maps"
	"slices"
	"strings"
)

// otherKeys are the further settings of slurm.conf of Slurm 22.05 to 25.05, with those that older ones had since 20.11: nothing here
// depends on them. One that is none of these or of those that are known otherwise is none with which slurmctld of these versions starts.
var otherKeys = []string{
	"AccountingStorageBackupHost", "AccountingStorageExternalHost", "AccountingStorageHost", "AccountingStorageLoc",
	"AccountingStorageParameters", "AccountingStoragePass", "AccountingStoragePort", "AccountingStorageUser",
	"AccountingStoreFlags", "AccountingStoreJobComment", "AcctGatherEnergyType", "AcctGatherFilesystemType",
	"AcctGatherInfinibandType", "AcctGatherInterconnectType", "AcctGatherNodeFreq", "AcctGatherProfileType", "AuthAltParameters",
	"AuthAltTypes", "AuthType", "BackupAddr", "BackupController", "BcastExclude", "BcastParameters", "CacheGroups",
	"CertgenParameters", "CertgenType", "CertmgrParameters", "CertmgrType", "CheckpointType", "CommunicationParameters",
	"ControlAddr", "ControlMachine", "CpuFreqDef", "CpuFreqGovernors", "CredType", "CryptoType", "DataParserParameters",
	"DebugFlags", "DefCPUPerGPU", "DefMemPerGPU", "DynamicNodes", "EioTimeout", "EpilogTimeout", "ExtSensorsFreq",
	"ExtSensorsType", "FastSchedule", "FirstJobId", "GetEnvTimeout", "GpuFreqDef", "GroupUpdateForce",
	"GroupUpdateTime", "HashPlugin", "HealthCheckInterval", "HealthCheckNodeState", "InactiveLimit", "Include",
	"InteractiveStepOptions", "JobAcctGatherFrequency", "JobAcctGatherParams", "JobAcctGatherType", "JobCheckpointDir",
	"JobCompHost", "JobCompLoc", "JobCompParams", "JobCompPass", "JobCompPassScript", "JobCompPort", "JobCompType", "JobCompUser",
	"JobContainerType", "JobCredentialPrivateKey", "JobCredentialPublicCertificate", "JobFileAppend", "KeepAliveTime",
	"KillOnBadExit", "LaunchParameters", "LaunchType", "LogTimeFormat", "MailDomain", "MailProg", "MaxDBDMsgs", "MaxJobId",
	"MaxStepCount", "MaxSubmitLineSize", "MemLimitEnforce", "MessageTimeout", "MpiDefault", "MpiParams", "MsgAggregationParams",
	"NamespaceType", "PluginDir", "PlugStackConfig", "PowerParameters", "PowerPlugin", "PrEpParameters", "PrEpPlugins",
	"ProctrackType", "PrologEpilogTimeout", "PrologTimeout", "PropagatePrioProcess", "PropagateResourceLimits",
	"PropagateResourceLimitsExcept", "ReconfigFlags", "ResumeFailProgram", "ResvEpilog", "ResvProlog", "RoutePlugin",
	"SallocDefaultCommand", "SbcastParameters", "SchedulerAuth", "SchedulerPort", "SchedulerRootFilter", "ScronParameters",
	"SlurmctldAddr", "SlurmctldDebug", "SlurmctldHost", "SlurmctldLogFile", "SlurmctldPidFile", "SlurmctldPlugstack",
	"SlurmctldPort", "SlurmctldPrimaryOffProg", "SlurmctldPrimaryOnProg", "SlurmctldSyslogDebug", "SlurmctldTimeout",
	"SlurmdDebug", "SlurmdLogFile", "SlurmdPidFile", "SlurmdPort", "SlurmdSpoolDir", "SlurmdSyslogDebug", "SlurmSchedLogFile",
	"SlurmSchedLogLevel", "SrunEpilog", "SrunPortRange", "SrunProlog", "StateSaveLocation", "SwitchName", "SwitchParameters",
	"SwitchType", "TaskEpilog", "TaskPlugin", "TaskPluginParam", "TaskProlog", "TCPTimeout", "TLSParameters", "TLSType", "TmpFS",
	"TreeWidth", "UnkillableStepProgram", "UrlParserType", "UsePAM", "UseSpecResources", "VSizeFactor", "WaitTime",
	"X11Parameters",
}

// goneKeys are those of them that Slurm has left out before 22.05, and what has taken their place.
var goneKeys = map[string]string{
	"AccountingStoreJobComment": "AccountingStoreFlags=job_comment",
	"CacheGroups":               "",
	"CheckpointType":            "",
	"FastSchedule":              "SlurmdParameters=config_overrides for FastSchedule=2",
	"JobCheckpointDir":          "",
	"MemLimitEnforce":           "JobAcctGatherParams=OverMemoryKill",
	"MsgAggregationParams":      "",
	"SchedulerAuth":             "",
	"SchedulerPort":             "",
	"SchedulerRootFilter":       "",
}

// gone says which settings of a slurm.conf Slurm no longer has.
func (c *Conf) gone() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(goneKeys)) {
		if c.places[strings.ToLower(name)].Line == 0 {
			continue
		}
		text := c.where(name) + name + " does nothing: Slurm has left it out before 22.05"
		if instead := goneKeys[name]; instead != "" {
			text += ", and has " + instead
		}
		list = append(list, text)
	}
	return list
}
