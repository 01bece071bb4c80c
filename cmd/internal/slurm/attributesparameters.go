package slurm

// Reasons that several words have.
const (
	ofSlowness   = "no pass or cycle runs out of time here"
	ofSubmission = "it is about what is taken as it is submitted"
	ofSteps      = "it is about steps of jobs that run"
	ofServer     = "it is about how slurmctld serves its users"
	ofBinding    = "it is about which cores tasks run on"
)

// SchedulerWords are all words of SchedulerParameters that Slurm 22.05 to 25.05 has (slurm.conf's manual). What lacks says
// what is so here instead.
var SchedulerWords = Attributes{
	{Name: "default_queue_depth"}, {Name: "partition_job_depth"}, {Name: "sched_interval"}, {Name: "batch_sched_delay"},
	{Name: "bf_interval"}, {Name: "bf_resolution"}, {Name: "bf_window"}, {Name: "bf_max_job_test"}, {Name: "bf_max_job_start"}, {Name: "bf_max_job_user"}, {Name: "bf_max_job_part"}, {Name: "bf_max_job_assoc"},
	{Name: "bf_max_job_user_part"}, {Name: "bf_max_job_array_resv"}, {Name: "bf_node_space_size"}, {Name: "bf_one_resv_per_job"}, {Name: "bf_allow_magnetic_slot"}, {Name: "bf_min_prio_reserve"}, {Name: "bf_min_age_reserve"},
	{Name: "preempt_reorder_count"}, {Name: "preempt_strict_order"}, {Name: "preempt_youngest_first"}, {Name: "max_switch_wait", IsNumber: true},

	{Name: "allow_zero_lic", Lacks: "jobs that ask for more licences than there are wait for ever"},
	{Name: "assoc_limit_stop", Lacks: "jobs over a limit hold up nobody"},
	{Name: "bf_busy_nodes", Lacks: "plans do not prefer busy nodes"},
	{Name: "bf_hetjob_immediate", Lacks: "the parts of one job start each when it can"},
	{Name: "bf_hetjob_prio", Lacks: "the parts of one job have their own priorities", On: OnQueue},
	{Name: "bf_ignore_newly_avail_nodes", Lacks: "nodes that become free in a cycle are taken in it"},
	{Name: "bf_job_part_count_reserve", IsNumber: true, Lacks: "all jobs of a partition get plans"},
	{Name: "bf_licenses", Lacks: "jobs which lack licences get no plans"},
	{Name: "bf_running_job_reserve", Lacks: "no plans are made for jobs that run"},
	{Name: "bf_topopt_enable", Lacks: "plans do not wait for nodes that are closer together"},
	{Name: "bf_topopt_iterations", IsNumber: true, Lacks: "plans do not wait for nodes that are closer together"},
	{Name: "bf_window_linear", IsNumber: true, Lacks: "the windows of plans grow by factors of two"},
	{Name: "defer", Lacks: "jobs that come are looked at within a second or two"},
	{Name: "defer_batch", Lacks: "jobs that come are looked at within a second or two"},
	{Name: "extra_constraints", Lacks: "jobs that ask for more with --extra get other nodes as well", On: OnRoom},
	{Name: "pack_serial_at_end", Lacks: "jobs of one CPU are placed as all others", On: OnRoom},
	{Name: "reduce_completing_frag", Lacks: "passes go on while jobs clean up"},
	{Name: "sched_max_job_start", IsNumber: true, Lacks: "a pass starts as many jobs as fit", none: []string{"0"}},
	{Name: "sched_min_interval", IsNumber: true, Lacks: "passes follow each other within seconds"},
	{Name: "time_min_as_soft_limit", Lacks: "jobs may run as long as their time limit"},

	{Name: "bf_continue", Idle: ofSlowness}, {Name: "bf_max_time", IsNumber: true, Idle: ofSlowness}, {Name: "bf_yield_interval", IsNumber: true, Idle: ofSlowness}, {Name: "bf_yield_sleep", IsNumber: true, Idle: ofSlowness}, {Name: "bf_yield_rpc_cnt", IsNumber: true, Idle: ofSlowness},
	{Name: "build_queue_timeout", IsNumber: true, Idle: ofSlowness}, {Name: "max_sched_time", IsNumber: true, Idle: ofSlowness}, {Name: "max_rpc_cnt", IsNumber: true, Idle: ofSlowness},
	{Name: "enable_user_top", Idle: "Nice of each job says it"}, {Name: "ignore_prefer_validation", Idle: ofSubmission}, {Name: "ignore_constraint_validation", Idle: ofSubmission},
	{Name: "max_array_tasks", IsNumber: true, Idle: ofSubmission}, {Name: "max_depend_depth", IsNumber: true, Idle: ofSubmission}, {Name: "max_script_size", IsNumber: true, Idle: ofSubmission}, {Name: "max_submit_line_size", IsNumber: true, Idle: ofSubmission}, {Name: "no_env_cache", Idle: ofSubmission},
	{Name: "kill_invalid_depend", Idle: "a job whose dependency never holds never starts, whether it is removed or not"},
	{Name: "delay_boot", Idle: "nodes are not booted with other features"},
	{Name: "bb_array_stage_cnt", IsNumber: true, Idle: "burst buffers are said of the jobs that ask for them"},
	{Name: "disable_job_shrink", Idle: ofSteps}, {Name: "disable_hetjob_steps", Idle: ofSteps}, {Name: "enable_hetjob_steps", Idle: ofSteps}, {Name: "enable_job_state_cache", Idle: ofServer}, {Name: "enable_stepmgr", Idle: ofSteps},
	{Name: "step_retry_count", IsNumber: true, Idle: ofSteps}, {Name: "step_retry_time", IsNumber: true, Idle: ofSteps}, {Name: "whole_hetjob", Idle: "it is about parts of one job that are cancelled"},
	{Name: "correspond_after_task_cnt", IsNumber: true, Idle: "aftercorr waits for the task of the same number"},
	{Name: "no_backup_scheduling", Idle: ofServer}, {Name: "salloc_wait_nodes", Idle: "a job has its nodes while they boot"}, {Name: "sbatch_wait_nodes", Idle: "a job has its nodes while they boot"},
	{Name: "nohold_on_prolog_fail", Idle: "no prolog fails here"}, {Name: "requeue_setup_env_fail", Idle: "no prolog fails here"},
	{Name: "Ignore_NUMA", Idle: ofBinding}, {Name: "spec_cores_first", Idle: ofBinding},
}

// PreemptWords are all words of PreemptParameters. What lacks says what is so here instead.
var PreemptWords = Attributes{
	{Name: "reorder_count"}, {Name: "strict_order"}, {Name: "youngest_first"},
	{Name: "min_exempt_priority", Lacks: "jobs are preempted whatever their priority is"},
	{Name: "reclaim_licenses", Lacks: "jobs are preempted for their nodes, and not for their licences"},
	{Name: "send_user_signal", Idle: "GraceTime says how long a job goes on that is preempted"},
	{Name: "suspend_grace_time", Idle: "suspended jobs get no time before"},
}

// SelectWords are all words of SelectTypeParameters, of which those with _Memory behind them are told here without it.
// What lacks says what is so here instead.
var SelectWords = Attributes{
	{Name: "CR_CPU"}, {Name: "CR_Core"},
	{Name: "CR_Memory", Lacks: "CPUs are given as well as memory", On: OnRoom},
	{Name: "CR_Socket", Lacks: "cores are given one by one, not by sockets", On: OnRoom},
	{Name: "CR_LLN", Lacks: "jobs go to the nodes with fewest free CPUs, not to those with most", On: OnRoom},
	{Name: "CR_Pack_Nodes", Lacks: "the tasks of a job are spread over its nodes", On: OnRoom},
	{Name: "CR_ONE_TASK_PER_CORE", Lacks: "as many tasks share a core as it has CPUs", On: OnRoom},
	{Name: "ENFORCE_BINDING_GRES", Lacks: "GPUs are given whichever cores are free", On: OnRoom},
	{Name: "LL_SHARED_GRES", Lacks: "shares of GPUs are taken of whichever is free", On: OnRoom},
	{Name: "MULTIPLE_SHARING_GRES_PJ", Lacks: "shares of GPUs are taken of whichever is free", On: OnRoom},
	{Name: "ONE_TASK_PER_SHARING_GRES", Lacks: "tasks share GPUs", On: OnRoom},
	{Name: "CR_CORE_DEFAULT_DIST_BLOCK", Idle: ofBinding},
	{Name: "OTHER_CONS_RES", Idle: "it is of Cray's own plugin"}, {Name: "OTHER_CONS_TRES", Idle: "it is of Cray's own plugin"},
}
