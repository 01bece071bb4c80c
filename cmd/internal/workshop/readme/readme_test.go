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

var recipe = regexp.MustCompile("`((?:squeue [|] )?formula (?:explain|when|history) [^`]+)`")

// Every command that stands in a sentence or a table of the page for users answers, of a folder of what a user of a real site could
// print; those that stand with "at a PBS site" of one of PBS, and those that name no flag of one scheduler of both.
func TestRecipes(t *testing.T) {
	root, _ := pages(t)
	bin, dir := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "./cmd/formula")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(at, command string) {
		t.Helper()
		sh := exec.Command("sh", "-c", "squeue() { cat me/squeue.txt; }; "+command)
		sh.Dir = filepath.Join(dir, at)
		sh.Env = append(os.Environ(), "TZ=UTC", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := sh.CombinedOutput(); err != nil && sh.ProcessState.ExitCode() != 1 { // which is for an answer in part
			t.Errorf("%s: %s: %v: %s", at, command, err, out)
		}
	}
	for at, unpack := range map[string]string{
		"slurm": "tar xf testdata/slurm-site/t2_busy.tgz -C $DIR t2_busy/dora && mv $DIR/t2_busy/dora $DIR/me && gzip -cd testdata/slurm-json/sacct/site-23.11.txt.gz >$DIR/sacct.txt",
		"pbs":   "mkdir $DIR/me && tar xf testdata/moments/snapshot_20260302_14_45_00.tgz --strip-components=2 -C $DIR/me --wildcards '*qstat_f_F_json.out' '*pbsnodes_va.out' '*qstat_Bf.out' '*qstat_Qf.out'",
	} {
		into := filepath.Join(dir, at)
		if err := os.Mkdir(into, 0o755); err != nil {
			t.Fatal(err)
		}
		if out := output(t, "DIR="+into+"; "+unpack, root, bin); out != "" {
			t.Fatal(out)
		}
	}
	ofPBS := strings.NewReplacer("106", "142", "57", "143", "$USER", "mona")
	ofSlurm := strings.NewReplacer("$USER", "dora")
	text := prose(t, filepath.Join(root, "docs/users.md"))
	both, recipes := 0, recipe.FindAllStringSubmatchIndex(text, -1)
	for _, at := range recipes {
		command, isOfPBS := text[at[2]:at[3]], strings.HasSuffix(text[:at[0]], "at a PBS site ")
		if !isOfPBS {
			run("slurm", ofSlurm.Replace(command))
		}
		line, _, _ := strings.Cut(text[at[1]:], "\n")
		isOfBoth := strings.HasPrefix(command, "formula ") && !strings.Contains(command, "nodes=") && !strings.Contains(command, "sacct") && !strings.Contains(line, "(Slurm)")
		if isOfPBS || isOfBoth {
			both++
			run("pbs", ofPBS.Replace(command))
		}
	}
	if len(recipes) < 10 || both < 4 {
		t.Errorf("found only %d commands, %d of them of PBS", len(recipes), both)
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
