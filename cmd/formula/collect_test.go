package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An obfuscated snapshot of each recorded round has the same order and the same
// values, and none of the names of people, groups, jobs, hosts or paths.
func TestObfuscate(t *testing.T) {
	for _, dir := range rounds(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			temporary := t.TempDir()
			open, hidden := filepath.Join(temporary, "open.tgz"), filepath.Join(temporary, "hidden.tgz")
			if err := os.WriteFile(open, pack(t, roundMembers(t, dir)), 0o644); err != nil {
				t.Fatal(err)
			}
			command := func(args ...string) string {
				t.Helper()
				var stdout, stderr bytes.Buffer
				if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitFine && code != exitPartly {
					t.Fatalf("%v: exit %d: %s", args, code, &stderr)
				}
				return stdout.String()
			}
			command("collect", hidden, "--snapshot", open, "--obfuscate")
			type line struct {
				ID, Log, Queue, State, Reason string
				Rank                          *int
				Value                         any
			}
			var orders [2][]line
			for i, name := range []string{open, hidden} {
				if err := json.Unmarshal([]byte(command("sort", name, "-o", "json", "--all")), &orders[i]); err != nil {
					t.Fatal(err)
				}
				for k := range orders[i] {
					orders[i][k].ID, _, _ = strings.Cut(orders[i][k].ID, ".")
				}
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

// contents returns all texts of an archive.
func contents(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(header.Name + "\n")
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
	}
}

// namesIn returns the names of a round that an obfuscated snapshot must not have.
// Queues, and PBS's own names, may be there.
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
	queues := map[string]bool{}
	for _, job := range all.Jobs {
		queues[job["queue"].(string)] = true
		for _, name := range []string{"euser", "egroup", "project", "Account_Name", "server", "Job_Name"} {
			if text, ok := job[name].(string); ok {
				found[text] = true
			}
		}
	}
	found["/dev/null"], found["PBS_O_HOME"], found["sleep"] = true, true, true
	var names []string
	for name := range found {
		if !queues[name] && name != "_pbs_project_default" && len(name) > 1 {
			names = append(names, name)
		}
	}
	return names
}
