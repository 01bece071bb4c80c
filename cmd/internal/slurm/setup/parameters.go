package setup

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// unmodelled are the words of SchedulerParameters and SelectTypeParameters on which it depends which jobs start where,
// and that are not modelled, with what is so instead. Those that matter to how fast slurmctld is, or to jobs that are
// refused or have ended, are not among them.
var unmodelled = map[string]string{
	"allow_zero_lic":              "jobs that ask for more licences than there are wait for ever",
	"assoc_limit_stop":            "jobs over a limit hold up nobody",
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
	"reduce_completing_frag":      "passes go on while jobs clean up",
	"sched_max_job_start":         "a pass starts as many jobs as fit",
	"sched_min_interval":          "passes follow each other within seconds",
	"time_min_as_soft_limit":      "jobs may run as long as their time limit",

	"cr_memory":                 "CPUs are given as well as memory",
	"cr_socket":                 "cores are given one by one, not by sockets",
	"cr_lln":                    "jobs go to the nodes with fewest free CPUs, not to those with most",
	"cr_pack_nodes":             "the tasks of a job are spread over its nodes",
	"cr_one_task_per_core":      "as many tasks share a core as it has CPUs",
	"enforce_binding_gres":      "GPUs are given whichever cores are free",
	"one_task_per_sharing_gres": "tasks share GPUs",
}

// readParameters reads SchedulerType, SchedulerParameters and SelectTypeParameters.
func (r *reader) readParameters() {
	config := r.dump.Config
	s := r.setup
	s.Booted, s.ClusterName, s.PreemptType = config("boot_time"), config("clustername"), config("preempttype")
	s.Preemption.Reorder, s.SwitchWait = 1, 300
	s.NoRequeue = config("jobrequeue") == "0"
	s.Interval, s.Depth, s.BatchDelay, s.KillWait = 60, 100, 3, killWait(config("killwait"), config("overtimelimit"))
	if config("schedulertype") != "sched/builtin" {
		b := sched.DefaultBackfill()
		b.IsBySpan = s.IsBySpan()
		s.Backfill = &b
	}
	for word := range strings.SplitSeq(config("schedulerparameters"), ",") {
		name, value, _ := strings.Cut(word, "=")
		name = strings.ToLower(name)
		instead, isUnmodelled := unmodelled[name]
		switch {
		case name == "" || name == "(null)":
		case name == "max_switch_wait":
			s.SwitchWait = secondsOr(value, s.SwitchWait)
		case name == "bf_licenses":
			r.ignore(licensed, "bf_licenses, so that jobs which lack licences get no plans,")
		case isUnmodelled && s.Backfill == nil && strings.HasPrefix(name, "bf_"):
		case isUnmodelled:
			r.ignore(sched.Everybody, "%s of SchedulerParameters (here %s)", word, instead)
		case word == "sched_interval=-1":
			r.ignore(sched.Everybody, "%s of SchedulerParameters (here a pass over the full queue begins every %d s)", word, s.Interval)
		default:
			switch err, isKnown := s.Set(name, value), slices.Contains(sched.Parameters(), name); {
			case err != nil && isKnown && (s.Backfill != nil || !strings.HasPrefix(name, "bf_")):
				r.say(diag.Warningf("SchedulerParameters: %v: the default counts, as in slurmctld", err))
			case err != nil:
				r.say(diag.Notef("SchedulerParameters: %v", err))
			}
		}
	}
	for word := range strings.SplitSeq(config("selecttypeparameters"), ",") {
		name := strings.ToLower(word)
		if name != "cr_memory" {
			name = strings.TrimSuffix(name, "_memory")
		}
		if instead, is := unmodelled[name]; is {
			r.ignore(sched.Everybody, "%s of SelectTypeParameters (here %s)", word, instead)
		}
	}
	for _, x := range []struct {
		key, what string
		none      []string // the values, beside none, that change nothing
	}{
		{"prioritysitefactorplugin", "what PrioritySiteFactorPlugin=%s adds to priorities", []string{"site_factor/none"}},
		{"priorityusageresetperiod", "that usage becomes 0 again (PriorityUsageResetPeriod=%s)", nil},
	} {
		t := config(x.key)
		if is := strings.ToLower(t); is != "" && is != "(null)" && is != "none" && !slices.Contains(x.none, is) {
			r.ignore(sched.Everybody, x.what, t)
		}
	}
	r.readTopology()
	r.readPreemption()
	for flag := range strings.SplitSeq(strings.ToUpper(config("priorityflags")), ",") {
		if flag == "INCR_ONLY" {
			r.ignore(sched.Everybody, "%s of PriorityFlags, so that priorities fall as well as they rise,", flag)
		}
	}
	r.readLicences()
	if t := config("selecttype"); t != "" && t != "select/cons_tres" {
		r.ignore(sched.Everybody, "SelectType=%s, in place of which jobs are placed as select/cons_tres does,", t)
	}
}

// killWait returns how many seconds after their time limits slurmctld expects jobs to be over: KillWait, and
// OverTimeLimit minutes before that.
func killWait(wait, over string) int64 {
	const usual, year = 30, 365 * 86400
	seconds := usual
	if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(wait, "sec"))); err == nil && n >= 0 && n < year {
		seconds = n
	}
	switch n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(over, "min"))); {
	case strings.EqualFold(over, "UNLIMITED"):
		seconds = year
	case err == nil && n > 0 && n < year:
		seconds += n * 60
	}
	return int64(seconds)
}

// licensed is what concerns all jobs that ask for licences.
var licensed = sched.Scope{Partition: -1, QOS: -1, Account: -1, IsLicensed: true}

// readLicences reads how many licences of each name the cluster has: from scontrol show lic, which has those
// of other servers as well, or else from scontrol show config.
func (r *reader) readLicences() {
	s := r.setup
	var reserved []string
	for _, l := range r.dump.Records(dump.KindLicences) {
		s.Licences = append(s.Licences, sched.Licence{Name: l["licensename"], Total: int64(min(dump.Number(l["total"], 0), math.MaxInt32))})
		if n := dump.Number(l["reserved"], 0); n > 0 {
			reserved = append(reserved, fmt.Sprintf("%s:%s", l["licensename"], report.Plain(n)))
		}
	}
	if len(reserved) > 0 {
		r.ignore(licensed, "that reservations keep licences (%s), which all jobs get here,", report.First(reserved))
	}
	if s.Licences != nil {
		return
	}
	var ok bool
	if s.Licences, ok = sched.ParseLicences(r.dump.Config("licenses")); !ok {
		r.say(diag.Warningf("the licences of the site cannot be read (%s): jobs do not wait for them", r.dump.Config("licenses")))
	}
}

// secondsOr reads a number of seconds, and returns another one where it is none.
func secondsOr(text string, other int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return n
	}
	return other
}
