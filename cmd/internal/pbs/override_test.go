package pbs

import (
	"fmt"
	"iter"
	"slices"
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
		"Server: s\n    job_sort_formula = mem\n":          {"mem", "", "", 2, 99, "no longer counts: backfill_depth, max_run (2); commands"},
		"Server: s\n    scheduling = True\n":               {"", "", "", 2, 99, "no longer counts: job_sort_formula, backfill_depth, max_run (3); commands"},
		"# Set server attributes.\nset server x = 1\n":     {"", "", "", 2, 99, "(3); commands"},
		"Sched default\n    preempt_queue_prio = 98\n":     {"ncpus", "3", "[u:bob=1]", -2147483648, 98, "no longer counts: job_sort_formula_threshold (1)"},
		"set server JOB_SORT_FORMULA = mem\n":              {"mem", "3", "[u:bob=1]", 2, 99, "what if: server.job_sort_formula=mem (was ncpus)"},
		"set server backfill_depth = 5\n":                  {"ncpus", "5", "[u:bob=1]", 2, 99, "what if: server.backfill_depth=5 (was 3)"},
		"set sched job_sort_formula_threshold = 200\n":     {"ncpus", "3", "[u:bob=1]", 200, 99, "what if: sched.job_sort_formula_threshold=200 (was 2)"},
		"active sched default\nset sched preempt_prio=x\n": {"ncpus", "3", "[u:bob=1]", 2, 99, "text: line 2: preempt_prio of sched default does not count: there is no preemption level x"},
		"unset server max_run,job_sort_formula\n":          {"", "3", "", 2, 99, "what if: server.max_run is not set (was [u:bob=1])"},
		"set server max_run += [u:ann=2]\n":                {"ncpus", "3", "[u:bob=1],[u:ann=2]", 2, 99, "what if: server.max_run=[u:bob=1],[u:ann=2] (was [u:bob=1])"},
		"set server max_run -= \"[u:bob=1]\"\n":            {"ncpus", "3", "", 2, 99, "what if: server.max_run is not set (was [u:bob=1])"},
		"unset server max_queued\n":                        {"ncpus", "3", "[u:bob=1]", 2, 99, "max_queued of server is not set before it"},
		"unset sched preempt_prio\n":                       {"ncpus", "3", "[u:bob=1]", 2, 99, "preempt_prio of sched is not set before it"},
		"unset server job_sort_formula\nunset server x\n":  {"", "3", "[u:bob=1]", 2, 99, "line 2: x of server is not set before it"},
		"set server max_run -= [u:eve=1]\n":                {"ncpus", "3", "[u:bob=1]", 2, 99, "max_run of server s has no '[u:eve=1]' before it"},
		"e\nset server backfill_depth = 5\n":               {"ncpus", "5", "[u:bob=1]", 2, 99, "line 1: this may be short for exit, behind which no command counts"},
		"set server backfil_depth = 5\n":                   {"ncpus", "3", "[u:bob=1]", 2, 99, "line 1: backfil_depth of server s does not count: PBS has no such attribute, and qmgr refuses it; did you mean backfill_depth?"},
		"set server x=1\nset queue q Priority=1\n":         {"ncpus", "3", "[u:bob=1]", 2, 99, "line 1: x of server s does not count: PBS has no such attribute"},
	} {
		site, remarks, err := Files{Sched: []file.Source{server, sched}, Override: []file.Source{text(override)}}.Read()
		if err != nil {
			t.Errorf("%s: %v", override, err)
			continue
		}
		if site, err = site.WithReplayed(nil); err != nil {
			t.Errorf("%s: %v", override, err)
			continue
		}
		for _, change := range site.Changes {
			remarks = append(remarks, diag.Notef("what if: %v", change))
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
		"create queue q4\nset queue q4 Priority = 4\n":                               {"workq 1 highq 9 [u:bob=1]q4 4 ", "text: queue q4 is new, neither enabled nor started: it takes no jobs and starts none, as PBS makes it"},
		"# Create and define queue q4\ncreate queue q4\nset queue q4 Priority = 4\n": {"workq 1 highq 9 [u:bob=1]q4 4 ", "text does not name queue workq, highq: what it does not name stays as it is"},
		"create queue highq\nset queue highq Priority = 4\ncreate queue workq\n":     {"workq 1 highq 4 [u:bob=1]", "line 1: queue highq is there already, so that qmgr refuses to create it, and create does nothing"},
		"set queue highq priority = 7\n":                                             {"workq 1 highq 7 [u:bob=1]", "what if: queue.highq.priority=7 (was 9)"},
		"create queue q4\nset queue workq Priority = 4\n":                            {"workq 4 highq 9 [u:bob=1]q4 0 ", "what if: queue.workq.priority=4 (was 1)"},
		"unset queue highq MAX_RUN\n":                                                {"workq 1 highq 9 ", "what if: queue.highq.max_run is not set (was [u:bob=1])"},
		"s q highq PRIORITY=7,Max_Run=[u:ann=2]\n":                                   {"workq 1 highq 7 [u:ann=2]", "what if: queue.highq.max_run=[u:ann=2] (was [u:bob=1])"},
		"Queue: highq\n    priority = 7\n    MAX_RUN = [u:bob=1]\n":                  {"workq 1 highq 7 [u:bob=1]", "text does not name queue workq"},
		"Queue: highq\n    Priority = 7\n":                                           {"workq 1 highq 7 ", "max_run of queue highq"},
		"set queue highq Priority = 7\n":                                             {"workq 1 highq 7 [u:bob=1]", "what if: queue.highq.priority=7 (was 9)"},
		"unset queue highq max_run\n":                                                {"workq 1 highq 9 ", "what if: queue.highq.max_run is not set (was [u:bob=1])"},
		"unset queue workq max_run\n":                                                {"workq 1 highq 9 [u:bob=1]", "max_run of queue workq is not set before it, so that unset does nothing"},
		"unset queue workqq max_run\n":                                               {"workq 1 highq 9 [u:bob=1]", "line 1: there is no queue workqq, so that unset does nothing"},
		"delete queue workqq\n":                                                      {"workq 1 highq 9 [u:bob=1]", "line 1: there is no queue workqq, so that delete does nothing"},
		"delete queue workq\n":                                                       {"workq 1 highq 9 [u:bob=1]", "queue workq is deleted: PBS does that once no job is in it"},
		"s q highq Priority=7\ns q hihq Priority=8\n":                                {"workq 1 highq 7 [u:bob=1]", "line 2: there is no queue hihq, so that set does nothing"},
		"s q highq Priority=7,foo=3\n":                                               {"workq 1 highq 7 [u:bob=1]", "line 1: foo of queue highq does not count: PBS has no such attribute"},
		"s q highq Priority=7\nset server node_group=1\n":                            {"workq 1 highq 7 [u:bob=1]", "line 2: node_group of server does not count: PBS has no such attribute"},
	} {
		site, remarks, err := Files{Queues: []file.Source{own}, OverrideQueues: text(override)}.Read()
		if err != nil {
			t.Errorf("%s: %v", override, err)
			continue
		}
		if site, err = site.WithReplayed(nil); err != nil {
			t.Errorf("%s: %v", override, err)
			continue
		}
		for _, change := range site.Changes {
			remarks = append(remarks, diag.Notef("what if: %v", change))
		}
		var got strings.Builder
		for _, q := range site.Queues {
			got.WriteString(q.Name + " " + strconv.Itoa(q.Priority) + " ")
			if q.Name == "highq" || q.Name == "q4" {
				got.WriteString(q.Attributes["max_run"])
			}
		}
		if q := site.Queue("workq"); (q.WhyClosed() == "queue workq is deleted, and takes no jobs") != (override == "delete queue workq\n") {
			t.Errorf("%s: workq: %q", override, q.WhyClosed())
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

// Commands count with whichever flag they are given, and a file of which nothing is read is told.
func TestOverrideOfOthers(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\nQueue: workq\n    Priority = 1\n")
	for _, test := range []struct{ override, of, change, wrong string }{
		{"set queue workq Priority = 4\n", "--sched", "queue.workq.priority=4 (was 1)", ""},
		{"set server backfill_depth = 4\n", "--queues", "server.backfill_depth=4 (was 3)", ""},
		{"unset node n1 Priority\n", "--queues", "", "text has commands for qmgr, and none on the server, its schedulers or queues: node cannot be tried with them"},
		{"unset node n1 Priority\n", "--sched", "", "text has commands for qmgr, and none on the server, its schedulers or queues: node cannot be tried with them"},
		{"some text\n", "--sched", "", "text is none of these: commands for qmgr, lines of a sched_config, "},
		{"\n", "--sched", "", "text is empty"},
		{"qmgr <policy.txt || exit 1\n", "--sched", "", "text calls qmgr, and none of its commands can be read: line 1: "},
		{"# all\nfor q in a b; do qmgr -c \"set queue $q Priority = 4\"; done\n", "--sched", "", "text calls qmgr, and none of its commands can be read: line 2: "},
		{"some text\n", "--queues", "", "text names no queue"},
	} {
		files := Files{Sched: []file.Source{own}, Queues: []file.Source{own}}
		if test.of == "--sched" {
			files.Override = []file.Source{text(test.override)}
		} else {
			files.OverrideQueues = text(test.override)
		}
		site, _, err := files.Read()
		if test.wrong != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.wrong) {
				t.Errorf("%s %s: %v, want %s", test.of, test.override, err, test.wrong)
			}
			continue
		}
		if err == nil {
			site, err = site.WithReplayed(nil)
		}
		if err != nil || len(site.Changes) != 1 || site.Changes[0].String() != test.change {
			t.Errorf("%s %s: %v, %v, want %s", test.of, test.override, site, err, test.change)
		}
	}
}

// A brace of a shell makes no print of a script, which would unset what it does not name.
func TestOverrideByScript(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\nQueue: workq\n    Priority = 1\n    started = True\n")
	for _, script := range []string{
		"#!/bin/sh\nmain()\n{\n  qmgr -c 'set queue workq Priority = 7'\n}\nmain\n",
		"{\n qmgr -c 'set queue workq Priority = 7'\n}\n",
		"{ qmgr -c 'set queue workq Priority = 7'; }\n",
	} {
		site, remarks, err := Files{Sched: []file.Source{own}, Queues: []file.Source{own}, Override: []file.Source{text(script)}}.Read()
		if err != nil {
			t.Fatal(script, err)
		}
		if got := settingsOf(site); got != "queue.workq.priority=7" {
			t.Errorf("%q asks for %s: %v", script, got, remarks)
		}
	}
}

// What of commands on vnodes is not tried is said, whatever else their line has that is.
func TestOverrideOfVnodes(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\n")
	for _, x := range []struct{ commands, asks, untried string }{
		{"set node g01 state = offline", "node.g01.offline=always", ""},
		{"set node g01 state = free\nset node g01 state = offline", "node.g01.offline=always", ""},
		{"set node g01 state = offline, resources_available.ncpus = 1", "node.g01.offline=always node.g01.resources_available.ncpus=1", ""},
		{"set node g01 state = offline, current_aoe = x, queue = workq", "node.g01.offline=always node.g01.queue=workq", "line 1: not tried: current_aoe of node g01: "},
		{"set node g01,g02 state = offline, priority = 1", "node.g01.offline=always node.g02.offline=always", "line 1: not tried: Priority of node g01 and Priority of node g02: "},
		{"qmgr -c 'set node g01 state = offline' && qmgr -c 'set node g02 resources_available.ncpus = 1'", "node.g01.offline=always node.g02.resources_available.ncpus=1", ""},
		{"set node g01 state = offline; set node g02 state = free", "node.g01.offline=always", "line 1: not tried: set node g02 state = free: "},
		{"delete node g01", "nodes.removed=g01", ""},
		{"delete node g01; create node g02", "nodes.removed=g01", "line 1: not tried: create node g02: "},
		{"delete node g01; create node g01 priority = 2", "nodes.removed=g01", "line 1: not tried: create node g01 priority = 2: "},
		{"create node g09 resources_available.ncpus = 4; set node g09 resources_available.ncpus = 8", "nodes.added=1x8", ""},
		{"unset node g01 queue", "node.g01.queue=", ""},
		{"unset node g01 queue; set node g01 queue = workq", "node.g01.queue=workq", ""},
		{"set node g01 queue = workq; unset node g01 queue,resources_available.ncpus", "node.g01.queue= node.g01.resources_available.ncpus=", ""},
		{"unset node g01 queue,comment", "node.g01.queue=", "line 1: not tried: comment of node g01: "},
		{"unset node g01 resources_available; delete node g02", "nodes.removed=g02", "line 1: not tried: unset node g01 resources_available: "},
		{"set node g01 resources_available.ncpus += 4; delete node g02", "nodes.removed=g02", "line 1: not tried: set node g01 resources_available.ncpus += 4: "},
		{"set node g01 state += offline", "node.g01.offline=always", ""},
		{"create node g09 resources_available.ncpus = 4; set node g09 state = offline; delete node g01", "nodes.removed=g01", "line 1, 1: not tried: create node g09 resources_available.ncpus = 4, set node g09 state = offline: "},
	} {
		site, remarks, err := Files{Sched: []file.Source{own}, Override: []file.Source{text(x.commands + "\n")}}.Read()
		if err != nil {
			t.Fatal(x.commands, err)
		}
		untried := ""
		for _, r := range remarks {
			if strings.Contains(r.Text, "not tried: ") {
				untried = strings.TrimPrefix(r.Text, "text: ")
			}
			if strings.Contains(r.Text, "does nothing") {
				t.Errorf("%s: %s", x.commands, r.Text)
			}
		}
		if got := settingsOf(site); got != x.asks || !strings.HasPrefix(untried, x.untried) || x.untried == "" && untried != "" {
			t.Errorf("%s: asks for %s, want %s; %s", x.commands, got, x.asks, untried)
		}
	}
}

// What commands add to an attribute of a vnode is added to what pbsnodes tells of it, and does not count where it tells nothing.
func TestOverrideAddsToVnodes(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\n")
	for _, x := range []struct{ commands, asks, wrong string }{
		{"set node g01 resources_available.ncpus += 4", "node.g01.resources_available.ncpus=20", ""},
		{"set node g01,g02 resources_available.ncpus -= 4", "node.g01.resources_available.ncpus=12 node.g02.resources_available.ncpus=28", ""},
		{"set node g01 resources_available.ncpus = 8; set node g01 resources_available.ncpus += 4", "node.g01.resources_available.ncpus=12", ""},
		{"set node g01 resources_available.mem += 1gb", "node.g01.resources_available.mem=65gb", ""},
		{"set node g01 resources_available.ngpus += 4", "node.g01.resources_available.ngpus=4", ""},
		{"set node g01 resources_available.ngpus -= 4; delete node g02", "nodes.removed=g02", "resources_available.ngpus of node g01 is not set before it, so that -= takes nothing away"},
		{"set node g02[0] resources_available.ncpus += 4; delete node g01", "nodes.removed=g01", "resources_available.ncpus of node g02[0] is not known before it, so that += does not count: = sets it"},
		{"set node g01 state += offline", "node.g01.offline=always", ""},
	} {
		vnodes := func() iter.Seq[map[string]string] {
			return slices.Values([]map[string]string{
				{"": "g01", "state": "free", "resources_available.ncpus": "16", "resources_available.mem": "64gb"},
				{"": "g02", "state": "free", "resources_available.ncpus": "32"},
			})
		}
		site, remarks, err := Files{Sched: []file.Source{own}, Override: []file.Source{text(x.commands + "\n")}, Vnodes: vnodes}.Read()
		if err != nil {
			t.Fatal(x.commands, err)
		}
		isSaid := func(r diag.Remark) bool { return r.IsDamage && strings.Contains(r.Text, x.wrong) }
		if got := settingsOf(site); got != x.asks || slices.ContainsFunc(remarks, isSaid) != (x.wrong != "") {
			t.Errorf("%s: asks for %s, want %s; %v", x.commands, got, x.asks, remarks)
		}
	}
}

// Of two files, the later one counts for what both ask of a vnode, and both do for which vnodes there are.
func TestOverrideOfVnodesTwice(t *testing.T) {
	own := text("Server: s\n    backfill_depth = 3\n")
	for _, x := range []struct{ first, second, asks string }{
		{"set node g01 queue = a; set node g01 resources_available.ncpus = 4", "set node g01 resources_available.ncpus = 8", "node.g01.queue=a node.g01.resources_available.ncpus=8"},
		{"set node g01 resources_available.ncpus = 4", "set node g01 resources_available.ncpus += 8", "node.g01.resources_available.ncpus=12"},
		{"set node g01 queue = a", "unset node g01 queue", "node.g01.queue="},
		{"set node g01,g02 state = offline", "set node g01 state = free", "node.g02.offline=always"},
		{"delete node g01", "delete node g02", "nodes.removed=g01,g02"},
		{"set node g01 queue = a", "delete node g01", "nodes.removed=g01"},
		{"create node g08 resources_available.ncpus = 8", "create node g09 resources_available.ncpus = 9", "nodes.added=1x8+1x9"},
		{"create node g08 resources_available.ncpus = 8", "set node g08 resources_available.ncpus = 9", "nodes.added=1x9"},
		{"create node g08 resources_available.ncpus = 8", "delete node g08; set node g01 queue = a", "node.g01.queue=a"},
	} {
		first, second := text(x.first+"\n"), text(x.second+"\n")
		first.Name, second.Name = "first", "second"
		site, remarks, err := Files{Sched: []file.Source{own}, Override: []file.Source{first, second}}.Read()
		if err != nil {
			t.Fatal(x.first, x.second, err)
		}
		if got := settingsOf(site); got != x.asks || slices.ContainsFunc(remarks, func(r diag.Remark) bool {
			return strings.HasPrefix(r.Text, "second") && !strings.Contains(r.Text, "not tried: ")
		}) {
			t.Errorf("%s and then %s: asks for %s, want %s; %v", x.first, x.second, got, x.asks, remarks)
		}
	}
}

// settingsOf returns what files ask of a site.
func settingsOf(site *Site) string {
	var asked []string
	for _, a := range site.Asked {
		asked = append(asked, a.Setting)
	}
	return strings.Join(asked, " ")
}

// Whatever is said of the files that a site's own queues come from is said as well where files are given over them, and of these it
// says their own names.
func TestOverrideSaysOfOwnQueues(t *testing.T) {
	named := func(name, s string) file.Source {
		from := text(s)
		from.Name = name
		return from
	}
	const good = "Queue: q\n    Priority = 10\n    started = True\n"
	for own, queues := range map[string][]string{
		"a priority":       {"Queue: q\n    Priority = 4000\n    started = True\n"},
		"a switch":         {"Queue: q\n    started = perhaps\n    enabled = maybe\n"},
		"unknown":          {"Queue: q\n    Priorty = 5\n"},
		"cut off":          {"Queue: q\n    Priority = 10\n    started = Fal"},
		"a line":           {good + "what is this\n"},
		"none":             {"nothing here\n", good},
		"none but the bad": {"qstat: error\n", "Queue: q\n    Priority = 4000\n"},
		"damaged JSON":     {`{"Queue":{"q":{"Priority":4000,"started":"True"}`},
	} {
		var sources []file.Source
		for i, s := range queues {
			sources = append(sources, named(fmt.Sprintf("own%d", i), s))
		}
		_, plain, err := Files{Queues: sources}.Read()
		if err != nil || len(plain) == 0 {
			t.Fatalf("%s: %v %v", own, plain, err)
		}
		for _, over := range []string{"set queue q max_run=[u:PBS_GENERIC=2]\n", "set queue q Priority=3\n", "Queue: q\n    Priority = 7\n"} {
			for _, more := range [][]string{{over}, {over, "set queue q Priority=5000\nset queue q started=x\ncreate resource baz type=bar\n"}} {
				var given []file.Source
				for i, s := range more {
					given = append(given, named(fmt.Sprintf("over%d", i), s))
				}
				_, remarks, err := Files{Queues: sources, Override: given, Resources: text("create resource foo\nset resource foo type = long\n")}.Read()
				if err != nil {
					t.Fatalf("%s: %v", own, err)
				}
				var said []string
				for _, r := range remarks {
					said = append(said, r.Text)
				}
				for _, r := range plain {
					if !slices.Contains(said, r.Text) {
						t.Errorf("%s: with %q nothing says: %s\n%s", own, more, r.Text, strings.Join(said, "\n"))
					}
				}
				if len(more) == 1 {
					continue
				}
				for _, want := range []string{"over1: line 1: Priority of queue q does not count", "over1: line 2: started of queue q does not count", `over1: line 3: "bar" is not a resource type`} {
					if !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
						t.Errorf("%s: with %q nothing says: %s\n%s", own, more, want, strings.Join(said, "\n"))
					}
				}
			}
		}
	}
}
