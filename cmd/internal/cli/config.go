package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"syscall"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Config is what a command line is run with.
type Config struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Version        string // of the program, "" for what go build knows of it
	Commit         string // that the program was built from, likewise
	Manual         string // the man page

	Watch     func(percent int) // told how far what takes long is, for tests; may be nil
	KeepsMuch func()            // called before a command keeps much of what it reads, so that garbage is collected sooner; may be nil
}

// Run executes a command line and returns its exit code. What takes long ends early with
// the context, and prints what was done by then.
func Run(ctx context.Context, args []string, config Config) int {
	guard := &report.Guard{W: config.Stdout}
	s := &session{
		guard: guard, ctx: ctx, config: config, in: site.NewInput(config.Stdin, formats()...), terminal: report.NewTerminal(config.Stdout),
		diag: diag.Printer{Program: "formula", W: config.Stderr}, args: args,
	}
	s.out = bufio.NewWriterSize(answer{s}, 64<<10)
	s.progress = newProgress(s)
	code := s.run(args)
	s.progress.end()
	err := s.out.Flush()
	if err == nil {
		err = guard.Close()
	}
	if err != nil {
		if errors.Is(err, syscall.EPIPE) {
			return code // the reader has seen enough
		}
		s.diag.Error("cannot write the result: %v", err)
		return exitUnreadable
	}
	return code
}

// version returns the program's version and the commit it was built from.
func (c Config) version() string {
	v, commit := c.Version, c.Commit
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && commit == "" {
				commit = setting.Value
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	if commit == "" {
		commit = "unknown commit"
	}
	return fmt.Sprintf("formula %s (%s)", v, commit)
}
