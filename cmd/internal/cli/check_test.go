package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/workshop"
)

// badLines are lines of the files of a sched_priv that are wrong or do nothing.
var badLines = map[string][]string{
	"sched_config": {
		"by_queue: maybe ALL", "fair_share: true sometimes", "backfill_prime: true sometimes", "help_starving_jobs: true none", "round_robin", "bogus: 3", "not a line",
		`job_sort_key: "ncpus HIHG" ALL`, `job_sort_key: "ncpu HIGH" ALL`, `node_sort_key: "sort_prioriti HIGH" ALL`, `node_sort_key: "ncpus HIGH free" ALL`, `resources: "ncpus, meme"`,
		`resource_unset_infinite: "walltimes"`, "preempt_order: SCRX", `preempt_prio: "express_queue, normal_job"`, "preempt_queue_prio: many",
		"fairshare_decay_time: 0", "fairshare_decay_time: -1", "fairshare_decay_time: soon", "fairshare_decay_factor: 1.5", "fairshare_decay_factor: 0", "half_life: 24:00:00",
		"unknown_shares: -5", "unknown_shares: 99999999999", "fairshare_entity: usr", `fairshare_usage_res: "ncpus*"`, `fairshare_usage_res: "ncpuss"`, "fairshare_enforce_no_shares: no",
		"max_starve: soon", "prime_spill: soon", "smp_cluster_dist: packed", "provision_policy: none", `server_dyn_res: "mem /script"`, `peer_queue: "workq"`, `sort_by: "ncpus HIGH"`,
		"load_balancing: 2", "fairshare_decay_time: 12:00:00 prime", "primetime_prefix: p\nnonprimetime_prefix: p_night", "preempt_order: SC 50 S",
		`preempt_order: "SC 150 S"`, "resources: ncpus, mem",
	},
	"resource_group": {"ann 90 nogroup 10", "ann 90 root", "ann x root 10", "ann 90 root ten", "ann 90 root -3", "ann 90 root 99999999999"},
	"holidays":       {"YEAR 20x6", "YEAR", "wednesday 0600 2460", "wednesday 0600", "nonsense", "400 Dec 24 Eve", "360 Dec 24 Eve"},
	"dedicated_time": {"rubbish", "03/02/2026 17:30", "03/02/2026 17:30 03/02/2026 17:30", "03/02/2026 17:30 03/02/2026 25:30", "13/42/2026 17:30 03/03/2026 17:30"},
}

// goodLines are what stands before them.
var goodLines = map[string]string{
	"sched_config": "fair_share: true ALL\n", "resource_group": "bob 10 root 20\n", "dedicated_time": "03/01/2026 17:30 03/01/2026 18:30\n",
	"holidays": "YEAR 2199\nweekday 0600 1730\nsaturday none all\nsunday none all\n",
}

// names is how what is said of the name of a resource differs, which only a site with a list of its resources tells whether it has.
var names = regexp.MustCompile(`, a resource that (neither PBS nor the site has: nothing comes of it|PBS itself does not have; did you mean \w+\?)$`)

// attributes is how what is said of an attribute in sched_config differs, beside which a site with the scheduler's own ones has them.
const attributes = "does not count here since PBS 19: the scheduler's attribute does"

// ofJobs is what is said of jobs, of which a site alone has a list.
const ofJobs = "sched_config: resources does not name"

// eachBadLine puts each of the bad lines into its file of a sched_priv of a copy of a recorded site, behind the good ones, and checks that. A
// plain run does so with every second line of each file, from one on.
func eachBadLine(t *testing.T, snapshot, priv string, from int, check func(site, name, line, text string)) {
	t.Helper()
	site := t.TempDir()
	if err := os.CopyFS(site, os.DirFS(snapshot)); err != nil {
		t.Fatal(err)
	}
	for name, lines := range badLines {
		at := filepath.Join(site, priv, name)
		before, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			if i != from && !workshop.Among(i+from, 2) {
				continue
			}
			text := goodLines[name] + line + "\n"
			if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			check(site, name, line, text)
		}
		if err := os.WriteFile(at, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckForms puts bad lines into a file of a site, and asks of that file, on standard input too, of the sched_priv that has it and
// of the whole site: each finds the line, in the same words.
func TestCheckForms(t *testing.T) {
	eachBadLine(t, "../../../testdata/replay/R6/snapshot", "sched_priv", 0, func(site, name, line, text string) {
		priv := filepath.Join(site, "sched_priv")
		var first []string
		for _, form := range []string{filepath.Join(priv, name), "-", priv, site} {
			found := findingsOf(t, form, text, name)
			if !slices.ContainsFunc(found, func(of string) bool { return strings.Contains(of, name) }) {
				t.Errorf("check of %s finds nothing in %q: %q", form, line, found)
			}
			if first == nil {
				first = found
			}
			if !slices.Equal(found, first) {
				t.Errorf("check of %s finds %q in %q, and of the file alone %q", form, found, line, first)
			}
		}
	})
}

// TestCheckSchedulers puts bad lines into a file of the sched_priv of another scheduler than the default one: a check of the site finds
// them, and says whose they are.
func TestCheckSchedulers(t *testing.T) {
	const of = "sched_priv_sgpu"
	eachBadLine(t, "../../../testdata/replay/R10/snapshot", of, 1, func(site, name, line, text string) {
		var want []string
		for _, found := range findingsOf(t, filepath.Join(site, of, name), text, name) {
			want = append(want, strings.Replace(found, name, of+"/"+name, 1))
		}
		if found := findingsOf(t, site, text, of+"/"+name); !slices.Equal(found, want) || found == nil {
			t.Errorf("check of a site finds %q in %q of another scheduler, and of the file alone %q", found, line, want)
		}
	})
}

// TestCheckTried tries lines of a sched_config that PBS takes for others than they are: whatever the file with them is called, a check finds them.
func TestCheckTried(t *testing.T) {
	site, err := filepath.Abs("../../../testdata/replay/R6/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const text = "fair_share: maybe\nby_queue: true\nstrict_ordering: perhaps\n"
	for _, name := range append([]string{"lines"}, pbs.PrivFiles...) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		run([]string{"check", site, "--sched", name}, strings.NewReader(""), &stdout, &stderr)
		for _, want := range []string{`: line 1: fair_share: "maybe" is neither true nor false`, `: line 3: strict_ordering: "perhaps" is neither true nor false`} {
			if !strings.Contains(stdout.String(), "wrong: "+name+want) {
				t.Errorf("--sched %s: nothing is wrong%s in\n%s%s", name, want, stdout.String(), stderr.String())
			}
		}
	}
}

// TestCheckSaysAll asks for checks that print no findings, as with --jsonl or where something else is wrong, or that look at one file
// alone: what is wrong in the files is said all the same.
func TestCheckSaysAll(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"priv/sched_config": "fair_share: maybe ALL\n", "priv/resource_group": "bob 10 root 20\n",
		"resources": "create resource foo\nset resource foo type = nonsense\nset resource bar type = long\ngarbage here\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const ofConfig = `sched_config: line 1: fair_share: "maybe" is neither true nor false`
	for _, test := range []struct {
		args, stdout, stderr string
	}{
		{"--jsonl --sched-priv priv", "", ofConfig},
		{"--sched-priv priv -F nosuch", "", ofConfig},
		{"--sched-priv priv -f ncpus --jobs resources", "", ofConfig},
		{"--sched-priv priv -f ncpus", ofConfig, ""},
		{"--jsonl --resources resources", "", "nonsense"},
		{"--resources resources", "", "nonsense"}, // which no formula is checked with
		{"--resources resources -f ncpus", "nonsense", ""},
		{"--resources resources -f ncpus -o json", "nonsense", ""},
	} {
		var stdout, stderr bytes.Buffer
		run(append([]string{"check"}, strings.Fields(test.args)...), strings.NewReader(`{"formula":"ncpus"}`), &stdout, &stderr)
		if !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("check %s: no %q and %q in\n%s\n%s", test.args, test.stdout, test.stderr, stdout.String(), stderr.String())
		}
	}
}

// findingsOf returns what check says of a file that is a part of what it is given.
func findingsOf(t *testing.T, form, text, file string) (found []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	run([]string{"check", form}, strings.NewReader(text), &stdout, &stderr)
	for line := range strings.Lines(stdout.String()) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, attributes) || strings.Contains(line, ofJobs) {
			continue
		}
		if strings.HasPrefix(line, "wrong: "+file+": ") || strings.HasPrefix(line, "warning: "+file+": ") {
			found = append(found, names.ReplaceAllString(line, ""))
		}
	}
	if found == nil {
		t.Logf("%s: %s%s", form, stdout.String(), stderr.String())
	}
	return found
}
