package pbs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fairshare/fstree"
)

var errNoValue = errors.New("expected NAME=VALUE")

// apply makes one setting, and keeps it as a change.
func (e *editor) apply(setting string) error {
	name, operator, value, ok := cutSetting(setting)
	isTwice := func(c Change) bool { return c.Name == name && (c.Where == "" || e.where != "") } // over what a file asks for it may be
	if slices.ContainsFunc(e.site.Changes, isTwice) {
		return errors.New("it is set twice")
	}
	if !ok || value == "" && operator != "=" {
		return errNoValue
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
		if (Change{Name: name}).isThreshold() && was == strconv.Itoa(noThreshold) {
			was = "not set"
		}
		e.site.Changes = append(e.site.Changes, Change{name, value, was, e.isNew, e.entity, e.where})
	}
	return err
}

// cutSetting returns the parts of a setting, of whose names of one attribute it is the one that settings have. ok is false where it
// has no operator.
func cutSetting(setting string) (name, operator, value string, ok bool) {
	name, value, ok = strings.Cut(setting, "=")
	for more := value; strings.HasPrefix(name, "node.") && !isOfVnodes(strings.TrimSpace(name)); { // which may be named by a resource, as node.rack=r03.offline
		next, rest, isThere := strings.Cut(more, "=")
		if !isThere {
			break
		}
		name, value, more = name+"="+next, rest, rest
	}
	name, value, operator = strings.TrimSpace(name), strings.TrimSpace(value), "="
	if n := len(name) - 1; ok && n > 0 && (name[n] == '+' || name[n] == '-') {
		name, operator = strings.TrimSpace(name[:n]), name[n:]+"="
	}
	if queue, isPriority := strings.CutSuffix(name, ".Priority"); isPriority && strings.HasPrefix(name, "queue.") {
		name = queue + ".priority"
	}
	if whole := wholeNames()[name]; whole != "" {
		name = whole
	}
	return name, operator, value, ok
}

// WholeName returns the whole name of a setting of which this is one or its own name, such as sched.by_queue; false for a name that may be
// free in a formula. Of several places the own name of a setting stays as it is, and With says which these are.
func WholeName(name string) (whole string, isSetting bool) {
	whole, isSetting = wholeNames()[name]
	return cmp.Or(whole, name), isSetting || strings.Contains(name, ".")
}

// wholeNames are the names of settings by their own names, which stand for them where one place alone has a setting of that name, and the
// formula's, which is the server's as that of -f is.
var wholeNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, full := range ReplaySettings("NAME") {
		if _, isOfSeveral := names[keyOf(full)]; isOfSeveral {
			names[keyOf(full)] = ""
		} else {
			names[keyOf(full)] = full
		}
	}
	maps.DeleteFunc(names, func(key, full string) bool { return strings.HasPrefix(full, "queue.") || key != nameNow(key) }) // of which queue it does not say, and old names
	names[formulaName] = "server." + formulaName
	return names
})

// combined returns what += and -= of qmgr make of an attribute.
func (e *editor) combined(name, operator, value string) (string, error) {
	o, attribute := e.object(name)
	if o == nil {
		return "", cmp.Or(e.unknown(name), fmt.Errorf("%s is for attributes that qmgr sets, such as server.max_run", operator))
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
		case at < 0 || !e.takes(of, attribute):
			return nil, attribute
		case s.queue != nil:
			value, isSet = s.queue.get(&e.site.Queues[at]), true
		default:
			value, isSet = e.site.Queues[at].Attributes[attribute]
		}
	} else {
		switch text, field := textSetting(attribute), fieldOf(attribute); {
		case !e.takes(of, attribute):
			return nil, attribute
		case field != nil:
			value = field.get(&e.site.Sched)
			isSet = value != ""
		default:
			value, isSet = (*e.site.Sched.attributesOf(text))[attribute]
		}
	}
	if isSet {
		o.Attributes = []Attribute{{Name: attribute, Value: value}}
	}
	return o, attribute
}

// takes reports whether a change of an attribute can be tried that qmgr sets.
func (e *editor) takes(kind, name string) bool {
	s := SettingOf(ownerOf[kind], name)
	return isTried(kind, name) || s != nil && e.on&onSubmissions != 0 && s.isOfSubmissions(name)
}

// unknown returns the error of the name of a setting that there is not, of the server, the scheduler or a queue; nil for any other.
func (e *editor) unknown(name string) error {
	of, attribute, _ := strings.Cut(name, ".")
	queue := ""
	switch of {
	case "queue":
		queue, attribute, _ = strings.Cut(attribute, ".")
		if e.knowsQueues && !slices.ContainsFunc(e.site.Queues, func(q Queue) bool { return q.Name == queue }) {
			return e.noQueue(queue)
		}
		if s := SettingOf(OfQueue, spelled(of, attribute)); s != nil && s.Acts != 0 {
			return nil
		}
	case "server", "sched":
		if SettingOf(OfConfig, attribute) != nil || IsAttribute(attribute) {
			return nil
		}
	default:
		return nil
	}
	return e.noSettingOf(queue, name)
}

// unset takes an attribute away, as unset of qmgr does, and returns what it was.
func (e *editor) unset(name string) (was string, err error) {
	if rest, isVnode := strings.CutPrefix(name, "node."); isVnode {
		value := ""
		if _, _, is := vnodeAttribute(rest); !is {
			value = never // to be away
		}
		if isOfVnodes(name) {
			_, err := e.set(name, value)
			return "what pbsnodes tells", err
		}
	}
	o, attribute := e.object(name)
	if o == nil {
		return "", cmp.Or(e.unknown(name), errNoValue)
	}
	s := SettingOf(ownerOf[o.Kind], attribute)
	if s == nil {
		s = SettingOf(OfAttributes, attribute)
	}
	field := fieldOf(attribute)
	switch was = o.value(attribute); {
	case !e.acts(s, attribute):
		return "", ErrNoOrder
	case field != nil && o.Kind != "queue":
		bare := defaultSched()
		return was, field.set(&e.site.Sched, field.get(&bare))
	case s.queue != nil && o.Kind == "queue":
		return e.queue(o.Name, attribute, map[bool]string{true: "false", false: "0"}[s.isSwitch])
	}
	of := e.site.Sched.attributesOf(s)
	if o.Kind == "queue" {
		of = &e.site.Queues[slices.IndexFunc(e.site.Queues, func(q Queue) bool { return q.Name == o.Name })].Attributes
	}
	*of = of.without(attribute)
	return was, nil
}

// unquoted returns a value without the quotes around it.
func unquoted(value string) string {
	if n := len(value); n > 1 && strings.IndexByte(`"'`, value[0]) >= 0 && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// config sets a setting of sched_config.
func (e *editor) config(s *Setting, value string) (was string, err error) {
	value = unquoted(value) // as in the file
	priv := e.site.SchedPriv
	if priv == nil {
		priv = &SchedPriv{Config: fstree.DefaultConfig(), Tree: fstree.New(0, 0), NoTree: errors.New("there is no sched_priv")}
	}
	config, problems := priv.Config.With(s.Name, value)
	if isOfFile := e.where != "" && config.Setting(nameNow(s.Name)) != ""; len(problems) > 0 && !isOfFile { // as PBS reads files
		return "", errors.New(problems[0].Message)
	}
	if err := e.checkConfig(s, &config); err != nil {
		return "", err
	}
	was = priv.Config.Setting(s.Name)
	priv.Config, e.site.SchedPriv = config, priv
	if s.Name == "unknown_shares" {
		priv.Tree.SetShares(fstree.Unknown, priv.Config.UnknownShares)
	}
	return was, nil
}
