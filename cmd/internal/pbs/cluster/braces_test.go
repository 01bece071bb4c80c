package cluster

import (
	"slices"
	"strings"
	"testing"
)

// Braces are written out as a shell does, and what has none stays.
func TestExpanded(t *testing.T) {
	for list, want := range map[string]string{
		"n01, g0*": "n01 g0*", "cn{041,043}": "cn041 cn043", "cn0{08..11},g1": "cn008 cn009 cn010 cn011 g1", "cn{08..11}": "cn08 cn09 cn10 cn11", "r{1,2}n{1,2}": "r1n1 r1n2 r2n1 r2n2", "a{b,c{d,e}}f": "abf acdf acef",
		"a{b": "a{b", "a}b": "a}b", "a{b..c}": "a{b..c}", "a{3..1}": "a{3..1}", "rack=r0{1,2}": "rack=r01 rack=r02", "": "",
		"cn[041-043]": "cn041 cn042 cn043", "cn0[08-11],g1": "cn008 cn009 cn010 cn011 g1", "cn[1-2,05,10-11]x": "cn1x cn2x cn05x cn10x cn11x", "n0[1-4]": "n0[1-4]", "n[0-9]*": "n[0-9]*", "n[12]": "n[12]", "n[5-": "n[5-", "n[43-41]": "n[43-41]",
	} {
		if got, err := Expanded(list); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q is %q, want %q; %v", list, got, want, err)
		}
	}
	if got, err := Expanded("n{1..1000}{1..1000}"); err == nil {
		t.Errorf("a million names are %d", len(got))
	}
	if got, _ := Expanded("n{1..100000000000}"); !slices.Equal(got, []string{"n{1..100000000000}"}) {
		t.Errorf("a long range is %v", got)
	}
}
