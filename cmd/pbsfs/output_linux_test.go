package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// Results that cannot be written are an error, where standard output is closed as where the disk is full; discarded ones
// are none, nor those that a reader has seen enough of.
func TestStandardOutput(t *testing.T) {
	for _, args := range [][]string{{"-p"}, {"-t"}, {"-g", "group1"}, {"-c", "group1", "group1"}, {"-p", "--json"}, {"--help"}, {"--version"}} {
		dir := schedPriv(t, "bak_and_touch")
		line := append([]string{"-c", "", "sh", "pbsfs"}, args...)
		if strings.Trim(args[0], "-") != "help" && strings.Trim(args[0], "-") != "version" {
			line = append(line, "--sched-priv", dir)
		}
		shell := func(text string) (int, string) {
			line[1] = text
			c := exec.Command("sh", line...)
			var errs bytes.Buffer
			c.Stderr = &errs
			c.Run()
			return c.ProcessState.ExitCode(), errs.String()
		}
		fine, told := shell(`"$@" >/dev/null; exit $?`)
		if fine != 0 {
			t.Errorf("%v: status %d, %s", args, fine, told)
		}
		for _, text := range []string{`"$@" >&-; exit $?`, `exec >&-; "$@"; exit $?`, `"$@" >/dev/full; exit $?`} {
			if status, told := shell(text); status != 1 || !strings.Contains(told, "pbsfs: error: cannot write the result: ") {
				t.Errorf("%v, %s: status %d, %s", args, text, status, told)
			}
		}
		if status, told := shell(`"$@" | true`); status != 0 || strings.Contains(told, "error") {
			t.Errorf("%v, whose reader has ended: status %d, %s", args, status, told)
		}
	}
}
