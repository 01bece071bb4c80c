// Package cli is the command line of formula: its flags, what each command does with them,
// and how it prints what it found.
package cli

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// session is the input and the outputs of a command.
type session struct {
	ctx      context.Context // which an interrupt ends
	config   Config
	in       *site.Input
	out      *bufio.Writer // to standard output, with a guard before it
	guard    *report.Guard
	terminal report.Terminal // what standard output is
	diag     diag.Printer

	progress *progress // of what takes long

	isOfJob bool // whether the answer is about one job that was asked for, as that of explain

	partly bool // some input or some job failed
	isCut  bool // some input is missing, or somebody interrupted: the results are of the rest
	args   []string

	isAnswerFirst bool          // whether what is said stands behind the answer
	isAside       bool          // whether what is said is of another answer than that which was asked for, and kept in aside
	aside         []diag.Remark // what was said of such ones

	isAnswered bool // whether some of it was printed

	command string       // that runs
	flags   []*kong.Flag // that were given
}

// keepsMuch says that a command keeps much of what it reads.
func (s *session) keepsMuch() {
	if s.config.KeepsMuch != nil {
		s.config.KeepsMuch()
	}
}

// print prints a table, whose names have no control characters.
func (s *session) print(t report.Table) error {
	s.guard.Bold = s.terminal.Bold
	return t.Write(s.out, s.terminal)
}

// printer returns what writes texts for people.
func (s *session) printer() *report.Printer {
	return &report.Printer{Writer: s.out, Width: s.terminal.Width, Table: s.print}
}

// printSheet prints rows in a form.
func (s *session) printSheet(form string, sheet report.Sheet) error {
	switch form {
	case "json":
		return sheet.WriteJSON(s.out)
	case "csv":
		return sheet.WriteCSV(s.out)
	}
	return s.print(sheet.Table())
}

// printLines prints lines in a form: as JSON, as CSV, or as the table that people read.
func printLines[L any](s *session, form string, lines []L, table func() error) error {
	switch form {
	case "json":
		return report.WriteArray(s.out, slices.Values(lines))
	case "csv":
		return report.WriteRows(s.out, slices.Values(lines))
	}
	return table()
}

// encode prints one object on a line and hands it on at once, for whoever sends
// input line by line.
func (s *session) encode(v any) error {
	if err := report.WriteLine(s.out, v); err != nil {
		return err
	}
	return s.out.Flush()
}

// say prints remarks, and keeps in mind that input was damaged; while another answer than that which was asked for is made (aside), it only
// keeps them.
func (s *session) say(remarks ...diag.Remark) {
	if s.isAside {
		s.aside = append(s.aside, remarks...)
		return
	}
	for _, r := range remarks {
		s.partly, s.isCut = s.partly || r.IsLack || r.IsDamage && !(s.isOfJob && r.IsOfOthers), s.isCut || r.IsCut
	}
	s.diag.Say(remarks...)
}

// answerFirst keeps what is said until the answer is printed, which is about one job.
func (s *session) answerFirst() { s.isAnswerFirst = true }

// answer is standard output, before which stands what was said until then, unless the answer comes first.
type answer struct{ *session }

func (a answer) Write(text []byte) (int, error) {
	a.isAnswered = true
	a.progress.answer()
	if !a.isAnswerFirst {
		a.diag.Release()
	}
	return a.guard.Write(text)
}

// release prints what was said before the command came to an answer, or behind it. Where what was asked for is at fault and nothing
// is answered, the error stands alone with what is damaged; of other errors, where the site comes from may say why.
func (s *session) release(err error) {
	s.progress.answer()
	if !s.diag.IsHeld() {
		return
	}
	if s.isAnswerFirst {
		s.out.Flush() // an error stays with it
	}
	isWrong := codeOf(err) == exitUsage || isA[*diag.NoJobError](err)
	if isWrong && !s.isAnswered && s.out.Buffered() == 0 {
		s.diag.Drop()
	}
	if s.isAnswerFirst {
		s.diag.All = s.diag.All || err != nil && !isWrong && !isA[*order.FormulaError](err)
	}
	if err != nil && codeOf(err) != exitPartly {
		s.diag.ReleaseWhole()
		return
	}
	s.diag.Release()
}

// notes returns what was said so far of what is assumed, left out or not known, for answers that are
// read without standard error.
func (s *session) notes() []string {
	notes := []string{}
	for _, r := range s.diag.Said() {
		notes = append(notes, r.Text)
	}
	return notes
}

// failed returns an error about input as a failure, unless it is one already or about what
// was asked for.
func (s *session) failed(err error) error {
	var f failure
	var asked *diag.RequestError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &asked):
		return asked
	case isA[*diag.SettingError](err), isA[*cluster.SpecError](err):
		return err
	}
	return failure{exitUnreadable, err}
}

// askOf leaves to all notes what is said of jobs that are none of some that are asked about, if any are.
func (s *session) askOf(jobs []string) {
	if len(jobs) > 0 {
		s.diag.Asked = func(id string) bool {
			return slices.ContainsFunc(jobs, func(asked string) bool { return trace.IsNamed(id, asked) || trace.IsNamed(asked, id) })
		}
	}
}
