// Package expect holds a formula to a file of expectations. A line of the file
// is a word and what it takes; # after a blank begins a comment. Settings hold
// from their line on:
//
//	test        TEXT         names what follows, and forgets the jobs before
//	formula     FORMULA      or formula-file FILE
//	sched-priv  DIR          and likewise jobs, queues, resources, sched, threshold, static, non-prime
//	job         ID NAME=VALUE …   a job of the test, with user=, queue= and what it requests
//
// Expectations are of variables or of jobs:
//
//	value X with NAME=VALUE …     value X of ID
//	error CLASS with NAME=VALUE … error CLASS of ID
//	order ID ID …                 each before the next, by more than the list's order
//	tie ID ID …                   the same value
//	left-out ID …                 not considered
//
// The jobs of a test are those of all its job lines.
package expect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Line is a line of a file of expectations.
type Line struct {
	Number int
	word   string
	rest   string
}

// words are the words that begin a line.
var words = map[string]struct {
	needsValue bool // whether something must follow
	expects    bool // whether the line is an expectation and not a setting
}{
	"test": {needsValue: true}, "formula": {needsValue: true}, "formula-file": {needsValue: true}, "sched-priv": {needsValue: true}, "snapshot": {needsValue: true},
	"jobs": {needsValue: true}, "job": {needsValue: true}, "queues": {needsValue: true}, "resources": {needsValue: true}, "sched": {needsValue: true},
	"threshold": {needsValue: true}, "static": {}, "non-prime": {},
	"value": {true, true}, "error": {true, true}, "order": {true, true}, "tie": {true, true}, "left-out": {true, true},
}

// expects reports whether a line is an expectation and not a setting.
func (l Line) expects() bool { return words[l.word].expects }

// Parse reads a file of expectations. Its errors are *file.Problem, or say that
// the file has no expectation.
func Parse(text string) ([]Line, error) {
	var list []Line
	for number, line := range file.EachWords(text) {
		word, rest := line.First, line.Rest
		rule, known := words[word]
		switch {
		case !known:
			return nil, &file.Problem{Line: number, Message: fmt.Sprintf("%q is none of test, formula, sched-priv, jobs, job, value, error, order, tie, left-out and the settings", report.Cut(word, 40))}
		case rule.needsValue && rest == "":
			return nil, &file.Problem{Line: number, Message: word + " needs a value"}
		case !rule.needsValue && rest != "":
			return nil, &file.Problem{Line: number, Message: word + " takes no value"}
		}
		list = append(list, Line{number, word, rest})
	}
	if !slices.ContainsFunc(list, Line.expects) {
		return nil, errors.New("the file has no expectation")
	}
	return list, nil
}

// subject is what a value or an error is of: variables, or a job.
type subject struct {
	want string
	vars map[string]string
	job  string
}

// parseSubject reads "X with NAME=VALUE …" or "X of ID".
func parseSubject(rest string) (subject, error) {
	if want, vars, ok := strings.Cut(rest, " with "); ok {
		s := subject{want: strings.TrimSpace(want)}
		var err error
		s.vars, err = assignments(strings.Fields(vars))
		return s, err
	}
	if at := strings.LastIndex(rest, " of "); at >= 0 {
		s := subject{want: strings.TrimSpace(rest[:at]), job: strings.TrimSpace(rest[at+4:])}
		if s.job != "" && !strings.Contains(s.job, " ") {
			return s, nil
		}
	}
	return subject{}, errors.New("it is not said what this is the value or error of: add 'with NAME=VALUE …' or 'of JOB'")
}

func assignments(words []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", word)
		}
		if _, twice := vars[name]; twice {
			return nil, fmt.Errorf("%s is named twice", name)
		}
		vars[name] = value
	}
	return vars, nil
}

// jobLine returns a job line as a line of JSON.
func jobLine(words []string, symbols *formula.Symbols) ([]byte, error) {
	vars, err := assignments(words[1:])
	if err != nil {
		return nil, err
	}
	record := map[string]string{"id": words[0], "job_state": "Q", "queue": "queue", "euser": "user"}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch value := vars[name]; name {
		case "user":
			record["euser"] = value
		case "queue":
			record["queue"] = value
		case "job_priority":
			record["Priority"] = value
		default:
			v, known := symbols.Lookup(name)
			if known && v.Origin != formula.FromJob {
				return nil, fmt.Errorf("%s comes from the tree or the queue: use sched-priv, queues and user=", name)
			}
			if _, ok := formula.ParseAmount(value, v.Type); !ok && (!known || v.Type.Numeric()) {
				return nil, &order.VariableError{Name: name, Text: value}
			}
			record[name] = value
		}
	}
	return report.Marshal(record)
}
