package report

import (
	"bytes"
	"testing"
)

// However a text is cut into pieces, what could steer a terminal does not pass, and all
// else does.
func TestGuard(t *testing.T) {
	for text, want := range map[string]string{
		"plain\tand\n": "plain\tand\n", "é … 日": "é … 日", "a\x1b[31mb": "a?[31mb", "\x1b[1mjob\x1b[0m": "?[1mjob?[0m", "\x1b[1": "?[1", "\x1b": "?",
		"a\rb\x00\x7f\x07": "a?b???", "\u0085\u009b31m": "??31m", "\u202eabc": "?abc", "M\xfcller": "M\xfcller", "\x9b31m": "?31m", "\xc2": "\xc2", "": "",
	} {
		for size := 1; size <= len(text)+1; size++ {
			var out bytes.Buffer
			g := &Guard{W: &out}
			for rest := []byte(text); len(rest) > 0; {
				n, err := g.Write(rest[:min(size, len(rest))])
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, &out, want)
			}
		}
	}
	var out bytes.Buffer
	g := &Guard{W: &out, Bold: true}
	g.Write([]byte("\x1b[1mjob\x1b[0m\x1b[31m"))
	if g.Close(); out.String() != "\x1b[1mjob\x1b[0m?[31m" {
		t.Errorf("with bold text: %q", &out)
	}
}
