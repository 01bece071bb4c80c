package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/workshop"

	"github.com/google/go-cmp/cmp"
)

// An obfuscated snapshot of each recorded round has the same order and the same
// values, and none of the names of people, groups, jobs, hosts or paths.
func TestObfuscate(t *testing.T) {
	for _, dir := range rounds(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			open, hidden := filepath.Join(temporary, "open.tgz"), filepath.Join(temporary, "hidden.tgz")
			if err := os.WriteFile(open, pack(t, roundMembers(t, dir)), 0o644); err != nil {
				t.Fatal(err)
			}
			output(t, "collect", hidden, "--snapshot", open, "--obfuscate")
			type line struct {
				ID, Log, Queue, State, Reason string
				Rank                          *int
				Value                         any
			}
			var orders [2][]line
			resource := regexp.MustCompile(`\w+=`)
			for i, name := range []string{open, hidden} {
				if err := json.Unmarshal([]byte(output(t, "sort", name, "-o", "json", "--all")), &orders[i]); err != nil {
					t.Fatal(err)
				}
				for k := range orders[i] {
					orders[i][k].ID, _, _ = strings.Cut(orders[i][k].ID, ".")
					orders[i][k].Reason = resource.ReplaceAllString(orders[i][k].Reason, "a resource=")
				}
			}
			queues := map[string]string{} // as they were, by what they are called now
			for k := range orders[1] {
				if queues[orders[1][k].Queue] == "" {
					queues[orders[1][k].Queue] = orders[0][k].Queue
				}
				orders[1][k].Queue = queues[orders[1][k].Queue]
			}
			if diff := cmp.Diff(orders[0], orders[1]); diff != "" {
				t.Errorf("other orders or values (-open +hidden):\n%s", diff)
			}
			words := map[string]bool{}
			for _, word := range regexp.MustCompile(`[A-Za-z0-9_/]+`).FindAllString(contents(t, hidden), -1) {
				words[word] = true
			}
			for _, name := range namesIn(t, dir) {
				if words[name] {
					t.Errorf("%q is in the snapshot", name)
				}
			}
		})
	}
}

// An obfuscated snapshot of each recording, with its accounting logs and moved in time,
// is replayed with the same starts on the same vnodes, and has no name of the recording. A plain
// run does a fifth of them.
func TestObfuscatedReplay(t *testing.T) {
	dirs, err := filepath.Glob("../../../testdata/replay/*/snapshot")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	isName := regexp.MustCompile(`(?:^|[ ;])(user|group|jobname|queue|project)=([A-Za-z0-9_]+)`)
	for i, dir := range dirs {
		if i%5 != 4 && !workshop.TestsAll() {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			t.Parallel()
			hidden := filepath.Join(t.TempDir(), "hidden.tgz")
			var stdout, said bytes.Buffer
			if code := run([]string{"collect", hidden, "--snapshot", dir, "--obfuscate", "--shift"}, strings.NewReader(""), &stdout, &said); code != exitFine {
				t.Fatalf("exit %d: %s", code, &said)
			}
			names := map[string]bool{}
			at, err := file.OpenTree(dir)
			if err != nil {
				t.Fatal(err)
			}
			logs, _, err := snapshot.Logs(at)
			if err != nil {
				t.Fatal(err)
			}
			for _, log := range logs {
				text, err := log.Text(1 << 30)
				if err != nil {
					t.Fatal(err)
				}
				for _, found := range isName.FindAllStringSubmatch(text, -1) {
					names[found[2]] = true
				}
			}
			delete(names, "_pbs_project_default")
			if len(names) < 10 {
				t.Fatalf("only %d names", len(names))
			}
			kept := strings.ReplaceAll(contents(t, hidden), "type = long", "") // of resources; a queue is called so too
			for _, word := range regexp.MustCompile(`[A-Za-z0-9_]+`).FindAllString(kept, -1) {
				if names[word] {
					t.Errorf("%q is in the snapshot", word)
					names[word] = false
				}
			}
			var starts [2][][]string
			for i, site := range []string{dir, hidden} {
				rows, err := csv.NewReader(strings.NewReader(output(t, "replay", site, "-o", "starts"))).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				starts[i] = rows[1:]
			}
			if len(starts[0]) != len(starts[1]) || len(starts[0]) == 0 {
				t.Fatalf("%d and %d starts", len(starts[0]), len(starts[1]))
			}
			const firstTime, lastTime, places = 5, 8, 9
			number := func(text string) int { n, _ := strconv.Atoi(text); return n }
			shift := number(starts[1][0][firstTime]) - number(starts[0][0][firstTime])
			hosts := map[string]string{}
			isHost := regexp.MustCompile(`\(([^:]+):`)
			for k, open := range starts[0] {
				other := starts[1][k]
				for column := firstTime; column <= lastTime; column++ {
					if open[column] != "" && number(open[column])+shift != number(other[column]) {
						t.Fatalf("job %s: %v became %v", open[1], open, other)
					}
				}
				was, is := isHost.FindAllStringSubmatch(open[places], -1), isHost.FindAllStringSubmatch(other[places], -1)
				for i := range was {
					if before, ok := hosts[is[i][1]]; ok && before != was[i][1] {
						t.Fatalf("job %s: %s is %s and %s", open[1], is[i][1], before, was[i][1])
					}
					hosts[is[i][1]] = was[i][1]
				}
			}
		})
	}
}

// A copy that has another order than its site or is replayed in another way is said to be so.
func TestCopyOfAnother(t *testing.T) {
	record := func(name string) string { return "../../../testdata/replay/" + name + "/snapshot" }
	noTree := t.TempDir()
	for name, text := range map[string]string{
		"qstat":   "Job Id: 1.s\n    Job_Owner = ann@host\n    job_state = Q\n    queue = a\n    euser = ann\n\n",
		"qstatBf": "Server: s\n    server_state = Active\n    job_sort_formula = fairshare_factor\n\n",
	} {
		if err := os.WriteFile(filepath.Join(noTree, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ site, copied, want string }{
		{record("R1"), record("R1"), "has the order of its site, with the same values and states of 18 rows"},
		{record("R1"), record("R1"), "is replayed as its site is, with the same starts and ends of 233 jobs"},
		{record("R1"), record("R2"), "has another order than its site: "},
		{record("R1"), record("R2"), "is replayed in another way than its site: "},
		{noTree, noTree, "is not compared with the order of its site, which has none: the formula has fairshare terms"},
		{record("R1"), "../../../testdata/scheduler/r12-06", "cannot be replayed, and its site can: "},
	} {
		var said bytes.Buffer
		s := &session{ctx: t.Context(), in: site.NewInput(strings.NewReader(""), formats()...), diag: diag.Printer{Program: "formula", W: &said}}
		s.progress = newProgress(s)
		collect := collectCmd{siteFlags: siteFlags{Snapshot: c.site}, Output: c.copied}
		if collect.checkCopy(s, collect.names("")); !strings.Contains(said.String(), c.want) {
			t.Errorf("%s as a copy of %s:\n%s lacks %s", c.copied, c.site, &said, c.want)
		}
	}
}

// contents returns all texts of an archive.
func contents(t *testing.T, name string) string {
	t.Helper()
	var all strings.Builder
	for member, text := range workshop.Members(t, name) {
		all.WriteString(member + "\n" + text)
	}
	return all.String()
}

// namesIn returns the names of a round that an obfuscated snapshot must not have.
// PBS's own names may be there.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, ok := readList(t, filepath.Join(dir, "qstat-f.json"))
	if !ok {
		t.Fatal("no list")
	}
	var all struct {
		Jobs map[string]map[string]any
	}
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, job := range all.Jobs {
		for _, name := range []string{"queue", "euser", "egroup", "project", "Account_Name", "server", "Job_Name"} {
			if text, ok := job[name].(string); ok {
				found[text] = true
			}
		}
	}
	found["/dev/null"], found["PBS_O_HOME"], found["sleep"] = true, true, true
	var names []string
	for name := range found {
		if name != "_pbs_project_default" && len(name) > 1 {
			names = append(names, name)
		}
	}
	return names
}

// An obfuscated log lacks the lines that history does not read, and has no others.
func TestObfuscateDamagedLog(t *testing.T) {
	const good = "03/02/2026 07:00:00;Q;95.pbsref;queue=workq\n"
	for _, c := range []struct{ log, want string }{
		{good + "garbage\n", ": 1 line of the accounting logs cannot be read and is left out\n"},
		{
			good + "garbage\n03/02/2026 07:40:00;S;96.pbsref;" + strings.Repeat("x", 5<<20) + "\n03/02/2026 07:41:00;S;97.pbsref;start=1O\n03/02/2016 07:42:00;S;98.pbsref;\n" + good,
			": 4 lines of the accounting logs cannot be read and are left out\n",
		},
	} {
		dir := t.TempDir()
		logs := filepath.Join(dir, "site/server_priv/accounting")
		if err := os.MkdirAll(logs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(logs, "20260302"), []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "site/sched_priv"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "site/sched_priv/resource_group"), []byte("a 10 root 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{"collect", filepath.Join(dir, "hidden"), "--snapshot", filepath.Join(dir, "site"), "--obfuscate"}, strings.NewReader(""), &out, &errs); code != exitPartly || !strings.Contains(errs.String(), c.want) {
			t.Errorf("status %d: %s", code, &errs)
		}
		var history, said bytes.Buffer
		run([]string{"history", "--notes", logs}, strings.NewReader(""), &history, &said)
		if n := strings.Count(said.String(), "20260302:"); n != strings.Count(c.log, "\n")-strings.Count(c.log, good) {
			t.Errorf("history tells %d lines: %s", n, &said)
		}
		text, err := file.ReadText(filepath.Join(dir, "hidden/server_priv/accounting/20260302.gz"), 1<<20)
		if err != nil || strings.Contains(text, ";S;") || strings.Count(text, "\n") != strings.Count(c.log, good) {
			t.Errorf("%s %v", text, err)
		}
	}
}
