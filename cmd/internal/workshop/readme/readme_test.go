// Package readme holds the tests of the README and docs: their examples are run, their links
// lead somewhere, and the map of the rooms has every room.
package readme

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/workshop"
)

var update = flag.Bool("update", false, "write what the programs print into the README and docs")

// Every line after "$ " in a console block is run at the repository's root;
// what follows it is what it must print. Pages of replays and forecasts take seconds.
func TestExamples(t *testing.T) {
	root, pages := pages(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "./cmd/...")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The examples must not change what they show.
	copied := t.TempDir()
	for _, dir := range []string{"testdata", "docs"} {
		if err := os.CopyFS(filepath.Join(copied, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	long := []string{"pbs-replay.md", "pbs-decisions.md", "slurm-replay.md", "slurm-decisions.md", "when.md"}
	examples := 0
	for _, page := range pages {
		name := filepath.Base(page)
		isLong := slices.Contains(long, name) && !*update
		if isLong && testing.Short() { // under the race detector too, which is not in the programs that are built here
			continue
		}
		t.Run(name, func(t *testing.T) {
			if isLong {
				workshop.Long(t)
			}
			content, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			written := eachExample(string(content), func(command, want string) string {
				examples++
				got := output(t, command, copied, bin)
				if diff := cmp.Diff(want, got); diff != "" && !*update {
					t.Errorf("%s (-page +program):\n%s", command, diff)
				}
				return got
			})
			if *update {
				if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if examples < 4 {
		t.Errorf("found only %d examples", examples)
	}
}

// pages returns the repository's root, and the pages that people read.
func pages(t *testing.T) (root string, pages []string) {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "docs/evidence"} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no pages: %v", folder, err)
		}
		pages = append(pages, found...)
	}
	return root, append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

var (
	link    = regexp.MustCompile(`\]\(([^)]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	example = regexp.MustCompile("(?s)```.*?\n```\n")
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`) // from a heading, for its name in a link
)

// Every link to another page leads to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	root, pages := pages(t)
	for _, page := range append(pages, filepath.Join(root, "testdata/README.md")) {
		for _, found := range link.FindAllStringSubmatch(prose(t, page), -1) {
			name, part, _ := strings.Cut(found[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			target := page
			if name != "" {
				target = filepath.Join(filepath.Dir(page), name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", filepath.Base(page), found[1])
				continue
			}
			if part == "" {
				continue
			}
			var names []string
			for _, h := range heading.FindAllStringSubmatch(prose(t, target), -1) {
				names = append(names, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
			}
			if !slices.Contains(names, part) {
				t.Errorf("%s: %s names no heading, there are %q", filepath.Base(page), found[1], names)
			}
		}
	}
}

// prose returns a page without its examples.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return example.ReplaceAllString(string(text), "")
}

// The map in CONTRIBUTING.md has a line for every room, those of the wings too.
func TestMap(t *testing.T) {
	root, _ := pages(t)
	plan := prose(t, filepath.Join(root, "CONTRIBUTING.md"))
	rooms := func(pattern string) []string {
		names, err := filepath.Glob(filepath.Join(root, "cmd/internal", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no rooms: %v", pattern, err)
		}
		return names
	}
	for _, name := range slices.Concat(rooms("*"), rooms("pbs/*/"), rooms("slurm/*/")) {
		room, err := filepath.Rel(filepath.Join(root, "cmd/internal"), name)
		info, wrong := os.Stat(name)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		if info.IsDir() && filepath.Base(name) != "testdata" && !strings.Contains(plan, "\n| `"+filepath.ToSlash(room)+"` | ") {
			t.Errorf("CONTRIBUTING.md has no line for cmd/internal/%s", room)
		}
	}
}

// testdata/README.md says of every recording what it is, and README.md counts the runs.
func TestRecordings(t *testing.T) {
	root, _ := pages(t)
	said := prose(t, filepath.Join(root, "testdata/README.md"))
	folders := func(name string) (names []string) {
		entries, err := os.ReadDir(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return names
	}
	for _, name := range folders("testdata") {
		if !strings.Contains(said, "`"+name+"/") && !strings.Contains(said, "`"+name+"`") {
			t.Errorf("testdata/README.md says nothing of %s", name)
		}
	}
	runs := 0
	for _, name := range folders("testdata/replay") {
		if !strings.Contains(said, "`replay/"+name+"/") {
			t.Errorf("testdata/README.md says nothing of replay/%s", name)
		}
		if name != "second" { // which has second runs
			runs++
		}
	}
	counted := regexp.MustCompile(`and ([0-9]+) runs of PBS complexes`).FindStringSubmatch(prose(t, filepath.Join(root, "README.md")))
	if counted == nil || counted[1] != strconv.Itoa(runs) {
		t.Errorf("README.md counts %v, there are %d", counted, runs)
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
