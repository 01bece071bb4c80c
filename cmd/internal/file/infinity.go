package file

import (
	"bufio"
	"io"
	"strings"
)

// WithoutInfinity returns JSON with null for Infinity and NaN, which Slurm 23.11 writes and JSON does not have.
func WithoutInfinity(text string) string {
	if !strings.Contains(text, "Infinity") && !strings.Contains(text, "NaN") {
		return text
	}
	finite, _ := io.ReadAll(Finite(strings.NewReader(text))) // a text has no errors
	return string(finite)
}

// Finite returns what reads JSON with null for Infinity and NaN.
func Finite(from io.Reader) io.Reader { return &finite{in: bufio.NewReader(from)} }

// finite reads JSON, and puts null in place of words that are no numbers.
type finite struct {
	in                  *bufio.Reader
	isInText, isEscaped bool
	rest                string // of a word that is being given
}

// Read implements io.Reader.
func (r *finite) Read(into []byte) (n int, err error) {
	for n < len(into) {
		if r.rest != "" {
			given := copy(into[n:], r.rest)
			n, r.rest = n+given, r.rest[given:]
			continue
		}
		if n > 0 && r.in.Buffered() == 0 { // else it would wait for more
			return n, nil
		}
		b, err := r.in.ReadByte()
		if err != nil {
			return n, err
		}
		switch {
		case r.isEscaped:
			r.isEscaped = false
		case r.isInText && b == '\\':
			r.isEscaped = true
		case b == '"':
			r.isInText = !r.isInText
		case !r.isInText && (b == 'I' || b == 'N' || b == '-'): // with which no other words begin
			if b == '-' {
				if next, _ := r.in.Peek(1); len(next) == 0 || next[0] != 'I' && next[0] != 'N' {
					break
				}
			}
			r.skipLetters()
			r.rest = "null"
			continue
		}
		into[n] = b
		n++
	}
	return n, nil
}

// skipLetters skips the rest of a word.
func (r *finite) skipLetters() {
	for {
		next, _ := r.in.Peek(1)
		if len(next) == 0 || next[0]|' ' < 'a' || next[0]|' ' > 'z' { // in either case
			return
		}
		_, _ = r.in.Discard(1)
	}
}
