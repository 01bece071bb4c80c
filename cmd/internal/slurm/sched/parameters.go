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
	of          func(*Setup) any // where it stands: a pointer to an int64, an int or a bool
}

const mostOfParameter = 1 << 31

// parameters are all of them, as they are listed, with the bounds of slurm.conf's manual: slurmctld takes its default
// for a value beyond them.
var parameters = []parameter{
	{"sched_interval", 1, mostOfParameter, func(s *Setup) any { return &s.Interval }},
	{"default_queue_depth", 0, mostOfParameter, func(s *Setup) any { return &s.Depth }},
	{"batch_sched_delay", 0, mostOfParameter, func(s *Setup) any { return &s.BatchDelay }},
	{"bf_interval", 1, 10_800, func(s *Setup) any { return &s.Backfill.Interval }},
	{"bf_resolution", 1, 3_600, func(s *Setup) any { return &s.Backfill.Resolution }},
	{"bf_window", 1, 43_200, func(s *Setup) any { return &s.Backfill.Window }},
	{"bf_max_job_user", 0, mostOfParameter, func(s *Setup) any { return &s.Backfill.MaxPerUser }},
	{"bf_max_job_test", 1, 1_000_000, func(s *Setup) any { return &s.Backfill.MaxTest }},
	{"bf_max_job_start", 0, 10_000, func(s *Setup) any { return &s.Backfill.MaxStart }},
	{"bf_max_job_part", 0, mostOfParameter, func(s *Setup) any { return &s.Backfill.MaxPerPartition }},
	{"bf_max_job_assoc", 0, mostOfParameter, func(s *Setup) any { return &s.Backfill.MaxPerAssociation }},
	{"bf_max_job_user_part", 0, mostOfParameter, func(s *Setup) any { return &s.Backfill.MaxPerUserPartition }},
	{"bf_max_job_array_resv", 0, 1_000, func(s *Setup) any { return &s.Backfill.MaxPerArray }},
	{"bf_node_space_size", 2, 2_000_000, func(s *Setup) any { return &s.Backfill.MaxSpans }},
	{"bf_one_resv_per_job", 0, 1, func(s *Setup) any { return &s.Backfill.HasOnePlan }},
	{"bf_allow_magnetic_slot", 0, 1, func(s *Setup) any { return &s.Backfill.HasMagneticPlans }},
	{"bf_min_prio_reserve", 0, mostOfParameter, func(s *Setup) any { return &s.Threshold.Priority }},
	{"bf_min_age_reserve", 0, 2_592_000, func(s *Setup) any { return &s.Threshold.Age }},
	{"preempt_reorder_count", 0, mostOfParameter, func(s *Setup) any { return &s.Preemption.Reorder }},
	{"preempt_strict_order", 0, 1, func(s *Setup) any { return &s.Preemption.IsStrict }},
	{"preempt_youngest_first", 0, 1, func(s *Setup) any { return &s.Preemption.IsYoungest }},
	{"partition_job_depth", 0, mostOfParameter, func(s *Setup) any { return &s.PartitionDepth }},
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

// set gives a setup the value of a parameter.
func (p *parameter) set(s *Setup, n int64) {
	switch of := p.of(s).(type) {
	case *int64:
		*of = n * p.unit()
	case *int:
		*of = int(n)
	case *bool:
		*of = n == 1
	}
}

// unit returns how many of what a setup counts one of a parameter is.
func (p *parameter) unit() int64 {
	if p.name == "bf_window" {
		return minute
	}
	return 1
}

// UseDefaults gives a setup what slurmctld does without SchedulerParameters, but for backfill, see DefaultBackfill.
func (s *Setup) UseDefaults() {
	s.Interval, s.Depth, s.BatchDelay, s.Preemption.Reorder = 60, 100, 3, 1
}

// DefaultOf returns the value that a parameter has where SchedulerParameters does not have it, "" for what is none of Parameters.
func DefaultOf(name string) string {
	at := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name })
	if at < 0 {
		return ""
	}
	backfill := DefaultBackfill()
	s := &Setup{Backfill: &backfill}
	s.UseDefaults()
	switch of := parameters[at].of(s).(type) {
	case *int64:
		return strconv.FormatInt(*of/parameters[at].unit(), 10)
	case *int:
		return strconv.Itoa(*of)
	case *bool:
		if *of {
			return "1"
		}
	}
	return "0"
}
