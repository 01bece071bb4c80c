// Package diag talks to the person at the terminal. The rules: results go to
// standard output, everything else to standard error, in lines that begin
// with the program's name and "error:", "warning:", "note:" or "hint:", with
// no capital after it and no full stop at the end. Where text is at fault, it
// is shown with a caret below.
package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Printer writes a program's diagnostics.
type Printer struct {
	Program string
	W       io.Writer

	said map[string]bool // warnings and notes, each of which is told once
}

func (p *Printer) line(kind, format string, args []any) {
	fmt.Fprintf(p.W, "%s: %s: %s\n", p.Program, kind, Printable(fmt.Sprintf(format, args...)))
}

// once tells what has not been told yet.
func (p *Printer) once(kind, format string, args []any) {
	text := fmt.Sprintf(format, args...)
	if p.said == nil {
		p.said = map[string]bool{}
	}
	if !p.said[text] {
		p.said[text] = true
		p.line(kind, "%s", []any{text})
	}
}

// Error tells why something was not done.
func (p *Printer) Error(format string, args ...any) { p.line("error", format, args) }

// Warning tells of something that was done, but may not be what was meant.
func (p *Printer) Warning(format string, args ...any) { p.once("warning", format, args) }

// Note tells of something worth knowing.
func (p *Printer) Note(format string, args ...any) { p.once("note", format, args) }

// Hint tells what to do about an error or a warning.
func (p *Printer) Hint(format string, args ...any) { p.line("hint", format, args) }

// Source shows the part of a line of text around the bytes from start to end,
// and marks them.
func (p *Printer) Source(text string, start, end int) {
	const width = 76
	start, end = clamp(start, len(text)), clamp(end, len(text))
	from := 0
	if end > width {
		from = max(0, start-width/2)
	}
	shown := text[from:min(len(text), from+width)]
	marks := max(1, min(end, from+width)-start)
	fmt.Fprintf(p.W, "  %s\n  %s%s\n", Printable(shown), strings.Repeat(" ", start-from), strings.Repeat("^", marks))
}

func clamp(i, most int) int { return max(0, min(i, most)) }

// Printable keeps control characters, and those that turn the direction of
// writing, from the terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\uFFFD' {
			return '?'
		}
		return r
	}, s)
}
