package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

type testCmd struct {
	Files []string `arg:"" name:"file" help:"Files of expectations (see formula.1)."`
}

func (c *testCmd) Run(s *session) error {
	held, failed := 0, 0
	for _, name := range c.Files {
		text, err := readLimited(name, maxSiteFile)
		if err != nil {
			return err
		}
		list, err := parseExpectations(text)
		if err != nil {
			return fail(exitUnreadable, "%s: %w", name, err)
		}
		if !slices.ContainsFunc(list, expectation.expects) {
			return fail(exitUnreadable, "%s expects nothing", name)
		}
		e := &expecter{s: s, dir: filepath.Dir(name), names: map[string]bool{}}
		for _, x := range list {
			difference, err := e.follow(x)
			var f failure
			switch {
			case errors.As(err, &f) && f.code == exitFormula:
				s.diag.Error("%s: line %d: this formula is not accepted", name, e.written)
				return failure{code: f.code}
			case errors.As(err, &f):
				s.diag.Error("%s: line %d: %v", name, x.line, f)
				return failure{code: exitUnreadable}
			case err != nil:
				return fail(exitUnreadable, "%s: %w", name, &file.LineError{Line: x.line, Detail: err.Error()})
			case difference != "":
				failed++
				title := ""
				if e.title != "" {
					title = e.title + ": "
				}
				fmt.Fprintf(s.out, "%s:%d: %s\n", name, x.line, diag.Printable(title+difference))
			case x.expects():
				held++
			}
		}
	}
	if failed > 0 {
		fmt.Fprintf(s.out, "%s not met, %d met\n", count(failed, "expectation"), held)
		return failure{code: exitPartly}
	}
	fmt.Fprintf(s.out, "%s met\n", count(held, "expectation"))
	if s.partly {
		return failure{code: exitPartly}
	}
	return nil
}

// expects tells a test from a setting.
func (x expectation) expects() bool {
	return slices.Contains([]string{"value", "error", "order", "tie", "left-out"}, x.word)
}

// expecter follows a file. What is set holds for the lines after it.
type expecter struct {
	s     *session
	dir   string
	title string

	formula string
	priv    string
	site    siteFlags
	written int    // the line of the formula
	list    string // file of jobs
	byHand  bytes.Buffer
	names   map[string]bool // of the jobs by hand

	r     *ranking // of the jobs, nil when something has changed since
	ranks []int    // its rows'
}

// follow does what a line says. It returns what differs from what was
// expected, "" if nothing does.
func (e *expecter) follow(x expectation) (string, error) {
	if !x.expects() {
		e.r = nil
		return "", e.set(x)
	}
	switch x.word {
	case "value", "error":
		subject, err := parseSubject(x.rest)
		if err != nil {
			return "", err
		}
		value, raised, err := e.outcome(subject)
		if err != nil {
			return "", err
		}
		if x.word == "error" {
			return wrongError(raised, subject.want), nil
		}
		return wrongValue(value, raised, subject.want)
	}
	return e.ordered(x.word, strings.Fields(x.rest))
}

// set follows a setting.
func (e *expecter) set(x expectation) error {
	path := x.rest
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.dir, path)
	}
	switch x.word {
	case "test":
		e.title = x.rest
		e.byHand.Reset()
		clear(e.names)
	case "formula":
		e.formula, e.written = x.rest, x.line
	case "formula-file":
		e.written = x.line
		flags := formulaFlags{File: path}
		var err error
		e.formula, err = flags.read()
		return err
	case "sched-priv":
		e.priv = path
	case "jobs":
		e.list = path
	case "queues":
		e.site.Queues = path
	case "resources":
		e.site.Resources = path
	case "sched":
		e.site.Sched = path
	case "static":
		e.site.Static = true
	case "non-prime":
		e.site.NonPrime = true
	case "threshold":
		threshold, err := strconv.ParseFloat(x.rest, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", x.rest)
		}
		e.site.Threshold = &threshold
	case "job":
		words := strings.Fields(x.rest)
		if e.names[words[0]] {
			return fmt.Errorf("a second job %s", words[0])
		}
		e.names[words[0]] = true
		line, err := jobByHand(words)
		if err != nil {
			return err
		}
		e.byHand.Write(append(line, '\n'))
	}
	return nil
}

// outcome is what the formula comes to, or the error that it raises.
func (e *expecter) outcome(of subject) (float64, error, error) {
	if of.job == "" {
		return e.withVariables(of.vars)
	}
	row, err := e.row(of.job)
	if err != nil {
		return 0, nil, err
	}
	if e.r.program == nil {
		return 0, nil, errUnwritten
	}
	result := e.r.scores.result(row)
	return result.Value, result.Err, nil
}

// errUnwritten is for an expectation before the formula.
var errUnwritten = errors.New("there is no formula: write formula FORMULA before")

// withVariables evaluates the formula for variables.
func (e *expecter) withVariables(vars map[string]string) (float64, error, error) {
	if e.formula == "" {
		return 0, nil, errUnwritten
	}
	known, err := e.s.siteSymbols(e.site.Resources)
	if err != nil {
		return 0, nil, err
	}
	f, err := e.s.parseForJobs(e.formula, known)
	if err != nil {
		return 0, nil, err
	}
	for _, name := range f.Names() {
		if !isKnown(name, known) {
			e.s.diag.Warning("%s is no keyword and no resource that PBS has: a site's own are named with resources FILE", name)
		}
	}
	r, err := evaluate(e.formula, vars)
	if err != nil {
		return 0, nil, err
	}
	return r.Value, r.Err, nil
}

// row is a job's row in the ranking, which is made when it is needed.
func (e *expecter) row(id string) (int, error) {
	if e.r == nil {
		if err := e.rank(); err != nil {
			return 0, err
		}
	}
	return e.r.list.find(id)
}

// rank orders the jobs by hand, or else those of the file.
func (e *expecter) rank() error {
	from := jobSource{bytes.NewReader(e.byHand.Bytes()), "the jobs by hand", "jsonl"}
	switch {
	case e.byHand.Len() > 0:
	case e.list != "":
		f, err := os.Open(e.list)
		if err != nil {
			return failure{exitUnreadable, err}
		}
		defer f.Close()
		from = jobSource{f, e.list, "auto"}
	default:
		return errors.New("there are no jobs: write job lines, or jobs FILE")
	}
	site := e.site
	site.NoFormula = e.formula == "" && site.Sched == "" && e.priv == ""
	p, err := e.s.plan(&site, e.priv, &formulaFlags{Formula: e.formula})
	if err != nil {
		return err
	}
	list, err := e.s.readJobs(from, false, p)
	if err != nil {
		return err
	}
	if e.r, err = p.rank(list); err == nil {
		e.ranks = e.r.ranks()
	}
	return err
}

// ordered checks what is expected of several jobs.
func (e *expecter) ordered(word string, ids []string) (string, error) {
	if word != "left-out" && len(ids) < 2 {
		return "", fmt.Errorf("%s needs two jobs or more", word)
	}
	seen := map[string]bool{}
	before := -1 // the row of the job before
	for i, id := range ids {
		if seen[id] {
			return "", fmt.Errorf("%s stands twice", id)
		}
		seen[id] = true
		row, err := e.row(id)
		if err != nil {
			return "", err
		}
		if word == "left-out" {
			if e.r.reasons[row] == "" {
				return id + " is considered", nil
			}
			continue
		}
		if i == 0 {
			before = row
			continue
		}
		same := e.r.program != nil && e.r.jobs[row].Value == e.r.jobs[before].Value
		switch {
		case word == "tie" && e.r.program == nil:
			return "", errors.New("there is no formula that could tie")
		case word == "tie" && !same:
			return fmt.Sprintf("%s and %s do not tie: %s and %s", ids[i-1], id, e.r.scores.result(before).Log(), e.r.scores.result(row).Log()), nil
		case word == "order":
			if difference := e.notBefore(before, row, ids[i-1], id); difference != "" {
				return difference, nil
			}
		}
		before = row
	}
	return "", nil
}

// notBefore tells why one job does not go before another, "" if it does.
func (e *expecter) notBefore(a, b int, first, second string) string {
	ranks := e.ranks
	switch {
	case ranks[a] == 0:
		return fmt.Sprintf("%s is left out: %s", first, e.r.reasons[a])
	case ranks[b] == 0:
		return fmt.Sprintf("%s is left out: %s", second, e.r.reasons[b])
	}
	x := explainer{s: e.s, r: e.r, ranks: ranks}
	before, after, key := x.decide(a, b)
	switch {
	case before != a:
		return x.why(key, before, after)
	case key == cycle.ByPlace:
		return fmt.Sprintf("nothing decides between %s and %s but the order of the list", first, second)
	}
	return ""
}

func wrongValue(value float64, raised error, want string) (string, error) {
	if raised != nil {
		return fmt.Sprintf("the formula raises %s, expected the value %s", errorText(raised), want), nil
	}
	same, err := asWritten(value, want)
	if same || err != nil {
		return "", err
	}
	return fmt.Sprintf("the value is %s, expected %s", number(value, 64), want), nil
}

func wrongError(raised error, want string) string {
	text := errorText(raised)
	switch {
	case raised == nil:
		return "the formula raises no error, expected " + want
	case text == want || strings.HasPrefix(text, want+":"):
		return ""
	}
	return fmt.Sprintf("the formula raises %s, expected %s", text, want)
}
