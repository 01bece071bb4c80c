package pbs

import (
	"testing"
)

// What a print has that is in no table is said with its line, once of each name; what PBS has and nothing depends on is not.
func TestSayUnknown(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Server: s\n    mailer = x\n    resources_cost.ncpus = 2\n    max_run = [u:PBS_GENERIC=2]\n", ""},
		{"Queue: a\n    comment = x\n    backfill_depth = 2\n", ""},   // it may stand with the server and a queue
		{"Queue: a\n    max_run = 2\nNode: n\n    nothing = 3\n", ""}, // vnodes are read elsewhere
		{"Server: s\n    mailr = x\n", "line 2: mailr of server s; did you mean mailer?"},
		{"Queue: a\n    zzz.ncpus = 1\nQueue: b\n    zzz.ncpus = 2\nQueue: c\n    zzz.mem = 1\n", "line 2: zzz.ncpus of queue a and 1 other; line 6: zzz.mem of queue c"},
		{"create queue a\nset queue a qqq = 1\nset server qqq = 1\nset sched qqq = 1\n", "line 2: qqq of queue a; line 3: qqq of server; line 4: qqq of sched default"},
		{`{"Server":{"s":{"mailer":"x","qqq":1}},"Queue":{"a":{"qqq":{"x":1}}}}`, "line 1: qqq of server s; line 1: qqq.x of queue a"},
		{"Queue: a|qqq=1|enabled=True\n", "line 1: qqq of queue a"},
		{"Server: s\n    a1 = 1\n    a2 = 1\n    a3 = 1\n    a4 = 1\n    a5 = 1\n    a6 = 1\n", "line 2: a1 of server s; line 3: a2 of server s; line 4: a3 of server s; line 5: a4 of server s; line 6: a5 of server s; and 1 more"},
	} {
		objects, _ := ParseObjects("p", test.text)
		got := ""
		for _, r := range sayUnknown("p", objects, "server", "sched", "queue") {
			got += r.Text
		}
		want := test.want
		if want != "" {
			want = "p has attributes that are not known here, and no answer depends on them: " + want
		}
		if got != want {
			t.Errorf("%q: %q, want %q", test.text, got, want)
		}
	}
}
