package report

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Guard is a writer through which no name, whatever file it is from, can steer a
// terminal: a question mark stands for each character that could. Ends of lines and tabs
// pass.
type Guard struct {
	W    io.Writer
	Bold bool   // whether the marks of bold text pass as well, for output whose names have none
	held []byte // the begin of what may be a whole character
	out  []byte
}

// boldMarks begin and end bold text.
var boldMarks = []string{"\x1b[1m", "\x1b[0m"}

// escape begins them.
const escape = '\x1b'

// Write writes a text. An incomplete character at its end waits for the rest.
func (g *Guard) Write(text []byte) (int, error) {
	return len(text), g.write(text, false)
}

// Close writes what waits for its rest.
func (g *Guard) Close() error { return g.write(nil, true) }

func (g *Guard) write(text []byte, isLast bool) error {
	if len(g.held) == 0 && !maySteer(text) {
		_, err := g.W.Write(text)
		return err
	}
	rest := append(g.held, text...)
	g.out = g.out[:0]
	for len(rest) > 0 {
		n, isSafe := next(rest)
		if n == 0 && !isLast {
			break
		}
		if isSafe = isSafe && (rest[0] != escape || g.Bold); n > 1 && rest[0] == escape && !isSafe {
			n = 1
		}
		if n = max(n, 1); isSafe {
			g.out = append(g.out, rest[:n]...)
		} else {
			g.out = append(g.out, '?')
		}
		rest = rest[n:]
	}
	g.held = bytes.Clone(rest)
	_, err := g.W.Write(g.out)
	return err
}

// maySteer reports whether a text has such a byte.
func maySteer(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if !isPlainWord(binary.LittleEndian.Uint64(text)) && slices.ContainsFunc(text[:8], steers) {
			return true
		}
	}
	return slices.ContainsFunc(text, steers)
}

// steers reports whether a byte may be of a character that steers a terminal.
func steers(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f }

// next returns the length of the first character and whether it is safe; 0 is the
// length of one that is incomplete.
func next(text []byte) (n int, isSafe bool) {
	for _, mark := range boldMarks {
		if bytes.HasPrefix(text, []byte(mark)) {
			return len(mark), true
		}
		if bytes.HasPrefix([]byte(mark), text) {
			return 0, false
		}
	}
	if !utf8.FullRune(text) {
		return 0, text[0] >= 0xa0 // if it stays incomplete, of an older encoding
	}
	r, n := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && n == 1: // of an older encoding
		return n, text[0] >= 0xa0
	case r == '\n' || r == '\t':
		return n, true
	}
	return n, !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r)
}
