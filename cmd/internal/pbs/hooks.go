package pbs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Hook is a hook of the server that is enabled. What it does is not modelled, for no print tells it.
type Hook struct {
	Name   string
	Events []string // at which it runs, such as queuejob
}

// takeHooks takes the hooks that are enabled, and reports whether the objects have any. A hook that several texts tell is one.
func (s *Sched) takeHooks(objects []*Object) (isAny bool) {
	for _, o := range objects {
		if o.Kind != "hook" {
			continue
		}
		isAny = true
		isKnown := slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.Name == o.Name })
		if events := o.value("event"); events != "" && !strings.EqualFold(o.value("enabled"), "false") && !isKnown {
			s.Hooks = append(s.Hooks, Hook{o.Name, eventsOf(events)})
		}
	}
	return isAny
}

// wrongHooks says what of the attributes of hooks PBS does not take.
func wrongHooks(from string, objects []*Object) (remarks []diag.Remark) {
	for _, o := range objects {
		if o.Kind != "hook" || o.IsAssumed {
			continue
		}
		for _, a := range o.Attributes {
			if err := checkHook(a); err != nil {
				remarks = append(remarks, diag.Damagef("%s: line %d: %s of %s does not count: %v", from, a.Line, a.Name, o, err).At(from, a.Line))
			}
		}
	}
	return remarks
}

// HooksAt returns the names of the hooks that run at an event.
func (s *Sched) HooksAt(event string) (names []string) {
	for _, h := range s.Hooks {
		if slices.Contains(h.Events, event) {
			names = append(names, h.Name)
		}
	}
	return names
}

func eventsOf(list string) []string {
	return strings.FieldsFunc(strings.Trim(list, quotes), func(r rune) bool { return r == ',' || r == ' ' })
}

// hookEvents are the events at which a hook may run.
var hookEvents = strings.Fields(`queuejob postqueuejob modifyjob movejob runjob jobobit resvsub modifyresv resv_confirm resv_begin resv_end management modifyvnode
	provision periodic exechost_startup exechost_periodic execjob_attach execjob_begin execjob_prologue execjob_launch execjob_postsuspend execjob_preresume
	execjob_resize execjob_abort execjob_epilogue execjob_end execjob_preterm`)

// hookAttributes are the attributes of hooks, with what is wrong with a value. The scheduler reads none of them.
var hookAttributes = map[string]func(value string) error{
	"type":    wordOf("site", "pbs"),
	"user":    wordOf("pbsadmin", "pbsuser"),
	"enabled": checkHookSwitch, "debug": checkHookSwitch,
	"event":       namesOf("event", hookEvents),
	"fail_action": namesOf("action", strings.Fields("none offline_vnodes clear_vnodes_upon_recovery scheduler_restart_cycle")),
	"alarm":       checkHookTime, "freq": checkHookTime,
	"order": func(value string) error {
		const most = 1000
		if n, err := strconv.Atoi(value); err != nil || n > most || n < 1 {
			return fmt.Errorf("%q is no place in the order of hooks, from 1 to %d", value, most)
		}
		return nil
	},
}

func checkHookSwitch(value string) error {
	if switchWords[strings.ToLower(value)] == "" {
		return fmt.Errorf("%q is neither true nor false", value)
	}
	return nil
}

func checkHookTime(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 1 {
		return fmt.Errorf("%q is no time in seconds, above 0", value)
	}
	return nil
}

// namesOf returns a check of a list of names of a kind, which are known.
func namesOf(kind string, known []string) func(value string) error {
	return func(value string) error {
		for _, name := range eventsOf(value) {
			if !slices.Contains(known, name) {
				return errors.New(report.NoSuch(kind, name, known))
			}
		}
		return nil
	}
}

// checkHook returns what is wrong with an attribute of a hook: qmgr refuses it, and no print of it has it.
func checkHook(a Attribute) error {
	check := hookAttributes[a.Name]
	if check == nil {
		near := report.Typo(a.Name, slices.Sorted(maps.Keys(hookAttributes)))
		return errors.New("hooks have no such attribute, and qmgr refuses it" + report.Meant(near))
	}
	return check(strings.Trim(a.Value, quotes))
}

// isOfPBS reports whether a hook is one of those that PBS has by itself, whose names begin so, and which no print creates.
func isOfPBS(hook string) bool { return strings.HasPrefix(strings.ToLower(hook), "pbs") }
