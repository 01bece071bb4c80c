package usagefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	oldContent = "the old database, whole"
	newContent = "the new database, which is longer than the old one, whole"
)

// TestMain is also the process that TestKilled kills: it replaces the file in
// KILL_DIR and dies at step KILL_STEP.
func TestMain(m *testing.M) {
	dir := os.Getenv("KILL_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	last, err := strconv.Atoi(os.Getenv("KILL_STEP"))
	if err != nil {
		panic(err)
	}
	steps := 0
	die := func(string) error {
		if steps == last {
			p, err := os.FindProcess(os.Getpid())
			if err != nil {
				panic(err)
			}
			p.Kill()
			select {} // until the signal arrives
		}
		steps++
		return nil
	}
	err = replacer{dir: dir, isDamaged: os.Getenv("KILL_DAMAGED") != "", at: die}.replace(func(w io.Writer) error {
		return writeHalves(w, func() error { return die("half") })
	})
	if err != nil && !errors.Is(err, ErrNoBackup) {
		panic(err)
	}
	os.Exit(0)
}

func writeHalves(w io.Writer, between func() error) error {
	if _, err := io.WriteString(w, newContent[:20]); err != nil {
		return err
	}
	if err := between(); err != nil {
		return err
	}
	_, err := io.WriteString(w, newContent[20:])
	return err
}

func writeAll(w io.Writer) error { return writeHalves(w, func() error { return nil }) }

func newDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(oldContent), 0o640); err != nil {
		t.Fatal(err)
	}
	return dir
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestReplace(t *testing.T) {
	dir := newDir(t)
	for range 2 {
		if err := Replace(dir, writeAll); err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace(dir, func(w io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{Name, BackupName, TouchName}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := content(t, dir, Name); got != "" {
		t.Errorf("usage is %q", got)
	}
	if got := content(t, dir, BackupName); got != newContent {
		t.Errorf("usage.bak is %q", got)
	}
	// Now usage is empty: the backup is all there is.
	if err := Replace(dir, writeAll); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir, BackupName); got != newContent {
		t.Errorf("usage.bak is %q after writing over an empty file", got)
	}
	info, err := os.Stat(filepath.Join(dir, Name))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, want that of the first file", info.Mode())
	}
}

func TestReplaceWithoutOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := Replace(dir, writeAll); !errors.Is(err, ErrNoBackup) {
		t.Fatalf("error is %v", err)
	}
	if diff := cmp.Diff([]string{Name, TouchName}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A process killed before any step, or halfway through writing, leaves the
// old or the new database; the next one finds nothing in its way.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for step := 0; ; step++ {
		dir := newDir(t)
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "KILL_DIR="+dir, fmt.Sprint("KILL_STEP=", step))
		out, err := cmd.CombinedOutput()
		if err == nil {
			if step < 9 {
				t.Errorf("only %d steps could be killed", step)
			}
			break
		}
		if cmd.ProcessState.Exited() {
			t.Fatalf("step %d: %v: %s", step, err, out)
		}
		if got := content(t, dir, Name); got != oldContent && got != newContent {
			t.Errorf("killed at step %d: usage is %q", step, got)
		}
		if err := Replace(dir, writeAll); err != nil {
			t.Errorf("after a kill at step %d: %v", step, err)
		}
		if diff := cmp.Diff([]string{Name, BackupName, TouchName}, names(t, dir)); diff != "" {
			t.Errorf("after a kill at step %d: files (-want +got):\n%s", step, diff)
		}
		if got := content(t, dir, Name); got != newContent {
			t.Errorf("after a kill at step %d: usage is %q", step, got)
		}
	}
}

// A step that fails leaves the file untouched up to the rename, and nothing
// else behind.
func TestFailures(t *testing.T) {
	var steps []string
	note := func(step string) error {
		steps = append(steps, step)
		return nil
	}
	if err := (replacer{dir: newDir(t), at: note}).replace(writeAll); err != nil {
		t.Fatal(err)
	}
	want := oldContent
	for _, failing := range steps {
		if failing == "sync directory" {
			want = newContent // what follows comes after the rename
		}
		dir := newDir(t)
		fail := func(step string) error {
			if step == failing {
				return syscall.ENOSPC
			}
			return nil
		}
		err := replacer{dir: dir, at: fail}.replace(writeAll)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: error is %v", failing, err)
		}
		if got := content(t, dir, Name); got != want {
			t.Errorf("%s: usage is %q", failing, got)
		}
		if inPlace := strings.HasPrefix(fmt.Sprint(err), "the new database is in place"); inPlace != (want == newContent) {
			t.Errorf("%s: the error says %v", failing, err)
		}
		for _, name := range names(t, dir) {
			if strings.HasPrefix(name, ".") {
				t.Errorf("%s: %s is left behind", failing, name)
			}
		}
	}
}

// A writer that fails halfway, as on a full disk, changes nothing.
func TestFullDisk(t *testing.T) {
	dir := newDir(t)
	err := Replace(dir, func(w io.Writer) error {
		return writeHalves(w, func() error { return syscall.ENOSPC })
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff([]string{Name}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := content(t, dir, Name); got != oldContent {
		t.Errorf("usage is %q", got)
	}
}
