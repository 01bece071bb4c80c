package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// printing is a line of each command that prints a result to standard output.
var printing = map[string]string{
	"sort":     "sort SNAP --static",
	"explain":  "explain 115 SNAP",
	"compare":  "compare SNAP -f ncpus",
	"check":    "check -f ncpus",
	"eval":     "eval -f ncpus ncpus=3",
	"test":     "test EXPECT",
	"shares":   "shares SNAP",
	"priority": "priority SLURM",
	"vars":     "vars",
	"history":  "history LOGS --tz UTC",
	"usage":    "usage LOGS --tz UTC",
	"replay":   "replay LOGS --tz UTC --top 1",
	"witness":  "witness LOGS --tz UTC",
	"when":     "when SLURM --tz UTC --runs 3",
	"nodes":    "nodes SLURM",
	"metrics":  "metrics SNAP",
	"man":      "man",
	"help":     "help sort",
}

// silent are commands that print nothing to standard output: collect writes its file, and lab serves.
var silent = []string{"collect", "lab"}

// commandsOf returns the commands that the help names.
func commandsOf(t *testing.T) (names []string) {
	t.Helper()
	out, err := exec.Command("formula", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "Commands:\n")
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == "" {
			break // behind them come examples
		}
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") {
			names = append(names, words[0])
		}
	}
	if len(names) < 17 {
		t.Fatalf("%d commands in:\n%s", len(names), out)
	}
	return names
}

// shell runs a line of a shell, in which "$@" is a command line, and returns its status and what was told.
func shell(t *testing.T, line string, args []string) (status int, told string) {
	t.Helper()
	var errs bytes.Buffer
	c := exec.Command("sh", append([]string{"-c", line, "sh"}, args...)...)
	c.Stderr = &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), errs.String()
}

// Results that cannot be written are an error of every command, where standard output is closed as where the disk is
// full; discarded ones are none, nor those that a reader has seen enough of. A plain run asks one command in each way,
// and of the others that they tell of a full disk: how standard output is found to be closed is one for all.
func TestStandardOutput(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	places := strings.NewReplacer("SNAP", testdata+"/snapshots/snapshot_20261121_10_00_00.tgz", "LOGS", testdata+"/replay/A/snapshot",
		"SLURM", testdata+"/slurm-site/t2_busy.tgz", "EXPECT", testdata+"/expectations/pp718.txt")
	for _, name := range commandsOf(t) {
		if slices.Contains(silent, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"formula"}, strings.Fields(places.Replace(printing[name]))...)
			if len(args) == 1 {
				t.Fatal("the test has no line of it")
			}
			fine, told := shell(t, `"$@" >/dev/null; exit $?`, args)
			if fine > 1 || strings.Contains(told, "error") {
				t.Fatalf("%v, discarded: status %d, %s", args, fine, told)
			}
			lines := []string{`"$@" >/dev/full; exit $?`, `"$@" >&-; exit $?`, `exec >&-; "$@"; exit $?`}
			isWhole := name == "sort" || workshop.TestsAll()
			if !isWhole {
				lines = lines[:1]
			}
			for _, line := range lines {
				if status, told := shell(t, line, args); status != 4 || !strings.Contains(told, "formula: error: cannot write the result: ") {
					t.Errorf("%v, %s: status %d, %s", args, line, status, told)
				}
			}
			if !isWhole {
				return
			}
			if status, told := shell(t, `{ "$@"; echo $? >&2; } | true`, args); status != 0 || strings.Contains(told, "error") {
				t.Errorf("%v, whose reader has ended: %s", args, told)
			}
			c := exec.Command("formula", args[1:]...)
			c.Env = append(os.Environ(), "_="+c.Path)          // as of a bash that became the program
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // as some programs discard the output of others
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			c.Stdout = null
			if c.Run(); c.ProcessState.ExitCode() != fine {
				t.Errorf("%v, discarded by a program: %v", args, c.ProcessState)
			}
		})
	}
}
