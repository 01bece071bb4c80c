package pbs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Attributes are attributes of the server, the scheduler or a queue, by name. They
// are never changed, but for copies.
type Attributes map[string]string

// replayed are the attributes that decide which jobs start, besides their order;
// those of resources without the resource.
var replayed = strings.Fields(`
max_run max_run_res max_running max_user_run max_group_run max_user_res max_group_res
resources_available default_chunk backfill_depth scheduler_iteration preempt_order opt_backfill_fuzzy`)

// IsReplayed reports whether a replay depends on an attribute of a server, a
// scheduler or a queue.
func IsReplayed(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return slices.Contains(replayed, name)
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
	case name == "opt_backfill_fuzzy" && (err != nil || n < 0):
		return fmt.Errorf("%q is no number of seconds", value)
	case name == "preempt_order" && strings.Trim(value, "SCRD 0123456789") != "":
		return fmt.Errorf("%q is none of the letters S, C, R and D", value)
	}
	return nil
}

// with returns a copy with the attributes of an object, which win.
func (a Attributes) with(o *Object) Attributes {
	own := Attributes{}
	for _, attribute := range o.Attributes {
		if !IsReplayed(attribute.Name) {
			continue
		}
		if before, ok := own[attribute.Name]; ok {
			own[attribute.Name] = before + "," + attribute.Value
		} else {
			own[attribute.Name] = attribute.Value
		}
	}
	if len(own) == 0 {
		return a
	}
	all := Attributes{}
	maps.Copy(all, a)
	maps.Copy(all, own)
	return all
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
