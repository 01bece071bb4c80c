package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// gathered returns a command line with the arguments of a command that takes several behind its flags, so that a flag
// may stand between them. What cannot be understood is left as it is, for the parser to say so.
func gathered(parser *kong.Kong, args []string) []string {
	if len(args) == 0 {
		return args
	}
	at := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == args[0] })
	if at < 0 || !slices.ContainsFunc(parser.Model.Children[at].Positional, func(v *kong.Value) bool { return v.IsCumulative() }) {
		return args
	}
	command := parser.Model.Children[at]
	var flags, arguments []string
	for i := 1; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return slices.Concat(args[:1], flags, []string{"--"}, arguments, args[i+1:])
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			arguments = append(arguments, arg)
			continue
		}
		flags = append(flags, arg)
		takes, isKnown := takesNext(command, arg)
		if !isKnown || takes && i+1 == len(args) {
			return args
		}
		if takes {
			i++
			flags = append(flags, args[i])
		}
	}
	return slices.Concat(args[:1], flags, arguments)
}

// takesNext reports whether the value of a flag is the next word of the command line, and whether the command has it.
func takesNext(command *kong.Node, arg string) (takes, isKnown bool) {
	find := func(is func(f *kong.Flag) bool) *kong.Flag {
		for _, group := range command.AllFlags(false) {
			if i := slices.IndexFunc(group, is); i >= 0 {
				return group[i]
			}
		}
		return nil
	}
	if name, isLong := strings.CutPrefix(arg, "--"); isLong {
		name, _, hasValue := strings.Cut(name, "=")
		f := find(func(f *kong.Flag) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
		return f != nil && !hasValue && !f.IsBool() && !f.IsCounter(), f != nil
	}
	letters := []rune(arg[1:])
	for i, letter := range letters { // those of a flag without a value may have others behind them
		f := find(func(f *kong.Flag) bool { return f.Short == letter })
		if f == nil || !f.IsBool() {
			return f != nil && i == len(letters)-1, f != nil
		}
	}
	return false, true
}
