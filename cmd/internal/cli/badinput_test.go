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
