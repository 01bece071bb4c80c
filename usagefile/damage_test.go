package usagefile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A block of zeros or of anything else is damage wherever in the file it is, as it is at its end.
func TestDamageAnywhere(t *testing.T) {
	const entities, block = 40, 512 // what file systems lose
	var whole bytes.Buffer
	err := Write(&whole, 1772437196, func(yield func(string, float64) bool) {
		for i := range entities {
			if !yield(fmt.Sprintf("user%d", i), float64(i)*1000+7) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	fills := map[string]func() byte{"zeros": func() byte { return 0 }, "ones": func() byte { return 0xff }, "garbage": func() byte { return byte(r.Uint32()) }, "text": func() byte { return "a log line\n"[r.IntN(11)] }}
	for name, fill := range fills {
		for at := range whole.Len() {
			damaged := bytes.Clone(whole.Bytes())
			for i := at; i < min(at+block, len(damaged)); i++ {
				damaged[i] = fill()
			}
			db := Parse(string(damaged))
			_, isDamaged := db.Damage()
			_, hasHole := db.Hole()
			if isPart := at+2*recordSize > len(damaged); !isDamaged && !hasHole && !isPart { // no whole record is hit there, and a part of one may be read as another
				t.Errorf("%s from byte %d of %d on: no damage", name, at, len(damaged))
			}
		}
	}
}

// However often a damaged database is written over, also one that was damaged anew: each is kept, and so is the last good
// backup, with and without one, whatever has the name that the next would get.
func TestBackupOfDamagedStays(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"a backup": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, BackupName), []byte("the last good one"), 0o640)
		},
		"no backup":                func(dir string) error { return nil },
		"a directory has the name": func(dir string) error { return os.Mkdir(filepath.Join(dir, DamagedName), 0o750) },
		"a file has the name": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, DamagedName), []byte("an old one"), 0o640)
		},
		"a link has the name": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, DamagedName)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := newDir(t)
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			delete(before, Name)
			for i := range 3 {
				damaged := fmt.Sprintf("damaged for the time %d", i)
				if err := os.WriteFile(filepath.Join(dir, Name), []byte(damaged), 0o640); err != nil {
					t.Fatal(err)
				}
				promised := NameOfDamaged(dir)
				before[promised] = damaged
				if err := ReplaceDamaged(dir, writeAll); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := Replace(dir, writeAll); err != nil {
						t.Fatal(err)
					}
				}
				after := contents(t, dir)
				if after[Name] != newContent {
					t.Errorf("write %d: usage is %q", i, after[Name])
				}
				delete(after, Name)
				delete(after, TouchName)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("write %d: files (-want +got):\n%s", i, diff)
				}
			}
			for _, kept := range KeptDamaged(os.DirFS(dir)) {
				if err := os.Remove(filepath.Join(dir, kept)); err != nil {
					t.Fatal(err)
				}
			}
			if err := Replace(dir, writeAll); err != nil || content(t, dir, BackupName) != newContent {
				t.Errorf("%v, usage.bak is %q", err, content(t, dir, BackupName))
			}
		})
	}
}

// contents returns what is in a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, name := range names(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			text = []byte(err.Error())
		}
		contents[name] = string(text)
	}
	return contents
}

// Whatever step fails, or kills the process: what was damaged is there under its own name or a kept one, and so are the
// backup and what was kept before.
func TestDamagedIsNeverLost(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{BackupName: "the last good one", DamagedName: "an old one"}
	newDamaged := func(t *testing.T) string {
		dir := newDir(t)
		for name, text := range kept {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	check := func(t *testing.T, dir string) {
		t.Helper()
		after := contents(t, dir)
		for name, text := range kept {
			if after[name] != text {
				t.Errorf("%s is %q", name, after[name])
			}
		}
		if after[Name] != oldContent && (after[Name] != newContent || after[DamagedName+".1"] != oldContent) {
			t.Errorf("the damaged database is lost: %q", after)
		}
	}
	steps := 0
	count := func(string) error { steps++; return nil }
	if err := (replacer{dir: newDamaged(t), isDamaged: true, at: count}).replace(writeAll); err != nil {
		t.Fatal(err)
	}
	for step := range steps {
		t.Run(fmt.Sprint("fails at step ", step), func(t *testing.T) {
			dir, n := newDamaged(t), 0
			fail := func(string) error {
				if n++; n > step {
					return syscall.ENOSPC
				}
				return nil
			}
			if err := (replacer{dir: dir, isDamaged: true, at: fail}).replace(writeAll); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error is %v", err)
			}
			check(t, dir)
		})
		t.Run(fmt.Sprint("killed at step ", step), func(t *testing.T) {
			dir := newDamaged(t)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), "KILL_DIR="+dir, fmt.Sprint("KILL_STEP=", step), "KILL_DAMAGED=1")
			if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.Exited() {
				t.Fatalf("%v: %s", err, out)
			}
			check(t, dir)
		})
	}
}
