package pbs

import (
	"slices"
	"strings"
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
			s.Hooks = append(s.Hooks, Hook{o.Name, strings.FieldsFunc(events, func(r rune) bool { return r == ',' || r == ' ' })})
		}
	}
	return isAny
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
