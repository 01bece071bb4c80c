package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What constraints are read as, and on which of some nodes.
func TestConstraint(t *testing.T) {
	nodes := [][]string{{}, {"intel"}, {"rome", "ib"}, {"milan", "ib"}, {"intel", "ib"}}
	for _, test := range []struct{ text, want, on string }{
		{"intel", "intel", "1 4"},
		{"intel&ib", "intel&ib", "4"},
		{"rome|milan", "rome|milan", "2 3"},
		{"intel&ib|rome", "(intel&ib)|rome", "2 4"},
		{"rome|intel&ib", "(rome&ib)|(intel&ib)", "2 4"}, // from left to right
		{"ib&(rome|milan)", "(ib&rome)|(ib&milan)", "2 3"},
		{"(intel|(milan&ib))", "intel|(milan&ib)", "1 3 4"},
		{"[rome|milan]", "rome|milan (in part)", "2 3"},
		{"rome*2&ib", "rome&ib (in part)", "2"},
		{"[rome*2&milan*4]", "rome|milan (in part)", "2 3"},
		{"gone", "gone", ""},
		{"", "", ""}, {"&", "", ""}, {"a&", "", ""}, {"|a", "", ""}, {"(a", "", ""}, {"a)", "", ""}, {"(a]", "", ""}, {"a*", "", ""}, {"a*x", "", ""}, {"a b*2c", "", ""}, {"()", "", ""}, {"a(b)", "", ""},
		{strings.Repeat("(", 9) + "a" + strings.Repeat(")", 9), "", ""},
		{strings.Repeat("(a|b)&", 9) + "a", "", ""}, // 512 choices
	} {
		c, of, ok := ParseConstraint(test.text)
		got := c.String()
		if ok && of != OfEach {
			got += " (in part)"
		}
		var on []string
		for i, features := range nodes {
			if ok && c.MetBy(features) {
				on = append(on, fmt.Sprint(i))
			}
		}
		if ok != (test.want != "") || got != test.want || strings.Join(on, " ") != test.on {
			t.Errorf("%q is %q (%v) on %q, want %q on %q", test.text, got, ok, on, test.want, test.on)
		}
	}
	if !(Constraint{}).MetBy(nil) {
		t.Error("a node does not meet what asks for nothing")
	}
}

// FuzzConstraint reads anything as a constraint: what is read is read again as the same.
func FuzzConstraint(f *testing.F) {
	for _, text := range []string{"intel", "a&b|c", "(a|b)&c", "[a|b]", "a*2", "((", "a&&b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, _, ok := ParseConstraint(text)
		if !ok {
			return
		}
		again, of, ok := ParseConstraint(c.String())
		if !ok || of != OfEach || !slices.EqualFunc(c, again, slices.Equal[[]string]) {
			t.Fatalf("%q is %v, and again %v (%v)", text, c, again, ok)
		}
		if !c.MetBy(c.Names()) {
			t.Fatalf("%q is not met by all of %v", text, c.Names())
		}
	})
}
