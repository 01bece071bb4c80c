// Package cli is the command line of formula: its flags, what each command does with them,
// and how it prints what it found.
package cli

import (
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
		kong.Description("Who runs next on a cluster of PBS, Slurm or flux, and why?"),
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
			return fail(exitUsage, "--%s is given twice, and takes one value", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// passedOver returns the name of a flag of the table alone that is given where neither a table nor a page is written, "" for none.
func passedOver(ctx *kong.Context) (name string) {
	hasTable := true
	for _, element := range ctx.Path {
		switch f := element.Flag; {
		case f == nil:
		case f.Name == "html":
			return ""
		case f.Name == "output":
			hasTable = f.Target.String() == "table"
		case f.Tag.Get("of") == "table":
			name = f.Name
		}
	}
	if hasTable {
		return ""
	}
	return name
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
	if isNoCommand(parser, args) && asksForHelp(args) { // parsed, it would show help for the default command
		s.diag.Error("there is no command %s", args[0])
		s.diag.Hint("%s", hintFor(parser, args, ""))
		return exitUsage
	}
	ctx, err := parser.Parse(gathered(parser, args))
	if errors.Is(err, errAnswered) {
		return exitFine
	}
	if err != nil {
		if whole, wrong := s.parser(&commandLine{}); wrong == nil && unknownFlag(err) != "" { // which knows the flags of other commands
			parser = whole
		}
		s.diag.Error("%v", flagError(parser, args, err))
		s.diag.Hint("%s", hintFor(parser, args, unknownFlag(err)))
		return exitUsage
	}
	if err = checkFlags(ctx); err == nil {
		err = checkRules(ctx)
	}
	if err != nil {
		s.tell(err)
		return exitUsage
	}
	if name := passedOver(ctx); name != "" {
		s.say(diag.Notef("--%s is of the table, and what -o prints instead is whole", name))
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
	if text := archivesIn(args, err); text != "" {
		s.diag.Hint("%s", text)
	}
	if errors.Is(err, fs.ErrNotExist) && (len(args) == 1 || formulaAmong(parser, args) != "" || isJobForSite(args) || meantName(args) != "") {
		s.diag.Hint("%s", hintFor(parser, args, ""))
	}
	return code
}
