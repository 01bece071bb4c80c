package studytest

import "strings"

// Settings has a value for each setting that a replay knows, other than that of the recordings.
var Settings = map[string]string{
	"server.node_fail_requeue": "1000", "server.node_group_enable": "True", "server.node_group_key": "vnode", "sched.do_not_span_psets": "True",
	"sched.only_explicit_psets": "True", "sched.resource_unset_infinite": "ngpus", "server.eligible_time_enable": "False",
	"sched.fair_share": "false", "sched.by_queue": "true", "sched.round_robin": "true", "sched.preemptive_sched": "false", "sched.strict_ordering": "false",
	"sched.job_sort_key": "ncpus HIGH", "sched.node_sort_key": "ncpus HIGH", "sched.resources": "ncpus", "sched.fairshare_usage_res": "cput+ncpus*7",
	"sched.fairshare_entity": "egroup", "sched.fairshare_enforce_no_shares": "false", "sched.unknown_shares": "1000",
	"sched.help_starving_jobs": "true", "sched.max_starve": "01:00:00",
	"sched.fairshare_decay_factor": "0.9", "sched.fairshare_decay_time": "01:00:00",
	"sched.backfill_prime": "true", "sched.prime_spill": "02:00:00", "sched.prime_exempt_anytime_queues": "true",
	"sched.primetime_prefix": "workq", "sched.nonprimetime_prefix": "workq", "sched.dedicated_prefix": "workq",

	"sched.job_sort_formula_threshold": "1", "sched.preempt_queue_prio": "90", "sched.preempt_prio": "express_queue, fairshare, normal_jobs",
	"sched.preempt_order": "R", "sched.opt_backfill_fuzzy": "high", "sched.sched_preempt_enforce_resumption": "True", "server.restrict_res_to_release_on_suspend": "mem",
	"server.max_run": "[u:PBS_GENERIC=2]", "server.max_run_res.ncpus": "[g:PBS_GENERIC=48]", "server.max_running": "9", "server.max_user_run": "2",
	"server.max_group_run": "4", "server.max_user_res.ncpus": "40", "server.max_group_res.ncpus": "60", "server.resources_available.ncpus": "128",
	"server.max_run_soft": "[u:PBS_GENERIC=2]", "server.max_run_res_soft.ncpus": "[g:PBS_GENERIC=48]", "server.max_user_run_soft": "2",
	"server.max_group_run_soft": "4", "server.max_user_res_soft.ncpus": "40", "server.max_group_res_soft.ncpus": "60",
	"server.default_chunk.ngpus": "1", "server.backfill_depth": "1", "server.scheduler_iteration": "60",
	"queue.workq.priority": "300", "queue.workq.started": "false", "queue.workq.max_run": "[u:PBS_GENERIC=1]", "queue.workq.max_run_res.ncpus": "[o:PBS_ALL=64]",
	"queue.workq.max_running": "3", "queue.workq.max_user_run": "1", "queue.workq.max_group_run": "1", "queue.workq.max_user_res.ncpus": "16",
	"queue.workq.max_group_res.ncpus": "24", "queue.workq.resources_available.ncpus": "32", "queue.workq.backfill_depth": "2",
	"queue.workq.max_run_soft": "[u:PBS_GENERIC=1]", "queue.workq.max_run_res_soft.ncpus": "[o:PBS_ALL=64]", "queue.workq.max_user_run_soft": "1",
	"queue.workq.max_group_run_soft": "1", "queue.workq.max_user_res_soft.ncpus": "16", "queue.workq.max_group_res_soft.ncpus": "24",
	"queue.workq.node_group_key": "vnode", "queue.workq.default_chunk.ngpus": "1",
}

// Beside is what some of them need to have an effect.
var Beside = func() map[string][]string {
	preempts := func(levels string) []string {
		return []string{"sched.preemptive_sched=true", "queue.highq.priority=200", "sched.preempt_prio=" + levels}
	}
	beside := map[string][]string{
		"server.eligible_time_enable": {"sched.fairshare_decay_time=0:10:00"},
		"server.node_fail_requeue":    {"node.*.down=2026-03-02 11:00/2026-03-02 11:30"},
		"server.node_group_enable":    {"server.node_group_key=vnode"}, "server.node_group_key": {"server.node_group_enable=True"},
		"sched.do_not_span_psets": {"server.node_group_enable=True", "server.node_group_key=vnode"}, "queue.workq.node_group_key": {"server.node_group_enable=True"},
		"sched.only_explicit_psets":         {"server.node_group_enable=True", "server.node_group_key=ngpus", "sched.do_not_span_psets=True"},
		"sched.fairshare_enforce_no_shares": {"sched.unknown_shares=0", "alice.shares=0", "aldo.shares=0"},
		"sched.preemptive_sched":            {"queue.highq.priority=200"}, "sched.preempt_order": preempts("express_queue, normal_jobs"),
		"sched.sched_preempt_enforce_resumption":    append(preempts("express_queue, normal_jobs"), "sched.strict_ordering=false"),
		"server.restrict_res_to_release_on_suspend": preempts("express_queue, normal_jobs"),
		"sched.help_starving_jobs":                  append(preempts("express_queue, starving_jobs, normal_jobs"), "sched.max_starve=3600"),
		"sched.max_starve":                          append(preempts("express_queue, starving_jobs, normal_jobs"), "sched.help_starving_jobs=true"),
		"sched.prime_spill":                         {"sched.backfill_prime=true"}, "sched.prime_exempt_anytime_queues": {"sched.backfill_prime=true"},
	}
	for setting := range Settings {
		if strings.Contains(setting, "_soft") {
			beside[setting] = preempts("express_queue, normal_jobs, server_softlimits, queue_softlimits")
		}
	}
	return beside
}()
