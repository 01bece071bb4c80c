package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recording is a testdata/pbsfs/CASE/recorded.json: commands that PBS's pbsfs
// ran one after another on one sched_priv, and what it answered.
type recording struct {
	Note     string
	Commands []recordedCommand
}

type recordedCommand struct {
	Args   []string
	Status int
	Stdout []string
	Stderr []string
	Usage  []byte   // the usage file afterwards, where it was kept
	Files  []string // the directory's files afterwards, where they were kept
}

// needsForce lists the cases whose usage file is damaged, so that -s, -d and
// -e answer as recorded only with --force: PBS overwrites what it could not
// read.
var needsForce = []string{
	"bad_magic", // read as version 1, of which it is not
	"bad_version",
	"header_only", // no time of the last decay
	"header_partial_decay",
	"last_decay_1999",
	"last_decay_negative",
	"truncated_header",
	"truncated_usage",
	"v1_truncated",
}

// dropsEveryone reports whether a command needs --force because resource_group
// names nobody, so that -e would leave nothing.
func dropsEveryone(name string, args []string) bool {
	return name == "empty_resource_group" && slices.Contains(args, "-e")
}

// differs tells which recorded commands get another answer here, as the
// README explains, and why.
func differs(args []string) (reason string) {
	if slices.Contains(args, "--help") {
		return "--help prints help"
	}
	if len(args) == 3 && args[0] == "-s" {
		if _, ok := parseUsage(args[2]); !ok {
			return "-s refuses what is not a number"
		}
	}
	return ""
}

func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("../../testdata/pbsfs/*/recorded.json")
	if err != nil || len(files) != 88 {
		t.Fatalf("found %d recordings, want 88 (%v)", len(files), err)
	}
	commands := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		commands += len(r.Commands)
		input := filepath.Join(filepath.Dir(file), "sched_priv")
		t.Run(filepath.Base(filepath.Dir(file))+"/pbs.conf", func(t *testing.T) { replay(t, input, r, false) })
		t.Run(filepath.Base(filepath.Dir(file))+"/sched-priv", func(t *testing.T) { replay(t, input, r, true) })
	}
	if commands != 437 {
		t.Errorf("replayed %d commands, want 437", commands)
	}
}

// replay runs a case's commands on a copy that pbs.conf names, as PBS did, or
// that --sched-priv does.
func replay(t *testing.T, input string, r recording, byFlag bool) {
	home := t.TempDir()
	dir := filepath.Join(home, "sched_priv")
	if err := os.CopyFS(dir, os.DirFS(input)); err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(home, "pbs.conf")
	writeFile(t, conf, "PBS_HOME="+home+"\nPBS_EXEC=/opt/pbs\nPBS_SERVER=server\n")
	t.Setenv("PBS_CONF_FILE", conf)
	pbsfs := pbsfs
	if byFlag {
		t.Setenv("PBS_CONF_FILE", "/nosuch")
		run := pbsfs
		pbsfs = func(args ...string) (int, string, string) {
			return run(append([]string{"--sched-priv", dir}, args...)...)
		}
	}
	damaged := slices.Contains(needsForce, filepath.Base(filepath.Dir(input)))
	forced, hadBackup := false, false // what PBS leaves as usage.bak is usage.damaged from then on, and a usage.bak stays
	afterRefusal := false
	decayed := false // the time of the last decay is that of the run
	for i, c := range r.Commands {
		if reason := differs(c.Args); reason != "" {
			before := snapshot(t, dir)
			code, stdout, stderr := pbsfs(c.Args...)
			if slices.Contains(c.Args, "--help") {
				if code != 0 || !strings.HasPrefix(stdout, "Usage: pbsfs") {
					t.Errorf("%d %q: %s: exit %d, %q", i, c.Args, reason, code, stdout)
				}
				continue
			}
			if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "pbsfs: error: ") {
				t.Errorf("%d %q: %s: exit %d, %q, %q", i, c.Args, reason, code, stdout, stderr)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("%d %q: %s, but files changed:\n%s", i, c.Args, reason, diff)
			}
			// PBS took an empty number for 0; do so to get where it was.
			if c.Args[2] == "" {
				pbsfs("-s", c.Args[1], "0")
			}
			afterRefusal = true
			continue
		}
		args := c.Args
		if (damaged || dropsEveryone(filepath.Base(filepath.Dir(input)), args)) && c.Files != nil && c.Status == 0 {
			before := snapshot(t, dir)
			if code, _, _ := pbsfs(args...); code != 1 {
				t.Errorf("%d %q: usage was lost without --force", i, args)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("%d %q: refused, but files changed:\n%s", i, args, diff)
			}
			args = append([]string{"--force"}, args...)
			damaged = false // the file is whole from now on
			forced = true
			_, hadBackup = before["usage.bak"]
		}
		code, stdout, stderr := pbsfs(args...)
		if code != c.Status {
			t.Errorf("%d %q: exit %d, want %d", i, args, code, c.Status)
		}
		if diff := cmp.Diff(joined(c.Stdout), stdout); diff != "" {
			t.Errorf("%d %q: stdout (-PBS +ours):\n%s", i, args, diff)
		}
		if diff := cmp.Diff(joined(c.Stderr), theirs(stderr, c.Stderr)); diff != "" {
			t.Errorf("%d %q: stderr (-PBS +ours):\n%s", i, args, diff)
		}
		if c.Files != nil && !afterRefusal {
			want := slices.Clone(c.Files)
			if i := slices.Index(want, "usage.bak"); forced && hadBackup {
				want = slices.Insert(want, i+1, "usage.damaged")
			} else if forced {
				want[i] = "usage.damaged"
			}
			if diff := cmp.Diff(want, list(t, dir)); diff != "" {
				t.Errorf("%d %q: files (-PBS +ours):\n%s", i, args, diff)
			}
		}
		if c.Usage != nil {
			got, err := os.ReadFile(filepath.Join(dir, "usage"))
			if err != nil {
				t.Errorf("%d %q: %v", i, args, err)
			}
			decayed = decayed || strings.ContainsAny(c.Args[0], "de")
			if diff := cmp.Diff(masked(c.Usage, decayed), masked(got, decayed)); diff != "" {
				t.Errorf("%d %q: usage (-PBS +ours):\n%s", i, args, diff)
			}
		}
	}
}

// masked blanks the time of the last decay.
func masked(usage []byte, mask bool) []byte {
	usage = bytes.Clone(usage)
	if mask && len(usage) >= 32 {
		copy(usage[24:32], "--masked")
	}
	return usage
}

// theirs leaves out our own lines of standard error, but not those of PBS
// that begin as ours do.
func theirs(stderr string, recorded []string) string {
	var b strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "pbsfs: ") || slices.Contains(recorded, strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// pbsfs runs the program in this process.
func pbsfs(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// snapshot is every file's content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range list(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}
