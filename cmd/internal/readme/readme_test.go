// Package readme holds the test that runs the examples of the README and docs.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every line after "$ " in a console block is run at the repository's root;
// what follows it is what it must print.
func TestExamples(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, content...)
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
	for _, block := range consoleBlocks(string(text)) {
		for _, example := range strings.Split("\n"+block, "\n$ ")[1:] {
			examples++
			command, want, _ := strings.Cut(example, "\n")
			want = strings.TrimSuffix(want, "\n")
			sh := exec.Command("sh", "-c", strings.ReplaceAll(command, "go run ./cmd/", ""))
			sh.Dir = copied
			sh.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := sh.CombinedOutput()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Errorf("%s: %v", command, err)
			}
			if diff := cmp.Diff(want, strings.TrimSuffix(string(out), "\n")); diff != "" {
				t.Errorf("%s (-README +program):\n%s", command, diff)
			}
		}
	}
	if examples < 4 {
		t.Errorf("found only %d examples", examples)
	}
}

func consoleBlocks(text string) []string {
	var blocks []string
	for _, part := range strings.Split(text, "```console\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}
