package sched

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parameter is one of SchedulerParameters on which a replay depends.
type parameter struct {
	name        string
	least, most int64
	set         func(*Setup, int64)
}

const mostOfParameter = 1 << 31

// parameters are all of them, as they are listed, with the bounds of slurm.conf's manual: slurmctld takes its default
// for a value beyond them.
var parameters = []parameter{
	{"sched_interval", 1, mostOfParameter, func(s *Setup, n int64) { s.Interval = n }},
	{"default_queue_depth", 0, mostOfParameter, func(s *Setup, n int64) { s.Depth = int(n) }},
	{"batch_sched_delay", 0, mostOfParameter, func(s *Setup, n int64) { s.BatchDelay = n }},
	{"bf_interval", 1, 10_800, func(s *Setup, n int64) { s.Backfill.Interval = n }},
	{"bf_resolution", 1, 3_600, func(s *Setup, n int64) { s.Backfill.Resolution = n }},
	{"bf_window", 1, 43_200, func(s *Setup, n int64) { s.Backfill.Window = n * minute }},
	{"bf_max_job_user", 0, mostOfParameter, func(s *Setup, n int64) { s.Backfill.MaxPerUser = int(n) }},
	{"bf_max_job_test", 1, 1_000_000, func(s *Setup, n int64) { s.Backfill.MaxTest = int(n) }},
	{"bf_max_job_start", 0, 10_000, func(s *Setup, n int64) { s.Backfill.MaxStart = int(n) }},
	{"bf_max_job_part", 0, mostOfParameter, func(s *Setup, n int64) { s.Backfill.MaxPerPartition = int(n) }},
	{"bf_max_job_assoc", 0, mostOfParameter, func(s *Setup, n int64) { s.Backfill.MaxPerAssociation = int(n) }},
	{"bf_max_job_user_part", 0, mostOfParameter, func(s *Setup, n int64) { s.Backfill.MaxPerUserPartition = int(n) }},
	{"bf_max_job_array_resv", 0, 1_000, func(s *Setup, n int64) { s.Backfill.MaxPerArray = int(n) }},
	{"bf_node_space_size", 2, 2_000_000, func(s *Setup, n int64) { s.Backfill.MaxSpans = int(n) }},
	{"bf_one_resv_per_job", 0, 1, func(s *Setup, n int64) { s.Backfill.HasOnePlan = n == 1 }},
	{"bf_allow_magnetic_slot", 0, 1, func(s *Setup, n int64) { s.Backfill.HasMagneticPlans = n == 1 }},
	{"bf_min_prio_reserve", 0, mostOfParameter, func(s *Setup, n int64) { s.Threshold.Priority = n }},
	{"bf_min_age_reserve", 0, 2_592_000, func(s *Setup, n int64) { s.Threshold.Age = n }},
	{"preempt_reorder_count", 0, mostOfParameter, func(s *Setup, n int64) { s.Preemption.Reorder = int(n) }},
	{"preempt_strict_order", 0, 1, func(s *Setup, n int64) { s.Preemption.IsStrict = n == 1 }},
	{"preempt_youngest_first", 0, 1, func(s *Setup, n int64) { s.Preemption.IsYoungest = n == 1 }},
	{"partition_job_depth", 0, mostOfParameter, func(s *Setup, n int64) { s.PartitionDepth = int(n) }},
}

// ofPasses are those of backfill that count for main passes as well, and so without it.
var ofPasses = []string{"bf_min_prio_reserve", "bf_min_age_reserve"}

// switches are those that slurm.conf has without a value, and whether they change anything in a replay: bf_continue
// matters to cycles that are interrupted, which none is here.
var switches = map[string]bool{"bf_one_resv_per_job": true, "bf_allow_magnetic_slot": true, "preempt_strict_order": true, "preempt_youngest_first": true, "bf_continue": false}

// idle are those that matter to a machine that is too slow alone, which none is in a replay.
var idle = []string{"max_sched_time", "bf_yield_interval", "bf_max_time", "bf_continue"}

// Parameters returns the names of those of SchedulerParameters on which a replay depends.
func Parameters() (names []string) {
	for _, p := range parameters {
		names = append(names, p.name)
	}
	return names
}

// Set sets a parameter of SchedulerParameters, such as bf_window=2880.
func (s *Setup) Set(name, value string) error {
	if strings.HasPrefix(name, "bf_") && s.Backfill == nil && !slices.Contains(ofPasses, name) {
		return errors.New(name + " has no effect: the site runs sched/builtin")
	}
	if counts, is := switches[name]; is && value == "" {
		if value = "1"; !counts {
			return nil
		}
	}
	p := parameter{most: mostOfParameter}
	at := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name })
	if at >= 0 {
		p = parameters[at]
	} else if !slices.Contains(idle, name) {
		return fmt.Errorf("%s is not modelled", name)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < p.least || n > p.most {
		return fmt.Errorf("%s needs a whole number from %d to %d, not %q", name, p.least, p.most, value)
	}
	if at >= 0 {
		p.set(s, n)
	}
	return nil
}
