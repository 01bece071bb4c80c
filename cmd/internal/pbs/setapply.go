package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// apply makes one setting, and keeps it as a change.
func (e *editor) apply(setting string) error {
	name, value, ok := strings.Cut(setting, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	operator := "="
	if n := len(name) - 1; ok && n > 0 && (name[n] == '+' || name[n] == '-') {
		name, operator = strings.TrimSpace(name[:n]), name[n:]+"="
	}
	if slices.ContainsFunc(e.site.Changes, func(c Change) bool { return c.Name == name }) {
		return errors.New("it is set twice")
	}
	if !ok || value == "" && operator != "=" {
		return errors.New("expected NAME=VALUE")
	}
	var err error
	if operator != "=" {
		if value, err = e.combined(name, operator, value); err != nil {
			return err
		}
	}
	var was string
	e.entity, e.isNew = "", false
	if value == "" {
		was, err = e.unset(name)
	} else {
		was, err = e.set(name, value)
	}
	if err == nil {
		e.site.Changes = append(e.site.Changes, Change{name, value, was, e.isNew, e.entity, e.where})
	}
	return err
}

// combined returns what += and -= of qmgr make of an attribute.
func (e *editor) combined(name, operator, value string) (string, error) {
	o, attribute := e.object(name)
	if o == nil {
		return "", fmt.Errorf("%s is for attributes that qmgr sets, such as server.max_run", operator)
	}
	if why := o.change(attribute, operator, value, 0); why != "" {
		return "", errors.New(why)
	}
	return o.value(attribute), nil
}

// object returns the server, the scheduler or the queue that has the attribute of a setting, with that alone, and what qmgr calls
// it; nil for a setting of anything else.
func (e *editor) object(name string) (o *Object, attribute string) {
	of, attribute, _ := strings.Cut(name, ".")
	o = &Object{Kind: of}
	value, isSet := "", false
	if of == "queue" {
		o.Name, attribute, _ = strings.Cut(attribute, ".")
		attribute = spelled(of, attribute)
		at := slices.IndexFunc(e.site.Queues, func(q Queue) bool { return q.Name == o.Name })
		s := SettingOf(OfQueue, attribute)
		switch {
		case at < 0 || !isTried(of, attribute):
			return nil, attribute
		case s.queue != nil:
			value, isSet = s.queue.get(&e.site.Queues[at]), true
		default:
			value, isSet = e.site.Queues[at].Attributes[attribute]
		}
	} else {
		attributes := e.site.Sched.Server
		switch text, field := textSetting(attribute), fieldOf(attribute); {
		case !isTried(of, attribute):
			return nil, attribute
		case field != nil:
			value = field.get(&e.site.Sched)
			isSet = value != ""
		case text.Of&OfServer == 0:
			attributes = e.site.Sched.Scheduler
			fallthrough
		default:
			value, isSet = attributes[attribute]
		}
	}
	if isSet {
		o.Attributes = []Attribute{{Name: attribute, Value: value}}
	}
	return o, attribute
}

// unset takes an attribute away, as unset of qmgr does, and returns what it was.
func (e *editor) unset(name string) (was string, err error) {
	o, attribute := e.object(name)
	if o == nil {
		return "", errors.New("expected NAME=VALUE")
	}
	effect := OnOrder
	if e.replays {
		effect |= OnStarts | OnCourse
	}
	s := SettingOf(ownerOf[o.Kind], attribute)
	if s == nil {
		s = SettingOf(OfAttributes, attribute)
	}
	field := fieldOf(attribute)
	switch was = o.value(attribute); {
	case s.Acts&effect == 0:
		return "", ErrNoOrder
	case attribute == formulaName && e.where == "":
		return "", errNoFormula
	case field != nil && o.Kind != "queue":
		bare := defaultSched()
		return was, field.set(&e.site.Sched, field.get(&bare))
	case s.queue != nil && o.Kind == "queue":
		return e.queue(o.Name, attribute, map[bool]string{true: "false", false: "0"}[s.isSwitch])
	}
	of := &e.site.Sched.Server
	if o.Kind == "queue" {
		of = &e.site.Queues[slices.IndexFunc(e.site.Queues, func(q Queue) bool { return q.Name == o.Name })].Attributes
	} else if s.Of&OfServer == 0 {
		of = &e.site.Sched.Scheduler
	}
	*of = of.without(attribute)
	return was, nil
}
