package pbs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/formula"
)

func TestParseSched(t *testing.T) {
	const text = `#
# Create and define scheduler default
set sched job_sort_formula = "ncpus + 1"
set sched job_sort_formula_threshold = 2.5
set sched preempt_queue_prio = 100
set sched preempt_prio = "express_queue, fairshare, normal_jobs"
set sched scheduler_iteration = 600
`
	s, problems := parseSched(text)
	want := Sched{"ncpus + 1", 2.5, 100, []string{"express_queue", "fairshare", "normal_jobs"}}
	if diff := cmp.Diff(want, s); diff != "" || problems != nil {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
	if !s.PreemptsFairshare() || defaultSched().PreemptsFairshare() {
		t.Error("fairshare is a level of its own only where preempt_prio names it")
	}
	if s, problems := parseSched("set sched preempt_queue_prio = many\n"); len(problems) != 1 || problems[0].Line != 1 || s.PreemptQueuePrio != 150 && s.PreemptQueuePrio != 0 {
		t.Errorf("%+v %v", s, problems)
	}
	if s, _ := parseSched("no attribute\n"); !cmp.Equal(s, defaultSched()) || s.PreemptQueuePrio != 150 || s.Threshold != math.MinInt32 {
		t.Errorf("defaults: %+v", s)
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
		if got, err := ReadFormula(path); err != nil || strings.TrimLeft(got, "\n") != want {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
}

// Whatever qmgr's file holds, a problem names a line of it and every resource
// has a type that PBS knows.
func FuzzQmgr(f *testing.F) {
	f.Add("Resource foo\n    type = long\n\ncreate resource bar\nset resource bar type = float\n")
	f.Add("set sched job_sort_formula = \"ncpus\"\nset server job_sort_formula_threshold = 1e400\nset sched preempt_prio = a,b\n")
	f.Add("set sched preempt_queue_prio = 99999999999999999999\nset sched x = '\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		resources, problems := parseResources(text)
		for name, typ := range resources {
			if !slices.Contains(resourceTypes, typ) || name == "" || strings.ContainsAny(name, " \n") {
				t.Errorf("resource %q of type %q", name, typ)
			}
		}
		s, more := parseSched(text)
		for _, p := range append(problems, more...) {
			if p.Line < 1 || p.Line > lines {
				t.Errorf("%v of %d lines", p, lines)
			}
		}
		if strings.Contains(s.Formula, "\n") {
			t.Errorf("the formula %q", s.Formula)
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
