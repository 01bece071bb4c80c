package pbs

import (
	"slices"
	"strings"
)

// Object is a part of a site and its attributes, as qmgr and qstat print them.
type Object struct {
	Kind       string // server, sched, queue, resource, node or hook
	Name       string // "" where the text does not say it
	Attributes []Attribute
}

// Attribute is an attribute of an object. A name may come several times, where
// qmgr's print adds values.
type Attribute struct {
	Name, Value string
	Line        int // of the text, from 1
}

// kinds are what objects are, as qmgr's print names them; list and qstat begin
// them with a capital.
var kinds = []string{"server", "sched", "queue", "resource", "node", "hook"}

// ParseObjects reads what qmgr's print and list and qstat's full forms print:
//
//	create queue workq                 Queue workq             Queue: workq
//	set queue workq Priority = 10          Priority = 10           Priority = 10
//
// A line that begins with a tab continues the value before. Lines that are
// neither are passed over.
func ParseObjects(text string) []*Object {
	p := objectParser{byName: map[string]*Object{}}
	for line := range strings.Lines(text) {
		p.number++
		p.line(strings.TrimRight(line, "\r\n"))
	}
	return p.objects
}

type objectParser struct {
	objects []*Object
	byName  map[string]*Object // by kind and name
	number  int                // of the line
	current *Object            // that the next lines are about, nil for none
	last    *Attribute         // that a line may continue, nil for none
}

func (p *objectParser) line(line string) {
	if rest, continues := strings.CutPrefix(line, "\t"); continues && p.last != nil {
		p.last.Value += rest
		return
	}
	p.last = nil
	name, value, isAttribute := cutAttribute(line)
	words := strings.Fields(name)
	switch {
	case isAttribute && len(words) == 1 && p.current != nil && isIndented(line):
		p.add(p.current, words[0], value)
	case isAttribute && len(words) >= 3 && words[0] == "set" && slices.Contains(kinds, words[1]):
		p.add(p.named(words[1], strings.Join(words[2:len(words)-1], " ")), words[len(words)-1], unquote(value))
	case len(words) == 3 && words[0] == "create" && slices.Contains(kinds, words[1]):
		p.current = p.named(words[1], words[2])
	case !isIndented(line) && len(words) == 2:
		kind := strings.ToLower(strings.TrimSuffix(words[0], ":"))
		if words[0] != strings.ToLower(words[0]) && slices.Contains(kinds, kind) {
			p.current = p.named(kind, words[1])
		}
	}
}

func isIndented(line string) bool { return line != "" && (line[0] == ' ' || line[0] == '\t') }

// cutAttribute cuts a line at its operator.
func cutAttribute(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, " = ")
	if added, more, isMore := strings.Cut(line, " += "); isMore && len(added) < len(name) {
		return added, more, true
	}
	if before, isEmpty := strings.CutSuffix(line, " ="); !ok && isEmpty {
		return before, "", true // an attribute without a value
	}
	return name, value, ok
}

// named returns the object of a kind and a name, a new one if there is none. A
// set without a name is about the object of its kind that was created last.
func (p *objectParser) named(kind, name string) *Object {
	if name == "" && p.current != nil && p.current.Kind == kind {
		return p.current
	}
	key := kind + " " + name
	if p.byName[key] == nil {
		p.byName[key] = &Object{Kind: kind, Name: name}
		p.objects = append(p.objects, p.byName[key])
	}
	return p.byName[key]
}

func (p *objectParser) add(o *Object, name, value string) {
	o.Attributes = append(o.Attributes, Attribute{name, strings.TrimSpace(value), p.number})
	p.last = &o.Attributes[len(o.Attributes)-1]
}

// unquote takes the quotes away in which qmgr's print puts a value.
func unquote(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
