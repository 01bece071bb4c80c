package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// What a package's build says of itself; "" for one by go build.
var version, commit string

// versionText returns the program's version and the commit it was built from.
func versionText() string {
	v, c := version, commit
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && c == "" {
				c = setting.Value
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	if c == "" {
		c = "unknown commit"
	}
	return fmt.Sprintf("formula %s (%s)", v, c)
}

// helpFlag prints what kong knows of the chosen command, versionFlag the program's
// version. kong's own would exit.
type (
	helpFlag    bool
	versionFlag bool
)

// errAnswered ends a command line that has been answered while it was read.
var errAnswered = errors.New("nothing is left to do")

// BeforeReset runs before anything is required.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errAnswered
}

// BeforeReset runs before anything is required.
func (versionFlag) BeforeReset(ctx *kong.Context) error {
	fmt.Fprintln(ctx.Stdout, versionText())
	return errAnswered
}

// helpCmd is --help as a command.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command to show help for; else all."`
}

func (c *helpCmd) Run(s *session) error {
	args := []string{"--help"}
	if c.Command != "" {
		if examples[c.Command] == "" {
			return fail(exitUsage, "there is no command %s", c.Command)
		}
		args = []string{c.Command, "--help"}
	}
	if code := s.run(args); code != exitFine {
		return failure{code: code} // it has been told
	}
	return nil
}

// manCmd shows the man page that is in the program.
type manCmd struct{}

//go:embed formula.1
var manPage string

func (c *manCmd) Run(s *session) error {
	if man, err := exec.LookPath("man"); err == nil && s.terminal.Width > 0 {
		show := exec.Command(man, "-l", "-")
		show.Stdin, show.Stdout, show.Stderr = strings.NewReader(manPage), os.Stdout, os.Stderr
		if show.Run() == nil {
			return nil
		}
	}
	_, err := s.out.WriteString(manPage)
	return err
}

// checkRepeats returns an error for a flag that is given twice and counts once.
func checkRepeats(ctx *kong.Context) error {
	seen := map[string]bool{}
	for _, element := range ctx.Path {
		f := element.Flag
		if f == nil || f.Target.Kind() == reflect.Slice || f.IsBool() {
			continue
		}
		if seen[f.Name] {
			return fail(exitUsage, "--%s is given twice", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}
