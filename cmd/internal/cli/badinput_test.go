package cli

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// named is how each command that takes a site or logs is given one; what docs/status.md says of input that is bad
// holds for all of them.
var named = map[string][]string{
	"sort": {"sort", "NAME"}, "explain": {"explain", "1", "NAME"}, "compare": {"compare", "NAME", "-f", "ncpus"}, "check": {"check", "-f", "ncpus", "NAME"},
	"shares": {"shares", "NAME"}, "priority": {"priority", "NAME"}, "vars": {"vars", "NAME"}, "history": {"history", "NAME"}, "usage": {"usage", "NAME"},
	"replay": {"replay", "NAME"}, "witness": {"witness", "NAME"}, "when": {"when", "NAME"}, "nodes": {"nodes", "NAME"}, "metrics": {"metrics", "NAME"},
	"collect": {"collect", "OUT", "--snapshot", "NAME"},
}

// without are commands that take neither, or that serve until they are stopped.
var without = []string{"eval", "test", "lab", "man", "help"}

// badInput are the kinds of input that cannot be read, with the status that docs/status.md has for all of them.
func badInput(t *testing.T) map[string]int {
	t.Helper()
	dir := t.TempDir()
	noise := make([]byte, 5000)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	site, err := os.ReadFile("../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{filepath.Join(dir, "nowhere"): exitUnreadable}
	put := func(name string, content []byte, code int) {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		kinds[name] = code
	}
	put("noise", noise, exitUnreadable)
	put("prose", []byte("nothing that is known of,\n but some words\n"), exitUnreadable)
	put("picture.png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), exitUnreadable)
	put("zeros", make([]byte, 4096), exitUnreadable)
	put("empty.tgz", packed(t, workshop.Archive(t)), exitUnreadable)
	put("nothing.tgz", nil, exitUnreadable)
	put("begin.gz", site[:30], exitUnreadable)
	put("begin.tgz", site[:len(site)/2], exitUnreadable)
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	kinds[folder] = exitUnreadable
	return kinds
}

// packed returns a text as gzip packs it.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Bad input has one status in all commands that take a site or logs.
func TestBadInput(t *testing.T) {
	for i := range reflect.TypeFor[commandLine]().NumField() {
		field := reflect.TypeFor[commandLine]().Field(i)
		name := strings.ToLower(field.Name)
		if _, isCommand := field.Tag.Lookup("cmd"); isCommand && named[name] == nil && !slices.Contains(without, name) {
			t.Errorf("%s is in no list of this test", name)
		}
	}
	// Sites of another scheduler than the one that has what is asked are no bad input.
	exceptions := map[string]int{"priority begin.tgz": exitUsage}
	n := 0
	for name, want := range badInput(t) {
		for command, args := range named {
			t.Run(command+"/"+filepath.Base(name), func(t *testing.T) {
				want := want
				if other, ok := exceptions[command+" "+filepath.Base(name)]; ok {
					want = other
				}
				out := filepath.Join(t.TempDir(), "out.tgz")
				line := strings.Fields(strings.NewReplacer("NAME", name, "OUT", out).Replace(strings.Join(args, " ")))
				var stdout, stderr bytes.Buffer
				if code := run(line, strings.NewReader(""), &stdout, &stderr); code != want {
					t.Errorf("%s: status %d, want %d: %s", line, code, want, stderr.String())
				}
				if !strings.Contains(stderr.String(), "formula: error: ") && !strings.Contains(stderr.String(), "formula: warning: ") {
					t.Errorf("%s: nothing says what is wrong: %q", line, stderr.String())
				}
			})
			n++
		}
	}
	if want := 10 * len(named); n < want {
		t.Errorf("%d lines, want %d or more", n, want)
	}
}

// A log without jobs has one status for PBS and Slurm: it is fine where something else is asked as well, and nothing to
// replay or to judge is not. Each says that there is no job.
func TestEmptyLogs(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const pbs, slurm = "../../../testdata/replay/P2/snapshot", "../../../testdata/slurm-replay/S1a/site.tgz"
	logless := filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(logless, os.DirFS(pbs)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(logless, "server_priv")); err != nil {
		t.Fatal(err)
	}
	const recorded = "../../../testdata/slurm-replay/S1a/sacct.txt.gz"
	const moment, slurmNow = "../../../testdata/moments/snapshot_20260302_14_45_00.tgz", "../../../testdata/slurm-now/24.11-morning.tgz"
	for line, want := range map[string]int{
		"history EMPTY": exitFine, "usage " + logless + " EMPTY": exitFine, "when " + moment + " --runs 1 --logs EMPTY": exitFine, "when " + slurmNow + " --runs 1 --logs EMPTY": exitFine,
		"replay " + logless + " EMPTY": exitUnreadable, "witness " + logless + " EMPTY": exitUnreadable, "replay " + slurm + " EMPTY": exitUnreadable, "witness " + slurm + " EMPTY": exitUnreadable,
		"sort EMPTY": exitUnreadable, "explain 1 EMPTY": exitUnreadable, "when EMPTY": exitUnreadable, "nodes EMPTY": exitUnreadable, "usage EMPTY": exitUsage, "replay EMPTY": exitUsage, "witness EMPTY": exitUsage,
		"history " + recorded + " --from 2030-01-01": exitFine, "history " + recorded + " --to 2020-01-01": exitFine, "history " + recorded + " --by week --from 2030-01-01 -o csv": exitFine, "history " + pbs + " --from 2039-01-01": exitFine,
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(strings.ReplaceAll(line, "EMPTY", empty)), strings.NewReader(""), &stdout, &stderr)
		isSaid := strings.Contains(stderr.String(), "no such job") || code == exitUsage && strings.Contains(stderr.String(), " is empty: ")
		if says := stderr.String(); code != want || !isSaid && !strings.Contains(says, "no job") && !strings.Contains(says, "there are no accounting logs") && !strings.Contains(says, "no table of sacct") {
			t.Errorf("%s: status %d, want %d: %q", line, code, want, says)
		}
	}
}

// What is of two schedulers is refused by all commands that take several sites, lists or logs, whichever comes first: else one
// of them would count for nothing.
func TestMixed(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, from string) string {
		text, err := os.ReadFile(filepath.Join("../../../testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	of := map[string][]string{ // by scheduler: a site, and a record or a list of jobs
		"PBS":   {put("pbs.tgz", "snapshots/snapshot_20261121_10_00_00.tgz"), put("20260302.gz", "replay/P2/snapshot/server_priv/accounting/20260302.gz"), put("list.json", "scheduler/02-fstree/qstat-f.json")},
		"Slurm": {put("slurm.tgz", "slurm-now/24.11-morning.tgz"), put("sacct.gz", "slurm-site/sacct-all.txt.gz")},
		"flux":  {put("flux.tgz", "flux-site/R1-m1.tgz"), put("flux.json", "flux-site/forms/jobs_pending.json")},
	}
	lines := [][]string{
		{"history", "ONE", "OTHER"}, {"usage", "ONE", "OTHER"}, {"replay", "ONE", "OTHER"}, {"witness", "ONE", "OTHER"},
		{"when", "ONE", "--logs", "OTHER"}, {"lab", "ONE", "--logs", "OTHER"},
	}
	for _, command := range []string{"sort", "explain", "compare", "check", "vars", "metrics", "when", "nodes", "lab"} {
		line := []string{command, "ONE", "--snapshot", "OTHER"}
		switch command {
		case "explain":
			line = slices.Insert(line, 1, "1")
		case "compare":
			line = append(line, "--set", "sched.fair_share=true")
		}
		lines = append(lines, line)
	}
	for _, within := range [][2]string{{of["PBS"][1], of["Slurm"][1]}, {of["PBS"][1], of["flux"][1]}, {of["Slurm"][1], of["flux"][1]}} { // records in one folder
		folder := filepath.Join(dir, "both"+filepath.Base(within[0])+filepath.Base(within[1]))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range within {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, command := range []string{"history", "usage", "replay", "witness"} {
			var stdout, stderr bytes.Buffer
			if code := run([]string{command, folder}, strings.NewReader(""), &stdout, &stderr); code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), "they are not read together") {
				t.Errorf("%s %s: status %d, %q", command, filepath.Base(folder), code, stderr.String())
			}
		}
	}
	for one, files := range of {
		for other, others := range of {
			if one == other {
				continue
			}
			for i := range files {
				for _, line := range lines {
					if isSite := slices.Contains(line, "--snapshot"); isSite && i > 0 {
						continue
					}
					second := others[i%len(others)]
					line := strings.Fields(strings.NewReplacer("ONE", files[i], "OTHER", second).Replace(strings.Join(line, " ")))
					var stdout, stderr bytes.Buffer
					code := run(line, strings.NewReader(""), &stdout, &stderr)
					if says := "is of " + one + ", and "; code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) && !strings.Contains(stderr.String(), "is of "+other+", and ") {
						t.Errorf("%s: status %d, %q", line, code, stderr.String())
					}
				}
			}
		}
	}
}
