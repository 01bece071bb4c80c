package pbs

import (
	"strconv"
	"strings"
)

// attributeSettings are the attributes of the server, its schedulers and the queues, but for limits.
var attributeSettings = []Setting{
	{Name: "job_sort_formula", Of: OfServer | OfScheduler, Acts: OnOrder, Copy: CopyAsIs, field: &field{
		get: func(s *Sched) string { return s.Formula },
		set: func(s *Sched, value string) error { s.Formula = value; return nil },
	}},
	{Name: thresholdName, Of: OfScheduler, Acts: OnOrder, Copy: CopyAsIs, field: &field{
		get: func(s *Sched) string { return strconv.FormatFloat(s.Threshold, 'f', -1, 64) },
		set: setThreshold,
	}},
	{Name: "preempt_queue_prio", Of: OfScheduler | OfConfig, Acts: OnOrder, Copy: CopyPlain, idle: whilePreemptive, field: &field{
		get: func(s *Sched) string { return strconv.Itoa(s.PreemptQueuePrio) },
		set: setPreemptQueuePrio,
	}},
	{Name: "preempt_prio", Of: OfScheduler | OfConfig, Acts: OnOrder, Copy: CopyPlain, idle: whilePreemptive, field: &field{
		get: func(s *Sched) string { return strings.Join(s.PreemptPrio, ", ") },
		set: setPreemptPrio,
	}},
	{Name: "preempt_order", Of: OfScheduler | OfConfig, Acts: OnStarts, Copy: CopyPlain, idle: whilePreemptive, check: checkPreemptOrder,
		Lacks: "preemption by checkpoints, which are taken to fail", usual: []string{"*"}}, // hardly any site has scripts for them
	{Name: "opt_backfill_fuzzy", Of: OfScheduler, Acts: OnStarts, Copy: CopyPlain, idle: whileStrict, check: checkBackfillWindow},
	{Name: "do_not_span_psets", Of: OfScheduler, Acts: OnStarts, Copy: CopyPlain, idle: whilePlacementSets, isSwitch: true},
	{Name: "only_explicit_psets", Of: OfScheduler, Acts: OnStarts, Copy: CopyPlain, isSwitch: true},

	{Name: "backfill_depth", Of: OfServer | OfQueue, Acts: OnStarts, Copy: CopyPlain, idle: whileStrict, check: checkDepth},
	{Name: "eligible_time_enable", Of: OfServer, Acts: OnOrder, Copy: CopyPlain, isSwitch: true},
	{Name: "scheduler_iteration", Of: OfServer, Acts: OnCourse, Copy: CopyPlain, check: checkIteration},
	{Name: "node_fail_requeue", Of: OfServer, Acts: OnCourse, Copy: CopyPlain, check: checkRequeue},
	{Name: "node_group_enable", Of: OfServer, Acts: OnStarts, Copy: CopyPlain, idle: whilePlacementSets, isSwitch: true},
	{Name: "node_group_key", Of: OfServer | OfQueue, Acts: OnStarts, isOfWords: true, Copy: CopyResources, idle: whilePlacementSets},
	{Name: "default_chunk", Of: OfServer | OfQueue, PerResource: true, Acts: OnStarts, Copy: CopyAmounts},
	{Name: "resources_default", Of: OfServer | OfQueue, PerResource: true, IsRead: true, isText: true, Copy: CopyAmounts},

	{Name: "scheduling", Of: OfServer | OfScheduler, isSwitch: true, Lacks: "scheduling, which is off: no job starts until it is on, and forecasts have no times; orders and replays are as if it were on", usual: []string{"true", "1"}, Copy: CopyPlain},
	{Name: "resources_min", Of: OfServer | OfQueue, PerResource: true, IsRead: true, isText: true, Copy: CopyAmounts},
	{Name: "resources_max", Of: OfServer | OfQueue, PerResource: true, IsRead: true, isText: true, Copy: CopyAmounts},
	{Name: "resources_assigned", Of: OfServer | OfQueue, PerResource: true, Without: "what runs says it", Copy: CopyAmounts},
	{Name: "restrict_res_to_release_on_suspend", Of: OfServer, Acts: OnStarts, isOfWords: true, Copy: CopyResources, idle: whileSuspended},
	{Name: "ProvisionEnable", Of: OfServer, isSwitch: true, Without: ofAoe},
	{Name: "power_provisioning", Of: OfServer, isSwitch: true, Lacks: "power_provisioning: no vnode is switched off or on"},
	{Name: "has_runjob_hook", Of: OfServer, Lacks: "hooks, which may let no job start"},

	{Name: "partition", Of: OfScheduler, IsRead: true, isOfWords: true, Copy: CopyPartitions},
	{Name: "sched_priv", Of: OfScheduler, IsRead: true, isOfWords: true, Copy: CopySchedPriv},
	{Name: "preempt_sort", Of: OfScheduler, check: wordOf("min_time_since_start"), Without: "min_time_since_start is the only value that PBS has, and what holds without it", Copy: CopyPlain},
	{Name: "preempt_targets_enable", Of: OfScheduler, IsRead: true, isText: true, isSwitch: true, Copy: CopyPlain},
	{Name: "sched_preempt_enforce_resumption", Of: OfScheduler, Acts: OnStarts, Copy: CopyPlain, idle: whilePreemptive, isSwitch: true},
	{Name: "throughput_mode", Of: OfScheduler, isSwitch: true, Without: "it only says how the scheduler waits for the server", Copy: CopyPlain},
	{Name: "job_run_wait", Of: OfScheduler, Without: "as throughput_mode", Copy: CopyPlain},
	{Name: "sched_cycle_length", Of: OfScheduler, Lacks: "sched_cycle_length of the scheduler: each cycle is taken to reach its end", usual: []string{"", "00:20:00", "1200"}, Copy: CopyPlain},
	{Name: "server_dyn_res_alarm", Of: OfScheduler, Without: "it bounds the time of a script of server_dyn_res"},
	{Name: "attr_update_period", Of: OfScheduler, Without: "it only says how often comments are written"},

	{Name: "Priority", Of: OfQueue, Acts: OnOrder, Copy: CopyPlain, check: checkPriority, queue: &queueField{
		get: func(q *Queue) string { return strconv.Itoa(q.Priority) },
		set: setPriority,
	}},
	{Name: "started", Of: OfQueue, Acts: OnOrder, Copy: CopyPlain, isSwitch: true, queue: &queueField{
		get: func(q *Queue) string { return strconv.FormatBool(!q.Stopped) },
		set: setStarted,
	}},
	{Name: "queue_type", Of: OfQueue, IsRead: true, Copy: CopyPlain, check: checkQueueType, queue: &queueField{
		set: func(q *Queue, _, value string) error {
			q.Routes = strings.HasPrefix(strings.ToLower(value), "r")
			return nil
		},
	}},
	{Name: "partition", Of: OfQueue, IsRead: true, isOfWords: true, Copy: CopyPartitions,
		queue: &queueField{set: func(q *Queue, _, value string) error { q.Partition = value; return nil }}},
	{Name: "enabled", Of: OfQueue, IsRead: true, isText: true, isSwitch: true, Copy: CopyPlain},
	{Name: "from_route_only", Of: OfQueue, IsRead: true, isText: true, isSwitch: true, Copy: CopyPlain},
	{Name: "acl_user_enable", Of: OfServer | OfQueue, IsRead: true, isText: true, isSwitch: true, Secret: ofAccess},
	{Name: "acl_users", Of: OfServer | OfQueue, IsRead: true, isText: true, isOfWords: true, Secret: ofAccess},
	{Name: "acl_group_enable", Of: OfServer | OfQueue, IsRead: true, isText: true, isSwitch: true, Secret: ofAccess},
	{Name: "acl_groups", Of: OfServer | OfQueue, IsRead: true, isText: true, isOfWords: true, Secret: ofAccess},
	{Name: sloppyName, Of: OfQueue, IsRead: true, isText: true, isSwitch: true, Secret: ofAccess},
	{Name: "acl_host_enable", Of: OfServer | OfQueue, IsRead: true, isText: true, isSwitch: true, Secret: ofAccess},
	{Name: "acl_hosts", Of: OfServer | OfQueue, IsRead: true, isText: true, isOfWords: true, Secret: ofAccess},
	{Name: queuableName, Of: OfQueue, IsRead: true, isText: true, check: checkCount, Copy: CopyPlain},
	{Name: "max_borrow", Of: OfQueue, Without: "only builds of NAS use it"},
	{Name: "ignore_nodect_sort", Of: OfQueue, Without: "as max_borrow"},
	{Name: "hasnodes", Of: OfQueue, Without: "the vnodes' queue says it"},

	{Name: "server_state", Of: OfServer, Without: "what the server was doing", Copy: CopyPlain},
	{Name: "state", Of: OfScheduler, Without: "what the scheduler was doing", Copy: CopyPlain},
	{Name: "total_jobs", Of: OfServer | OfQueue, Without: "a count", Copy: CopyPlain},
	{Name: StateCount, Of: OfServer | OfQueue, IsRead: true, isText: true, isCount: true, check: checkStates, Copy: CopyPlain},
	{Name: "pbs_version", Of: OfServer | OfScheduler | OfVnode, Without: "the rules are those of one version", Copy: CopyPlain},
	{Name: "flatuid", Of: OfServer, Without: "of who may submit", Copy: CopyPlain, isSwitch: true},
	{Name: "query_other_jobs", Of: OfServer, IsRead: true, isText: true, isSwitch: true, Copy: CopyPlain},
	{Name: "resv_enable", Of: OfServer, Without: "reservations are those of the record", Copy: CopyPlain, isSwitch: true},
	{Name: "max_array_size", Of: OfServer | OfQueue, Without: "it is about submissions", Copy: CopyPlain},
	{Name: "default_queue", Of: OfServer, IsRead: true, isText: true, isOfQueues: true, Copy: CopyQueues},
	{Name: "default_qsub_arguments", Of: OfServer, IsRead: true, isText: true, check: checkOptions, Secret: "what it gives to jobs counts for those that are yet to be submitted"},
	{Name: "route_destinations", Of: OfQueue, IsRead: true, isText: true, isOfQueues: true, Copy: CopyQueues},
}

// ofAoe is why settings of provisioning are without effect.
const ofAoe = "jobs that ask for an aoe or eoe alone depend on it, and of these it is said that nothing is provisioned"

// ofAccess is why access lists are not in a copy.
const ofAccess = "whom a queue lets in counts for jobs that are submitted alone, which are those of somebody"

// field is where Sched keeps an attribute.
type field struct {
	get func(s *Sched) string
	set func(s *Sched, value string) error
}

// queueField is where Queue keeps an attribute; get is nil for one that --set does not know.
type queueField struct {
	get func(q *Queue) string
	set func(q *Queue, resource, value string) error
}
