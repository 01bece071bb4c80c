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
		if r.in.Buffered() == 0 {
			if n > 0 { // else it would wait for more
				return n, nil
			}
			if _, err := r.in.Peek(1); err != nil {
				return 0, err
			}
		}
		text, _ := r.in.Peek(min(r.in.Buffered(), len(into)-n))
		plain := copy(into[n:], text[:r.plain(text)])
		n += plain
		if _, _ = r.in.Discard(plain); plain == len(text) {
			continue
		}
		word, _ := r.in.Peek(2)
		if word[0] == '-' {
			_, _ = r.in.Discard(1)
			if len(word) == 1 || word[1] != 'I' && word[1] != 'N' {
				into[n] = '-'
				n++
				continue
			}
		}
		r.skipLetters()
		r.rest = "null"
	}
	return n, nil
}

// plain returns how many bytes of what comes next are given as they are: those before a word that is none of JSON, or a minus
// that may stand before one.
func (r *finite) plain(text []byte) int {
	for i, b := range text {
		switch {
		case r.isEscaped:
			r.isEscaped = false
		case b == '"':
			r.isInText = !r.isInText
		case r.isInText:
			r.isEscaped = b == '\\'
		case b == 'I' || b == 'N' || b == '-': // with which no other words begin
			return i
		}
	}
	return len(text)
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
