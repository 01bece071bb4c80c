// Package readme holds the test that runs the examples of the README and docs.
package readme

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the programs print into the README and docs")

// Every line after "$ " in a console block is run at the repository's root;
// what follows it is what it must print.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/...")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The examples must not change what they show.
	copied := t.TempDir()
	if err := os.CopyFS(filepath.Join(copied, "testdata"), os.DirFS(filepath.Join(root, "testdata"))); err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		written := eachExample(string(content), func(command, want string) string {
			examples++
			got := output(t, command, copied, bin)
			if diff := cmp.Diff(want, got); diff != "" && !*update {
				t.Errorf("%s: %s (-page +program):\n%s", filepath.Base(page), command, diff)
			}
			return got
		})
		if *update {
			if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if examples < 4 {
		t.Errorf("found only %d examples", examples)
	}
}

// output returns what a command prints.
func output(t *testing.T, command, dir, bin string) string {
	t.Helper()
	sh := exec.Command("sh", "-c", strings.ReplaceAll(command, "go run ./cmd/", ""))
	sh.Dir = dir
	sh.Env = append(os.Environ(), "TZ=UTC", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := sh.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Errorf("%s: %v", command, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// eachExample calls run for each command of a page and what stands below it, and
// returns the page with what run returns in its place.
func eachExample(page string, run func(command, want string) string) string {
	const begin, end = "```console\n", "```"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, begin)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		block, after, _ := strings.Cut(rest, end)
		b.WriteString(begin)
		for _, example := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(example, "\n")
			got := run(command, strings.TrimSuffix(want, "\n"))
			b.WriteString("$ " + command + "\n" + got)
			if got != "" {
				b.WriteString("\n")
			}
		}
		b.WriteString(end)
		page = after
	}
}
