package conformance

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/cli"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/workshop"
)

// question is a command that a site in DIR is asked with, by a short name.
type question struct{ name, args string }

// asking are the commands that a site is asked with. The lab is asked what it says when it begins.
var asking = []question{
	{"sort", "sort DIR --all -o json"}, {"now", "sort DIR --now --all -o json"}, {"explain", "explain 25 DIR --vs 24"}, {"compare", "compare DIR -f 200-ncpus -o csv"},
	{"when", "when DIR -o json --runs 4 --where"}, {"replay", "replay DIR -o starts"}, {"usage", "usage DIR -o csv"}, {"metrics", "metrics DIR"},
	{"nodes", "nodes DIR -o json"}, {"history", "history DIR/job/qstat_f.out -o csv"}, {"lab", "lab DIR --no-browser"},
	{"room", "nodes DIR --submit select=1:ncpus=2,lic=1 --user ann --queue workq -o json"}, {"witness", "witness DIR -o csv"},
	{"check", "check DIR"},
	{"submit", "when DIR --submit select=1:ncpus=2 --user ann --queue workq -o json --runs 2"},
}

// sayWhatLacks are those that say of a site what is not modelled; replays do so of what logs tell.
var sayWhatLacks = []string{"sort", "now", "explain", "compare", "when", "metrics", "lab", "submit", "check"}

// ownersOf are the owners by the words of pbs/testdata/reads.txt.
var ownersOf = map[string]pbs.Owner{"job": pbs.OfJob, "request": pbs.OfRequest, "queue": pbs.OfQueue, "server": pbs.OfServer, "scheduler": pbs.OfScheduler,
	"vnode": pbs.OfVnode, "reservation": pbs.OfReservation, "config": pbs.OfConfig}

// heldElsewhere has what the small site does not show, and what holds it.
var heldElsewhere = map[string]string{
	"job comment":                                "the lab alone shows it",
	"scheduler opt_backfill_fuzzy":               "replays of recorded work, in study",
	"scheduler sched_preempt_enforce_resumption": "suspended jobs, in replay",
	"server restrict_res_to_release_on_suspend":  "what suspended jobs leave, in replay",
	"vnode last_state_change_time":               "since when the server keeps a vnode that is job-exclusive, in witness of recorded work",
}

// answers are what commands print and say of a site. Each command is asked when somebody first wants its answer.
type answers struct {
	dir   string
	given map[question]answer
}

// answersOf returns the answers of a site.
func answersOf(dir string) *answers { return &answers{dir, map[question]answer{}} }

// out returns what a question that must be answered prints.
func (a *answers) out(t testing.TB, name, args string) string {
	t.Helper()
	x := a.to(question{name, args})
	if !x.isGiven() {
		t.Fatalf("%s: %s", args, x.said)
	}
	return x.out
}

// to returns the answer to a question.
func (a *answers) to(q question) answer {
	if given, ok := a.given[q]; ok {
		return given
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if q.name == "lab" { // else it goes on serving
		cancel()
	}
	var out, said bytes.Buffer
	code := cli.Run(ctx, strings.Fields(strings.ReplaceAll(q.args, "DIR", a.dir)), cli.Config{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said})
	text := strings.ReplaceAll(out.String(), a.dir, "DIR")
	if q.name == "lab" { // the address of its page
		text = ""
	}
	a.given[q] = answer{code, text, said.String()}
	return a.given[q]
}

// changedAnswers yields which of some questions have other answers at a changed site.
func changedAnswers(questions []question, before, after *answers) iter.Seq[string] {
	return func(yield func(name string) bool) {
		for _, q := range questions {
			was, is := before.to(q), after.to(q)
			if (was.out != is.out || was.code != is.code) && !yield(q.name) {
				return
			}
		}
	}
}

// isChanged reports whether any of some questions has another answer at a changed site.
func isChanged(questions []question, before, after *answers) bool {
	for range changedAnswers(questions, before, after) {
		return true
	}
	return false
}

// named returns those of some questions that have names.
func named(questions []question, names ...string) (list []question) {
	for _, q := range questions {
		if slices.Contains(names, q.name) {
			list = append(list, q)
		}
	}
	return list
}

// stepOfValues returns of how many values that may be changed one is.
func stepOfValues() int {
	switch {
	case testing.Short():
		return 45
	case !workshop.TestsAll():
		return 31
	}
	return 1
}

// What PBS's scheduler reads changes an answer where it has another value, or is said by every command not to be
// modelled, or stands as without effect and has none.
func TestWhatPBSReads(t *testing.T) {
	t.Parallel()
	step := stepOfValues()
	before := map[string]*answers{}
	for i := 0; i < len(otherValues); i += step {
		o := otherValues[i]
		if before[o.beside] == nil {
			site := newSmallSite()
			site.edit(o.beside)
			before[o.beside] = answersOf(site.write(t, fmt.Sprint("before", i)))
		}
		site := newSmallSite()
		site.edit(o.beside)
		site.edit(o.edit)
		o.judge(t, before[o.beside], answersOf(site.write(t, fmt.Sprint("after", i))))
	}
}

// judge holds the answers to a site before and after a change to what the table of settings says of what has changed.
func (o otherValue) judge(t *testing.T, before, after *answers) {
	of := o.of + " " + o.name
	setting := pbs.SettingOf(ownersOf[o.of], strings.TrimSuffix(o.name, ".*"))
	if setting == nil {
		t.Errorf("the table does not have %s", of)
		return
	}
	changes := func(names ...string) bool { return isChanged(named(asking, names...), before, after) }
	changed := func() []string { return slices.Collect(changedAnswers(asking, before, after)) }
	lacks := setting.Lacks != "" && setting.Acts == 0
	switch {
	case heldElsewhere[of] != "":
	case setting.Without != "":
		isCheck := func(name string) bool { return name == "check" } // which says of settings that they do nothing
		if changed := slices.DeleteFunc(changed(), isCheck); len(changed) > 0 {
			t.Errorf("%s is without effect, and changes %q", of, changed)
		}
	case lacks:
		if silent := silentOn(setting, after); silent != nil && (!setting.IsRead || !isChanged(asking, before, after)) {
			t.Errorf("%s is not modelled, and %q do not say so", of, silent)
		}
	case setting.Acts&pbs.OnOrder != 0 && !changes("sort", "usage"):
		t.Errorf("%s acts on the order, and changes %q", of, changed())
	case setting.Acts&pbs.OnOrder != 0:
		for _, differs := range after.orders(t) {
			t.Errorf("%s: %s", of, differs)
		}
	case setting.Acts&pbs.OnStarts != 0 && !changes("now", "when", "replay"):
		t.Errorf("%s acts on what starts, and changes %q", of, changed())
	case setting.Acts&pbs.OnCourse != 0 && !changes("when", "replay"):
		t.Errorf("%s acts on the course, and changes %q", of, changed())
	case !isChanged(asking, before, after):
		t.Errorf("%s changes no answer", of)
	}
}

// orders returns how the orders of the lab and of metrics differ from that of sort.
func (a *answers) orders(t *testing.T) (d differences) {
	p := place{name: a.dir, dir: a.dir}
	ranked := asked(t, "sort", p.dir)
	labOrder(t, p, &d, ranked)
	metricsOrder(t, p, &d, ranked)
	return d
}

// silentOn returns which commands do not say that something is not modelled which a site has.
func silentOn(setting *pbs.Setting, site *answers) (names []string) {
	saying := slices.Clone(sayWhatLacks)
	if setting.Of&pbs.OfJob == 0 { // of which logs tell
		saying = append(saying, "replay", "witness")
	}
	if setting.Of&(pbs.OfJob|pbs.OfRequest) == 0 { // which acts on the job that is asked about
		saying = append(saying, "room")
	}
	for _, q := range named(asking, saying...) {
		if !strings.Contains(site.to(q).said, "not modelled: ") {
			names = append(names, q.name)
		}
	}
	return names
}

// What is not modelled of one of several schedulers, its own sched_config and its attributes, every command says, also where
// it is about all of them.
func TestWhatFurtherSchedulersRead(t *testing.T) {
	t.Parallel()
	n := 0
	for i, o := range otherValues {
		setting := pbs.SettingOf(ownersOf[o.of], o.name)
		if o.of != "config" && o.of != "scheduler" || setting == nil || setting.Lacks == "" || setting.Acts != 0 || o.name == "smp_cluster_dist" { // whose usual values are modelled
			continue
		}
		site := newSmallSite()
		site.edit(partitions + ";queue.workq.partition=p1")
		site.edit(o.beside)
		site.edit(strings.NewReplacer("config.", "priv.gpu.", "sched.", "further.gpu.").Replace(o.edit))
		after := answersOf(site.write(t, fmt.Sprint("further", i)))
		n++
		if silent := silentOn(setting, after); silent != nil {
			t.Errorf("%s %s of another scheduler is not modelled, and %q do not say so", o.of, o.name, silent)
		}
		for _, q := range named(asking, sayWhatLacks...) {
			if said := after.to(q).said; strings.Contains(said, "not modelled: ") && !strings.Contains(said, "not modelled: of scheduler gpu, ") {
				t.Errorf("%s says of %s %s not of whom it is: %s", q.name, o.of, o.name, said)
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d settings", n)
	}
}

// Each of several schedulers has dedicated time of its own, and no other has it: whoever is asked about all of them says so.
func TestHoursOfSchedulers(t *testing.T) {
	t.Parallel()
	for _, priv := range []string{"sched_priv", "sched_priv_gpu"} {
		site := newSmallSite()
		site.edit(partitions + ";queue.workq.partition=p1;vnode.n3.partition=p1")
		dir := site.write(t, "hours/"+priv)
		if err := os.WriteFile(filepath.Join(dir, priv, "dedicated_time"), []byte("03/02/2026 11:30 03/02/2026 14:00\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := answersOf(dir)
		for job, queue := range map[string]string{"23": "workq", "25": "highq"} { // of the schedulers gpu and default
			is := (queue == "workq") == (priv == "sched_priv_gpu")
			for _, q := range []question{
				{"explain " + job, "explain " + job + " DIR"}, {"when " + job, "when DIR " + job + " --runs 1 -o csv"},
				{"room " + queue, "nodes DIR --submit select=1:ncpus=1,walltime=60 --queue " + queue},
				{"submit " + queue, "when DIR --submit select=1:ncpus=1,walltime=60 --user ann --runs 1 --try ncpus=1 -o csv --queue " + queue},
			} {
				if a := at.to(q); strings.Contains(a.out, "dedicated time, which ends at") != is {
					t.Errorf("dedicated time of %s, %s: %v\n%s%s", priv, q.name, !is, a.out, a.said)
				}
			}
		}
	}
}

// There is another value of all that the scheduler reads.
func TestOtherValues(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../pbs/testdata/reads.txt"))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, o := range otherValues {
		has[o.of+" "+o.name] = true
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if ownersOf[words[0]] == 0 {
			continue
		}
		for _, name := range words[1:] {
			if !has[words[0]+" "+name] && name != "scheduler_iteration" && name != "node_fail_requeue" {
				t.Errorf("the small site has no other value of %s %s", words[0], name)
			}
		}
	}
}
