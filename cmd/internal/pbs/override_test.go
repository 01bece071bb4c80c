package pbs

import (
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// What is given in the place of a site's own attributes replaces them, and what no longer counts is named, where it is a print;
// commands for qmgr change them.
func TestOverride(t *testing.T) {
	server := text("Server: s\n    job_sort_formula = ncpus\n    backfill_depth = 3\n    max_run = [u:bob=1]\n    has_runjob_hook = True\n    log_events = 4095\n")
	sched := text("Sched default\n    job_sort_formula_threshold = 2\n    preempt_queue_prio = 99\n    preempt_order = SCR\n")
	for override, want := range map[string]struct {
		formula, depth, run string
		threshold           float64
		prio                int
		says                string // of one of the remarks
	}{
		"Server: s\n    job_sort_formula = mem\n":          {"mem", "", "", 2, 99, "backfill_depth, max_run, which it does not set, no longer count (2); --set"},
		"Server: s\n    scheduling = True\n":               {"", "", "", 2, 99, "job_sort_formula, backfill_depth, max_run, which it does not set, no longer count (3); --set"},
		"# Set server attributes.\nset server x = 1\n":     {"", "", "", 2, 99, "no longer count (3)"},
		"Sched default\n    preempt_queue_prio = 98\n":     {"ncpus", "3", "[u:bob=1]", -2147483648, 98, "schedulers: job_sort_formula_threshold, which it does not set, no longer count (1)"},
		"set server backfill_depth = 5\n":                  {"ncpus", "5", "[u:bob=1]", 2, 99, "has commands for qmgr"},
		"set sched job_sort_formula_threshold = 200\n":     {"ncpus", "3", "[u:bob=1]", 200, 99, "has commands for qmgr"},
		"active sched default\nset sched preempt_prio=x\n": {"ncpus", "3", "[u:bob=1]", 2, 99, "text: line 2: there is no preemption level x"},
		"unset server max_run,job_sort_formula\n":          {"", "3", "", 2, 99, "has commands for qmgr"},
		"set server max_run += [u:ann=2]\n":                {"ncpus", "3", "[u:bob=1],[u:ann=2]", 2, 99, "has commands for qmgr"},
		"set server max_run -= \"[u:bob=1]\"\n":            {"ncpus", "3", "", 2, 99, "has commands for qmgr"},
		"unset server max_queued\n":                        {"ncpus", "3", "[u:bob=1]", 2, 99, "max_queued of server is not set before it"},
		"set server backfil_depth = 5\n":                   {"ncpus", "3", "[u:bob=1]", 2, 99, "line 1: backfil_depth of server changes nothing: no answer depends on an attribute of this name; did you mean backfill_depth?"},
		"set server x=1\nset queue q Priority=1\n":         {"ncpus", "3", "[u:bob=1]", 2, 99, "line 2: what it says of queue q is not read here, and counts with --queues text"},
	} {
		site, remarks, err := Files{Sched: []file.Source{server, sched}, Override: []file.Source{text(override)}}.Read()
		if err != nil && !strings.Contains(override, "max_queued") {
			t.Errorf("%s: %v", override, err)
			continue
		}
		s := site.Sched
		if s.Formula != want.formula || s.Server["backfill_depth"] != want.depth || s.Server["max_run"] != want.run || s.Threshold != want.threshold || s.PreemptQueuePrio != want.prio {
			t.Errorf("%s: %+v", override, s)
		}
		if s.Server["has_runjob_hook"] != "True" || len(site.Schedulers()) != 1 || !IsDefaultScheduler(site.Scheduler.Name) {
			t.Errorf("%s: hooks and schedulers: %+v, %+v", override, s.Server, site.Schedulers())
		}
		expectRemark(t, override, remarks, want.says)
	}
}

// Likewise queues, of which a print has all.
func TestOverrideQueues(t *testing.T) {
	own := text("Queue: workq\n    Priority = 1\n    started = True\nQueue: highq\n    Priority = 9\n    max_run = [u:bob=1]\n")
	for override, want := range map[string]struct{ queues, says string }{
		"create queue q4\nset queue q4 Priority = 4\n":    {"q4 4 ", "text takes the place of the site's own queues: queue workq, queue highq, which it does not set, no longer count (2)"},
		"Queue: highq\n    Priority = 7\n":                {"highq 7 ", "max_run of queue highq"},
		"set queue highq Priority = 7\n":                  {"workq 1 highq 7 [u:bob=1]", "has commands for qmgr"},
		"unset queue highq max_run\n":                     {"workq 1 highq 9 ", "has commands for qmgr"},
		"delete queue workq\n":                            {"highq 9 [u:bob=1]", "has commands for qmgr"},
		"s q highq Priority=7\ns q hihq Priority=8\n":     {"workq 1 highq 7 [u:bob=1]", "line 2: there is no queue hihq, so that set does nothing"},
		"s q highq Priority=7,foo=3\n":                    {"workq 1 highq 7 [u:bob=1]", "line 1: foo of queue highq changes nothing"},
		"s q highq Priority=7\nset server node_group=1\n": {"workq 1 highq 7 [u:bob=1]", "line 2: what it says of server is not read here, and counts with --sched text"},
	} {
		site, remarks, err := Files{Queues: []file.Source{own}, OverrideQueues: text(override)}.Read()
		if err != nil {
			t.Errorf("%s: %v", override, err)
			continue
		}
		var got strings.Builder
		for _, q := range site.Queues {
			got.WriteString(q.Name + " " + strconv.Itoa(q.Priority) + " ")
			if q.Name == "highq" || q.Name == "q4" {
				got.WriteString(q.Attributes["max_run"])
			}
		}
		if got.String() != want.queues {
			t.Errorf("%s: %q, want %q", override, got.String(), want.queues)
		}
		expectRemark(t, override, remarks, want.says)
	}
}

func expectRemark(t *testing.T, of string, remarks []diag.Remark, says string) {
	t.Helper()
	for _, r := range remarks {
		if strings.Contains(r.Text, says) {
			return
		}
	}
	t.Errorf("%s: %v, nothing of which is %q", of, remarks, says)
}
