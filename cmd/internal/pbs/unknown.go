package pbs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// ownerOf is of whom the attributes of a kind of object are.
var ownerOf = map[string]Owner{"server": OfServer, "sched": OfScheduler, "queue": OfQueue, "resource": OfResource, "node": OfVnode}

// spelled returns the name of an attribute of a kind of object as the table of settings has it, for one in any case: qmgr and the
// server tell no lower case from upper case.
func spelled(kind, name string) string {
	owner := ownerOf[kind]
	if owner == 0 || SettingOf(owner, name) != nil {
		return name
	}
	base, of, hasOf := strings.Cut(name, ".")
	for s := range Settings() {
		if s.Of&owner != 0 && strings.EqualFold(s.Name, base) {
			if hasOf {
				return s.Name + "." + of
			}
			return s.Name
		}
	}
	return name
}

// isUnknown reports whether an attribute of a kind of object is none that the table of settings has, of whomever.
func isUnknown(kind, name string) bool {
	return SettingOf(ownerOf[kind], name) == nil && SettingOf(OfAttributes, name) == nil
}

// refusedName says why qmgr refuses to set an attribute of a kind of object, by its name alone; "" where it may take it. Attributes of
// the server and of schedulers have moved between them, so that each may be of the other.
func refusedName(kind, name string) string {
	of, others := ownerOf[kind], OfAttributes
	if kind == "server" || kind == "sched" {
		of, others = OfServer|OfScheduler, OfQueue
	}
	switch config := SettingOf(OfConfig, name); {
	case of == 0 || SettingOf(of, name) != nil:
		return ""
	case SettingOf(others, name) != nil && kind == "queue":
		return "it is no attribute of queues, and qmgr refuses it"
	case SettingOf(others, name) != nil && others == OfQueue:
		return "it is an attribute of queues alone, and qmgr refuses it"
	case config != nil && config.Acts != 0:
		return "PBS has no such attribute, and qmgr refuses it; it is a setting of sched_config, which --set sched." + name + "=VALUE tries"
	}
	return "PBS has no such attribute, and qmgr refuses it" + meantAttribute(kind, name)
}

// sayUnknown says which attributes objects of some kinds have in a print that are not known here, each once, with how many others of the
// kind have it.
func sayUnknown(place string, objects []*Object, kinds ...string) []diag.Remark {
	type having struct {
		attribute   Attribute // of the first
		first, last *Object
		others      int
	}
	type key struct{ kind, attribute string }
	var all []*having
	byName := map[key]*having{}
	for _, o := range objects {
		if !slices.Contains(kinds, o.Kind) {
			continue
		}
		for _, a := range o.Attributes {
			name := key{o.Kind, a.Name}
			switch h := byName[name]; {
			case h != nil && h.last != o:
				h.last = o
				h.others++
			case h == nil && isUnknown(o.Kind, a.Name):
				byName[name] = &having{attribute: a, first: o, last: o}
				all = append(all, byName[name])
			}
		}
	}
	if all == nil {
		return nil
	}
	const most = 5
	var said []string
	for _, h := range all[:min(most, len(all))] {
		others, name := "", h.attribute.Name
		if h.others > 0 {
			others = " and " + report.Count(h.others, "other")
		}
		said = append(said, fmt.Sprintf("line %d: %s of %s%s%s", h.attribute.Line, name, h.first, others, meantAttribute(h.first.Kind, name)))
	}
	shown := strings.Join(said, "; ")
	if n := len(all) - most; n > 0 {
		shown += fmt.Sprintf("; and %d more", n)
	}
	return []diag.Remark{notKnown(place+" has", shown)[0].At(place, all[0].attribute.Line)}
}

// notKnown says which attributes are not known here. What they stand in begins the sentence, as "vnodes have".
func notKnown(begin, shown string) []diag.Remark {
	return []diag.Remark{diag.Warningf("%s attributes that are not known here, and no answer depends on them: %s", begin, shown)}
}

// Unknown counts who has attributes that are not known here.
type Unknown struct {
	having map[string]int
	first  map[string]string
}

// Add counts somebody who has an attribute.
func (u *Unknown) Add(attribute, of string) { u.Count(attribute, of, 1) }

// Count counts some who have an attribute, of whom one is named.
func (u *Unknown) Count(attribute, of string, n int) {
	if u.having == nil {
		u.having, u.first = map[string]int{}, map[string]string{}
	}
	u.having[attribute] += n
	u.first[attribute] = cmp.Or(u.first[attribute], of)
}

// Say says which there are, each once. What they stand in begins the sentence, as "vnodes have".
func (u *Unknown) Say(begin string) []diag.Remark {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(u.having)) {
		text := name
		if of := u.first[name]; of != "" {
			text += " of " + of
		}
		if n := u.having[name] - 1; n > 0 {
			text += " and " + report.Count(n, "other")
		}
		list = append(list, text)
	}
	if list == nil {
		return nil
	}
	return notKnown(begin, report.First(list))
}

// meantAttribute asks whether an attribute is meant that is spelled nearly so, "" where none is.
func meantAttribute(kind, name string) string {
	var names []string
	for s := range Settings() {
		if s.Of&ownerOf[kind] != 0 {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if near := report.Typo(name, names); near != "" && near != name {
		return report.Meant(near)
	}
	return ""
}
