package usagefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Names in sched_priv.
const (
	Name       = "usage"
	BackupName = "usage.bak"   // the content before the last write
	TouchName  = "usage.touch" // tells the scheduler to read usage again

	// DamagedName is a database that was damaged when it was written over; later ones have a number behind it. As long
	// as one is there, usage.bak is what was good before, and stays.
	DamagedName = "usage.damaged"

	newName       = ".usage.new"
	newBackupName = ".usage.bak.new"
)

// ErrLocked says that another writer holds the lock, or held it for as long as the
// caller was ready to wait.
var ErrLocked = errors.New("another program holds the lock")

// Lock waits until no other writer of this program works on a sched_priv and
// returns the function that lets the next one in. It locks the directory
// itself, so nothing is left behind; PBS's own programs do not look. Whoever may
// read the directory can hold the lock for ever: when ctx ends before the lock is
// free, Lock returns an error that is both ErrLocked and ctx's. It tries at least once.
func Lock(ctx context.Context, dir string) (unlock func() error, err error) {
	if unlock, err = TryLock(dir); !errors.Is(err, ErrLocked) {
		return unlock, err
	}
	const retry = 20 * time.Millisecond
	l := newLock(dir)
	_, err = l.TryLockContext(ctx, retry)
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("cannot lock %s: %w (%w)", dir, ErrLocked, err)
	case err != nil:
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	return l.Unlock, nil
}

// TryLock is Lock for those who do not wait: it returns ErrLocked at once where another
// writer holds the lock.
func TryLock(dir string) (unlock func() error, err error) {
	l := newLock(dir)
	isLocked, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	case !isLocked:
		return nil, fmt.Errorf("cannot lock %s: %w", dir, ErrLocked)
	}
	return l.Unlock, nil
}

func newLock(dir string) *flock.Flock { return flock.New(dir, flock.SetFlag(os.O_RDONLY)) }

// ErrNoBackup says that there was no usage file to keep as usage.bak. The new
// one was written all the same.
var ErrNoBackup = errors.New("there was no usage file to back up")

// UnfinishedError says that the new database is in place, but that it may not
// survive a crash of the machine yet, or that the scheduler was not told.
type UnfinishedError struct{ Err error }

func (e *UnfinishedError) Error() string {
	return "the new database is in place, but may not survive a crash, or the scheduler was not told: " + e.Err.Error()
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

// Replace puts a new database in place of dir's usage file, durably and as a
// whole: killed or failing at any point, it leaves the old file or the new one
// under its name. The old content stays as usage.bak. Owner, group, mode and
// access control list of the old file pass to both, as far as the process may;
// where it may not, nobody gets more rights than before. Hold the Lock around
// reading the old file and Replace.
func Replace(dir string, write func(io.Writer) error) error {
	return replacer{dir: dir, at: func(string) error { return nil }}.replace(write)
}

// ReplaceDamaged replaces a database that is damaged, cut off or not there as Replace does, but never usage.bak: the old
// content stays under the name that NameOfDamaged returns.
func ReplaceDamaged(dir string, write func(io.Writer) error) error {
	return replacer{dir: dir, isDamaged: true, at: func(string) error { return nil }}.replace(write)
}

// NameOfDamaged returns the name under which ReplaceDamaged keeps the old content: the first that nothing has.
func NameOfDamaged(dir string) string {
	name := DamagedName
	for n := 1; ; n++ {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s.%d", DamagedName, n)
	}
}

// KeptDamaged returns the names of the damaged databases that a directory keeps. As long as there is one, usage.bak stays as it is.
func KeptDamaged(files fs.FS) []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil
	}
	var kept []string
	for _, e := range entries {
		name, number, isNumbered := strings.Cut(e.Name(), DamagedName+".")
		_, err := strconv.ParseUint(number, 10, 0)
		if !e.IsDir() && (e.Name() == DamagedName || isNumbered && name == "" && err == nil) {
			kept = append(kept, e.Name())
		}
	}
	return kept
}

// replacer does the work; at is called before each step that touches the
// disk, for tests to fail or die there.
type replacer struct {
	dir       string
	isDamaged bool
	at        func(step string) error
}

func (r replacer) path(name string) string { return filepath.Join(r.dir, name) }

func (r replacer) replace(write func(io.Writer) error) (err error) {
	old, err := os.Stat(r.path(Name))
	noBackup := errors.Is(err, fs.ErrNotExist)
	if err != nil && !noBackup {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(r.path(newName))
			os.Remove(r.path(newBackupName))
		}
	}()
	if err := r.create(newName, old, write); err != nil {
		return err
	}
	kept := KeptDamaged(os.DirFS(r.dir))
	if name := r.nameOfOld(old, len(kept) > 0); name != "" {
		if err := r.backup(name, old); err != nil {
			return fmt.Errorf("cannot keep the old file as %s: %w", name, err)
		}
	} else if len(kept) > 0 {
		r.pair(kept[0]) // where that fails, the next write is refused that seems to lose records
	}
	if err := r.at("rename"); err != nil {
		return err
	}
	if err := os.Rename(r.path(newName), r.path(Name)); err != nil {
		return err
	}
	if err := r.finish(); err != nil {
		return &UnfinishedError{err}
	}
	if noBackup {
		return ErrNoBackup
	}
	return nil
}

// create writes a new file, to which the rights of the old usage file pass if
// there is one. A name of its own per writer is not needed under the Lock; what
// a killed one left is removed.
func (r replacer) create(name string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	os.Remove(r.path(name))
	if err := r.at("create " + name); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = 0o600 // until the old file's is known to fit
	}
	f, err := os.OpenFile(r.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	if err := r.at("write " + name); err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	if old != nil {
		if err := r.at("keep the rights of " + name); err != nil {
			return err
		}
		if err := keepRights(f, r.path(Name), old); err != nil {
			return fmt.Errorf("cannot keep owner and mode: %w", err)
		}
	}
	if err := r.at("sync " + name); err != nil {
		return err
	}
	return f.Sync()
}

// nameOfOld returns the name under which the old content stays, "" where it need not or nothing is there.
func (r replacer) nameOfOld(old fs.FileInfo, keepsDamaged bool) string {
	switch {
	case r.isDamaged:
		return NameOfDamaged(r.dir)
	case old == nil || keepsDamaged || r.onlyBackup(old):
		return ""
	}
	return BackupName
}

// onlyBackup reports whether the old file is empty and the backup is not: then
// the backup is all there is, and stays.
func (r replacer) onlyBackup(old fs.FileInfo) bool {
	backup, err := os.Stat(r.path(BackupName))
	return err == nil && backup.Size() > 0 && old.Size() == 0
}

// backup copies the old content to a name. A second link to it would do for us, but
// PBS's own next write, which renames usage to usage.bak and then opens usage
// anew, would empty both if we were killed while the two names are one file.
func (r replacer) backup(name string, old fs.FileInfo) error {
	if err := r.create(newBackupName, old, r.copyOld); err != nil {
		return err
	}
	if err := r.pair(newBackupName); err != nil {
		return err
	}
	if err := r.at("rename " + newBackupName); err != nil {
		return err
	}
	if err := os.Rename(r.path(newBackupName), r.path(name)); err != nil {
		return err
	}
	return r.syncDir("sync directory of " + name) // before the old content loses its own name
}

// pair gives what is kept the time of the new file. PBS's own writes leave them different
// times, so that it tells who wrote: see WrittenWhole.
func (r replacer) pair(name string) error {
	info, err := os.Stat(r.path(newName))
	if err != nil {
		return err
	}
	return os.Chtimes(r.path(name), time.Time{}, info.ModTime())
}

// WrittenWhole reports whether a directory's usage file was written by Replace or ReplaceDamaged, which leave
// it whole or not at all: what the backup has more was left out on purpose. It is false
// where that cannot be told any more, as in a copy.
func WrittenWhole(files fs.FS) bool {
	usage, err := fs.Stat(files, Name)
	if err != nil || usage.Size() == 0 {
		return false
	}
	return slices.ContainsFunc(append(KeptDamaged(files), BackupName), func(name string) bool {
		kept, err := fs.Stat(files, name)
		return err == nil && kept.ModTime().Equal(usage.ModTime())
	})
}

// LinkTarget returns what a directory's usage file is a symbolic link to, "" for a file of
// its own. Replace puts a file in the place of the link.
func LinkTarget(dir string) string {
	target, err := os.Readlink(filepath.Join(dir, Name))
	if err != nil {
		return ""
	}
	return target
}

func (r replacer) copyOld(w io.Writer) error {
	src, err := os.Open(r.path(Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a database that is not there is kept as an empty one
	}
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = io.Copy(w, src)
	return err
}

// finish makes the rename durable and tells the scheduler about it.
func (r replacer) finish() error {
	if err := r.syncDir("sync directory"); err != nil {
		return err
	}
	if err := r.at("touch"); err != nil {
		return err
	}
	// What is there already may be a link to another file: never write to it.
	if info, err := os.Lstat(r.path(TouchName)); err == nil && info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(r.path(TouchName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// syncDir makes the renames in the directory durable.
func (r replacer) syncDir(step string) error {
	if err := r.at(step); err != nil {
		return err
	}
	d, err := os.Open(r.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
