// Package cli is the command line of formula: its flags, what each command does with them,
// and how it prints what it found.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Exit codes.
const (
	exitFine       = 0
	exitPartly     = 1 // some job or line failed; the results are printed
	exitUsage      = 2
	exitFormula    = 3 // the formula is invalid
	exitUnreadable = 4 // input cannot be read, or output not be written
)

// commandLine is the command line's model.
type commandLine struct {
	Sort     sortCmd     `cmd:"" default:"withargs" help:"Print a job list in the order of the scheduler."`
	Explain  explainCmd  `cmd:"" help:"Explain a job's place, or why one of two goes first."`
	Compare  compareCmd  `cmd:"" help:"Show what another formula, weights, shares or usage would change."`
	Check    checkCmd    `cmd:"" help:"Check a formula as qmgr does, or a slurm.conf, and name traps."`
	Eval     evalCmd     `cmd:"" help:"Evaluate a formula for given variables."`
	Test     testCmd     `cmd:"" help:"Test a formula against a file of expectations."`
	Shares   sharesCmd   `cmd:"" help:"Show a tree under PBS's, Slurm's and flux's fairshare."`
	Priority priorityCmd `cmd:"" help:"Compute the priorities of Slurm, factor by factor, or of flux."`
	Vars     varsCmd     `cmd:"" help:"List the names that a formula can use."`
	History  historyCmd  `cmd:"" help:"Show waits, core hours and occupation from accounting logs."`
	Usage    usageCmd    `cmd:"" help:"Rebuild the fairshare usage from accounting logs."`
	Replay   replayCmd   `cmd:"" help:"Replay recorded work under another policy: who would have waited?"`
	Witness  witnessCmd  `cmd:"" help:"Find recorded starts that the rules do not give, and why."`
	When     whenCmd     `cmd:"" help:"Forecast when waiting jobs will start."`
	Nodes    nodesCmd    `cmd:"" help:"Show which nodes are free for what, and who runs on them."`
	Lab      labCmd      `cmd:"" help:"Serve a local page to try formulas, weights and shares in."`
	Metrics  metricsCmd  `cmd:"" help:"Print what a site looks like now as OpenMetrics text."`
	Collect  collectCmd  `cmd:"" help:"Write a snapshot of a site, to use it elsewhere."`

	Man  manCmd  `cmd:"" help:"Show the man page."`
	Help helpCmd `cmd:"" hidden:"" help:"Show help for a command."`

	HelpFlag helpFlag    `short:"h" name:"help" group:"Flags of all commands:" help:"Show help for a command."`
	HelpAll  helpAllFlag `group:"Flags of all commands:" help:"Show help for a command, with all flags."`
	Version  versionFlag `group:"Flags of all commands:" help:"Print the version."`
	Notes    bool        `group:"Flags of all commands:" help:"Print each note and warning in full, also where the site comes from and which version of the scheduler the rules are of. Without it, one line sums up those that matter less."`
}

// summary ends the help of the whole.
const summary = `
Examples (SNAP is what pbs_snapshot or formula collect writes):
  formula sort SNAP.tgz
  formula explain 123 SNAP.tgz --vs ahead
`

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

	isAnswerFirst bool // whether what is said stands behind the answer
	isAnswered    bool // whether some of it was printed

	command string       // that runs
	flags   []*kong.Flag // that were given
}

// keepsMuch says that a command keeps much of what it reads.
func (s *session) keepsMuch() {
	if s.config.KeepsMuch != nil {
		s.config.KeepsMuch()
	}
}

// failure ends a command with an exit code. It has no error where that has been
// told already.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return fmt.Sprint(f.err) }
func (f failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return failure{code, fmt.Errorf(format, args...)}
}

// unreadable returns an error with the name of the input that it is about.
func unreadable(name string, err error) error { return fail(exitUnreadable, "%s: %w", name, err) }

// grammarFor returns the model of a command line: a commandLine, or only what it has of the
// command that the first word names, since kong takes ten times as long to read them all.
func grammarFor(args []string) any {
	if len(args) == 0 {
		return &commandLine{}
	}
	var fields []reflect.StructField
	isNamed := false
	for _, field := range reflect.VisibleFields(reflect.TypeFor[commandLine]()) {
		_, isCommand := field.Tag.Lookup("cmd")
		isThis := isCommand && strings.ToLower(field.Name) == args[0]
		isNamed = isNamed || isThis
		if isThis || !isCommand {
			fields = append(fields, field)
		}
	}
	if !isNamed {
		return &commandLine{}
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// newParser returns what parses a command line into its model.
func newParser(model any, config Config) (*kong.Kong, error) {
	parser, err := kong.New(model,
		kong.Name("formula"),
		kong.Description("Who runs next on a PBS or Slurm cluster, and why?"),
		kong.Vars{
			"algorithms": accounts.AlgorithmNames(),
			"interval":   fmt.Sprintf("%ds", accrual.DefaultInterval), "lag": strconv.Itoa(accrual.DefaultLag),
			"ahead": fmt.Sprintf("%gh", defaultAhead.Hours()), "parts": strconv.Itoa(mostSubjobs), "version": config.version(),
		},
		kong.NoDefaultHelp(),
		kong.Writers(config.Stdout, config.Stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		return nil, err
	}
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			if keys := strings.Fields(flag.Tag.Get("for")); len(keys) > 0 && !isOfOne(command.Name) {
				flag.Help += " " + schedulersNamed(keys) + " only."
			}
		}
		command.Detail = needsOf(command.Name) + "Examples:\n" + examples[command.Name]
	}
	return parser, nil
}

// isEmpty reports whether a flag's value is an empty text, or has one.
func isEmpty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return value.Len() == 0
	case reflect.Pointer:
		return !value.IsNil() && isEmpty(value.Elem())
	case reflect.Slice:
		for i := range value.Len() {
			if isEmpty(value.Index(i)) {
				return true
			}
		}
		return value.Len() == 0
	}
	return false
}

// checkFlags returns an error for a flag that is given nothing, as by a variable
// that is not set, for one that is given twice and counts once, and for a negative --top.
func checkFlags(ctx *kong.Context) error {
	seen := map[string]bool{}
	for _, element := range ctx.Path {
		f := element.Flag
		if f == nil || f.IsBool() {
			continue
		}
		if isEmpty(f.Target) {
			return fail(exitUsage, "--%s is given nothing", f.Name)
		}
		if f.Target.Kind() == reflect.Slice {
			continue // it adds up
		}
		if f.Name == "top" && f.Target.Int() < 0 {
			return fail(exitUsage, "--top needs a number that is not negative")
		}
		if seen[f.Name] {
			return fail(exitUsage, "--%s is given twice", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// parser returns what parses a command line, and prints help as a command prints results.
func (s *session) parser(model any) (*kong.Kong, error) {
	config := s.config
	config.Stdout = s.out
	return newParser(model, config)
}

// run executes a command line and returns its exit code.
func (s *session) run(args []string) int {
	parser, err := s.parser(grammarFor(args))
	if err != nil {
		s.diag.Error("%v", err)
		return exitUsage
	}
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		// Parsed, it would show help for the default command.
		hide(slices.DeleteFunc(slices.Clone(parser.Model.Flags), func(f *kong.Flag) bool { return f.Name != "help-all" && f.Name != "notes" }), true) // they are of commands
		app := &kong.Context{Kong: parser, Path: []*kong.Path{{App: parser.Model}}}
		if err := app.PrintUsage(false); err != nil {
			s.diag.Error("%v", err)
			return exitUsage
		}
		fmt.Fprint(s.out, summary)
		return exitFine
	}
	if len(args) == 0 && (s.in.IsTerminal() || s.in.IsNull()) {
		return s.welcome()
	}
	ctx, err := parser.Parse(gathered(parser, args))
	if errors.Is(err, errAnswered) {
		return exitFine
	}
	if err != nil {
		s.diag.Error("%v", err)
		s.diag.Hint("%s", hintFor(parser, args))
		return exitUsage
	}
	if err = checkFlags(ctx); err == nil {
		err = checkRules(ctx)
	}
	if err != nil {
		s.tell(err)
		return exitUsage
	}
	s.command, s.flags = ctx.Selected().Name, nil
	for _, element := range ctx.Path {
		if f := element.Flag; f != nil {
			s.flags = append(s.flags, f)
			s.diag.All = s.diag.All || f.Name == "notes"
		}
	}
	s.diag.Hold()
	err = ctx.Run(s)
	s.release(err)
	switch {
	case err == nil && s.isCut:
		return exitUnreadable
	case err == nil && s.partly:
		return exitPartly
	}
	s.tell(err)
	code := codeOf(err)
	if code == exitUsage && s.isCut {
		code = exitUnreadable // what is lacking may be in the part that is lost
	}
	if errors.Is(err, fs.ErrNotExist) && (len(args) == 1 || formulaAmong(parser, args) != "" || isJobForSite(args)) {
		s.diag.Hint("%s", hintFor(parser, args))
	}
	return code
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

// say prints remarks, and keeps in mind that input was damaged.
func (s *session) say(remarks ...diag.Remark) {
	for _, r := range remarks {
		s.partly, s.isCut = s.partly || r.IsDamage && !(s.isOfJob && r.IsOfOthers), s.isCut || r.IsCut
	}
	s.diag.Say(remarks...)
}

// answerFirst keeps what is said until the answer is printed, which is about one job.
func (s *session) answerFirst() { s.isAnswerFirst = true }

// answer is standard output, before which stands what was said until then, unless the answer comes first.
type answer struct{ *session }

func (a answer) Write(text []byte) (int, error) {
	a.isAnswered = true
	a.releaseBefore()
	return a.guard.Write(text)
}

// releaseBefore prints what was said until then, unless the answer comes first.
func (s *session) releaseBefore() {
	if !s.isAnswerFirst {
		s.diag.Release()
	}
}

// release prints what was said before the command came to an answer, or behind it. Where what was asked for is at fault and nothing
// is answered, the error stands alone with what is damaged; of other errors, where the site comes from may say why.
func (s *session) release(err error) {
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
