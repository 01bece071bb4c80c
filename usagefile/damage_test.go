package usagefile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
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

// However often a damaged database is written over: it is kept, and so is the last good backup.
func TestBackupOfDamagedStays(t *testing.T) {
	dir := newDir(t)
	if err := os.WriteFile(filepath.Join(dir, BackupName), []byte("the last good one"), 0o640); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		replace := ReplaceDamaged
		if i%2 == 1 {
			replace = Replace
		}
		if err := replace(dir, writeAll); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{Name: newContent, BackupName: "the last good one", DamagedName: oldContent} {
			if got := content(t, dir, name); got != want {
				t.Errorf("write %d: %s is %q, want %q", i, name, got, want)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, DamagedName)); err != nil {
		t.Fatal(err)
	}
	if err := Replace(dir, writeAll); err != nil || content(t, dir, BackupName) != newContent {
		t.Errorf("%v, usage.bak is %q", err, content(t, dir, BackupName))
	}
}
