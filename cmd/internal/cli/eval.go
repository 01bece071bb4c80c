package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

type evalCmd struct {
	formulaFlags
	siteFlags
	JSONL     bool     `name:"jsonl" help:"Read {\"formula\",\"vars\"} objects, one per line, from standard input."`
	Variables []string `arg:"" optional:"" name:"name=value" help:"Variables with their values, as PBS writes them (mem=4gb walltime=01:00:00)."`
}

func (c *evalCmd) Run(s *session) error {
	symbols, src, err := c.site(s)
	if err != nil {
		return err
	}
	if c.JSONL {
		return stream(s, symbols)
	}
	if src == "" {
		return errNoFormula
	}
	texts := map[string]string{}
	for _, arg := range c.Variables {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fail(exitUsage, "%q is not NAME=VALUE", arg)
		}
		texts[name] = value
	}
	r, err := evaluate(src, texts, symbols)
	var bad *order.VariableError
	switch {
	case errors.As(err, &bad):
		return failure{exitUsage, bad}
	case err != nil:
		return order.NewFormulaError(src, err)
	}
	fmt.Fprintf(s.out, "%s  float32 %s  logged as %s\n", report.Shortest(r.Value), report.ShortestFloat(r.Float32()), r.Log())
	if r.Err != nil {
		hint := ""
		var py *formula.PyError
		if errors.As(r.Err, &py) && py.Class == "NameError" {
			hint = "give its value as NAME=VALUE"
		}
		s.partly = true
		s.explainFormula(&order.FormulaError{Source: src, Err: r.Err, Hint: hint})
	}
	for _, w := range formula.Warnings(src, symbols, formula.Surroundings{}) {
		if w.Rule == formula.RuleExclusiveOr {
			s.out.Flush()
			s.diag.Hint("%s", w.Message)
		}
	}
	return nil
}

// site returns the variables of the site and the formula to evaluate: the one given,
// or the one in force; "" for none.
func (c *evalCmd) site(s *session) (*formula.Symbols, string, error) {
	src, err := c.read(s)
	if err != nil || c.siteFlags.isEmpty() {
		return formula.NewSymbols(nil), src, err
	}
	p, err := s.find(c.names(""), false)
	if err != nil {
		return nil, "", onlyPBS(err, c.Snapshot, "it has no job_sort_formula; formula explain JOB SITE shows a priority term by term")
	}
	site, err := s.siteOf(p)
	if err != nil {
		return nil, "", err
	}
	if !c.JSONL {
		err = new(policyFlags).setFormula(s, site, src)
	}
	return order.Symbols(site.Resources), site.Sched.Formula, err
}

// evaluate evaluates a formula once. It returns an error for a formula or a
// variable that cannot be used at all.
func evaluate(src string, texts map[string]string, symbols *formula.Symbols) (formula.Result, error) {
	f, err := formula.Parse(src)
	if err != nil {
		return formula.Result{}, err
	}
	values, err := order.ParseVariables(texts, symbols)
	if err != nil {
		return formula.Result{}, err
	}
	return f.Eval(values), nil
}

// evalLine is a line of --jsonl's output.
type evalLine struct {
	Value   report.Number `json:"value"`
	Float32 report.Number `json:"float32"`
	Log     string        `json:"log"`
	Error   string        `json:"error"`
}

func stream(s *session, symbols *formula.Symbols) error {
	return eachLine(s.config.Stdin, func(line []byte) error {
		out := evaluateLine(line, symbols)
		s.partly = s.partly || out.Error != ""
		return s.encode(out)
	})
}

// evaluateLine answers one object of --jsonl's input.
func evaluateLine(line []byte, symbols *formula.Symbols) evalLine {
	var task struct {
		Formula string
		Vars    map[string]json.RawMessage
	}
	if err := json.Unmarshal(line, &task); err != nil {
		return evalLine{Log: "0", Error: "InputError: the line is not a JSON object with a formula and vars"}
	}
	texts := map[string]string{}
	for name, raw := range task.Vars {
		texts[name] = string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts[name] = text
		}
	}
	r, err := evaluate(task.Formula, texts, symbols)
	out := evalLine{report.Number(r.Value), report.Number(r.Float32()), r.Log(), ""}
	var bad *order.VariableError
	switch {
	case errors.As(err, &bad):
		out.Error = "InputError: " + err.Error()
	case err != nil:
		out.Error = err.Error()
	case r.Err != nil:
		out.Error = r.Err.Error()
	}
	return out
}
