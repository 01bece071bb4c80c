package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
)

// Asked is a setting that a file given over what a site tells asks for: what if?
type Asked struct {
	Setting string // as With has it
	Where   Place  // where a file says so
	what    string // in the words of qmgr, such as "max_run of queue workq"
	isSaid  bool   // whether the file says it, and is no print that only does not set it
}

// Place is a line of a file, 0 for no single one.
type Place struct {
	File string
	Line int
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s: line %d", p.File, p.Line)
}

// askedOf returns the changes that make one set of a site's objects of another one, as far as they can be tried; where is where a
// file says something of an attribute.
func askedOf(before, now *Object, where func(o *Object, attribute string) Place) (asked []Asked) {
	var names []string
	for _, a := range slices.Concat(before.Attributes, now.Attributes) {
		if isTried(now.Kind, a.Name) && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	for _, name := range names {
		value := now.value(name)
		if isSameValue(now.Kind, name, before.value(name), value) {
			continue
		}
		from := where(now, name)
		a := Asked{settingName(now, name) + "=" + value, from, name + " of " + now.String(), value != "" || from.Line > 0}
		if value == "" { // first, since PBS does not let limits of the old and the new form stand together
			asked = slices.Insert(asked, 0, a)
		} else {
			asked = append(asked, a)
		}
	}
	return asked
}

// value returns the value of an attribute, several of which are joined with commas.
func (o *Object) value(name string) string {
	var values []string
	for _, a := range o.Attributes {
		if a.Name == name {
			values = append(values, a.Value)
		}
	}
	return strings.Join(values, ",")
}

// isTried reports whether a change of an attribute can be tried as --set does. What cannot is read as a file says it.
func isTried(kind, name string) bool {
	switch {
	case kind == "queue":
		s := SettingOf(OfQueue, name)
		return s != nil && s.Acts != 0 && s.PerResource == strings.Contains(name, ".")
	case kind != "server" && kind != "sched":
		return false
	}
	return name == formulaName || IsAttribute(name)
}

// settingName returns what --set calls an attribute.
func settingName(o *Object, name string) string {
	if o.Kind != "queue" {
		return o.Kind + "." + name
	}
	if name == "Priority" {
		name = "priority"
	}
	return "queue." + o.Name + "." + name
}

// isSameValue reports whether an attribute is the same with two values, of which "" is that of one that is not set.
func isSameValue(kind, name, a, b string) bool {
	plain := func(text string) string { return strings.NewReplacer(" ", "", `"`, "").Replace(text) }
	if plain(a) == plain(b) {
		return true
	}
	s := SettingOf(ownerOf[kind], name)
	switch {
	case s == nil:
		return false
	case s.queue != nil && s.Name == "Priority":
		return a == "" && b == "0" || a == "0" && b == ""
	case s.isSwitch && strings.EqualFold(a, b):
		return true
	case s.field != nil:
		one, other := defaultSched(), defaultSched()
		isRead := (a == "" || s.field.set(&one, a) == nil) && (b == "" || s.field.set(&other, b) == nil)
		return isRead && s.field.get(&one) == s.field.get(&other)
	}
	return false
}

// ask makes what files ask, but for what settings set to values of their own: what they add to, take from or unset is as the files
// have it. It returns what holds for the other schedulers of the site as well, each of which has its own of the rest.
func (e *editor) ask(all []Asked, settings []string) (forAll []Asked, err error) {
	for _, a := range all {
		name, _, _, _ := cutSetting(a.Setting)
		isSet := func(setting string) bool {
			other, operator, value, _ := cutSetting(setting)
			return other == name && operator == "=" && value != ""
		}
		if at := slices.IndexFunc(settings, isSet); at >= 0 {
			if a.isSaid {
				e.site.Replaced = append(e.site.Replaced, Replaced{a, settings[at]})
			}
			continue
		}
		e.where = a.Where.String()
		err := e.apply(a.Setting)
		e.where = ""
		switch {
		case errors.Is(err, ErrNoOrder):
			e.site.Untried = append(e.site.Untried, a)
		case err != nil:
			return nil, &diag.SettingError{Setting: a.Setting, Err: err}
		case strings.HasPrefix(name, "queue."):
			forAll = append(forAll, a)
		}
	}
	return forAll, nil
}

// does returns a remark as one on the line of a file that asks.
func (a Asked) does(r diag.Remark) diag.Remark {
	return r.At(a.Where.File, a.Where.Line)
}

// checkAsked leaves out what files ask of a site and cannot be, and says so.
func (s *Site) checkAsked() (remarks []diag.Remark) {
	alone := *s
	alone.Asked, alone.Others, alone.SchedPriv = nil, nil, nil // which make no difference to attributes
	at := &alone
	isOfConfig := func(a Asked) bool {
		_, name, _ := strings.Cut(a.change().Name, ".")
		return SettingOf(OfConfig, name) != nil
	}
	var kept []Asked
	var check func(all []Asked)
	check = func(all []Asked) {
		next := *at
		next.Asked = all
		if slices.ContainsFunc(all, isOfConfig) {
			next.SchedPriv = s.SchedPriv
		}
		changed, err := next.with(nil, onReplays)
		switch {
		case err == nil && (len(all) == 1 || !checkEach):
			at, kept = changed, append(kept, all...)
		case len(all) > 1: // which of them
			check(all[:len(all)/2])
			check(all[len(all)/2:])
		default:
			var of *diag.SettingError
			if errors.As(err, &of) {
				err = of.Err
			}
			remarks = append(remarks, all[0].does(diag.Damagef("%s: %s does not count: %v", all[0].Where, all[0].what, err)))
		}
	}
	if len(s.Asked) > 0 {
		check(s.Asked)
	}
	s.Asked = kept
	return remarks
}

// checkEach has what files ask of a site checked one by one, and not as many at once as can be: the plain way, for tests.
var checkEach = false

// Replaced is something that a file asks for, and in whose place something counts that is asked for by itself.
type Replaced struct {
	Asked
	By string // in words, or the setting
}

// ofFormula is By of a formula.
const ofFormula = "another formula that is given"

func (r Replaced) String() string {
	return fmt.Sprintf("%s: %s is not tried: %s takes its place", r.Where, r.Setting, r.By)
}

// replace lets something take the place of what files ask for that is of some kind.
func (s *Site) replace(is func(Change) bool, by string) {
	s.Replaced = slices.Clone(s.Replaced)
	s.Asked = slices.DeleteFunc(slices.Clone(s.Asked), func(a Asked) bool {
		if !is(a.change()) {
			return false
		}
		if a.isSaid {
			s.Replaced = append(s.Replaced, Replaced{a, by})
		}
		return true
	})
}

// SetThreshold sets the threshold of the formula of all schedulers of a site, also over what files ask for.
func (s *Site) SetThreshold(x float64) {
	for _, other := range s.Others {
		other.SetThreshold(x)
	}
	s.replace(Change.isThreshold, "--threshold")
	s.Sched.Threshold = x
}

// change returns what is asked for by its name alone.
func (a Asked) change() Change {
	name, _, _, _ := cutSetting(a.Setting)
	return Change{Name: name}
}

func (a Asked) isFormula() bool { return a.change().IsFormula() }

func (c Change) isThreshold() bool {
	_, name, _ := strings.Cut(c.Name, ".")
	return name == thresholdName
}

// IsFormula reports whether it is of the formula, for which a file may ask.
func (c Change) IsFormula() bool {
	_, name, _ := strings.Cut(c.Name, ".")
	return name == formulaName
}

// AsksFormula reports whether a file asks for another formula than the site has.
func (s *Site) AsksFormula() bool { return slices.ContainsFunc(s.Asked, Asked.isFormula) }
