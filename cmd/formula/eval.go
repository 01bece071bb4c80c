package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

type evalCmd struct {
	formulaFlags
	JSONL     bool     `name:"jsonl" help:"Read {\"formula\",\"vars\"} objects, one a line, from standard input."`
	Variables []string `arg:"" optional:"" name:"name=value" help:"Variables, as PBS prints them or writes them (mem=4gb walltime=01:00:00)."`
}

// symbols are PBS's names without a site's.
var symbols = formula.NewSymbols(nil)

func (c *evalCmd) Run(s *session) error {
	if c.JSONL {
		return c.stream(s)
	}
	src, err := c.read()
	if err != nil {
		return err
	}
	if src == "" {
		return errNoFormula
	}
	vars := map[string]string{}
	for _, arg := range c.Variables {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fail(exitUsage, "%q is not NAME=VALUE", arg)
		}
		vars[name] = value
	}
	r, err := evaluate(src, vars)
	var bad *badVariable
	if errors.As(err, &bad) {
		return failure{exitUsage, bad}
	}
	if err != nil {
		span, _ := place(err)
		s.explainFormula(src, err, span, hintOf(err))
		return failure{code: exitFormula}
	}
	fmt.Fprintf(s.out, "%s  float32 %s  log %s\n", number(r.Value, 64), number(float64(r.Float32()), 32), r.Log())
	if r.Err == nil {
		return nil
	}
	s.out.Flush() // the value first
	span, _ := place(r.Err)
	s.explainFormula(src, r.Err, span, evalHint(r.Err))
	return failure{code: exitPartly}
}

// hintOf is the hint that a syntax error carries.
func hintOf(err error) string {
	var syntax *formula.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Hint
	}
	return ""
}

func evalHint(err error) string {
	var py *formula.PyError
	if errors.As(err, &py) && py.Class == "NameError" {
		return "give its value as NAME=VALUE"
	}
	return ""
}

type badVariable struct{ name, value string }

func (b *badVariable) Error() string {
	return fmt.Sprintf("the value of %s, %q, is no number, size or time", b.name, b.value)
}

// evaluate evaluates a formula once. It returns an error for a formula or a
// variable that cannot be used at all.
func evaluate(src string, vars map[string]string) (formula.Result, error) {
	f, err := formula.Parse(src)
	if err != nil {
		return formula.Result{}, err
	}
	names := make([]string, 0, len(vars))
	values := make([]formula.Value, 0, len(vars))
	for name, text := range vars {
		v, ok := formula.ParseAmount(text, symbols.Type(name))
		if !ok {
			return formula.Result{}, &badVariable{name, text}
		}
		names = append(names, name)
		values = append(values, v)
	}
	p, err := formula.Compile(f, names)
	if err != nil {
		return formula.Result{}, err
	}
	return p.Eval(values), nil
}

// evalLine is a line of --jsonl's output.
type evalLine struct {
	Value   report.Number `json:"value"`
	Float32 report.Number `json:"float32"`
	Log     string        `json:"log"`
	Error   string        `json:"error"`
}

func (c *evalCmd) stream(s *session) error {
	failed := false
	err := eachLine(s.in, func(line []byte) error {
		var task struct {
			Formula string
			Vars    map[string]json.RawMessage
		}
		out := evalLine{Log: "0"}
		if err := json.Unmarshal(line, &task); err != nil {
			out.Error = "InputError: the line is no object with a formula and vars"
		} else {
			vars := map[string]string{}
			for name, raw := range task.Vars {
				vars[name] = string(raw)
				var text string
				if json.Unmarshal(raw, &text) == nil {
					vars[name] = text
				}
			}
			r, err := evaluate(task.Formula, vars)
			if err == nil {
				err = r.Err
			}
			out = evalLine{report.Number(r.Value), report.Number(r.Float32()), r.Log(), errorText(err)}
			var bad *badVariable
			if errors.As(err, &bad) {
				out.Error = "InputError: " + out.Error
			}
		}
		failed = failed || out.Error != ""
		return s.encode(out)
	})
	if err == nil && failed {
		err = failure{code: exitPartly}
	}
	return err
}

// marshal is JSON without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// encode prints one object on a line and hands it on at once when the input
// is read line by line.
func (s *session) encode(v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	s.out.Write(append(text, '\n'))
	return s.out.Flush()
}

// maxLine bounds a line of --jsonl input.
const maxLine = 4 << 20

// eachLine calls f for every line that is not blank.
func eachLine(r io.Reader, f func(line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		if err := f(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fail(exitUnreadable, "standard input: a line of more than %d bytes", maxLine)
	} else if err != nil {
		return fail(exitUnreadable, "standard input: %w", err)
	}
	return nil
}
