package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// command is a command's flags as completion needs them.
type command struct {
	name, help string // no name for the program's own flags
	flags      []flag
}

type flag struct {
	name, short, help string
	value             kind
	choices           []string // of value choice
}

// kind is what a flag takes.
type kind int

const (
	nothing kind = iota
	text
	file
	directory
	choice
)

// commands are those of a program; one without a name where it has none.
func commands(app *kong.Application) []command {
	if len(app.Children) == 0 {
		return []command{newCommand("", app.Node)}
	}
	var all []command
	for _, n := range app.Children {
		all = append(all, newCommand(n.Name, n))
	}
	return all
}

func newCommand(name string, n *kong.Node) command {
	c := command{name: name, help: n.Help}
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		out := flag{name: f.Name, help: f.Help, value: text}
		if f.Short != 0 {
			out.short = string(f.Short)
		}
		switch {
		case !takesValue(f):
			out.value = nothing
		case f.Enum != "":
			out.value, out.choices = choice, strings.Split(f.Enum, ",")
		case placeholder(f) == "DIR":
			out.value = directory
		case placeholder(f) == "FILE" || placeholder(f) == "SITE":
			out.value = file
		}
		c.flags = append(c.flags, out)
	}
	if name != "" {
		c.flags = append(c.flags, flag{name: "help", short: "h", help: "Show help for a command."})
	}
	return c
}

// patterns are how a flag may be written before its value.
func (f flag) patterns() string {
	if f.short == "" {
		return "--" + f.name
	}
	return "-" + f.short + "|--" + f.name
}

// bash is a completion file for bash.
func bash(app *kong.Application) string {
	var b strings.Builder
	name := app.Name
	all := commands(app)
	fmt.Fprintf(&b, "# bash completion for %s, generated from its command line's model\n_%s() {\n", name, name)
	b.WriteString("\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words=\n\tCOMPREPLY=()\n")
	b.WriteString("\tif [[ $cur == = ]]; then\n\t\tcur=\n\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n")
	if all[0].name != "" {
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		fmt.Fprintf(&b, "\tlocal word\n\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n\t\tcase $word in\n\t\t%s) command=$word; break ;;\n\t\tesac\n\tdone\n", strings.Join(names, "|"))
		fmt.Fprintf(&b, "\tif [[ -z $command && $cur != -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\treturn\n\tfi\n", strings.Join(names, " "))
	}
	b.WriteString("\tcase $command in\n")
	for i, c := range all {
		label := c.name
		if i == 0 && c.name != "" {
			label += "|''" // the default command
		} else if c.name == "" {
			label = "*"
		}
		fmt.Fprintf(&b, "\t%s)\n\t\tcase $prev in\n", label)
		var names []string
		for _, f := range c.flags {
			names = append(names, "--"+f.name)
			if f.short != "" {
				names = append(names, "-"+f.short)
			}
			switch f.value {
			case choice:
				fmt.Fprintf(&b, "\t\t%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", f.patterns(), strings.Join(f.choices, " "))
			case file:
				fmt.Fprintf(&b, "\t\t%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", f.patterns())
			case directory:
				fmt.Fprintf(&b, "\t\t%s) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", f.patterns())
			case text:
				fmt.Fprintf(&b, "\t\t%s) return ;;\n", f.patterns())
			}
		}
		fmt.Fprintf(&b, "\t\tesac\n\t\twords='%s' ;;\n", strings.Join(names, " "))
	}
	b.WriteString("\tesac\n\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n}\n")
	fmt.Fprintf(&b, "complete -o filenames -F _%s %s\n", name, name)
	return b.String()
}

// zsh is a completion file for zsh.
func zsh(app *kong.Application) string {
	var b strings.Builder
	name := app.Name
	all := commands(app)
	fmt.Fprintf(&b, "#compdef %s\n# zsh completion for %s, generated from its command line's model\n\n", name, name)
	if all[0].name == "" {
		fmt.Fprintf(&b, "_arguments -s \\\n%s  '*:operand:_files'\n", zshFlags(all[0]))
		return b.String()
	}
	fmt.Fprintf(&b, "_%s() {\n\tlocal -a commands\n\tcommands=(\n", name)
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", c.name, zshQuote(c.help))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
	for i, c := range all {
		label := c.name
		if i == 0 {
			label += "|-*" // the default command
		}
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments -s \\\n%s\t\t\t'*:operand:_files' ;;\n", label, zshFlags(c))
	}
	fmt.Fprintf(&b, "\tesac\n}\n\n_%s \"$@\"\n", name)
	return b.String()
}

func zshFlags(c command) string {
	var b strings.Builder
	for _, f := range c.flags {
		value := ""
		switch f.value {
		case choice:
			value = fmt.Sprintf(":%s:(%s)", f.name, strings.Join(f.choices, " "))
		case file:
			value = ":file:_files"
		case directory:
			value = ":directory:_files -/"
		case text:
			value = ":" + f.name + ":"
		}
		names := []string{"--" + f.name}
		if f.short != "" {
			names = append(names, "-"+f.short)
		}
		for _, name := range names {
			if value != "" && strings.HasPrefix(name, "--") {
				name += "="
			}
			fmt.Fprintf(&b, "\t\t\t'*%s[%s]%s' \\\n", name, zshQuote(f.help), value)
		}
	}
	return b.String()
}

func zshQuote(help string) string {
	return strings.NewReplacer("'", "'\\''", "[", "(", "]", ")", ":", "\\:").Replace(help)
}

// fish is a completion file for fish.
func fish(app *kong.Application) string {
	var b strings.Builder
	name := app.Name
	all := commands(app)
	fmt.Fprintf(&b, "# fish completion for %s, generated from its command line's model\n", name)
	for i, c := range all {
		condition := ""
		if c.name != "" {
			fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -f -a %s -d '%s'\n", name, c.name, fishQuote(c.help))
			condition = " -n '__fish_seen_subcommand_from " + c.name + "'"
			if i == 0 { // the default command
				condition = " -n '__fish_use_subcommand; or __fish_seen_subcommand_from " + c.name + "'"
			}
		}
		for _, f := range c.flags {
			line := fmt.Sprintf("complete -c %s%s -l %s", name, condition, f.name)
			if f.short != "" {
				line += " -s " + f.short
			}
			switch f.value {
			case choice:
				line += " -x -a '" + strings.Join(f.choices, " ") + "'"
			case file:
				line += " -r -F"
			case directory:
				line += " -x -a '(__fish_complete_directories)'"
			case text:
				line += " -x"
			}
			fmt.Fprintf(&b, "%s -d '%s'\n", line, fishQuote(f.help))
		}
	}
	return b.String()
}

func fishQuote(help string) string {
	return strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(help)
}
