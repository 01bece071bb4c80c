package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/site"
	"fairshare/formula"
)

// codeOf returns the exit code of an error: what was asked for cannot be answered, the formula is not accepted, or else
// the input cannot be read.
func codeOf(err error) int {
	var f failure
	if errors.As(err, &f) {
		return f.code
	}
	switch {
	case err == nil:
		return exitFine
	case isA[*diag.RequestError](err):
		return exitUsage
	case isA[*order.FormulaError](err):
		return exitFormula
	case isA[*figure.ParseError](err), isA[*diag.SettingError](err), isA[*cluster.SpecError](err),
		isA[*order.VariableError](err), isA[*joblist.FindError](err), order.IsUntold(err):
		return exitUsage
	}
	return exitUnreadable
}

// isA reports whether an error is of a type, or wraps one that is.
func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// tell says why a command ended.
func (s *session) tell(err error) {
	var f failure
	var asked *diag.RequestError
	var refused *order.FormulaError
	var find *joblist.FindError
	var fault *diag.FaultError
	var parse *figure.ParseError
	s.doubt(err)
	s.progress.answer()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		s.diag.Error("interrupted, before anything was whole that could be printed")
	case errors.As(err, &f):
		if f.err != nil {
			s.diag.Error("%v", f.err)
		}
	case errors.As(err, &asked):
		s.diag.Error("%v", asked)
	case errors.As(err, &refused):
		s.explainFormula(refused)
	case errors.As(err, &parse):
		s.diag.Error("%v", err)
		s.diag.Source(parse.Text, parse.Start, parse.End)
	case isA[*diag.SettingError](err):
		s.diag.Error("setting %v", err)
	case isA[*cluster.SpecError](err):
		s.diag.Error("%v", err)
	case errors.Is(err, order.ErrNoTree):
		s.diag.Error("%v: give it with --sched-priv DIR (%s); of two jobs, formula explain JOB --vs OTHER says what is known without it", err, site.CollectHint)
	case errors.Is(err, order.ErrNoQueues):
		s.diag.Error("%v: give it with --queues FILE, or in the folder of the site", err)
	case errors.As(err, &fault):
		s.diag.Error("%v", err)
		fmt.Fprintf(s.diag.W, "%s", fault.Stack)
	case errors.As(err, &find):
		s.diag.Error("%v", err)
		if len(find.Like) > 0 {
			s.diag.Hint("did you mean %s?", strings.Join(find.Like, ", "))
		}
	default:
		s.diag.Error("%v", err)
	}
}

// doubt says of an error that a list has no job that rows are left out of the list, where some are: each may be that job.
func (s *session) doubt(err error) {
	var none *diag.NoJobError
	if errors.As(err, &none) {
		none.IsInDoubt = slices.ContainsFunc(s.diag.Said(), func(r diag.Remark) bool { return r.IsOfOthers && r.IsWrong })
	}
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
