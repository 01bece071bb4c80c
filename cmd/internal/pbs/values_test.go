package pbs

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// Each attribute that is read says what its values are.
func TestValuesOfAll(t *testing.T) {
	for s := range Settings() {
		if s.Of&OfAttributes == 0 || s.Acts == 0 && !s.IsRead {
			continue
		}
		isOfSched := s.field != nil && s.Name != formulaName // which check what they keep
		says := 0
		for _, is := range []bool{s.isSwitch, s.check != nil, isOfSched, s.isNewLimit(), s.isOldLimit() || s.PerResource && !s.isNewLimit(), s.isOfQueues, s.isOfWords} {
			if is {
				says++
			}
		}
		if s.Name != formulaName && says != 1 {
			t.Errorf("%s says %d times what its values are", s.Name, says)
		}
	}
	for name, isOfWords := range ownResources {
		if isOfWords != (ownTypes[name] == formula.String) && name != "nodes" && name != "place" && name != "select" {
			t.Errorf("%s is of words: %t, and of type %s", name, isOfWords, ownTypes[name])
		}
	}
}

// What qmgr refuses of an attribute of each kind does not count, and leaves what was there; it is said once, with its line.
func TestRefusedValues(t *testing.T) {
	own := "Server: s\n    resources_max.walltime = 10:00:00\n    job_sort_formula = ncpus\n    default_queue = workq\n"
	queues := "Queue: workq\n    queue_type = Execution\n    enabled = True\n    resources_max.walltime = 01:00:00\n    max_run = [u:bob=1]\n"
	types := "Resource: nlic\n    type = long\nResource: scratch\n    type = size\nResource: fast\n    type = boolean\nResource: rate\n    type = float\nResource: os\n    type = string\n"
	for command, want := range map[string]string{ // "" for what counts
		"set server resources_default.ncpuss = 2":                   "there is no resource ncpuss; did you mean ncpus?",
		"set server resources_default.walltime = abc":               `"abc" is no time`,
		"set server resources_default.walltime = 36:00:00":          "",
		"set server resources_default.walltime = 3600":              "",
		"set queue workq resources_max.walltime = 1:2:3:4:5":        `"1:2:3:4:5" is no time`,
		"set queue workq resources_max.ngpus = many":                `"many" is no whole number`,
		"set queue workq resources_min.ncpus = 1.5":                 `"1.5" is no whole number`,
		"set queue workq resources_max.mem = 4GB":                   "",
		"set queue workq resources_max.mem = 4gigs":                 `"4gigs" is no size`,
		"set queue workq resources_default.nlic = 1x":               `"1x" is no whole number`,
		"set queue workq resources_default.scratch = 4gb":           "",
		"set queue workq resources_default.scratch = big":           `"big" is no size`,
		"set queue workq resources_default.fast = maybe":            `"maybe" is neither true nor false`,
		"set queue workq resources_default.fast = y":                "",
		"set queue workq resources_default.rate = 1.5e3":            "",
		"set queue workq resources_default.rate = x":                `"x" is no number`,
		"set queue workq resources_default.os = anything":           "",
		"set queue workq resources_default.place = scatter":         "",
		"set queue workq default_chunk.mem = abc":                   `"abc" is no size`,
		"set server job_history_duration = abc":                     `"abc" is no time`,
		"set server log_events = abc":                               `"abc" is no whole number`,
		"set server resv_enable = x":                                `"x" is neither true nor false`,
		"set server flatuid = x":                                    `"x" is neither true nor false`,
		"set server flatuid = t":                                    "",
		"set server resv_enable = n":                                "",
		"active resource ncpus; set queue workq enabled = True":     "",
		"set queue workq kill_delay = abc":                          `"abc" is no whole number`,
		"set server default_chunk.ncpus = x":                        `"x" is no whole number`,
		"set queue workq queue_type = foo":                          `"foo" is neither Execution nor Route`,
		"set queue workq queue_type = e":                            "",
		"set queue workq enabled = maybe":                           `"maybe" is neither true nor false`,
		"set server query_other_jobs = 2":                           `"2" is neither true nor false`,
		"set server state_count = \"Queued:1 Held:x\"":              `"Held:x" is no count of a state`,
		"set server default_queue = nosuch":                         "there is no queue nosuch",
		"set server default_queue = workq@other":                    "",
		"set queue workq route_destinations = \"workq,nosuch\"":     "there is no queue nosuch",
		"set queue workq max_queued = 4":                            `"4" is not a limit`,
		"set queue workq max_run = [u:bob=4":                        `"[u:bob=4" is not a limit`,
		"set queue workq max_run = [o:bob=4]":                       `"[o:bob=4]" is not a limit`,
		"set queue workq max_run = [u:PBS_ALL=4]":                   `"[u:PBS_ALL=4]" is not a limit`,
		"set queue workq max_run = \"[u:bob=4],[g:bob=5]\"":         "",
		"set queue workq max_run = [o:PBS_ALL=4]":                   "",
		"set sched preempt_sort = foo":                              "there is no value foo",
		"set sched preempt_sort = min_time_since_start":             "",
		"set server max_run_res.ncpus = 4":                          `"4" is not a limit`,
		"set server max_run_res.ncpuss = [u:PBS_GENERIC=4]":         "there is no resource ncpuss",
		"set server backfill_depth = -1":                            `"-1" is no depth`,
		"set server node_fail_requeue = x":                          `"x" is no time`,
		"set sched preempt_queue_prio = high":                       `"high" is not a number`,
		"set sched job_sort_formula = mem":                          "the server has another job_sort_formula, ncpus",
		"set sched job_sort_formula = ncpus":                        "",
		"create queue q2 queue_type=e, enabled=f, Priority = 99999": `"99999" is not a priority`,
	} {
		command += "\n"
		files := Files{Sched: []file.Source{text(own), text("Sched default\n    comment = x\n")}, Queues: []file.Source{text(queues)}, Resources: text(types), Override: []file.Source{text(command)}}
		site, remarks, err := files.Read()
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		said := 0
		for _, r := range remarks {
			switch {
			case r.IsDamage && want != "" && strings.Contains(r.Text, want) && r.Line == 1:
				said++
			case r.IsDamage || want != "" && !strings.HasPrefix(command, "create") && r.File == "text" || strings.Contains(r.Text, "counts for jobs that are yet") && want != "":
				t.Errorf("%s: %s", command, r.Text)
			}
		}
		if isRefused := want != ""; said != 1 && isRefused || said > 0 && !isRefused {
			t.Errorf("%s: %v, want %q once", command, remarks, want)
		}
		expectInPrint(t, command, want, site.Resources)
		q := site.Queue("workq")
		if want != "" && (q.Attributes["resources_max.walltime"] != "01:00:00" || q.Attributes["enabled"] != "True" || q.Attributes["max_run"] != "[u:bob=1]" || q.Routes ||
			site.Sched.Server["default_queue"] != "workq" || site.Sched.Formula != "ncpus" || len(site.Asked) > 0) {
			t.Errorf("%s: it counts: %+v, %+v, %v", command, q, site.Sched, site.Asked)
		}
	}
}

// expectInPrint expects that what qmgr refuses of commands is wrong in a print of a site that has the same, but for what depends on others.
func expectInPrint(t *testing.T, command, want string, resources map[string]formula.Type) {
	t.Helper()
	if strings.Contains(command, ";") || strings.HasPrefix(command, "create") || strings.Contains(want, "no queue") || strings.Contains(command, formulaName) {
		return
	}
	site := Files{Sched: []file.Source{text("#\n# Set server attributes.\n#\n" + command)}}
	remarks := site.CheckPrints(resources)
	if want == "" && len(remarks) > 0 || want != "" && (len(remarks) != 1 || !strings.Contains(remarks[0].Text, want) || remarks[0].Line != 4) {
		t.Errorf("in a print, %s: %v, want %q", command, remarks, want)
	}
}

// A file alone is checked likewise, as far as it tells what there is: in a print each queue is created before it is set.
func TestRefusedInFileAlone(t *testing.T) {
	const print = "#\n# Create queues and set their attributes.\n#\n#\n# Create and define queue workq\n#\ncreate queue workq\nset queue workq queue_type = Execution\n"
	for commands, want := range map[string]string{
		"set server resources_default.ncpuss = 2\n":                                   "line 1: resources_default.ncpuss of server is of a resource that PBS itself does not have; did you mean ncpus?",
		"set server max_run = [u:PBS_GENERIC=4\n":                                     `line 1: max_run of server does not count: "[u:PBS_GENERIC=4" is not a limit`,
		"set queue workq resources_max.walltime = x\n":                                "line 1: resources_max.walltime of queue workq does not count",
		print + "set queue nosuch Priority = 10\n":                                    "line 9: there is no queue nosuch before it in this print, so that set does nothing",
		print + "#\n# Set server attributes.\n#\nset server default_queue = nosuch\n": "line 12: default_queue of server does not count: there is no queue nosuch",
		"create resource nlic type=long\nset server resources_max.nlic = x\n":         `line 2: resources_max.nlic of server does not count: "x" is no whole number`,
		"set sched job_sort_formula = mem\nset server job_sort_formula = ncpus\n":     "line 1: job_sort_formula of sched default does not count: the server has another job_sort_formula, ncpus",
		"set queue @default priority = 5\n":                                           "line 1: @default is each queue, and nothing tells here which there are, so that this does not count",
		"create queue new queue_type=e\nset queue workq Priority = 10\n":              "",
		print + "set queue workq Priority = 10\n":                                     "",
	} {
		_, remarks, err := Files{Override: []file.Source{text(commands)}, IsChecked: true}.Read()
		if err != nil {
			t.Errorf("%s: %v", commands, err)
			continue
		}
		if want != "" {
			expectRemark(t, commands, remarks, want)
			continue
		}
		for _, r := range remarks {
			if r.IsDamage {
				t.Errorf("%s: %s", commands, r.Text)
			}
		}
	}
}
