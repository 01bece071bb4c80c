package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	{"submit", "when DIR --submit select=1:ncpus=2 --user ann --queue workq -o json --runs 2"},
}

// sayWhatLacks are those that say of a site what is not modelled; replays do so of what logs tell.
var sayWhatLacks = []string{"sort", "now", "explain", "compare", "when", "metrics", "lab", "submit"}

// ownersOf are the owners by the words of pbs/testdata/reads.txt.
var ownersOf = map[string]pbs.Owner{"job": pbs.OfJob, "request": pbs.OfRequest, "queue": pbs.OfQueue, "server": pbs.OfServer, "scheduler": pbs.OfScheduler,
	"vnode": pbs.OfVnode, "reservation": pbs.OfReservation, "config": pbs.OfConfig}

// heldElsewhere has what the small site does not show, and what holds it.
var heldElsewhere = map[string]string{
	"job comment":                                "the lab alone shows it",
	"scheduler opt_backfill_fuzzy":               "replays of recorded work, in study",
	"scheduler sched_preempt_enforce_resumption": "suspended jobs, in replay",
	"server restrict_res_to_release_on_suspend":  "what suspended jobs leave, in replay",
}

// answersOf returns what commands print and say of a site.
func answersOf(questions []question, dir string) map[string]answer {
	all := map[string]answer{}
	var lock sync.Mutex
	var each sync.WaitGroup
	for _, c := range questions {
		each.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if c.name == "lab" { // else it goes on serving
				cancel()
			}
			var out, said bytes.Buffer
			code := cli.Run(ctx, strings.Fields(strings.ReplaceAll(c.args, "DIR", dir)), cli.Config{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said})
			text := strings.ReplaceAll(out.String(), dir, "DIR")
			if c.name == "lab" { // the address of its page
				text = ""
			}
			lock.Lock()
			defer lock.Unlock()
			all[c.name] = answer{code, text, said.String()}
		})
	}
	each.Wait()
	return all
}

// changedAnswers returns which of some commands answer otherwise to a changed site.
func changedAnswers(questions []question, before, after map[string]answer) (names []string) {
	for _, c := range questions {
		if before[c.name].out != after[c.name].out || before[c.name].code != after[c.name].code {
			names = append(names, c.name)
		}
	}
	return names
}

// stepOfValues returns of how many values that may be changed one is.
func stepOfValues() int {
	switch {
	case testing.Short():
		return 45
	case !workshop.TestsAll():
		return 9
	}
	return 1
}

// What PBS's scheduler reads changes an answer where it has another value, or is said by every command not to be
// modelled, or stands as without effect and has none.
func TestWhatPBSReads(t *testing.T) {
	step := stepOfValues()
	before := map[string]map[string]answer{}
	for i := 0; i < len(otherValues); i += step {
		o := otherValues[i]
		if before[o.beside] == nil {
			site := newSmallSite()
			site.edit(o.beside)
			before[o.beside] = answersOf(asking, site.write(t, fmt.Sprint("before", i)))
		}
		site := newSmallSite()
		site.edit(o.beside)
		site.edit(o.edit)
		o.judge(t, before[o.beside], answersOf(asking, site.write(t, fmt.Sprint("after", i))))
	}
}

// judge holds the answers to a site before and after a change to what the table of settings says of what has changed.
func (o otherValue) judge(t *testing.T, before, after map[string]answer) {
	of := o.of + " " + o.name
	setting := pbs.SettingOf(ownersOf[o.of], strings.TrimSuffix(o.name, ".*"))
	if setting == nil {
		t.Errorf("the table does not have %s", of)
		return
	}
	changed, silent := changedAnswers(asking, before, after), []string(nil)
	isSaidBy := sayWhatLacks
	if setting.Of&pbs.OfJob == 0 { // of which logs tell
		isSaidBy = append([]string{"replay"}, isSaidBy...)
	}
	for _, name := range isSaidBy {
		if !strings.Contains(after[name].said, "not modelled: ") {
			silent = append(silent, name)
		}
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(changed, name) })
	}
	lacks := setting.Lacks != "" && setting.Acts == 0
	switch {
	case heldElsewhere[of] != "":
	case setting.Without != "" && changed != nil:
		t.Errorf("%s is without effect, and changes %q", of, changed)
	case lacks && silent != nil && (!setting.IsRead || changed == nil):
		t.Errorf("%s is not modelled, and %q do not say so", of, silent)
	case setting.Without != "" || lacks:
	case changed == nil:
		t.Errorf("%s changes no answer", of)
	case setting.Acts&pbs.OnOrder != 0 && !has("sort", "usage"):
		t.Errorf("%s acts on the order, and changes %q", of, changed)
	case setting.Acts&pbs.OnStarts != 0 && !has("now", "when", "replay"):
		t.Errorf("%s acts on what starts, and changes %q", of, changed)
	case setting.Acts&pbs.OnCourse != 0 && !has("when", "replay"):
		t.Errorf("%s acts on the course, and changes %q", of, changed)
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
