package main

import (
	"io"
	"time"

	"github.com/alecthomas/kong"
)

// cli is the command line's model. The mode flags share one field, so that
// the last one wins, as in PBS.
type cli struct {
	Print    mode          `short:"p" help:"Print the tree's entities with shares, usage and percentage. This is the default."`
	Tree     mode          `short:"t" help:"Print the tree of names."`
	Get      mode          `short:"g" help:"Print one ENTITY with its path from the root."`
	Compare  mode          `short:"c" help:"Print which of two ENTITIES deserves to run next."`
	Set      mode          `short:"s" help:"Set an ENTITY's usage: -s ENTITY USAGE."`
	Decay    mode          `short:"d" help:"Decay all usage once by fairshare_decay_factor."`
	Trim     mode          `short:"e" help:"Remove the usage of entities that resource_group does not name."`
	Instance *string       `short:"I" placeholder:"NAME" help:"Use scheduler NAME's directory, PBS_HOME/sched_priv_NAME."`
	Priv     *string       `name:"sched-priv" placeholder:"DIR" help:"Use the sched_priv in DIR, which may be a copy. No pbs.conf is needed."`
	JSON     bool          `name:"json" help:"Print JSON (with -p, -t, -g and -c)."`
	Force    bool          `help:"Let -s, -d and -e write where that could lose usage: over a damaged or cut file, or with an empty resource_group."`
	Wait     time.Duration `placeholder:"TIME" default:"10s" help:"How long -s, -d and -e wait for another writer (${default})."`
	Version  bool          `help:"Print the PBS version that this pbsfs reproduces."`
	Help     bool          `help:"Print this help."`
	Operands []string      `arg:"" optional:"" name:"entity" help:"ENTITY with -g, ENTITY ENTITY with -c, ENTITY USAGE with -s."`

	mode byte // the last mode flag's letter, 'p' without any
}

// mode is a flag that selects what to do.
type mode bool

// BeforeApply notes the flag as the last one so far.
func (mode) BeforeApply(c *cli, p *kong.Path) error {
	c.mode = byte(p.Flag.Short)
	return nil
}

func newParser(c *cli, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("pbsfs"),
		kong.Description("Show and change PBS fairshare data, on the PBS server or on any copy of sched_priv."),
		kong.NoDefaultHelp(), // kong's would exit
		kong.Writers(stdout, stderr),
		kong.Bind(c))
}

// usageLine returns PBS's usage message for a mode.
func usageLine(mode byte) string {
	switch mode {
	case 'g':
		return "Usage: pbsfs [-I sched_name] -g <fairshare_entity>"
	case 'c':
		return "Usage: pbsfs [-I sched_name] -c <entity1> <entity2>"
	case 's':
		return "Usage: pbsfs [-I sched_name] -s <fairshare_entity> <usage>"
	case '-':
		return "Usage: pbsfs --version"
	}
	return "Usage: pbsfs -[ptdgcs] [-I sched_name]"
}

// operandsFit reports whether a mode accepts n operands. PBS passes over
// those of -d and -e.
func operandsFit(mode byte, n int) bool {
	switch mode {
	case 'g':
		return n == 1
	case 'c', 's':
		return n == 2
	case 'd', 'e':
		return true
	}
	return n == 0
}
