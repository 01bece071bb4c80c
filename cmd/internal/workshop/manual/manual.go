// Package manual makes the generated parts of man pages, and completion files,
// from a command line's model, so that none can go stale.
package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Marks around the generated part of a man page.
const (
	begin = ".\\\" Generated from the command line's model: begin\n"
	end   = ".\\\" Generated from the command line's model: end\n"
)

// fill replaces the generated part of a man page.
func fill(page string, app *kong.Application) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("the page has no generated part")
	}
	return before + begin + options(app) + end + after, nil
}

// options are the flags and commands as roff.
func options(app *kong.Application) string {
	var b strings.Builder
	if len(app.Children) == 0 {
		b.WriteString(".SH OPTIONS\n")
		nodeOptions(&b, app.Node)
		return b.String()
	}
	b.WriteString(".SH COMMANDS\n")
	for _, command := range app.Children {
		fmt.Fprintf(&b, ".SS \"%s %s\"\n%s\n", app.Name, usage(command), escape(command.Help))
		nodeOptions(&b, command)
		b.WriteString(exampleLines(command.Detail))
	}
	return b.String()
}

// exampleLines are a command's examples, which stand indented in its detail.
func exampleLines(detail string) string {
	var b strings.Builder
	for line := range strings.Lines(detail) {
		if strings.HasPrefix(line, "  ") {
			b.WriteString(escape(strings.TrimSpace(line)) + "\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return ".PP\nExamples:\n.PP\n.nf\n.RS\n" + b.String() + ".RE\n.fi\n"
}

// usage is a command with its operands.
func usage(n *kong.Node) string {
	words := []string{n.Name}
	for _, p := range n.Positional {
		words = append(words, operand(p))
	}
	return strings.Join(words, " ")
}

func operand(p *kong.Positional) string {
	text := p.Name
	if p.IsCumulative() {
		text += "…"
	}
	if !p.Required {
		text = "[" + text + "]"
	}
	return escape(text)
}

func nodeOptions(b *strings.Builder, n *kong.Node) {
	for _, p := range n.Positional {
		if p.Help != "" {
			fmt.Fprintf(b, ".TP\n\\fI%s\\fR\n%s\n", escape(p.Name), escape(p.Help))
		}
	}
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		name := "\\fB\\-\\-" + escape(f.Name) + "\\fR"
		if f.Short != 0 {
			name = "\\fB\\-" + escape(string(f.Short)) + "\\fR, " + name
		}
		if takesValue(f) {
			name += "=\\fI" + escape(placeholder(f)) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, escape(f.Help))
	}
}

func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

func placeholder(f *kong.Flag) string {
	if f.PlaceHolder != "" {
		return f.PlaceHolder
	}
	return strings.ToUpper(f.Name)
}

// escape keeps text from being taken for roff.
func escape(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "…", "...")
	text = strings.ReplaceAll(text, "-", `\-`)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
