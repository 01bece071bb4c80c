package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// Files of expectations, for `formula test`. A line is a word and what it
// takes; # after a blank begins a comment. Settings hold from their line on:
//
//	test        TEXT         names what follows, and forgets jobs by hand
//	formula     FORMULA      or formula-file FILE
//	sched-priv  DIR          and likewise jobs, queues, resources, sched, threshold, static, non-prime
//	job         ID NAME=VALUE …   a job by hand, with user=, queue= and what it requests
//
// Expectations, of variables or of the jobs:
//
//	value X with NAME=VALUE …     value X of ID
//	error CLASS with NAME=VALUE … error CLASS of ID
//	order ID ID …                 each before the next, by more than the list's order
//	tie ID ID …                   the same value
//	left-out ID …                 not considered

// expectation is a line of a file.
type expectation struct {
	line int
	word string
	rest string
}

// words of a file, and whether something must follow.
var expectWords = map[string]bool{
	"test": true, "formula": true, "formula-file": true, "sched-priv": true, "jobs": true, "queues": true, "resources": true, "sched": true,
	"threshold": true, "static": false, "non-prime": false, "job": true, "value": true, "error": true, "order": true, "tie": true, "left-out": true,
}

func parseExpectations(text string) ([]expectation, error) {
	var list []expectation
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = " " + strings.Join(strings.Fields(line), " ")
		if at := strings.Index(line, " #"); at >= 0 { // a comment
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		needs, known := expectWords[word]
		switch {
		case !known:
			return nil, &file.LineError{Line: number, Detail: fmt.Sprintf("%q is none of test, formula, sched-priv, jobs, job, value, error, order, tie, left-out and the settings", word)}
		case needs && rest == "":
			return nil, &file.LineError{Line: number, Detail: word + " needs something behind it"}
		case !needs && rest != "":
			return nil, &file.LineError{Line: number, Detail: word + " takes nothing"}
		}
		list = append(list, expectation{number, word, rest})
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
	return subject{}, fmt.Errorf("what is it of? write: with NAME=VALUE …, or: of JOB")
}

func assignments(words []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", word)
		}
		if _, twice := vars[name]; twice {
			return nil, fmt.Errorf("%s stands twice", name)
		}
		vars[name] = value
	}
	return vars, nil
}

// asWritten tells whether a value is what somebody wrote: to the decimals
// written, or exactly where there are none.
func asWritten(value float64, text string) (bool, error) {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false, fmt.Errorf("%q is no number", text)
	}
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return math.IsNaN(want) && math.IsNaN(value) || want == value, nil
	}
	_, decimals, point := strings.Cut(text, ".")
	if !point || strings.ContainsAny(decimals, "eE") {
		return value == want, nil
	}
	half := 0.5 * math.Pow(10, -float64(len(decimals)))
	return math.Abs(value-want) <= half*(1+1e-9), nil
}

// jobByHand is a job line as a line of JSON.
func jobByHand(words []string) ([]byte, error) {
	vars, err := assignments(words[1:])
	if err != nil {
		return nil, err
	}
	record := map[string]string{"id": words[0], "job_state": "Q", "queue": "queue", "euser": "user"}
	for name, value := range vars {
		switch name {
		case "user":
			record["euser"] = value
		case "queue":
			record["queue"] = value
		case "job_priority":
			record["Priority"] = value
		default:
			if slices.Contains(derivedNames, name) {
				return nil, fmt.Errorf("%s comes from the tree or the queue: use sched-priv, queues and user=", name)
			}
			t := symbols.Type(name)
			if _, ok := formula.ParseAmount(value, t); !ok && (t == "" || t.Numeric()) {
				return nil, &badVariable{name, value}
			}
			record[name] = value
		}
	}
	return marshal(record)
}
