package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/qstat"
)

// Object is a part of a site and its attributes, as qmgr and qstat print them.
type Object struct {
	Kind       string // server, sched, queue, resource, node or hook
	Name       string // "" where the text does not say it
	Attributes []Attribute

	IsDeleted bool // whether commands delete it: it stays while jobs are in it, and takes no others

	IsAssumed bool // whether the site tells nothing of it, so that commands change one of which nothing is set but a formula that it left
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

// ParseObjects returns what qmgr's print and list, qstat's and pbsnodes' full forms, and commands for qmgr that somebody has
// written say. These are the same in each form:
//
//	create queue workq                 Queue workq             Queue: workq
//	set queue workq Priority = 10          Priority = 10           Priority = 10
//
//	{"Queue":{"workq":{"Priority":10}}}                        Queue: workq|Priority=10
//
// The remarks name the source of the text. They say how it is cut off or damaged: of one that does not end with a line, what
// the last line says does not count. And they say which lines are not understood, where others are.
func ParseObjects(name, text string) (objects []*Object, remarks []diag.Remark) {
	switch trimmed := strings.TrimSpace(text); {
	case strings.HasPrefix(trimmed, "{"):
		objects, isWhole := parseJSON(text)
		if !isWhole {
			remarks = append(remarks, diag.Damagef("%s is JSON that is cut off or damaged, and what cannot be read of it does not count", name).At(name, 0))
		}
		return objects, remarks
	case isDSV(trimmed):
		objects = parseDSV(text)
		if last := len(objects) - 1; isCutOff(text) && last >= 0 {
			of := objects[last]
			of.Attributes = of.Attributes[:max(0, len(of.Attributes)-1)]
		}
	default:
		p := parseText(text)
		if objects = p.objects; len(objects) == 0 && len(p.done) == 0 {
			break // the text is something else, which who reads it says
		}
		remarks = p.remarks(name)
		if p.behind > 0 {
			remarks = append(remarks, diag.Notef("%s: line %d: %s", name, p.behind, behindQuit))
		}
	}
	return objects, append(remarks, sayCutOff(name, text)...)
}

// isCutOff reports whether a text does not end with a line, or with one that qstat has folded, so that it may go on. JSON tells its end
// otherwise.
func isCutOff(text string) bool {
	return text != "" && !isJSON(text) && (!strings.HasSuffix(text, "\n") || mayGoOn(text))
}

func isJSON(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "{") }

// mayGoOn reports whether the last line of a text is of an attribute and as wide as those that qstat folds, which ends its lists with an
// empty one.
func mayGoOn(text string) bool {
	const widest = 79 // columns
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	name, _, isAttribute := strings.Cut(strings.TrimPrefix(last, "    "), " = ")
	switch {
	case strings.HasPrefix(last, "    "):
		isAttribute = isAttribute && isName(name) // and no command that somebody has indented
	default:
		isAttribute = strings.HasPrefix(last, "\t") && !isAttribute
	}
	return isAttribute && (len(last) == widest || len(last) == widest-1)
}

// sayCutOff says of a text that is cut off what of it does not count.
func sayCutOff(name, text string) []diag.Remark {
	if !isCutOff(text) {
		return nil
	}
	how := "does not end with a line"
	if mayGoOn(text) {
		how = "ends with a line that qstat has folded"
	}
	return []diag.Remark{diag.Damagef("%s %s: it is cut off, and what its last line says does not count", name, how).At(name, 0)}
}

// parseJSON reads the members of JSON that have objects.
func parseJSON(text string) (objects []*Object, isWhole bool) {
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
				newest.Attributes = append(newest.Attributes, Attribute{Name: spelled(newest.Kind, name), Value: string(value), Line: line})
			}
		}
	})
	return objects, err == nil
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
					o.Attributes = append(o.Attributes, Attribute{Name: spelled(kind, name), Value: value, Line: number})
				}
			}
			objects = append(objects, o)
		}
	}
	return objects
}
