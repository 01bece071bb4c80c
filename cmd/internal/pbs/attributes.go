package pbs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// Attributes are attributes of the server, the scheduler or a queue, by name. They
// are never changed, but for copies.
type Attributes map[string]string

// replayed are the attributes that decide which jobs start, besides their order;
// those of resources without the resource.
var replayed = strings.Fields(`
max_run max_run_res max_running max_user_run max_group_run max_user_res max_group_res
max_run_soft max_run_res_soft max_user_run_soft max_group_run_soft max_user_res_soft max_group_res_soft
resources_available default_chunk backfill_depth scheduler_iteration preempt_order opt_backfill_fuzzy node_fail_requeue
node_group_enable node_group_key do_not_span_psets`)

// IsReplayed reports whether a replay depends on an attribute of a server, a
// scheduler or a queue.
func IsReplayed(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return slices.Contains(replayed, name)
}

// IsSoft reports whether an attribute is a soft limit, on which the order of jobs depends too.
func IsSoft(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return strings.HasSuffix(name, "_soft")
}

// isOfScheduler reports whether an attribute that a replay depends on is the scheduler's.
func isOfScheduler(name string) bool {
	return name == "preempt_order" || name == "opt_backfill_fuzzy" || name == "do_not_span_psets"
}

// isQueueReplayed reports whether a replay depends on an attribute of a queue: limits and
// backfill_depth.
func isQueueReplayed(name string) bool {
	isOther := isOfScheduler(name) || name == "scheduler_iteration" || name == "node_fail_requeue" || name == "node_group_enable" || strings.HasPrefix(name, "default_chunk")
	return IsReplayed(name) && !isOther
}

// backfillWindows are the words of opt_backfill_fuzzy and what they mean, in seconds.
var backfillWindows = map[string]float64{"off": 0, "low": 60, "med": 600, "medium": 600, "high": 3600}

// BackfillWindow returns opt_backfill_fuzzy in seconds: when a scheduler looks for the time
// at which a top job fits, it takes what ends in one such stretch of the clock to end at
// once. It is "low" where nothing is set, as recorded estimates show.
func (s *Sched) BackfillWindow() float64 {
	if window, ok := backfillWindows[strings.ToLower(s.Scheduler["opt_backfill_fuzzy"])]; ok {
		return window
	}
	return backfillWindows["low"]
}

// checkReplayed returns what is wrong with a value of an attribute whose values are
// numbers or letters; limits are checked when they are read.
func checkReplayed(name, value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case name == "backfill_depth" && (err != nil || n < 0 || n > 1000):
		return fmt.Errorf("%q is no depth, from 0 to 1000", value)
	case name == "scheduler_iteration" && (err != nil || n < 1):
		return fmt.Errorf("%q is no time, of a second or more", value)
	case name == "node_fail_requeue" && (err != nil || n < 0):
		return fmt.Errorf("%q is no time in seconds", value)
	case (name == "node_group_enable" || name == "do_not_span_psets") && !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false"):
		return fmt.Errorf("%q is neither true nor false", value)
	case name == "opt_backfill_fuzzy":
		if _, ok := backfillWindows[strings.ToLower(value)]; !ok {
			return fmt.Errorf("%q is none of off, low, medium and high", value)
		}
	case name == "preempt_order":
		_, err := ParsePreemptOrder(value)
		return err
	}
	return nil
}

// with returns a copy with the attributes of an object, which win, and what is wrong with
// those whose values are not understood: they do not count.
func (a Attributes) with(o *Object) (Attributes, []error) {
	own := Attributes{}
	var problems []error
	for _, attribute := range o.Attributes {
		if !IsReplayed(attribute.Name) && !strings.HasPrefix(attribute.Name, "resources_default.") {
			continue
		}
		if err := checkReplayed(attribute.Name, attribute.Value); err != nil {
			problems = append(problems, fmt.Errorf("line %d: %s of %s %s does not count: %w", attribute.Line, attribute.Name, o.Kind, o.Name, err))
			continue
		}
		if before, ok := own[attribute.Name]; ok {
			own[attribute.Name] = before + "," + attribute.Value
		} else {
			own[attribute.Name] = attribute.Value
		}
	}
	if len(own) == 0 {
		return a, problems
	}
	all := Attributes{}
	maps.Copy(all, a)
	maps.Copy(all, own)
	return all, problems
}

// set returns a copy with one attribute changed.
func (a Attributes) set(name, value string) Attributes {
	changed := Attributes{}
	maps.Copy(changed, a)
	changed[name] = value
	return changed
}

// Int returns a whole number, the one given where there is none.
func (a Attributes) Int(name string, otherwise int) int {
	if n, err := strconv.Atoi(a[name]); err == nil {
		return n
	}
	return otherwise
}

// Of returns the attributes of a name by resource: of default_chunk, those of
// default_chunk.ncpus and so on.
func (a Attributes) Of(name string) map[string]string {
	found := map[string]string{}
	for full, value := range a {
		if resource, ok := strings.CutPrefix(full, name+"."); ok {
			found[resource] = value
		}
	}
	return found
}

// CommandToSet returns what a shell runs to set the formula: between single quotes for qmgr
// where the formula has double quotes, since it takes those within single ones only.
func CommandToSet(formula string) string {
	quote := `"`
	if strings.Contains(formula, quote) {
		quote = "'"
	}
	return "qmgr -c " + report.Quote("set server job_sort_formula = "+quote+formula+quote)
}
