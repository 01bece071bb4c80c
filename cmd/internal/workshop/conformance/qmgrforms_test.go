package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/pbs"
)

// tried are the commands that answer with what is tried.
var tried = []string{"sort DIR --all -o json", "sort DIR --now --all -o json", "explain 25 DIR --vs 24", "compare DIR -o csv", "when DIR -o json --runs 2", "nodes DIR --submit select=1:ncpus=4 --queue workq -o json", "replay DIR -o starts"}

// printOf is the file of the small site that has the attributes of an object, and the flag that reads such a file.
var printOf = map[string][2]string{"server": {"server/qstat_Bf.out", "--sched"}, "sched": {"scheduler/qmgr_lsched.out", "--sched"}, "queue": {"server/qstat_Qf.out", "--queues"}}

// sourceOfWay is what tells where the attributes and the queues of a site are read from, and what a print lacks.
var sourceOfWay = regexp.MustCompile(`(, taken 2026-03-02 12:00:00 UTC): jobs from [^"]*?, the tree from|"[^"]* is a print, and takes the place of [^"]*",|"what if: (?:\w+\.)?job_sort_formula=[^"]*",`)

// tryout is a change that is tried at a site in several ways.
type tryout struct {
	dir, changed string // sites, of which the second one has it
	name, value  string // as --set has it; "" for what is not set
	add          string // what += adds, "" for none
}

// partsOf returns of what kind of object a setting is, of which queue, "" for other objects, and of which attribute.
func partsOf(setting string) (kind, queue, attribute string) {
	kind, attribute, _ = strings.Cut(setting, ".")
	if kind == "queue" {
		queue, attribute, _ = strings.Cut(attribute, ".")
	}
	return kind, queue, attribute
}

// ways returns the flags that try a change: --set, a file of commands and a print of the changed site.
func (x tryout) ways(t *testing.T) map[string][]string {
	kind, queue, attribute := partsOf(x.name)
	object := strings.TrimSpace(kind + " " + queue)
	command := fmt.Sprintf("    set %s %s = \"%s\"  # in the place of others\n", object, attribute, x.value)
	if x.value == "" {
		command = fmt.Sprintf("unset %s %s\n", object, attribute)
	}
	setting := strings.Replace(x.name, ".Priority", ".priority", 1)
	set := []string{"--set", setting + "=" + x.value}
	if x.add != "" {
		command, set[1] = fmt.Sprintf("set %s %s += %s", object, attribute, x.add)+"\n", setting+"+="+x.add
	}
	if attribute == "job_sort_formula" {
		set = []string{"-f", x.value}
	}
	file := filepath.Join(t.TempDir(), "change")
	if err := os.WriteFile(file, []byte(command), 0o600); err != nil {
		t.Fatal(err)
	}
	print := printOf[kind]
	return map[string][]string{"--set": set, "commands": {"--sched", file}, "a print": {print[1], filepath.Join(x.changed, print[0])}}
}

// askToTry runs a command on a site with flags that try something. Where that is read from is taken out of what it prints.
func askToTry(line, dir string, flags ...string) answer {
	a := ask(append(words(strings.ReplaceAll(line, "DIR", dir)), flags...)...)
	a.out = sourceOfWay.ReplaceAllString(a.out, "$1")
	return a
}

// hold holds the answers of commands with a change to be the same in each way.
func (x tryout) hold(t *testing.T, lines ...string) {
	t.Helper()
	ways := x.ways(t)
	for _, line := range lines {
		if strings.HasPrefix(line, "nodes ") && strings.HasSuffix(x.name, ".job_sort_formula") {
			continue // which has no formula, as it is of one job
		}
		of := func(way string) answer {
			a := askToTry(line, x.dir, ways[way]...)
			if !a.isGiven() || a.out == "" {
				t.Errorf("%s of %s=%s with %s: %s", line, x.name, x.value, way, a.said)
			}
			return a
		}
		want := of("--set").out
		for _, way := range []string{"commands", "a print"} {
			if got := of(way); got.out != want {
				t.Errorf("%s of %s=%s: with --set (-), with %s (+):\n%s%s", line, x.name, x.value, way, cmp.Diff(want, got.out), got.said)
			}
		}
	}
}

// The same what-if has the same answers from each command whether --set, a file of commands for qmgr or an edited print asks
// for it, for all that can be set of the server, its scheduler and the queues; and so has what is set no longer, of which every third command
// is asked, and others for the next setting.
func TestCommandsPrintOrSet(t *testing.T) {
	t.Parallel()
	n := 0
	for i := 0; i < len(otherValues); i += stepOfValues() {
		o := otherValues[i]
		name, value, isOne := strings.Cut(o.edit, "=")
		setting := pbs.SettingOf(ownersOf[o.of], strings.TrimSuffix(o.name, ".*"))
		kind, queue, attribute := partsOf(name)
		if printOf[kind][0] == "" || !isOne || setting == nil || setting.Acts == 0 {
			continue
		}
		n++
		before, after := newSmallSite(), newSmallSite()
		before.edit(o.beside)
		after.edit(o.beside + ";" + o.edit)
		was, is := before.write(t, fmt.Sprint("was", i)), after.write(t, fmt.Sprint("is", i))
		tryout{dir: was, changed: is, name: name, value: value}.hold(t, tried...)
		if old := before.objects[kind+"."+queue][attribute]; attribute != "job_sort_formula" || old != "" { // which -f cannot unset
			tryout{dir: is, changed: was, name: name, value: old}.hold(t, everyThird(tried, n)...)
		}
		if strings.HasPrefix(value, "[") {
			more := newSmallSite()
			more.edit(o.beside + ";" + o.edit + ",[u:ann=0]")
			tryout{dir: is, changed: more.write(t, fmt.Sprint("more", i)), name: name, value: value, add: "[u:ann=0]"}.hold(t, tried...)
		}
	}
	if n == 0 {
		t.Error("no setting is tried")
	}
}

// A setting that adds to, takes from or unsets what a file asks for has the answers of both in one file, and one that sets it does
// away with what the file asks for.
func TestSettingsOverFiles(t *testing.T) {
	t.Parallel()
	dir := newSmallSite().write(t, "is")
	const asks = "set server max_run = [u:PBS_GENERIC=2]\nset server max_run += [u:ann=1]\n"
	for setting, command := range map[string]string{
		"server.max_run+=[u:bob=1]":           "set server max_run += [u:bob=1]",
		"server.max_run-=[u:ann=1]":           "set server max_run -= [u:ann=1]",
		"server.max_run=":                     "unset server max_run",
		"server.max_run=[u:PBS_GENERIC=1]":    "set server max_run = [u:PBS_GENERIC=1]",
		"queue.workq.Priority=3":              "set queue workq Priority = 3",
		"server.max_run_res.ncpus+=[u:bob=2]": "set server max_run_res.ncpus += [u:bob=2]",
	} {
		file, both := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "both")
		text := asks + "set queue workq Priority = 9\nset server max_run_res.ncpus = [u:PBS_GENERIC=8]\n"
		for name, text := range map[string]string{file: text, both: text + command + "\n"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"sort DIR --all -o csv", "sort DIR --now --all -o csv", "compare DIR -o csv", "when DIR -o csv --runs 2", "replay DIR -o starts"} {
			of := func(flags ...string) answer {
				a := askToTry(line, dir, flags...)
				if !a.isGiven() || a.out == "" || strings.Contains(a.said, "changes nothing: it is so") {
					t.Errorf("%s with %v: %s", line, flags, a.said)
				}
				return a
			}
			want := of("--sched", both).out
			if got := of("--sched", file, "--set", setting); got.out != want {
				t.Errorf("%s of %s: in the file (-), over it (+):\n%s%s", line, setting, cmp.Diff(want, got.out), got.said)
			}
		}
	}
}
