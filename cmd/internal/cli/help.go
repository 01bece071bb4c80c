package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helpFlag prints what kong knows of the chosen command, versionFlag the program's
// version. kong's own would exit.
type (
	helpFlag    bool
	helpAllFlag bool
	versionFlag bool
)

// errAnswered ends a command line that has been answered while it was read.
var errAnswered = errors.New("nothing is left to do")

// BeforeReset runs before anything is required. It shows the flags that most questions need.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	var hidden []*kong.Flag
	name := ""
	if command := ctx.Selected(); command != nil {
		hidden, name = rare(command), command.Name
	}
	hide(hidden, true)
	err := ctx.PrintUsage(false)
	hide(hidden, false)
	if err != nil {
		return err
	}
	fmt.Fprint(ctx.Stdout, moreFlags(name, len(hidden)))
	return errAnswered
}

// BeforeReset runs before anything is required. It shows all flags.
func (helpAllFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errAnswered
}

// BeforeReset runs before anything is required.
func (versionFlag) BeforeReset(ctx *kong.Context) error {
	fmt.Fprintln(ctx.Stdout, ctx.Model.Vars()["version"])
	return errAnswered
}

// helpCmd is --help as a command.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command to show help for. Without it: all commands."`
}

func (c *helpCmd) Run(s *session) error {
	args := []string{"--help"}
	if c.Command != "" {
		parser, err := s.parser(&commandLine{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == c.Command }) {
			return fail(exitUsage, "there is no command %s%s", c.Command, meantCommand(parser, c.Command))
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

func (c *manCmd) Run(s *session) error {
	if man, err := exec.LookPath("man"); err == nil && s.terminal.Width > 0 {
		show := exec.Command(man, "-l", "-")
		show.Stdin, show.Stdout, show.Stderr = strings.NewReader(s.config.Manual), s.config.Stdout, s.diag.W
		if show.Run() == nil {
			return nil
		}
	}
	_, err := s.out.WriteString(s.config.Manual)
	return err
}
