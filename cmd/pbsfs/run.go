package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Standard error carries everything but results. PBS's own lines appear as
// PBS prints them; ours begin "pbsfs: ", with "warning:" where PBS would go on
// in silence.

// pbsVersion is the release whose pbsfs was recorded.
const pbsVersion = "23.06.06"

// run executes a command line and returns its exit code. PBS knows the exit
// codes 0 and 1.
func run(args []string, stdout, stderr io.Writer) int {
	stdout, closeOut := guarded(stdout)
	stderr, closeErr := guarded(stderr)
	defer closeErr()
	defer closeOut()
	out := bufio.NewWriterSize(stdout, 64<<10)
	p := program{out: out, err: stderr, diag: diag.Printer{Program: "pbsfs", W: stderr}}
	code := p.run(args)
	if err := out.Flush(); err != nil {
		if !errors.Is(err, syscall.EPIPE) {
			p.diag.Error("cannot write the result: %v", err)
		}
		return 1
	}
	return code
}

// isTerminal reports whether a writer is a terminal.
var isTerminal = func(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// guarded returns a writer through which no name can steer a terminal, where it is one. All
// else gets what PBS prints, byte for byte.
func guarded(w io.Writer) (guarded io.Writer, end func()) {
	if !isTerminal(w) {
		return w, func() {}
	}
	guard := &report.Guard{W: w}
	return guard, func() { guard.Close() }
}

// program is the command line, the outputs and what was read.
type program struct {
	cli  cli
	out  *bufio.Writer
	err  io.Writer
	diag diag.Printer
	data *pbs.SchedPriv
}

func (p *program) run(args []string) int {
	if theirs := withoutOurs(args); len(theirs) == 1 && strings.EqualFold(theirs[0], "--version") {
		fmt.Fprintf(p.out, "pbs_version = %s\n", pbsVersion)
		return 0
	}
	parser, err := newParser(&p.cli, p.out, p.err)
	if err != nil {
		p.diag.Error("%v", err)
		return 1
	}
	options := newGetopt(parser.Model, args)
	known := options.read()
	for _, line := range options.complaints {
		fmt.Fprintln(p.err, line)
	}
	if !known {
		fmt.Fprintln(p.err, usageLine('-'))
		if text := options.complaint(); text != "" {
			p.diag.Error("%s", text)
		}
		return 1
	}
	ctx, err := parser.Parse(options.result())
	if err != nil {
		p.diag.Error("%v", err)
		return 1
	}
	if p.cli.Help {
		if err := ctx.PrintUsage(false); err != nil {
			p.diag.Error("%v", err)
			return 1
		}
		return 0
	}
	if p.cli.Wait < 0 {
		p.diag.Error("--wait needs a time that is not negative, such as 10s")
		return 1
	}
	if p.cli.mode == 0 {
		p.cli.mode = 'p'
	}
	if !operandsFit(p.cli.mode, len(p.cli.Operands)) {
		fmt.Fprintln(p.err, usageLine(p.cli.mode))
		return 1
	}
	dir, ok := p.directory()
	if !ok {
		return 1
	}
	switch p.cli.mode {
	case 's', 'd', 'e':
		return p.change(dir)
	}
	if !p.load(dir) {
		return 1
	}
	return p.show()
}

// withoutOurs returns the arguments without the options that PBS does not have.
func withoutOurs(args []string) []string {
	var theirs []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--sched-priv", arg == "--wait":
			i++
		case arg == "--json", arg == "--force", strings.HasPrefix(arg, "--sched-priv="), strings.HasPrefix(arg, "--wait="):
		default:
			theirs = append(theirs, arg)
		}
	}
	return theirs
}

// directory returns the sched_priv to work on. ok is false if there is none, and
// the reason has been printed.
func (p *program) directory() (dir string, ok bool) {
	scheduler := ""
	if p.cli.Instance != nil {
		scheduler = *p.cli.Instance
	}
	if p.cli.Priv != nil {
		dir = *p.cli.Priv
	}
	// An empty name is a variable that was never set: it must not mean the
	// live scheduler.
	if p.cli.Instance != nil && scheduler == "" || p.cli.Priv != nil && dir == "" {
		p.diag.Error("-I and --sched-priv need a name that is not empty")
		return "", false
	}
	named := !pbs.IsDefaultScheduler(scheduler)
	if dir != "" && named {
		p.diag.Error("-I %s and --sched-priv %s both name a directory, give one of them", scheduler, dir)
		return "", false
	}
	if dir == "" {
		var err error
		if dir, err = pbs.FindSchedPriv(scheduler); err != nil {
			fmt.Fprintln(p.err, err)
			var conf *pbs.ConfError
			if errors.As(err, &conf) {
				p.diag.Note("looked for them in %s and in the environment; --sched-priv DIR needs none of them", conf.File)
			}
			return "", false
		}
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		return dir, true
	}
	if named && errors.Is(err, fs.ErrNotExist) {
		// PBS asks its server, which says so and knows names of 14 letters.
		fmt.Fprintf(p.err, "Scheduler %.14s does not exist\n", scheduler)
		p.diag.Note("there is no directory %s", dir)
		return "", false
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		fmt.Fprintf(p.err, "Unable to access fairshare data: %s\n", cError(errno))
	}
	p.diag.Error("%v", pathError(dir, err))
	return "", false
}

// cError returns an error as C's strerror does, with a capital.
func cError(errno syscall.Errno) string {
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// pathError returns an error with the path, where it does not name one.
func pathError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// load reads the directory and says what is wrong with it. It reports whether
// the directory could be read.
func (p *program) load(dir string) bool {
	var err error
	p.data, err = pbs.LoadSchedPriv(file.DirAt(dir), p.cli.mode == 'e')
	if err != nil {
		p.diag.Error("%v", err)
		return false
	}
	if p.data.NoConfig {
		p.diag.Warning("there is no sched_config in %s, PBS's defaults apply", dir)
	}
	tellAll(p, p.data.ConfigProblems, func(problem fstree.Problem) {
		p.diag.Warning("sched_config: %v", problem)
	})
	for _, problem := range p.data.GroupProblems {
		if problem.PBS != "" {
			fmt.Fprintln(p.err, problem.PBS)
		}
		p.diag.Warning("resource_group: %v", problem)
	}
	if p.data.Usage == nil {
		fmt.Fprintln(p.err, "Creating usage database for fairshare.")
		return true
	}
	tellAll(p, p.data.Usage.Problems, func(problem usagefile.Problem) {
		p.diag.Warning("usage: %v", problem)
	})
	if n := p.data.Usage.Unlisted; n > 0 {
		p.diag.Warning("usage: and %d more records are skipped", n)
	}
	if message := p.data.InfiniteUsage(); message != "" {
		p.diag.Warning("usage: %s", message)
	}
	return true
}

// tellAll says the first few problems and counts the others.
func tellAll[T any](p *program, problems []T, tell func(T)) {
	const most = 20
	for i, problem := range problems {
		if i == most {
			p.diag.Warning("and %d more like these", len(problems)-most)
			return
		}
		tell(problem)
	}
}

// find returns the entity of a name, or says as PBS does that there is none.
func (p *program) find(name string) (fstree.ID, bool) {
	id, ok := p.data.Tree.Lookup(name)
	if !ok {
		fmt.Fprintf(p.err, "Fairshare Entity %s does not exist.\n", name)
	}
	return id, ok
}
