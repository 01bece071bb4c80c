package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The whole program, on any files: what only shows changes nothing, what writes
// leaves either the old usage file or one that is read without damage, and the
// old one as usage.bak.
func FuzzProgram(f *testing.F) {
	const group = "g 1 root 10\nbob 2 g 5\nsuzy 3 g 5\n"
	f.Add(group, "fairshare_decay_factor: 0.5\n", "PBS_MAG!", "-d bob 5")
	f.Add(group, "unknown_shares: 10\n", "", "-s bob 5")
	f.Add("", "", "", "-e")
	f.Add(group, "", "", "-p")
	f.Add(group, "", "", "-c bob suzy")
	f.Fuzz(func(t *testing.T, group, config, usage, words string) {
		args := strings.Fields(words)
		for _, arg := range args {
			if strings.HasPrefix(arg, "--") || strings.HasPrefix(arg, "-") && strings.Contains(arg, "I") {
				return // options that name other directories or take time
			}
		}
		dir := t.TempDir()
		for name, text := range map[string]string{"resource_group": group, "sched_config": config, "usage": usage} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"--sched-priv", dir}, args...), &stdout, &stderr)
		if code != 0 && code != 1 {
			t.Fatalf("exit %d", code)
		}
		if code == 1 && stderr.Len() == 0 {
			t.Error("exit 1 and nothing said")
		}
		after := snapshot(t, dir)
		if after["usage"] != usage && after["usage.bak"] != usage && usage != "" {
			t.Errorf("%q: the old usage is lost: %q", args, after)
		}
		for name := range after {
			if strings.HasPrefix(name, ".") {
				t.Errorf("%q: %s is left behind", args, name)
			}
		}
	})
}
