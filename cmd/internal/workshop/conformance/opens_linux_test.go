package conformance

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A command opens the archive of a site once, whatever it asks of it: one archive of each kind that testdata has, which
// are those of one folder, or those of one name in the folders below it.
func TestOpens(t *testing.T) {
	archives := map[string]string{}
	err := filepath.WalkDir(testdata, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tgz") {
			name, _ := filepath.Rel(testdata, path)
			folders := strings.Split(filepath.ToSlash(name), "/")
			kind := folders[0]
			if len(folders) > 2 {
				kind += "/" + filepath.Base(path)
			}
			archives[kind] = path
		}
		return err
	})
	if err != nil || len(archives) < 5 {
		t.Fatalf("only %d archives (%v)", len(archives), err)
	}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(archive, text, 0o600); err != nil {
			t.Fatal(err)
		}
		commands := []string{"sort", "explain --vs ahead --user none", "metrics", "shares", "usage", "history", "replay", "when --runs 1", "check", "priority", "compare --set nothing=1"}
		for _, command := range commands {
			before := opens(t, archive)
			ask(append(strings.Fields(command), archive)...)
			if n := before(); n != 1 {
				t.Errorf("%s: formula %s opens it %d times", name, command, n)
			}
		}
	}
}

// opens begins to count how often a file is opened, and returns what ends that and has the count.
func opens(t *testing.T, name string) func() int {
	t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.InotifyAddWatch(watch, name, unix.IN_OPEN|unix.IN_CLOSE); err != nil {
		t.Fatal(err)
	}
	return func() (n int) {
		defer unix.Close(watch)
		events := make([]byte, 1<<16)
		size, err := unix.Read(watch, events)
		if err != nil {
			return 0
		}
		for rest := events[:size]; len(rest) >= unix.SizeofInotifyEvent; {
			if binary.NativeEndian.Uint32(rest[4:])&unix.IN_OPEN != 0 { // of two without a close between them one is told
				n++
			}
			rest = rest[unix.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(rest[12:])):]
		}
		return n
	}
}
