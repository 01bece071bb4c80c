package dump

import (
	"regexp"
	"regexp/syntax"
	"testing"
)

// What a text is, is told where it begins: of a pattern that is not bound to the begin as a whole, such as one of two that
// are bound each, all of each text would be looked through, whichever scheduler's it is.
func TestBeginsAreBound(t *testing.T) {
	check := func(k Kind, begin *regexp.Regexp) {
		parsed, err := syntax.Parse(begin.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if program.StartCond()&syntax.EmptyBeginText == 0 {
			t.Errorf("kind %d: %s", k, begin)
		}
	}
	for _, b := range begins {
		check(b.kind, b.begin())
	}
	for _, l := range lines {
		check(l.kind, l.begin())
	}
	for _, f := range forms {
		check(f.kind, f.begin())
	}
}
