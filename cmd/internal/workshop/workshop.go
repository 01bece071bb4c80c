// Package workshop and the packages below it are what tests and developers need, and no
// program has.
package workshop

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// Tests have small heaps, most of which is garbage. With the room that a program has by itself,
// they would collect it for a third of their time. Those that have more collect it as memory gets scarce.
// Where what they allocate is not asked for, it is not noted either, as Go does in each program of tests.
func init() {
	const most = 2 << 30
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(most)
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "test.memprofile") }) {
		runtime.MemProfileRate = 0
	}
}

// Skip skips a test that asks for something which this machine does not have. Where
// FAIRSHARE_CI is set, as .ci/run does, everything must be there, and the test fails.
func Skip(tb testing.TB, missing ...any) {
	tb.Helper()
	if os.Getenv("FAIRSHARE_CI") != "" {
		tb.Fatal(append([]any{"nothing may be skipped where FAIRSHARE_CI is set:"}, missing...)...)
	}
	tb.Skip(missing...)
}

// Zone returns the zone of a name, which Go itself has where the machine has none.
func Zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return zone
}

// TestsAll reports whether tests leave out nothing: where FAIRSHARE_CI is set and they are not
// asked to be short.
func TestsAll() bool { return os.Getenv("FAIRSHARE_CI") != "" && !testing.Short() }

// Long leaves a test out where TestsAll is false: one that takes seconds, beside others that are
// like it.
func Long(tb testing.TB) {
	tb.Helper()
	if !TestsAll() {
		tb.Skip("a long test: it runs where FAIRSHARE_CI is set and the run is not short")
	}
}

// Part returns how many of all random scenarios a test runs: a twentieth of them, or all where TestsAll says so. What a test asks of
// its scenarios together must hold of each of these.
func Part(all int) int {
	if TestsAll() {
		return all
	}
	return max(1, all/20)
}

// Step returns of how many things that are alike a test asks of one: of three times so many, of each where TestsAll says so, or of one of
// four times as many in a short run.
func Step(step int) int {
	switch {
	case TestsAll():
		return 1
	case testing.Short():
		return 4 * step
	}
	return 3 * step
}

// Among reports whether a test asks of the i-th of many things that are alike, by Step.
func Among(i, step int) bool { return i%Step(step) == 0 }

// Testdata returns where a folder of the shared testdata is, as a test of any package sees it.
func Testdata(folder string) string {
	root := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join("..", root)
	}
	return filepath.Join(root, "testdata", folder)
}

// Unpacked returns what a packed file holds.
func Unpacked(t testing.TB, name string) []byte {
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
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Table returns the rows of a packed CSV file, its header included.
func Table(t testing.TB, name string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(Unpacked(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Members yields the names and texts of a packed archive's files. A file of it that is packed
// itself is unpacked.
func Members(t testing.TB, name string) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for r := tar.NewReader(bytes.NewReader(Unpacked(t, name))); ; {
			header, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			from := io.Reader(r)
			if strings.HasSuffix(header.Name, ".gz") {
				if from, err = gzip.NewReader(r); err != nil {
					t.Fatal(err)
				}
			}
			text, err := io.ReadAll(from)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(header.Name, string(text)) {
				return
			}
		}
	}
}

// Archive returns a tar archive of members, in pairs of name and text.
func Archive(t testing.TB, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// ByHand holds the lines of docs/collect.md that collect a site of a scheduler by hand to what a live site is asked: each
// is a command, " > " and the file that keeps its answer, without quotes and remarks, in whatever order.
func ByHand(tb testing.TB, scheduler string, asked []string) {
	tb.Helper()
	page, err := os.ReadFile(Testdata("../docs/collect.md"))
	if err != nil {
		tb.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n### "+scheduler+"\n")
	_, block, _ := strings.Cut(section, "```\n")
	block, _, _ = strings.Cut(block, "```")
	var lines []string
	for line := range strings.Lines(block) {
		command, to, ok := strings.Cut(line, " > ")
		if ok && !strings.HasPrefix(line, "date ") {
			to, _, _ = strings.Cut(to, "#")
			lines = append(lines, strings.TrimSpace(strings.ReplaceAll(command, "'", ""))+" > "+strings.TrimSpace(to))
		}
	}
	slices.Sort(asked)
	slices.Sort(lines)
	if !slices.Equal(asked, lines) {
		tb.Errorf("docs/collect.md does not have what is asked of a site of %s:\nasked:\n%s\npage:\n%s", scheduler, strings.Join(asked, "\n"), strings.Join(lines, "\n"))
	}
}
