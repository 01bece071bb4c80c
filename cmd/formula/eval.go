package main

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
	JSONL     bool     `name:"jsonl" help:"Read {\"formula\",\"vars\"} objects, one per line, from standard input."`
	Variables []string `arg:"" optional:"" name:"name=value" help:"Variables, as PBS prints them or writes them (mem=4gb walltime=01:00:00)."`
}

// pbsSymbols are PBS's variables without those of a site.
var pbsSymbols = formula.NewSymbols(nil)

func (c *evalCmd) Run(s *session) error {
	if c.JSONL {
		return c.stream(s)
	}
	src, err := c.read(s)
	if err != nil {
		return err
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
	r, err := evaluate(src, texts)
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
	for _, w := range formula.Warnings(src, pbsSymbols, formula.Surroundings{}) {
		if w.Rule == formula.RuleExclusiveOr {
			s.out.Flush()
			s.diag.Hint("%s", w.Message)
		}
	}
	return nil
}

// evaluate evaluates a formula once. It returns an error for a formula or a
// variable that cannot be used at all.
func evaluate(src string, texts map[string]string) (formula.Result, error) {
	f, err := formula.Parse(src)
	if err != nil {
		return formula.Result{}, err
	}
	values, err := order.ParseVariables(texts, pbsSymbols)
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

func (c *evalCmd) stream(s *session) error {
	return eachLine(s.in, func(line []byte) error {
		out := evaluateLine(line)
		s.partly = s.partly || out.Error != ""
		return s.encode(out)
	})
}

// evaluateLine answers one object of --jsonl's input.
func evaluateLine(line []byte) evalLine {
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
	r, err := evaluate(task.Formula, texts)
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
