package diag

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Few remarks stand as they are; of many, what is lost of the input stands first, and those for which there is no room are counted. A
// long one ends with a clause. What was asked for stands whole, however much there is.
func TestBrief(t *testing.T) {
	place := Generalf("the site").Joined(Place, "c.tgz")
	long := Warningf("12 jobs wait for what nobody knows (a very long aside that goes on for a while), and so on for a long time: nothing is said of them, nor can be")
	var many []Remark
	for i := range 9 {
		many = append(many, Warningf("warning %d", i))
	}
	for name, test := range map[string]struct {
		remarks []Remark
		want    string
	}{
		"few":          {[]Remark{Notef("a"), long, place, Notef("b")}, "note: c.tgz|warning: " + long.Text + "|note: a|note: b"},
		"many":         {[]Remark{Notef("a"), place, Warningf("b"), Warningf("c"), long, Damagef("line 3"), Notef("d")}, "note: c.tgz|warning: line 3|warning: b|warning: c (3 more, one of them a warning, with --notes)"},
		"very many":    {append([]Remark{Notef("a"), Notef("b")}, many...), "warning: warning 0|warning: warning 1|warning: warning 2 (8 more, 6 of them warnings, with --notes)"},
		"all warnings": {many[:5], "warning: warning 0|warning: warning 1|warning: warning 2 (2 more warnings with --notes)"},
		"long":         {[]Remark{long, Warningf("%s %s", long.Text, long.Text)}, "warning: " + long.Text + "|warning: 12 jobs wait for what nobody knows (a very long aside that goes on for a while), and so on for a long time: nothing is said of them … (--notes)"},
		"asked":        {append([]Remark{Warningf("x=1 changes nothing").OfAsked(), WhatIf("y=2")}, many[:3]...), "warning: x=1 changes nothing|note: what if: y=2|warning: warning 0|warning: warning 1|warning: warning 2"},
		"a verdict":    {append([]Remark{Damagef("line 3"), Warningf("b")}, Warningf("c").OfRules(), Notef("d")), "warning: c|warning: line 3|warning: b (1 more with --notes)"},
		"only notes":   {[]Remark{Notef("a"), Notef("b"), Notef("c"), Notef("d")}, "note: a|note: b|note: c (1 more with --notes)"},
	} {
		t.Run(name, func(t *testing.T) {
			want := "p: " + strings.ReplaceAll(test.want, "|", "\np: ") + "\n"
			var out, whole strings.Builder
			brief, all := &Printer{Program: "p", W: &out}, &Printer{Program: "p", W: &whole, All: true}
			brief.Say(test.remarks...)
			all.Say(test.remarks...)
			if out.String() != want {
				t.Errorf("%s\nwant:\n%s", out.String(), want)
			}
			if at := slices.IndexFunc(test.remarks, func(r Remark) bool { return r.IsVerdict }); at >= 0 {
				first := fmt.Sprintf("p: warning: %s\n", test.remarks[at].Text)
				if !strings.HasPrefix(whole.String(), first) || all.Said()[0] != test.remarks[at] {
					t.Errorf("with all notes, the first warning is another one:\n%s", whole.String())
				}
			}
			for _, r := range test.remarks {
				if !strings.Contains(whole.String(), fmt.Sprintf("p: %s: %s\n", r.Kind, r.Text)) {
					t.Errorf("with all notes, %q is lost", r.Text)
				}
			}
		})
	}
}

// Before an error, all that was said stands whole: there is no answer that it would hide.
func TestWholeBeforeError(t *testing.T) {
	var out strings.Builder
	p := &Printer{Program: "p", W: &out}
	p.Hold()
	p.Say(Warningf("a"), Warningf("b"), Warningf("c"), Warningf("d"), Warningf("e"))
	p.Error("f")
	if want := "p: warning: a\np: warning: b\np: warning: c\np: warning: d\np: warning: e\np: error: f\n"; out.String() != want {
		t.Errorf("%s\nwant:\n%s", out.String(), want)
	}
}

// The head of a page has the warning that does most to an answer, without flags, and counts the others.
func TestForemost(t *testing.T) {
	learned := Warningf("there are no logs (--logs): much follows from that").Briefly("nothing is learned, for there are no logs (--logs)")
	for _, row := range []struct {
		remarks []Remark
		want    string
	}{
		{nil, ""},
		{[]Remark{learned}, "nothing is learned, for there are no logs"},
		{[]Remark{learned, Warningf("b")}, "nothing is learned, for there are no logs; and 1 more, see below"},
		{[]Remark{learned, Damagef("line 3 is no job"), Warningf("b")}, "line 3 is no job; and 2 more, see below"},
	} {
		if got := Foremost(row.remarks); got != row.want {
			t.Errorf("it is %q, want %q", got, row.want)
		}
	}
}
