package pbs

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// text returns a text as a source.
func text(s string) file.Source {
	return file.Source{Name: "text", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

func TestReadSched(t *testing.T) {
	want := Sched{
		Formula: "ncpus + min(1, 2)", Threshold: 2.5, PreemptQueuePrio: 100, PreemptPrio: []string{"express_queue", "fairshare", "normal_jobs"},
		Sources: []string{"text"}, OfSched: true, Scheduler: Attributes{"scheduler_iteration": "600"},
	}
	for name, output := range map[string]string{
		"print": `#
# Create and define scheduler default
#
create sched default
set sched job_sort_formula = "ncpus + min(1, 2)"
set sched job_sort_formula_threshold = 2.5
set sched preempt_queue_prio = 100
set sched preempt_prio = "express_queue, fairshare, normal_jobs"
set sched scheduler_iteration = 600
`,
		"list": `Sched default
    job_sort_formula = ncpus + min(1,
	 2)
    job_sort_formula_threshold = 2.5
    preempt_queue_prio = 100
    preempt_prio = express_queue, fairshare, normal_jobs
    log_events = 4095
    scheduler_iteration = 600

`,
	} {
		s := defaultSched()
		remarks, err := s.read(text(output), "", prints{})
		if diff := cmp.Diff(want, s); diff != "" || remarks != nil || err != nil {
			t.Errorf("%s: %v %v (-want +got):\n%s", name, remarks, err, diff)
		}
		if !s.PreemptsFairshare() || defaultSched().PreemptsFairshare() {
			t.Error("fairshare is a level of its own only where preempt_prio names it")
		}
	}
	for name, output := range map[string]string{
		"print server": "#\n# Set server attributes.\n#\nset server scheduling = True\nset server job_sort_formula = ncpus\n",
		"list server":  "Server pbs\n    server_state = Active\n    job_sort_formula = ncpus\n",
		"qstat -Bf":    "Server: pbs\n    server_state = Active\n    job_sort_formula = ncp\n\tus\n\n",
	} {
		s := defaultSched()
		if _, err := s.read(text(output), "", prints{}); err != nil || s.Formula != "ncpus" || !s.OfServer {
			t.Errorf("%s: %+v (%v)", name, s, err)
		}
	}
	for name, output := range map[string]string{
		"a word": "set sched opt_backfill_fuzzy = soon\n", "a number": "set sched preempt_queue_prio = many\n", "nan": "set sched job_sort_formula_threshold = nan\n",
	} {
		s := defaultSched()
		if remarks, err := s.read(text(output), "", prints{}); err != nil || len(remarks) != 1 || !remarks[0].IsDamage || s.PreemptQueuePrio != 150 || s.Threshold != math.MinInt32 {
			t.Errorf("%s: %+v %v %v", name, s, remarks, err)
		}
	}
	for word, want := range map[string]float64{"off": 0, "low": 60, "med": 600, "medium": 600, "HIGH": 3600} {
		s := defaultSched()
		if remarks, err := s.read(text("set sched opt_backfill_fuzzy = "+word+"\n"), "", prints{}); s.BackfillWindow() != want || len(remarks) > 0 || err != nil {
			t.Errorf("%s: %v seconds, want %v (%v, %v)", word, s.BackfillWindow(), want, remarks, err)
		}
	}
	for _, output := range []string{"", "no attribute\n", "Queue: workq\n    Priority = 10\n", "{}", "Job Id: 1\n    x = y\n", "set queue workq started = True\n"} {
		s := defaultSched()
		if _, err := s.read(text(output), "", prints{}); err == nil || !cmp.Equal(s, defaultSched()) {
			t.Errorf("%q: %+v (%v)", output, s, err)
		}
	}
	// Of several schedulers the main one counts.
	s := defaultSched()
	remarks, err := s.read(text("Sched other\n    job_sort_formula = mem\n\nSched default\n    job_sort_formula = ncpus\n"), "", prints{})
	if err != nil || s.Formula != "ncpus" || remarks != nil { // which Files.Read says
		t.Errorf("%+v %v %v", s, remarks, err)
	}
}

// Values are put together as PBS takes them apart: at 80 columns, also behind a
// blank, at commas, and over the lines of a quoted value.
func TestValues(t *testing.T) {
	for output, want := range map[string]string{
		"Server: s\n    job_sort_formula = ncpus if 1 else \n\tmem\n":                                       "ncpus if 1 else mem",
		"Server s\n    job_sort_formula = min(a,\n\tb) \n":                                                  "min(a,b)",
		"set server job_sort_formula = \"a +\n\tb\"\n":                                                      "a +b",
		"set server job_sort_formula = \"a\nset server x = 1\nb\"\nset server y = 2\n":                      "a\nset server x = 1\nb",
		"set server job_sort_formula = \"a\nset server comment = \"b\"\n":                                   `"a`,
		"set server comment = \"x\nset server job_sort_formula = 42\n\"\nset server job_sort_formula = 1\n": "1",
		"set server job_sort_formula = a == b\n":                                                            "a == b",
		"set server job_sort_formula = 'x = \"y\"'\n":                                                       `x = "y"`,
		"Server: s\n    x = 1\n    job_sort_formula = ncpus*1":                                              "",
	} {
		s := defaultSched()
		if _, err := s.read(text(output), "", prints{}); err != nil || s.Formula != want {
			t.Errorf("%q: %q (%v), want %q", output, s.Formula, err, want)
		}
	}
}

// Queues come alike from qstat -Qf and from what qmgr prints of them.
func TestParseQueues(t *testing.T) {
	open := Attributes{"enabled": "True"}
	want := []Queue{{Name: "workq", Attributes: open}, {Name: "highq", Priority: 100, Stopped: true, Attributes: open}}
	for name, output := range map[string]string{
		"qstat": "Queue: workq\n    queue_type = Execution\n    enabled = True\n    started = True\n\nQueue: highq\n    enabled = True\n    Priority = 100\n    started = False\n",
		"json":  `{"timestamp":1,"Queue":{"workq":{"started":"True","enabled":"True"},"highq":{"enabled":"True","Priority":100,"started":"False"}}}`,
		"print": "create queue workq\nset queue workq queue_type = Execution\nset queue workq enabled = True\nset queue workq started = True\ncreate queue highq\nset queue highq Priority = 100\nset queue highq started = False\nset queue highq enabled = True\nset server scheduling = True\n",
		"list":  "Queue workq\n    started = True\n    enabled = True\n\nQueue highq\n    enabled = True\n    Priority = 100\n    started = False\n",
	} {
		var site Site
		if _, err := site.readQueues([]file.Source{text(output)}); err != nil || !cmp.Equal(site.Queues, want) {
			t.Errorf("%s: %v (%v), want %v", name, site.Queues, err, want)
		}
	}
	for _, priority := range []string{"many", "12000"} {
		var site Site
		remarks, err := site.readQueues([]file.Source{text("Queue: workq\n    Priority = " + priority + "\n")})
		if err != nil || len(remarks) != 1 || !remarks[0].IsDamage || !strings.Contains(remarks[0].Text, "line 2: Priority of queue workq does not count") {
			t.Errorf("of the priority %s it says %v, %v", priority, remarks, err)
		}
	}
	for _, output := range []string{"", `{"Jobs":{"1.s":{"job_state":"Q"}}}`, "rubbish\n", "set server x = 1\n"} {
		var site Site
		if _, err := site.readQueues([]file.Source{text(output)}); err == nil {
			t.Errorf("%q is accepted: %v", output, site.Queues)
		}
	}
	// The first source that has queues counts; what is cut off is told, and its
	// last line does not count.
	var site Site
	remarks, err := site.readQueues([]file.Source{text("qstat: error\n"), text("Queue: workq\n    started = True\n    Priority = 10")})
	if err != nil || len(remarks) != 2 || !cmp.Equal(site.Queues, []Queue{{Name: "workq"}}) {
		t.Errorf("%v %v %v", site.Queues, remarks, err)
	}
}

// Commands for qmgr that somebody has written need no blanks beside the operator.
func TestCommandsWithoutBlanks(t *testing.T) {
	const printed = "create queue night\nset queue night max_run = [u:bob=2]\nset queue night acl_users = ann\nset queue night acl_users += eve\nset server job_sort_formula = \"a == b\"\nset server comment =\n"
	want, _ := ParseObjects("text", printed)
	for _, written := range []string{strings.NewReplacer(" = ", "=", " += ", "+=", " =\n", "=\n").Replace(printed), strings.ReplaceAll(printed, " += ", "+= ")} {
		if got, _ := ParseObjects("text", written); !cmp.Equal(want, got) || len(want) != 2 {
			t.Errorf("%s: %s", written, cmp.Diff(want, got))
		}
	}
}

// PBS's own file has a header line, which is no part of the formula.
func TestReadFormula(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"### PBS INTERNAL FILE DO NOT MODIFY ###\npow(2,-x)\n": "pow(2,-x)",
		"ncpus #2\r\n":    "ncpus #2",
		"\n# a comment\n": "",
		"a\nb\n":          "a\nb",
	} {
		path := filepath.Join(dir, "sched_formula")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFormula(file.At(path)); err != nil || strings.TrimLeft(got, "\n") != want {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
}

// Whatever qmgr's file holds, a problem names a line of it and every resource
// has a type that PBS knows.
func FuzzQmgr(f *testing.F) {
	f.Add("Resource foo\n    type = long\n\ncreate resource bar\nset resource bar type = float\n")
	f.Add("set sched job_sort_formula = \"ncpus\"\nset server job_sort_formula_threshold = 1e400\nset sched preempt_prio = a,b\n")
	f.Add("Server: s\n    job_sort_formula = a +\n\tb\n\nQueue q\n    Priority = 1\n")
	f.Add("set sched preempt_queue_prio = 99999999999999999999\nset sched x = '\n")
	f.Add("s q a,b x=1,y=\"2\",z -= 3;u q a x\n\\\nunset server a, b\nd q a\nc q c x=y,\\\nz=1\n")
	f.Add(queueForms["JSON"])
	f.Add(queueForms["DSV"])
	f.Add("{\"Queue\":{\"a\\n\":{\"b\":1},\"c\":{\"d e\":1,\"f\":{\"g\\n\":2},\"\":3}}}")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		objects, _ := ParseObjects("text", text)
		resources, problems := resourcesOf(objects)
		for name, typ := range resources {
			if !slices.Contains(resourceTypes, typ) || name == "" || strings.ContainsAny(name, " \n") {
				t.Errorf("resource %q of type %q", name, typ)
			}
		}
		for _, o := range objects {
			if !slices.Contains(kinds, o.Kind) || strings.ContainsAny(o.Name, "\n") {
				t.Errorf("%q %q", o.Kind, o.Name)
			}
			for _, a := range o.Attributes {
				if a.Line < 1 || a.Line > lines || a.Name == "" || strings.ContainsAny(a.Name, " \n") {
					t.Errorf("%+v of %d lines", a, lines)
				}
			}
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines {
				t.Errorf("%v of %d lines", p, lines)
			}
		}
		formula.NewSymbols(resources)
	})
}

// A variable of pbs.conf is what stands behind its name, without quotes.
func FuzzConf(f *testing.F) {
	f.Add("PBS_HOME=/var/spool/pbs\n#PBS_HOME=/x\nPBS_EXEC = \"/opt/pbs\"\n")
	f.Add("=\n==\nA='\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, value := range parseConf(text) {
			if strings.ContainsAny(name, "=\n") || strings.HasPrefix(name, "#") || strings.Contains(value, "\n") {
				t.Errorf("%q is %q", name, value)
			}
			if name != "" && !strings.Contains(text, name) {
				t.Errorf("%q does not stand in the text", name)
			}
		}
	})
}
