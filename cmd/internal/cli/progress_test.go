package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A command shows that it is at work until its first stage begins, and what is printed stands in a line of its own.
func TestAtWork(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shows := func(what, want string) {
		t.Helper()
		text, err := os.ReadFile(f.Name())
		if err != nil || string(text) != want {
			t.Errorf("%s: %q, want %q (%v)", what, text, want, err)
		}
	}
	const work, gone = "formula: reads the site and what its record tells …", "\r\x1b[K"
	p := &progress{terminal: f, shown: -1}
	p.work()
	p.work()
	shows("at work", work)
	p.begin("runs")(1, 2)
	shows("in its first stage", work+gone+gone+"formula: 50 % done: 1 of 2 runs")
	p.answer()
	p.work()
	shows("with its answer", work+gone+gone+"formula: 50 % done: 1 of 2 runs"+gone)
}
