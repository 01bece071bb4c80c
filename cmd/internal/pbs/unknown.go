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
var ownerOf = map[string]Owner{"server": OfServer, "sched": OfScheduler, "queue": OfQueue, "resource": OfResource}

// spelled returns the name of an attribute of a kind of object as the table of settings has it, for one in any case: qmgr and the
// server tell no lower case from upper case.
func spelled(kind, name string) string {
	owner := ownerOf[kind]
	if SettingOf(owner, name) != nil {
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

// sayUnknown says which attributes objects of some kinds have in a print that are not known here, each once.
func sayUnknown(place string, objects []*Object, kinds ...string) []diag.Remark {
	var seen, said []string
	for _, o := range objects {
		if !slices.Contains(kinds, o.Kind) {
			continue
		}
		for _, a := range o.Attributes {
			if key := o.Kind + " " + a.Name; isUnknown(o.Kind, a.Name) && !slices.Contains(seen, key) {
				seen = append(seen, key)
				said = append(said, fmt.Sprintf("line %d: %s of %s%s%s", a.Line, a.Name, o, others(objects, o, a.Name), meantAttribute(o.Kind, a.Name)))
			}
		}
	}
	return sayUnknownOnes(place, said)
}

// sayUnknownOnes says that some attributes of a print are not known here.
func sayUnknownOnes(place string, said []string) []diag.Remark {
	const most = 5
	if len(said) == 0 {
		return nil
	}
	shown := strings.Join(said[:min(most, len(said))], "; ")
	if n := len(said) - most; n > 0 {
		shown += fmt.Sprintf("; and %d more", n)
	}
	return notKnown(place+" has", shown)
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
func (u *Unknown) Add(attribute, of string) {
	if u.having == nil {
		u.having, u.first = map[string]int{}, map[string]string{}
	}
	u.having[attribute]++
	u.first[attribute] = cmp.Or(u.first[attribute], of)
}

// Say says which there are, each once. What they stand in begins the sentence, as "vnodes have".
func (u *Unknown) Say(begin string) []diag.Remark {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(u.having)) {
		text := name + " of " + u.first[name]
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

// others counts the other objects of a kind that have an attribute, as in " and 2 others".
func others(objects []*Object, of *Object, name string) string {
	n := 0
	for _, o := range objects {
		if o != of && o.Kind == of.Kind && slices.ContainsFunc(o.Attributes, func(a Attribute) bool { return a.Name == name }) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %s", report.Count(n, "other"))
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
		return "; did you mean " + near + "?"
	}
	return ""
}
