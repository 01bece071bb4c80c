package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/site"
	"fairshare/formula"
)

// tell says why a command ended and returns its exit code.
func (s *session) tell(err error) int {
	var f failure
	var refused *order.FormulaError
	var find *joblist.FindError
	var fault *diag.FaultError
	var parse *figure.ParseError
	var setting *diag.SettingError
	var spec *cluster.SpecError
	var asked *diag.RequestError
	var variable *order.VariableError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, context.Canceled):
		s.diag.Error("interrupted, before anything was whole that could be printed")
		return exitUnreadable
	case errors.As(err, &f):
		if f.err != nil {
			s.diag.Error("%v", f.err)
		}
		return f.code
	case errors.As(err, &asked):
		s.diag.Error("%v", asked)
		return exitUsage
	case errors.As(err, &refused):
		s.explainFormula(refused)
		return exitFormula
	case errors.As(err, &parse):
		s.diag.Error("%v", parse)
		s.diag.Source(parse.Text, parse.Start, parse.End)
		return exitUsage
	case errors.As(err, &setting):
		s.diag.Error("setting %v", err)
		return exitUsage
	case errors.As(err, &spec):
		s.diag.Error("--cluster %v", err)
		return exitUsage
	case errors.As(err, &variable):
		s.diag.Error("%v", err)
		return exitUsage
	case errors.Is(err, order.ErrNoTree):
		s.diag.Error("the formula has fairshare terms: give the tree with --sched-priv DIR (%s)", site.CollectHint)
		return exitUsage
	case errors.As(err, &fault):
		s.diag.Error("%v", err)
		fmt.Fprintf(s.diag.W, "%s", fault.Stack)
		return exitUnreadable
	case errors.As(err, &find):
		s.diag.Error("%v", err)
		if len(find.Like) > 0 {
			s.diag.Hint("did you mean %s?", strings.Join(find.Like, ", "))
		}
		return exitUsage
	}
	s.diag.Error("%v", err)
	return exitUnreadable
}

// fault says what is wrong with a formula, beside what is printed.
func (s *session) fault(err error) {
	var refused *order.FormulaError
	if errors.As(err, &refused) {
		s.explainFormula(refused)
	}
}

// explainFormula says why a formula is not accepted, and shows where.
func (s *session) explainFormula(e *order.FormulaError) {
	s.out.Flush() // what is printed comes first
	s.diag.Error("%v", e.Err)
	var p formula.Problem
	if errors.As(e.Err, &p) && p.Place() != (formula.Span{}) {
		s.diag.Source(e.Source, p.Place().Start, p.Place().End)
	}
	if e.Hint != "" {
		s.diag.Hint("%s", e.Hint)
	}
}
