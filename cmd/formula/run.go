package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/diag"
	"fairshare/formula"
)

// Exit codes.
const (
	exitFine       = 0
	exitPartly     = 1 // some job or line failed; the results are printed
	exitUsage      = 2
	exitFormula    = 3 // the formula is invalid
	exitUnreadable = 4 // input cannot be read
)

// cli is the command line's model.
type cli struct {
	Sort     sortCmd     `cmd:"" default:"withargs" help:"Print a job list in the order of the scheduler."`
	Explain  explainCmd  `cmd:"" help:"Explain a job's place, or why one of two goes first."`
	Compare  compareCmd  `cmd:"" help:"Show what a new formula, new shares or usage would change."`
	Check    checkCmd    `cmd:"" help:"Tell what qmgr would answer to a formula, and its traps."`
	Eval     evalCmd     `cmd:"" help:"Evaluate a formula for given variables."`
	Test     testCmd     `cmd:"" help:"Hold a formula to a file of expectations."`
	Shares   sharesCmd   `cmd:"" help:"Show a tree under PBS's, Slurm's and flux's fairshare."`
	Priority priorityCmd `cmd:"" help:"Compute Slurm's multifactor priority, factor by factor."`
	Vars     varsCmd     `cmd:"" help:"List the names that a formula can use."`

	Help help `short:"h" help:"Show help for a command."`
}

// help prints what kong knows of the chosen command. kong's own would exit.
type help bool

var errHelp = errors.New("help was asked for")

// BeforeReset runs before anything is required.
func (help) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// examples end the help.
const examples = `
Examples (JOBS is what qstat -f -F json prints, P a copy of sched_priv):
  formula sort -f 'fairshare_factor + eligible_time/86400' --sched-priv P <JOBS
  formula explain --job 123 --vs 124 --sched-priv P <JOBS
  formula compare -f 'OLD' -f 'NEW' --html change.html --sched-priv P <JOBS
`

// session is what a command works with.
type session struct {
	in     io.Reader
	out    *bufio.Writer
	stdout *os.File // when out goes to a file or terminal
	diag   diag.Printer

	partly      bool // some input or some job failed
	progressing bool // a line of progress is on the terminal
}

// failure ends a command with an exit code. Its error has been told already
// when it is nil.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return fmt.Sprint(f.err) }
func (f failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return failure{code, fmt.Errorf(format, args...)}
}

func newParser(c *cli, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("formula"),
		kong.Description("Who runs next on a PBS cluster, and why? Try formulas on a job list."),
		kong.Vars{"algorithms": algorithmNames()},
		kong.NoDefaultHelp(),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true))
}

// run is the program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &session{in: stdin, out: bufio.NewWriterSize(stdout, 64<<10), diag: diag.Printer{Program: "formula", W: stderr}}
	s.stdout, _ = stdout.(*os.File)
	code := s.run(args)
	if err := s.out.Flush(); err != nil {
		if errors.Is(err, syscall.EPIPE) {
			return code // the reader has seen enough
		}
		s.diag.Error("cannot write the result: %v", err)
		return exitUnreadable
	}
	return code
}

func (s *session) run(args []string) int {
	var c cli
	parser, err := newParser(&c, s.out, s.diag.W)
	if err != nil {
		s.diag.Error("%v", err)
		return exitUsage
	}
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		// Parsed, it would show help for the default command.
		app := &kong.Context{Kong: parser, Path: []*kong.Path{{App: parser.Model}}}
		if err := app.PrintUsage(false); err != nil {
			s.diag.Error("%v", err)
			return exitUsage
		}
		fmt.Fprint(s.out, examples)
		return exitFine
	}
	ctx, err := parser.Parse(args)
	if errors.Is(err, errHelp) {
		return exitFine
	}
	if err != nil {
		s.diag.Error("%v", err)
		s.diag.Hint("formula --help shows what there is")
		return exitUsage
	}
	err = ctx.Run(s)
	var f failure
	switch {
	case err == nil:
		return exitFine
	case !errors.As(err, &f):
		f = failure{exitUnreadable, err}
	}
	if f.err != nil {
		s.diag.Error("%v", f.err)
	}
	return f.code
}

// formulaFlags name the formula to work on.
type formulaFlags struct {
	Formula string `short:"f" placeholder:"FORMULA" xor:"formula" help:"The formula."`
	File    string `short:"F" placeholder:"FILE" xor:"formula" help:"Read the formula from FILE."`
}

// errNoFormula is for commands that take the formula from no other place.
var errNoFormula = fail(exitUsage, "no formula: give -f FORMULA or -F FILE")

// maxFormulaFile is more than any formula that can be evaluated.
const maxFormulaFile = 2 * formula.MaxLength

// read returns the formula's text, "" when no flag names one. A line end
// after it does not belong to it.
func (f *formulaFlags) read() (string, error) {
	if f.File == "" {
		return f.Formula, nil
	}
	text, err := readLimited(f.File, maxFormulaFile)
	return strings.TrimRight(text, "\r\n"), err
}

// readLimited reads a file that should not be large. It may be a pipe, as in
// --queues <(qstat -Qf).
func readLimited(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", failure{exitUnreadable, err}
	}
	defer f.Close()
	return readAll(f, name, most)
}

// readAll reads to the end a text that should not be large, without the byte
// order mark that some editors begin it with. What is no text, such as
// /dev/zero, is given up at once.
func readAll(r io.Reader, name string, most int64) (string, error) {
	var b strings.Builder
	chunk := make([]byte, 256<<10)
	for {
		n, err := r.Read(chunk)
		b.Write(chunk[:n])
		switch {
		case bytes.IndexByte(chunk[:n], 0) >= 0:
			return "", fail(exitUnreadable, "%s is no text", name)
		case int64(b.Len()) > most:
			return "", fail(exitUnreadable, "%s has more than %d bytes", name, most)
		case errors.Is(err, io.EOF):
			return strings.TrimPrefix(b.String(), "\ufeff"), nil
		case err != nil:
			return "", failure{exitUnreadable, err}
		}
	}
}

// explainFormula tells why a formula is not accepted, and where.
func (s *session) explainFormula(src string, err error, span formula.Span, hint string) {
	s.diag.Error("%s", errorText(err))
	if span != (formula.Span{}) {
		s.diag.Source(src, span.Start, span.End)
	}
	if hint != "" {
		s.diag.Hint("%s", hint)
	}
}

// place is where in the formula an error stands, and what it says as Python
// would: "Class: message".
func place(err error) (formula.Span, string) {
	var syntax *formula.SyntaxError
	var py *formula.PyError
	var foreign *formula.ForeignError
	var limit *formula.LimitError
	switch {
	case errors.As(err, &syntax):
		return syntax.Span, syntax.Error() + " (<string>, line 1)"
	case errors.As(err, &py):
		return py.Span, py.Error()
	case errors.As(err, &foreign):
		return foreign.Span, "ForeignError: " + foreign.Error()
	case errors.As(err, &limit):
		return limit.Span, limit.Error()
	}
	return formula.Span{}, err.Error()
}

// errorText is an error as outputs show it, "" for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	_, message := place(err)
	return message
}
