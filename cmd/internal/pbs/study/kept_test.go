package study

import (
	"testing"

	"fairshare/cmd/internal/trace"
)

// Whether a job has run on a vnode is told by its own exec_vnode, of which a record may have more than names.
func TestMayHaveRun(t *testing.T) {
	record := &trace.Trace{
		Names:      trace.Names{List: []string{""}},
		ExecVnodes: trace.Names{List: []string{"", "(a:ncpus=1)", "(b:ncpus=1)+(c:ncpus=1)"}},
		Jobs:       []*trace.Job{{ID: "1.s"}, {ID: "2.s"}},
		Places:     []trace.Placement{{Job: 0, Vnodes: 1}, {Job: 1, Vnodes: 2}},
	}
	for _, test := range []struct {
		ids   []string
		vnode string
		may   bool
	}{
		{[]string{"1.s"}, "a", true},
		{[]string{"1.s"}, "b", false},
		{[]string{"2.s"}, "c", true},
		{[]string{"1.s", "2.s"}, "d", false},
		{[]string{"1.s", "3.s"}, "d", true}, // the record does not have one of them
		{nil, "a", true},
	} {
		if got := mayHaveRun(record, test.ids, test.vnode); got != test.may {
			t.Errorf("%v on %s: %v", test.ids, test.vnode, got)
		}
	}
}
