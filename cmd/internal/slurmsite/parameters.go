package slurmsite

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurmsched"
)

// unmodelled are the words of SchedulerParameters and SelectTypeParameters on which it depends which jobs start where,
// and that are not modelled, with what is so instead. Those that matter to how fast slurmctld is, or to jobs that are
// refused or have ended, are not among them.
var unmodelled = map[string]string{
	"allow_zero_lic":              "jobs that ask for more licences than there are wait for ever",
	"assoc_limit_stop":            "jobs over a limit hold up nobody",
	"batch_sched_delay":           "jobs that come are looked at within a second or two",
	"bf_busy_nodes":               "plans do not prefer busy nodes",
	"bf_hetjob_immediate":         "the parts of one job start each when it can",
	"bf_hetjob_prio":              "the parts of one job have their own priorities",
	"bf_ignore_newly_avail_nodes": "nodes that become free in a cycle are taken in it",
	"bf_job_part_count_reserve":   "all jobs of a partition get plans",
	"bf_running_job_reserve":      "no plans are made for jobs that run",
	"bf_topopt_enable":            "plans do not wait for nodes that are closer together",
	"bf_window_linear":            "the windows of plans grow by factors of two",
	"defer":                       "jobs that come are looked at within a second or two",
	"defer_batch":                 "jobs that come are looked at within a second or two",
	"pack_serial_at_end":          "jobs of one CPU are placed as all others",
	"preempt_reorder_count":       "no job is preempted",
	"preempt_strict_order":        "no job is preempted",
	"preempt_youngest_first":      "no job is preempted",
	"reduce_completing_frag":      "passes go on while jobs clean up",
	"sched_max_job_start":         "a pass starts as many jobs as fit",
	"sched_min_interval":          "passes follow each other within seconds",
	"time_min_as_soft_limit":      "jobs may run as long as their time limit",

	"cr_socket":                 "cores are given one by one, not by sockets",
	"cr_lln":                    "jobs go to the nodes with fewest free CPUs, not to those with most",
	"cr_pack_nodes":             "the tasks of a job are spread over its nodes",
	"cr_one_task_per_core":      "as many tasks share a core as it has CPUs",
	"enforce_binding_gres":      "GPUs are given whichever cores are free",
	"one_task_per_sharing_gres": "tasks share GPUs",
}

// readParameters reads SchedulerType, SchedulerParameters and SelectTypeParameters.
func (r *schedulerReader) readParameters() {
	config := r.folder.config
	s := r.setup
	s.Booted, s.ClusterName = config("boot_time"), config("clustername")
	s.Interval, s.Depth, s.KillWait = 60, 100, 30
	if config("schedulertype") != "sched/builtin" {
		b := slurmsched.DefaultBackfill()
		s.Backfill = &b
	}
	for word := range strings.SplitSeq(config("schedulerparameters"), ",") {
		name, value, _ := strings.Cut(word, "=")
		name = strings.ToLower(name)
		instead, isUnmodelled := unmodelled[name]
		switch {
		case name == "" || name == "(null)":
		case name == "bf_licenses":
			r.ignore(licensed, "bf_licenses, so that jobs which lack licences get no plans,")
		case isUnmodelled && s.Backfill == nil && strings.HasPrefix(name, "bf_"):
		case isUnmodelled:
			r.ignore(slurmsched.Everybody, "%s of SchedulerParameters (here %s)", word, instead)
		case word == "sched_interval=-1":
			r.ignore(slurmsched.Everybody, "%s of SchedulerParameters (here a pass over the full queue begins every %d s)", word, s.Interval)
		default:
			switch err, isKnown := s.Set(name, value), slices.Contains(slurmsched.Parameters(), name); {
			case err != nil && isKnown && (s.Backfill != nil || !strings.HasPrefix(name, "bf_")):
				r.site.say(diag.Warningf("SchedulerParameters: %v: the default counts, as in slurmctld", err))
			case err != nil:
				r.site.say(diag.Notef("SchedulerParameters: %v", err))
			}
		}
	}
	for word := range strings.SplitSeq(config("selecttypeparameters"), ",") {
		name := strings.ToLower(word)
		if instead, is := unmodelled[strings.TrimSuffix(name, "_memory")]; is {
			r.ignore(slurmsched.Everybody, "%s of SelectTypeParameters (here %s)", word, instead)
		}
	}
	if t := config("preempttype"); t != "" && t != "preempt/none" {
		r.site.say(diag.Warningf("the site preempts jobs (%s), which is not modelled", t))
	}
	r.readLicences()
	if t := config("topologyplugin"); t != "" && t != "topology/none" {
		r.site.say(diag.Warningf("the site has a topology (%s), which is not modelled", t))
	}
	if t := config("selecttype"); t != "" && t != "select/cons_tres" {
		r.site.say(diag.Warningf("SelectType is %s: jobs are placed as select/cons_tres does", t))
	}
}
