package usagefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Names in sched_priv.
const (
	Name       = "usage"
	BackupName = "usage.bak"   // the content before the last write
	TouchName  = "usage.touch" // tells the scheduler to read usage again

	newName       = ".usage.new"
	newBackupName = ".usage.bak.new"
)

// Lock waits until no other writer of this program works on a sched_priv and
// returns the function that lets the next one in. It locks the directory
// itself, so nothing is left behind; PBS's own programs do not look.
// waiting is called when somebody else holds the lock.
func Lock(dir string, waiting func()) (unlock func() error, err error) {
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	locked, err := l.TryLock()
	if err == nil && !locked {
		waiting()
		err = l.Lock()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	return l.Unlock, nil
}

// ErrNoBackup tells that there was no usage file to keep as usage.bak. The
// new one was written all the same.
var ErrNoBackup = errors.New("there was no usage file to back up")

// UnfinishedError tells that the new database is in place, but that it may not
// survive a crash of the machine yet, or that the scheduler was not told.
type UnfinishedError struct{ Err error }

func (e *UnfinishedError) Error() string {
	return "the new database is in place, but: " + e.Err.Error()
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

// Replace puts a new database in place of dir's usage file, durably and as a
// whole: killed or failing at any point, it leaves the old file or the new
// one under its name. The old content stays as usage.bak, its mode and owner
// pass to the new file. Hold the Lock around reading the old file and Replace.
func Replace(dir string, write func(io.Writer) error) error {
	return replacer{dir: dir, at: func(string) error { return nil }}.replace(write)
}

// replacer does the work; at is called before each step that touches the
// disk, for tests to fail or die there.
type replacer struct {
	dir string
	at  func(step string) error
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
		}
	}()
	if err := r.writeNew(write, old); err != nil {
		return err
	}
	if !noBackup && !r.onlyBackup(old) {
		if err := r.backup(); err != nil {
			return fmt.Errorf("cannot keep the old file as %s: %w", BackupName, err)
		}
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

// writeNew writes the new content beside the old file. A name of its own per
// writer is not needed under the Lock; what a killed one left is removed.
func (r replacer) writeNew(write func(io.Writer) error, old fs.FileInfo) (err error) {
	os.Remove(r.path(newName))
	if err := r.at("create"); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = 0o600 // until the old file's is known to fit
	}
	f, err := os.OpenFile(r.path(newName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	if err := r.at("write"); err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	if old != nil {
		if err := r.at("own"); err != nil {
			return err
		}
		if err := keepOwner(f, old); err != nil {
			return fmt.Errorf("cannot keep the owner: %w", err)
		}
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := r.at("sync"); err != nil {
		return err
	}
	return f.Sync()
}

// onlyBackup tells that the old file is empty and the backup is not: then the
// backup is all there is, and stays.
func (r replacer) onlyBackup(old fs.FileInfo) bool {
	backup, err := os.Stat(r.path(BackupName))
	return err == nil && backup.Size() > 0 && old.Size() == 0
}

// backup copies the old content. A second link to it would do for us, but
// PBS's own next write, which renames usage to usage.bak and then opens usage
// anew, would empty both if we were killed while the two names are one file.
func (r replacer) backup() (err error) {
	os.Remove(r.path(newBackupName))
	if err := r.at("copy"); err != nil {
		return err
	}
	if err := r.copyOld(); err != nil {
		os.Remove(r.path(newBackupName))
		return err
	}
	if err := r.at("rename backup"); err != nil {
		os.Remove(r.path(newBackupName))
		return err
	}
	return os.Rename(r.path(newBackupName), r.path(BackupName))
}

func (r replacer) copyOld() (err error) {
	src, err := os.Open(r.path(Name))
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(r.path(newBackupName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() {
		if e := dst.Close(); err == nil {
			err = e
		}
	}()
	if _, err := io.Copy(dst, src); err != nil {
		return err
	}
	return dst.Sync()
}

// finish makes the rename durable and tells the scheduler about it.
func (r replacer) finish() error {
	if err := r.at("sync directory"); err != nil {
		return err
	}
	d, err := os.Open(r.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
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
