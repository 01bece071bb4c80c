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
		"set server JOB_SORT_FORMULA = mem\n":              {"mem", "3", "[u:bob=1]", 2, 99, "has commands for qmgr"},
		"set server backfill_depth = 5\n":                  {"ncpus", "5", "[u:bob=1]", 2, 99, "has commands for qmgr"},
		"set sched job_sort_formula_threshold = 200\n":     {"ncpus", "3", "[u:bob=1]", 200, 99, "has commands for qmgr"},
		"active sched default\nset sched preempt_prio=x\n": {"ncpus", "3", "[u:bob=1]", 2, 99, "text: line 2: there is no preemption level x"},
		"unset server max_run,job_sort_formula\n":          {"", "3", "", 2, 99, "has commands for qmgr"},
		"set server max_run += [u:ann=2]\n":                {"ncpus", "3", "[u:bob=1],[u:ann=2]", 2, 99, "has commands for qmgr"},
		"set server max_run -= \"[u:bob=1]\"\n":            {"ncpus", "3", "", 2, 99, "has commands for qmgr"},
		"unset server max_queued\n":                        {"ncpus", "3", "[u:bob=1]", 2, 99, "max_queued of server is not set before it"},
		"unset sched preempt_prio\n":                       {"ncpus", "3", "[u:bob=1]", 2, 99, "preempt_prio of sched is not set before it"},
		"unset server job_sort_formula\nunset server x\n":  {"", "3", "[u:bob=1]", 2, 99, "line 2: x of server is not set before it"},
		"set server max_run -= [u:eve=1]\n":                {"ncpus", "3", "[u:bob=1]", 2, 99, "max_run of server s has no '[u:eve=1]' before it"},
		"e\nset server backfill_depth = 5\n":               {"ncpus", "5", "[u:bob=1]", 2, 99, "line 1: this may be short for exit, behind which no command counts"},
		"set server backfil_depth = 5\n":                   {"ncpus", "3", "[u:bob=1]", 2, 99, "line 1: backfil_depth of server changes nothing: no answer depends on an attribute of this name; did you mean backfill_depth?"},
		"set server x=1\nset queue q Priority=1\n":         {"ncpus", "3", "[u:bob=1]", 2, 99, "line 2: what it says of queue q is not read here, and counts with --queues text"},
	} {
		site, remarks, err := Files{Sched: []file.Source{server, sched}, Override: []file.Source{text(override)}}.Read()
		if err != nil {
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
		"create queue q4\nset queue q4 Priority = 4\n":                               {"workq 1 highq 9 [u:bob=1]q4 4 ", "has commands for qmgr"},
		"# Create and define queue q4\ncreate queue q4\nset queue q4 Priority = 4\n": {"q4 4 ", "text takes the place of the site's own queues: queue workq, queue highq, which it does not set, no longer count (2)"},
		"create queue highq\nset queue highq Priority = 4\ncreate queue workq\n":     {"highq 4 workq 0 ", "max_run of queue highq"},
		"set queue highq priority = 7\n":                                             {"workq 1 highq 7 [u:bob=1]", "has commands for qmgr"},
		"create queue q4\nset queue workq Priority = 4\n":                            {"workq 4 highq 9 [u:bob=1]q4 0 ", "has commands for qmgr"},
		"unset queue highq MAX_RUN\n":                                                {"workq 1 highq 9 ", "has commands for qmgr"},
		"s q highq PRIORITY=7,Max_Run=[u:ann=2]\n":                                   {"workq 1 highq 7 [u:ann=2]", "has commands for qmgr"},
		"Queue: highq\n    priority = 7\n    MAX_RUN = [u:bob=1]\n":                  {"highq 7 [u:bob=1]", "queue workq, which it does not set"},
		"Queue: highq\n    Priority = 7\n":                                           {"highq 7 ", "max_run of queue highq"},
		"set queue highq Priority = 7\n":                                             {"workq 1 highq 7 [u:bob=1]", "has commands for qmgr"},
		"unset queue highq max_run\n":                                                {"workq 1 highq 9 ", "has commands for qmgr"},
		"unset queue workq max_run\n":                                                {"workq 1 highq 9 [u:bob=1]", "max_run of queue workq is not set before it, so that unset does nothing"},
		"unset queue workqq max_run\n":                                               {"workq 1 highq 9 [u:bob=1]", "line 1: there is no queue workqq, so that unset does nothing"},
		"delete queue workqq\n":                                                      {"workq 1 highq 9 [u:bob=1]", "line 1: there is no queue workqq before it, so that delete does nothing"},
		"delete queue workq\n":                                                       {"highq 9 [u:bob=1]", "has commands for qmgr"},
		"s q highq Priority=7\ns q hihq Priority=8\n":                                {"workq 1 highq 7 [u:bob=1]", "line 2: there is no queue hihq, so that set does nothing"},
		"s q highq Priority=7,foo=3\n":                                               {"workq 1 highq 7 [u:bob=1]", "line 1: foo of queue highq changes nothing"},
		"s q highq Priority=7\nset server node_group=1\n":                            {"workq 1 highq 7 [u:bob=1]", "line 2: what it says of server is not read here, and counts with --sched text"},
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

// What a file of commands only takes away is no attribute that it sets, whose lines would be those of another file.
func TestOverrideSaysOwnLines(t *testing.T) {
	server := text("Server: s\n    server_state = Active\n    backfil_depth = 3\n    max_run = 7\n    job_sort_formula = ncpus\n")
	_, remarks, err := Files{Sched: []file.Source{server}, Override: []file.Source{text("unset server job_sort_formula\n")}}.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		if strings.Contains(r.Text, "server_state") || strings.Contains(r.Text, "job_sort_formula = ") {
			t.Errorf("%q is not of the file", r.Text)
		}
	}
}

// Commands on others than a file is given for are told where they count.
func TestOverrideOfOthers(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\nQueue: workq\n    Priority = 1\n")
	for _, test := range []struct{ override, of, want string }{
		{"unset queue workq Priority\n", "--sched", "text has commands for qmgr on queues, which count with --queues text, and none on the server or its schedulers"},
		{"unset server max_run\n", "--queues", "text has commands for qmgr on the server or its schedulers, which count with --sched text, and none on queues"},
		{"unset node n1 Priority\n", "--queues", "text names no queue"},
		{"unset node n1 Priority\n", "--sched", "text is neither qmgr's"},
	} {
		files := Files{Sched: []file.Source{own}, Queues: []file.Source{own}}
		if test.of == "--sched" {
			files.Override = []file.Source{text(test.override)}
		} else {
			files.OverrideQueues = text(test.override)
		}
		if _, _, err := files.Read(); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %s", test.of, test.override, err, test.want)
		}
	}
}
