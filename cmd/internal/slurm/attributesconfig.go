package slurm

import "slices"

// ConfigAttributes are the settings of slurmctld on which its order, its starts or its submissions depend, as scontrol show
// config of Slurm 22.05 to 25.05 prints them or slurm.conf has them, and those that seem to. The others are of addresses,
// paths, logs, accounting, and of what runs within a job. What lacks says what is so here instead.
var ConfigAttributes = slices.Concat(Attributes{
	{Name: "ClusterName", Copy: CopyCluster},
	{Name: "BOOT_TIME", Copy: CopyTime},
	{Name: "SLURM_VERSION", Copy: CopyValue},
	{Name: "SlurmUser", Copy: CopyUserNumber},
	{Name: "PrivateData", Copy: CopyWords},
	{Name: "AccountingStorageEnforce", Copy: CopyWords},
	{Name: "AccountingStorageTRES", Copy: CopyTRES},
	{Name: "AccountingStorageType", Copy: CopyPlugin, Usual: []string{"accounting_storage/none"}},
	{Name: "AuthInfo", Copy: CopyParameters},
	{Name: "CliFilterPlugins", Copy: CopySome},
	{Name: "DefMemPerCPU", Copy: CopyValue, Usual: []string{"0", "UNLIMITED"}},
	{Name: "DefMemPerNode", Copy: CopyValue, Usual: []string{"0", "UNLIMITED"}},
	{Name: "EnforcePartLimits", Copy: CopyWords, Usual: []string{"NO"}},
	{Name: "JobDefaults", Copy: CopyParameters},
	{Name: "JobRequeue", Copy: CopyValue, Usual: []string{"1"}},
	{Name: "JobSubmitPlugins", Copy: CopySome},
	{Name: "KillWait", Copy: CopyValue, Usual: []string{"30"}},
	{Name: "Licenses", Copy: CopyLicences},
	{Name: "MaxArraySize", Copy: CopyValue, Usual: []string{"1001"}},
	{Name: "MaxMemPerCPU", Copy: CopyValue, Usual: []string{"0", "UNLIMITED"}},
	{Name: "MaxMemPerNode", Copy: CopyValue, Usual: []string{"0", "UNLIMITED"}},
	{Name: "OverTimeLimit", Copy: CopyValue, Usual: []string{"0"}},
	{Name: "PreemptExemptTime", Copy: CopyValue, Usual: []string{"0", "00:00:00"}},
	{Name: "PreemptMode", Copy: CopyWords},
	{Name: "PreemptParameters", Copy: CopyParameters},
	{Name: "PreemptType", Copy: CopyPlugin},
	{Name: "SchedulerParameters", Copy: CopyParameters},
	{Name: "SchedulerType", Copy: CopyPlugin},
	{Name: "SelectTypeParameters", Copy: CopyWords},
	{Name: "SuspendTimeout", Copy: CopyValue, Usual: []string{"30"}},
	{Name: "TopologyParam", Copy: CopyWords},
	{Name: "TopologyPlugin", Copy: CopyPlugin, Usual: []string{"topology/default", "topology/none", "topology/flat"}},

	{Name: "FairShareDampeningFactor", Copy: CopyValue},
	{Name: "PriorityCalcPeriod", Copy: CopyValue},
	{Name: "PriorityDecayHalfLife", Copy: CopyValue},
	{Name: "PriorityFavorSmall", Copy: CopyWords},
	{Name: "PriorityFlags", Copy: CopyWords},
	{Name: "PriorityMaxAge", Copy: CopyValue},
	{Name: "PriorityType", Copy: CopyPlugin},
	{Name: "PriorityWeightAge", Copy: CopyAmount},
	{Name: "PriorityWeightAssoc", Copy: CopyAmount},
	{Name: "PriorityWeightFairShare", Copy: CopyAmount},
	{Name: "PriorityWeightJobSize", Copy: CopyAmount},
	{Name: "PriorityWeightPartition", Copy: CopyAmount},
	{Name: "PriorityWeightQOS", Copy: CopyAmount},
	{Name: "PriorityWeightTRES", Copy: CopyTRES},

	{Name: "SelectType", Lacks: "jobs are placed as select/cons_tres does", none: []string{"select/cons_tres"}, On: OnRoom, Copy: CopyPlugin},
	{Name: "PrioritySiteFactorPlugin", Lacks: "priorities are without what it adds", none: []string{"site_factor/none"}, Copy: CopyPlugin, Usual: []string{"site_factor/none"}},
	{Name: "PriorityUsageResetPeriod", Lacks: "usage never becomes 0 again", Copy: CopyWords},
	{Name: "CompleteWait", Lacks: "jobs start while others complete", none: []string{"0", "0 sec"}, Copy: CopyValue, Usual: []string{"0"}},
},
	idle("MCS_label of nodes and OverSubscribe of jobs say whom it keeps apart", "MCSParameters", "MCSPlugin"),
	idle("no job is killed at the end of its reservation here", "ResvOverRun"),
	idle("PrioritySiteFactorPlugin is said", "PrioritySiteFactorParameters"),
	idle("no plugin of Slurm's reads it", "PriorityParameters"),
	idle("no two jobs of a partition take turns on a core here", "SchedulerTimeSlice"),
	idle("a job of a record ends as it did, and one to come ends once", "MaxBatchRequeue", "RequeueExit", "RequeueExitHold"),
	idle("nodes that are switched off get jobs as others", "NodeFeaturesPlugins", "RebootProgram", "ResumeProgram", "ResumeRate", "ResumeTimeout", "SuspendExcNodes", "SuspendExcParts", "SuspendExcStates", "SuspendProgram", "SuspendRate", "SuspendTime"),
	idle("no prolog fails here", "BatchStartTimeout", "Prolog", "PrologFlags", "PrologSlurmctld"),
	idle("State says that a node still cleans up", "Epilog", "EpilogMsgTime", "EpilogSlurmctld", "UnkillableStepTimeout"),
	idle("State says whether a node is up", "HealthCheckProgram", "SlurmdParameters", "SlurmdTimeout"),
	idle(ofSubmission, "DisableRootJobs", "MaxJobCount", "MaxNodeCount", "MaxTasksPerNode"),
	idle("Reason says whether a job waits for others", "DependencyParameters"),
	idle("CoreSpec of each job is said", "AllowSpecResourcesUsage", "CoreSpecPlugin"),
	idle("Gres of each node says it", "GresTypes"),
	idle("burst buffers are said of the jobs that ask for them", "BurstBufferType"),
	idle("FedOrigin of each job says it", "FederationParameters"),
	idle("a label, by which no limit and no factor goes", "TrackWCKey"),
	idle("it says how long jobs are listed that are over", "MinJobAge"),
	idle(ofServer, "SlurmctldParameters", "SlurmdUser", "TLSParameters"),
	Attributes{
		{Name: "AuthType", Idle: checked, Copy: CopyPlugin},
		{Name: "CredType", Idle: checked, Copy: CopyPlugin},
		{Name: "JobAcctGatherType", Idle: checked, Copy: CopyPlugin},
		{Name: "ProctrackType", Idle: checked, Copy: CopyPlugin},
		{Name: "ReturnToService", Idle: "State says whether a node is up", Copy: CopyValue},
		{Name: "SwitchType", Idle: checked, Copy: CopyPlugin},
		{Name: "TaskPlugin", Idle: checked, Copy: CopyPlugin},
	},
)

// checked is why nothing but what check says depends on a setting.
const checked = "it says by what a daemon works, and check says whether there is such a plugin"

// idle returns attributes on which no answer depends, all for one reason.
func idle(why string, names ...string) (all Attributes) {
	for _, name := range names {
		all = append(all, Attribute{Name: name, Idle: why})
	}
	return all
}
