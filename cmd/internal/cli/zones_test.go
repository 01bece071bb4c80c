package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/workshop"
)

// A Slurm site that tells by JSON in which zone its other times are is answered the same, whatever this machine's zone is: with that zone
// named, without, and, but for how times are printed, with another one. Its clocks are changed while its jobs run. A plain run has every
// third job of its record.
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
		text := someJobs(t, workshop.Unpacked(t, data+"slurm-json/sacct/"+name))
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(name, ".gz")), text, 0o600); err != nil {
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

// someJobs returns a record of sacct with those of its jobs that a run asks about: the same of a table as of JSON.
func someJobs(t *testing.T, text []byte) []byte {
	t.Helper()
	const step = 3
	isAsked := func(id string) bool {
		number, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		return workshop.Among(number, step)
	}
	if text[0] == '{' {
		var of map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&of); err != nil {
			t.Fatal(err)
		}
		of["jobs"] = slices.DeleteFunc(of["jobs"].([]any), func(job any) bool { return !isAsked(job.(map[string]any)["job_id"].(json.Number).String()) })
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	rows := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	at := slices.Index(strings.Split(strings.TrimSpace(rows[0]), "|"), "JobIDRaw")
	kept := slices.DeleteFunc(rows[1:], func(row string) bool {
		id, _, _ := strings.Cut(strings.Split(row, "|")[at], ".")
		return !isAsked(id)
	})
	return []byte(rows[0] + strings.Join(kept, ""))
}
