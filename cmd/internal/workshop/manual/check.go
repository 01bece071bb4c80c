package manual

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// Check holds a program's man page and completion files, which stand beside
// each other, to its command line's model. With update it writes them.
func Check(t *testing.T, page string, app *kong.Application, update bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := fill(string(text), app)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		page: filled,
		filepath.Join(filepath.Dir(page), "completion", app.Name+".bash"): bash(app),
		filepath.Join(filepath.Dir(page), "completion", "_"+app.Name):     zsh(app),
		filepath.Join(filepath.Dir(page), "completion", app.Name+".fish"): fish(app),
	} {
		if update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), want); diff != "" {
			t.Errorf("%s is stale (go test -run Manual -update mends it; -file +model):\n%s", name, diff)
		}
	}
}
