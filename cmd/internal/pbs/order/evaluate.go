package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// VariableError is a text that is no value of a variable.
type VariableError struct{ Name, Text string }

func (e *VariableError) Error() string {
	return fmt.Sprintf("the value of %s, %q, is not a number, a size or a time", e.Name, e.Text)
}

// ParseVariables returns the values of variables that a person wrote, as PBS
// prints or writes them. Its errors are *VariableError.
func ParseVariables(texts map[string]string, symbols *formula.Symbols) (map[string]formula.Value, error) {
	values := make(map[string]formula.Value, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		v, ok := formula.ParseAmount(texts[name], symbols.Type(name))
		if !ok {
			return nil, &VariableError{name, texts[name]}
		}
		values[name] = v
	}
	return values, nil
}

// Evaluate evaluates a formula once, for variables that a person wrote. Its errors are a
// *FormulaError and a *VariableError; those of the evaluation are in the result.
func Evaluate(src string, texts map[string]string, symbols *formula.Symbols) (formula.Result, error) {
	f, err := formula.Parse(src)
	if err != nil {
		return formula.Result{}, NewFormulaError(src, err)
	}
	values, err := ParseVariables(texts, symbols)
	if err != nil {
		return formula.Result{}, err
	}
	return f.Eval(values), nil
}

// Evaluation is what a formula evaluates to, as JSON has it.
type Evaluation struct {
	Value   report.Number `json:"value"`
	Float32 report.Number `json:"float32"`
	Log     string        `json:"log"`
	Error   string        `json:"error"` // "Class: message", "" for none
}

// EvaluateLine evaluates the formula of a JSON object, {"formula", "vars"}.
func EvaluateLine(line []byte, symbols *formula.Symbols) Evaluation {
	var task struct {
		Formula string
		Vars    map[string]json.RawMessage
	}
	if err := json.Unmarshal(line, &task); err != nil {
		return Evaluation{Log: "0", Error: "InputError: the line is not a JSON object with a formula and vars"}
	}
	texts := map[string]string{}
	for name, raw := range task.Vars {
		texts[name] = string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts[name] = text
		}
	}
	r, err := Evaluate(task.Formula, texts, symbols)
	out := Evaluation{report.Number(r.Value), report.Number(r.Float32()), r.Log(), ""}
	var wrong *VariableError
	switch {
	case errors.As(err, &wrong):
		out.Error = "InputError: " + err.Error()
	case err != nil:
		out.Error = err.Error()
	case r.Err != nil:
		out.Error = r.Err.Error()
	}
	return out
}
