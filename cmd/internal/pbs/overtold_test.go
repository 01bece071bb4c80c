package pbs

import (
	"fmt"
	"testing"
	"testing/fstest"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Commands change a site that tells no attributes, or no more of them than its formula: what is there before them is the formula that it
// has left in sched_priv, or has by itself, and a formula that nothing was there before is its own.
func TestOverrideOfUntold(t *testing.T) {
	left := fstest.MapFS{"sched_config": {Data: []byte("fair_share: false\n")}, "sched_formula": {Data: []byte("mem\n")}, "resource_group": {Data: []byte("a 10 root 5\n")}}
	bare := fstest.MapFS{"sched_config": left["sched_config"], "resource_group": left["resource_group"]}
	queues := []file.Source{text("Queue: workq\n    Priority = 1\n")}
	type sites = map[string]Files
	of := sites{
		"sched_formula":        {SchedPriv: file.Dir{Name: "priv", FS: left}},
		"sched_formula, queue": {SchedPriv: file.Dir{Name: "priv", FS: left}, Queues: queues},
		"its own":              {SchedPriv: file.Dir{Name: "priv", FS: left}, Formula: text("mem")},
		"none":                 {SchedPriv: file.Dir{Name: "priv", FS: bare}},
	}
	for _, test := range []struct {
		commands       string
		before, now    string // the formula, of a site that has mem
		ofNone, change string // the formula of one that tells none, and the change of one that has mem
		says           string
	}{
		{"set server job_sort_formula = ncpus\n", "mem", "ncpus", "ncpus", "server.job_sort_formula=ncpus (was mem)", "the site tells no attributes of the server"},
		{"unset server job_sort_formula\n", "mem", "", "", "server.job_sort_formula is not set (was mem)", "the site tells no attributes of the server"},
		{"set server backfill_depth = 7\n", "mem", "mem", "", "server.backfill_depth=7", "the site tells no attributes of the server"},
		{"set sched preempt_queue_prio = 7\n", "mem", "mem", "", "sched.preempt_queue_prio=7 (was 150)", "the site tells no attributes of the scheduler"},
	} {
		for name, files := range of {
			files.Override = []file.Source{text(test.commands)}
			site, remarks, err := files.Read()
			if err != nil {
				t.Errorf("%s, %s: %v", name, test.commands, err)
				continue
			}
			old, _, oldErr := formulaOf(site)
			changed, err := site.WithReplayed(nil)
			if err != nil || oldErr != nil {
				t.Errorf("%s, %s: %v, %v", name, test.commands, err, oldErr)
				continue
			}
			now, _, _ := formulaOf(changed)
			got := fmt.Sprint(old, " ", now, " ", changed.Changes)
			want := fmt.Sprintf("%s %s [%s]", test.before, test.now, test.change)
			if name == "none" {
				want = got
				if now != test.ofNone {
					t.Errorf("none, %s: %q, want %q", test.commands, now, test.ofNone)
				}
			}
			if got != want {
				t.Errorf("%s, %s: %s, want %s", name, test.commands, got, want)
			}
			isOwn := name == "none" && test.ofNone != "" // what tells the site's formula tells its attributes
			says := test.says
			if isOwn {
				says = "is taken as the site's own, as the site tells none"
			}
			expectRemark(t, name+", "+test.commands, remarks, says)
			if isOwn && len(changed.Changes) > 0 {
				t.Errorf("%s, %s: %v", name, test.commands, changed.Changes)
			}
			if isOwn {
				continue
			}
			if site.Sched.OfSched || site.Sched.OfServer != files.Formula.IsGiven() {
				t.Errorf("%s, %s: taken to tell its attributes", name, test.commands)
			}
		}
	}
}

// formulaOf returns the formula in force of a site.
func formulaOf(s *Site) (formula string, remarks []diag.Remark, err error) {
	at := s.Copied()
	remarks, _, err = at.SetFormula("")
	return at.Sched.Formula, remarks, err
}
