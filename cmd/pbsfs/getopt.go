package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/report"
)

// getopt turns arguments as C's getopt reads them into arguments as kong
// does: it splits clusters of letters, puts options before operands, and
// leaves out letters that no flag has, with a complaint about each, as PBS's
// pbsfs goes on without them.
type getopt struct {
	flags      map[string]*kong.Flag // by "--name" and by letter
	args       []string              // still to be read
	options    []string
	operands   []string
	complaints []string
	strange    string // the argument with a long option that there is not, at which reading ends
}

func newGetopt(model *kong.Application, args []string) *getopt {
	g := &getopt{flags: map[string]*kong.Flag{}, args: args}
	for _, f := range model.Flags {
		g.flags["--"+f.Name] = f
		if f.Short != 0 {
			g.flags[string(f.Short)] = f
		}
	}
	delete(g.flags, "--version") // PBS knows it only alone
	return g
}

// read sorts the arguments and reports whether every long option exists. It stops
// at the first that does not.
func (g *getopt) read() bool {
	for len(g.args) > 0 {
		arg := g.next()
		known := true
		switch {
		case arg == "--":
			g.operands = append(g.operands, g.args...)
			g.args = nil
		case strings.HasPrefix(arg, "--"):
			known = g.long(arg)
		case len(arg) > 1 && arg[0] == '-':
			known = g.cluster(arg[1:])
		default:
			g.operands = append(g.operands, arg)
		}
		if !known {
			g.strange = arg
			return false
		}
	}
	return true
}

// result returns the arguments for kong to parse.
func (g *getopt) result() []string {
	return append(append(g.options, "--"), g.operands...)
}

// complaint says what is wrong with the long option at which reading has ended, of which PBS says only how --version is asked for; "" for
// that one.
func (g *getopt) complaint() string {
	name, _, hasValue := strings.Cut(g.strange, "=")
	switch {
	case strings.EqualFold(name, "--version"):
		return ""
	case hasValue && g.flags[name] != nil:
		return name + " takes no value"
	}
	meant := ""
	if strings.HasPrefix(name, "--") {
		var names []string
		for flag := range g.flags {
			if strings.HasPrefix(flag, "--") {
				names = append(names, flag)
			}
		}
		slices.Sort(names)
		if near := report.Nearest(name, names); near != "" {
			meant = "; did you mean " + near + "?"
		}
	}
	return "there is no option " + report.Printable(name) + meant
}

func (g *getopt) next() string {
	arg := g.args[0]
	g.args = g.args[1:]
	return arg
}

func (g *getopt) long(arg string) bool {
	name, _, hasValue := strings.Cut(arg, "=")
	f := g.flags[name]
	if f == nil || f.IsBool() && hasValue {
		return false
	}
	if !f.IsBool() && !hasValue && len(g.args) > 0 {
		arg += "=" + g.next()
	}
	g.options = append(g.options, arg)
	return true
}

// cluster reads letters that share one hyphen. To PBS a further hyphen among
// them begins a long option.
func (g *getopt) cluster(letters string) bool {
	for i := range len(letters) {
		letter := letters[i : i+1]
		f := g.flags[letter]
		switch {
		case letter == "-":
			return false
		case f == nil:
			g.complaints = append(g.complaints, fmt.Sprintf("pbsfs: invalid option -- '%s'", letter))
		case f.IsBool():
			g.options = append(g.options, "-"+letter)
		default:
			value := letters[i+1:]
			if value == "" && len(g.args) > 0 {
				value = g.next()
			}
			if value == "" {
				g.complaints = append(g.complaints, fmt.Sprintf("pbsfs: option requires an argument -- '%s'", letter))
			} else {
				g.options = append(g.options, "--"+f.Name+"="+value)
			}
			return true
		}
	}
	return true
}
