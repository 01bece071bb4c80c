package cli

import (
	"errors"
	"fmt"
	"strings"

	pbsdoor "fairshare/cmd/internal/pbs/door"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

type evalCmd struct {
	formulaFlags
	siteFlags
	JSONL     bool     `name:"jsonl" help:"Read a JSON object {\"formula\",\"vars\"} from each line of standard input."`
	Variables []string `arg:"" optional:"" name:"name=value" help:"Variables with their values, as PBS writes them (mem=4gb walltime=01:00:00)."`
}

// linesOfJSON are what standard input is with --jsonl.
const linesOfJSON = "the lines of --jsonl"

// rules implements ruled.
func (c *evalCmd) rules() []rule {
	return []rule{{of: "jsonl", not: "formula file name=value", says: "--jsonl reads formulas and variables from standard input: leave out -f, -F and NAME=VALUE"}}
}

func (c *evalCmd) Run(s *session) error {
	symbols, src, err := c.site(s)
	if err != nil {
		return err
	}
	if c.JSONL {
		return s.in.EachLine(linesOfJSON, func(line []byte) error {
			out := order.EvaluateLine(line, symbols)
			s.partly = s.partly || out.Error != ""
			return s.encode(out)
		})
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
	r, err := order.Evaluate(src, texts, symbols)
	if err != nil {
		return err
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
	at, err := openAs[*pbsdoor.Site](s, c.names(""))
	if err != nil {
		return nil, "", err
	}
	site, err := at.AsItIs()
	if err != nil {
		return nil, "", err
	}
	if !c.JSONL {
		if err := at.SetFormula(site, src); err != nil {
			return nil, "", err
		}
	}
	return order.Symbols(site.Resources), site.Sched.Formula, nil
}
