package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No name steers a terminal; what is no terminal gets every byte, as from PBS.
func TestTerminal(t *testing.T) {
	const evil = "ev\x1b[31mil"
	dir := t.TempDir()
	for name, text := range map[string]string{"resource_group": evil + " 10 root 1\n" + evil + " 11 root 1\n", "sched_config": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	was := isTerminal
	defer func() { isTerminal = was }()
	for _, args := range [][]string{{"-t"}, {"-p"}, {"-g", evil}, {"-g", "x" + evil}, {"-s", "x" + evil, "5"}, {"-c", evil, evil}, {"-s", evil, "5"}} {
		for _, terminal := range []bool{false, true} {
			isTerminal = func(io.Writer) bool { return terminal }
			var out, errs bytes.Buffer
			run(append(args, "--sched-priv", dir), &out, &errs)
			told := strings.Contains(out.String()+errs.String(), "\x1b")
			if told == terminal {
				t.Errorf("%q, terminal %v: %q %q", args, terminal, &out, &errs)
			}
			if terminal && !strings.Contains(out.String()+errs.String(), "ev?[31mil") {
				t.Errorf("%q: the name is not shown: %q %q", args, &out, &errs)
			}
		}
	}
}

// A time to wait that is negative is refused.
func TestNegativeWait(t *testing.T) {
	for _, args := range [][]string{{"-d", "--wait", "-1s"}, {"-d", "--wait=-1s"}} {
		var out, errs bytes.Buffer
		if code := run(append(args, "--sched-priv", t.TempDir()), &out, &errs); code != 1 || !strings.Contains(errs.String(), "error: --wait needs a time that is not negative") {
			t.Errorf("%q: status %d, %q", args, code, &errs)
		}
	}
}
