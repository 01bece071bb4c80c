package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs/qstat"
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

// ParseObjects returns what qmgr's print and list, and qstat's and pbsnodes' full forms say.
// These are the same in each form:
//
//	create queue workq                 Queue workq             Queue: workq
//	set queue workq Priority = 10          Priority = 10           Priority = 10
//
//	{"Queue":{"workq":{"Priority":10}}}                        Queue: workq|Priority=10
//
// damage is "" or says how the text is cut off or damaged: of one that does not end with a
// line the last attribute, which may be cut off, is left out.
func ParseObjects(text string) (objects []*Object, damage string) {
	const isCutOff = "does not end with a line: it is cut off, and what its last line says does not count"
	newest := (*Object)(nil)
	switch trimmed := strings.TrimSpace(text); {
	case strings.HasPrefix(trimmed, "{"):
		return parseJSON(text)
	case isDSV(trimmed):
		if objects = parseDSV(text); len(objects) > 0 {
			newest = objects[len(objects)-1]
		}
	default:
		objects, newest = parseText(text)
	}
	if text == "" || strings.HasSuffix(text, "\n") {
		return objects, ""
	}
	if newest != nil && len(newest.Attributes) > 0 {
		newest.Attributes = newest.Attributes[:len(newest.Attributes)-1]
	}
	return objects, isCutOff
}

// parseJSON reads the members of JSON that have objects.
func parseJSON(text string) (objects []*Object, damage string) {
	var newest *Object
	err := qstat.Walk([]byte(text), func(path []string, value []byte, line int) {
		const object = 2 // names: of the list, of the object
		switch {
		case len(path) == 1:
			newest = nil
		case len(path) == object && value == nil:
			newest = nil
			if kind := strings.TrimSuffix(strings.ToLower(path[0]), "s"); slices.Contains(kinds, kind) && isName(path[1]) { // "nodes", "Queue"
				newest = &Object{Kind: kind, Name: path[1]}
				objects = append(objects, newest)
			}
		case value != nil && newest != nil && len(path) > object:
			if name := strings.Join(path[object:], "."); isName(name) {
				newest.Attributes = append(newest.Attributes, Attribute{Name: name, Value: string(value), Line: line})
			}
		}
	})
	if err != nil {
		damage = "is JSON that is cut off or damaged, and what cannot be read of it does not count"
	}
	return objects, damage
}

// isName reports whether a text can be the name of an object or an attribute, also in the
// forms with a line an attribute.
func isName(text string) bool { return text != "" && !strings.ContainsAny(text, " \t\r\n") }

// dsvHeaders begin the lines of objects in DSV, by their kinds.
var dsvHeaders = map[string]string{"queue": "Queue: ", "server": "Server: ", "node": "Name="}

// isDSV reports whether a text begins as DSV does: a name of pbsnodes, or one of qstat with
// an attribute on the same line.
func isDSV(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	isOfQstat := strings.HasPrefix(line, dsvHeaders["queue"]) || strings.HasPrefix(line, dsvHeaders["server"])
	return strings.HasPrefix(line, dsvHeaders["node"]) || isOfQstat && strings.Contains(line, "|")
}

// parseDSV reads a line an object.
func parseDSV(text string) (objects []*Object) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := qstat.SplitDSV(strings.TrimSpace(line))
		for kind, header := range dsvHeaders {
			name, isOne := strings.CutPrefix(fields[0], header)
			if !isOne || !isName(name) {
				continue
			}
			o := &Object{Kind: kind, Name: name}
			for _, field := range fields[1:] {
				if name, value, isAttribute := strings.Cut(field, "="); isAttribute && isName(name) {
					o.Attributes = append(o.Attributes, Attribute{Name: name, Value: value, Line: number})
				}
			}
			objects = append(objects, o)
		}
	}
	return objects
}

// parseText reads the forms with a line an attribute. A line that begins with a tab continues
// the value before, and so do the lines up to the quote that ends a value of print. Lines
// that are neither are passed over. newest has the last attribute where the text ends in it.
func parseText(text string) (objects []*Object, newest *Object) {
	p := objectParser{byName: map[string]*Object{}, lines: strings.SplitAfter(text, "\n")}
	for p.number < len(p.lines) {
		p.number++
		p.line(strings.TrimRight(p.lines[p.number-1], "\r\n"))
	}
	p.end()
	return p.objects, p.newest
}

type objectParser struct {
	lines   []string
	number  int // of the line, from 1
	objects []*Object
	byName  map[string]*Object // by kind and name
	current *Object            // that the next lines are about, nil for none

	newest   *Object         // has the attribute whose value is being read, nil for none
	value    strings.Builder // of that attribute
	isQuoted bool            // whether the value may be in quotes
}

func (p *objectParser) line(line string) {
	if rest, continues := strings.CutPrefix(line, "\t"); continues && p.value.Len() > 0 {
		p.value.WriteString(rest)
		return
	}
	p.end()
	name, value, isAttribute := cutAttribute(line)
	words := strings.Fields(name)
	switch {
	case isAttribute && len(words) == 1 && p.current != nil && isIndented(line):
		p.begin(p.current, words[0], value, false)
	case isAttribute && (len(words) == 3 || len(words) == 4) && words[0] == "set" && slices.Contains(kinds, words[1]):
		p.begin(p.named(words[1], strings.Join(words[2:len(words)-1], "")), words[len(words)-1], value, true) // a server may have no name
		p.takeQuoted(strings.TrimSpace(value))
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

// cutAttribute cuts a line at its operator, which in a command for qmgr that somebody has written needs no blanks.
func cutAttribute(line string) (name, value string, ok bool) {
	if before, after, isCut := strings.Cut(line, "="); isCut && strings.HasPrefix(line, "set ") && !strings.HasSuffix(before, "-") {
		return strings.TrimSuffix(before, "+"), strings.TrimPrefix(after, " "), true
	}
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

// begin begins an attribute.
func (p *objectParser) begin(o *Object, name, value string, isQuoted bool) {
	o.Attributes = append(o.Attributes, Attribute{Name: name, Line: p.number})
	p.newest, p.isQuoted = o, isQuoted
	p.value.WriteString(value)
}

// takeQuoted takes the lines of a value whose quote is not closed on its first
// line, up to the one that closes it. Where none does, the value is that line.
func (p *objectParser) takeQuoted(value string) {
	const most = 200 // lines of a value
	if value == "" || value[0] != '"' && value[0] != '\'' || len(value) > 1 && value[len(value)-1] == value[0] {
		return
	}
	rest := p.lines[p.number:min(len(p.lines), p.number+most)]
	last := slices.IndexFunc(rest, func(line string) bool {
		return strings.HasSuffix(strings.TrimRight(line, "\r\n"), value[:1]) && strings.Count(line, value[:1])%2 == 1
	})
	for _, line := range rest[:last+1] {
		line = strings.TrimRight(line, "\r\n")
		if folded, isFolded := strings.CutPrefix(line, "\t"); isFolded {
			p.value.WriteString(folded)
		} else {
			p.value.WriteString("\n" + line)
		}
	}
	p.number += last + 1
}

// end ends the attribute begun last.
func (p *objectParser) end() {
	if p.value.Len() == 0 {
		return
	}
	value := strings.TrimSpace(p.value.String())
	if p.isQuoted {
		value = unquote(value)
	}
	p.newest.Attributes[len(p.newest.Attributes)-1].Value = value
	p.value.Reset()
}

// unquote takes the quotes away in which qmgr's print puts a value.
func unquote(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
