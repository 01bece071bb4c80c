package diag

import (
	"strings"
	"testing"
)

// Remarks under one head are one line where the first of them stood, and a warning if any is; with all notes each is a line of its
// own. None is lost for those who read them elsewhere.
func TestJoined(t *testing.T) {
	remarks := []Remark{
		Generalf("the site is /a/b/c.tgz").Joined(Place, "c.tgz"),
		Notef("limit A is not modelled, which concerns nobody").Joined(NotModelled, "limit A"),
		Notef("alone"),
		Warningf("limit B is not modelled, which concerns 3 jobs").Joined(NotModelled, "limit B (3 jobs)"),
		Generalf("all is well"),
		WhatIf("x=1 (was 0)"),
		Notef("passed over: x").Joined(Place, "passed over: x"),
	}
	of := strings.Repeat(" of a long name", 6) // so that not all have room
	for _, limit := range []string{"C", "D", "E", "F"} {
		remarks = append(remarks, Notef("limit %s is not modelled", limit).Joined(NotModelled, "limit %s%s", limit, of))
	}
	remarks = append(remarks, Each("priorities differ", []string{"job 1: 2", "job 2: 3", "job 3: 4", "job 4: 5"}, 3)...)
	for _, test := range []struct {
		all  bool
		want string
	}{
		{false, `p: note: c.tgz; passed over: x
p: note: what if: x=1 (was 0)
p: note: priorities differ: job 1: 2; job 2: 3; and 2 more (--notes)
p: warning: not modelled: limit A; limit B (3 jobs); limit C` + of + `; and 3 more (--notes)
p: note: alone
`},
		{true, `p: note: the site is /a/b/c.tgz
p: note: limit A is not modelled, which concerns nobody
p: note: alone
p: warning: limit B is not modelled, which concerns 3 jobs
p: note: all is well
p: note: what if: x=1 (was 0)
p: note: passed over: x
p: note: limit C is not modelled
p: note: limit D is not modelled
p: note: limit E is not modelled
p: note: limit F is not modelled
p: note: job 1: 2
p: note: job 2: 3
p: note: job 3: 4
p: note: 1 more priorities differ
`},
	} {
		for _, isHeld := range []bool{true, false} { // what one call says is joined as well
			var out strings.Builder
			p := &Printer{Program: "p", W: &out, All: test.all}
			if isHeld {
				p.Hold()
			}
			p.Say(remarks...)
			if isHeld {
				p.Release()
			}
			if out.String() != test.want {
				t.Errorf("all notes %t, held %t:\n%swant:\n%s", test.all, isHeld, out.String(), test.want)
			}
			if len(p.Said()) != len(remarks) {
				t.Errorf("%d remarks of %d were said", len(p.Said()), len(remarks))
			}
		}
	}
}

// What remarks under one head have in common says that input is damaged or missing where any of them does.
func TestJoinedDamage(t *testing.T) {
	p := &Printer{}
	p.Hold()
	p.Say(Notef("a").Joined(NotKnown, "a"), Damagef("b").Joined(NotKnown, "b"), Cutf("c").Joined(NotKnown, "c"))
	if lines := p.joined(); len(lines) != 1 || !lines[0].IsDamage || !lines[0].IsCut || lines[0].Kind != Warning {
		t.Errorf("%+v", lines)
	}
}
