package qstat

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// ErrDamaged is JSON of which not all could be read.
var ErrDamaged = errors.New("the JSON is cut off or damaged")

// deepest is how deep the values are that Walk tells: those of a resource of an attribute of
// a queue in "Queue".
const deepest = 4

// Walk tells visit what stands in JSON that PBS prints of queues, vnodes and servers: each
// object, whose value is nil, before its values, and each string, number and word, by the
// names that lead to it and with its line. visit must not keep
// path or value. Texts in an array are one, with commas between them. Other arrays, null and what
// is deeper than a resource's amount are passed over.
//
// It reads with the repairs of jobs. The error is ErrDamaged where something was lost.
func Walk(text []byte, visit func(path []string, value []byte, line int)) error {
	w := walker{jsonReader: jsonReader{jsonScanner: jsonScanner{data: text}, b: &Batch{}}, visit: visit, line: 1}
	if !w.take('{') || !w.members() || w.isDamaged {
		return ErrDamaged
	}
	return nil
}

type walker struct {
	jsonReader
	visit      func(path []string, value []byte, line int)
	path       []string
	line       int // of the place counted
	counted    int
	isRepaired bool // whether something passed over was no JSON
	isDamaged  bool // whether something was lost
}

// members reads the members of an object up to and with its closing brace. It returns false
// where the text ends first.
func (w *walker) members() bool {
	for {
		w.space()
		switch {
		case w.at >= len(w.data):
			return false
		case w.data[w.at] == '}':
			w.at++
			return true
		case w.data[w.at] == ',':
			w.at++
			continue
		case w.data[w.at] != '"':
			w.isDamaged = true
			w.resume("\"}")
			continue
		}
		name, ok := w.repairedText(true)
		if !ok || !w.take(':') {
			w.isDamaged = true
			continue
		}
		w.path = append(w.path, string(name))
		if w.space(); !w.value() {
			return false
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// value reads the value of a member. It returns false where the text ends first.
func (w *walker) value() bool {
	if w.at >= len(w.data) {
		return false
	}
	line := w.lineHere()
	switch first := w.data[w.at]; {
	case first == '{' && len(w.path) < deepest:
		w.at++
		w.visit(w.path, nil, line)
		return w.members()
	case first == '{' || first == '[':
		// After one failure nothing is tried strictly: hostile text would take forever.
		start := w.at
		if w.isRepaired || !w.skipValue() {
			w.at, w.isRepaired = start, true
			w.skipRepaired()
		} else if texts := []string(nil); first == '[' && json.Unmarshal(w.data[start:w.at], &texts) == nil && w.at < len(w.data) {
			w.visit(w.path, []byte(strings.Join(texts, ", ")), line)
		}
	case first == '"':
		if value, ok := w.repairedText(false); !ok {
			w.isDamaged = true
		} else if w.at < len(w.data) {
			w.visit(w.path, value, line)
		}
	default:
		value := w.repairedValue()
		switch {
		case len(value) == 0:
			w.isDamaged = true
		case w.at < len(w.data) && !bytes.Equal(value, null):
			w.visit(w.path, value, line)
		}
	}
	return w.at < len(w.data)
}

// lineHere returns the line of the place that is read.
func (w *walker) lineHere() int {
	for ; w.counted < w.at; w.counted++ {
		if w.data[w.counted] == '\n' {
			w.line++
		}
	}
	return w.line
}
