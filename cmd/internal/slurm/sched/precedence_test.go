package sched

import (
	"strings"
	"testing"
)

// Loops of preemption are found through others, and one that names itself makes none.
func TestPreemptionLoop(t *testing.T) {
	qos := func(text string) (all []QOS) {
		for row := range strings.FieldsSeq(text) {
			name, list, _ := strings.Cut(row, ">")
			q := QOS{Name: name}
			if list != "" {
				q.Preempts = strings.Split(list, ",")
			}
			all = append(all, q)
		}
		return all
	}
	for text, want := range map[string]string{
		"a>b b": "", "a>a b": "", "a>b b>a": "a b a", "a>b,c b c>d d>A": "a c d a", "a>b b>c c>b": "", "b>c c>b a": "", "a>b,none b>b": "", "a>b,c b>d c>d d": "",
	} {
		if got := strings.Join(PreemptionLoop(qos(text), "a"), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
