package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/report"
)

// unknownFlag returns the flag that a command does not have, as an error of the parser says, without its hyphens; "" for another error.
func unknownFlag(err error) string {
	text, isUnknown := strings.CutPrefix(err.Error(), "unknown flag --")
	if !isUnknown {
		return ""
	}
	name, _, _ := strings.Cut(text, ",")
	return name
}

// flagError returns an error of the parser. What the parser guesses of an unknown flag, by letters alone, gives way to what hintFor says, and
// else to a flag of the command that is a slip away.
func flagError(parser *kong.Kong, args []string, err error) error {
	name := unknownFlag(err)
	command := commandOf(parser, args)
	if name == "" || command == nil {
		return err
	}
	text := "unknown flag --" + name
	if meantFlag(parser, args) != "" || elsewhere(parser, command, name) != "" {
		return errors.New(text)
	}
	var names, begun []string
	for _, f := range command.Flags {
		for _, own := range append([]string{f.Name}, f.Aliases...) {
			if names = append(names, own); strings.HasPrefix(own, name) {
				begun = append(begun, "--"+own)
			}
		}
	}
	switch near := report.Slip(name, names); {
	case begun != nil:
		return errors.New(text + report.Meant(strings.Join(begun, " or ")))
	case near != "":
		return errors.New(text + report.Meant("--"+near))
	}
	return errors.New(text)
}

// commandOf returns the command of a command line, nil where its first word is none.
func commandOf(parser *kong.Kong, args []string) *kong.Node {
	at := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return len(args) > 0 && n.Name == args[0] })
	if at < 0 {
		return nil
	}
	return parser.Model.Children[at]
}

// elsewhere says of a flag that a command lacks that it names the same without one, or which other commands have it; "" where none has.
func elsewhere(parser *kong.Kong, command *kong.Node, flag string) string {
	if slices.ContainsFunc(command.Positional, func(p *kong.Positional) bool { return p.Name == flag }) {
		return flag + " are named without a flag: formula " + command.Name + " " + strings.ToUpper(flag)
	}
	var list []string
	for _, n := range parser.Model.Children {
		if !n.Hidden && hasFlag(parser, n.Name, flag) {
			list = append(list, n.Name)
		}
	}
	if list == nil {
		return ""
	}
	const most = 5
	of := report.Listed(list)
	if len(list) > most {
		of = strings.Join(list[:most], ", ") + " and others"
	}
	return "--" + flag + " is of " + of + ": formula " + command.Name + " --help shows what there is here"
}
