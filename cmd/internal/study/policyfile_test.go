package study

import (
	"errors"
	"testing"

	"fairshare/cmd/internal/diag"

	"github.com/google/go-cmp/cmp"
)

func TestParsePolicy(t *testing.T) {
	c, err := parsePolicy("# by hand\n\nname  two words # here\nformula\tncpus * 2\nsched-priv /a b\nset a.shares=1\nset  server.max_run=[u:PBS_GENERIC=3],[u:x=1]\r\n")
	want := Changes{Name: "two words", Formula: "ncpus * 2", SchedPriv: "/a b", Settings: []string{"a.shares=1", "server.max_run=[u:PBS_GENERIC=3],[u:x=1]"},
		Lines: map[string]int{"two words": 3, "ncpus * 2": 4, "/a b": 5, "a.shares=1": 6, "server.max_run=[u:PBS_GENERIC=3],[u:x=1]": 7}}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"PriorityWeightFairshare=20000": "line 1: a setting is written as: set PriorityWeightFairshare=20000",
		"depth 3":                       `line 1: "depth" is none of name, formula, sched-priv and set`, "\nformula": "line 2: formula needs a value",
		"name a\nname b": "line 2: name is given twice", "set #x": "line 1: set needs a value",
	} {
		if _, err := parsePolicy(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// An error about a setting is of the line that asks for it, and of none where no line does.
func TestPlaced(t *testing.T) {
	c := Changes{From: "p", Settings: []string{"a=1", "b = 2"}, Lines: map[string]int{"a=1": 4, "b = 2": 5}}
	for setting, want := range map[string]string{"a=1": "p: line 4: a=1: no", "b=2": "p: line 5: b=2: no", "c=3": "c=3: no"} {
		if err := c.Placed(&diag.SettingError{Setting: setting, Err: errors.New("no")}, ""); err.Error() != want {
			t.Errorf("%s: %v, want %s", setting, err, want)
		}
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("name x\nset a=b")
	f.Fuzz(func(t *testing.T, text string) { parsePolicy(text) })
}
