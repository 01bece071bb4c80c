package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// A Slurm site that tells by JSON in which zone its other times are is answered the same, whatever this machine's zone is: with that zone
// named, without, and, but for how times are printed, with another one. Its clocks are changed while its jobs run.
func TestZonesOfSlurm(t *testing.T) {
	const data = "../../../testdata/"
	dir := t.TempDir()
	for from, most := range map[string]func(name string) bool{
		"slurm-json/25.05-evening.tgz": func(name string) bool { return strings.HasSuffix(name, ".json") },
		"slurm-now/25.05-evening.tgz": func(name string) bool {
			return !strings.Contains(name, "show-job") && !strings.Contains(name, "show-node") && !strings.Contains(name, "show-res")
		},
	} {
		tree, err := file.OpenTree(data + from)
		if err != nil {
			t.Fatal(err)
		}
		for at, err := range tree.Files() {
			if err != nil {
				t.Fatal(err)
			}
			if most(at) {
				text, err := tree.Source(at).Text(1 << 24)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(at)), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, name := range []string{"site-25.05.json.gz", "site-25.05.txt.gz"} {
		text, err := os.ReadFile(data + "slurm-json/sacct/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(args ...string) (string, string) {
		var stdout, stderr bytes.Buffer
		if code := run(append(args, dir), nil, &stdout, &stderr); code != exitFine && code != exitPartly {
			t.Fatalf("%v: status %d: %s", args, code, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	for _, args := range [][]string{
		{"history", "-o", "csv"}, {"history", "--by", "user", "-o", "csv"}, {"witness", "-o", "csv"}, {"nodes", "-o", "csv"},
	} {
		want, _ := answer(append(args, "--tz", "America/New_York")...)
		got, notes := answer(append(args, "--notes")...)
		if got != want {
			t.Errorf("%v: without --tz another answer than with it:\n%s\n%s", args, got, want)
		}
		if !strings.Contains(notes, "times are in America/New_York") {
			t.Errorf("%v: nothing says in which zone times are: %s", args, notes)
		}
		if args[0] != "nodes" { // history prints times in that zone, and the record is judged once more
			continue
		}
		if got, notes = answer(append(args, "--tz", "Asia/Tokyo", "--notes")...); got != want || !strings.Contains(notes, "--tz Asia/Tokyo is not the zone of the site") {
			t.Errorf("%v: with another zone another answer, or no word of it:\n%s\n%s\n%s", args, got, want, notes)
		}
	}
}
