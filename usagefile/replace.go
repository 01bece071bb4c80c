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
func Lock(dir string) (unlock func() error, err error) {
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	return l.Unlock, nil
}

// ErrNoBackup tells that there was no usage file to keep as usage.bak. The
// new one was written all the same.
var ErrNoBackup = errors.New("there was no usage file to back up")

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
	if !noBackup {
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
		return fmt.Errorf("the new database is in place, but: %w", err)
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

// backup gives the old content its second name. The first stays, so that
// usage is never missing.
func (r replacer) backup() error {
	os.Remove(r.path(newBackupName))
	if err := r.at("link"); err != nil {
		return err
	}
	if err := os.Link(r.path(Name), r.path(newBackupName)); err != nil {
		if err := r.copyOld(); err != nil { // a file system without links
			os.Remove(r.path(newBackupName))
			return err
		}
	}
	if err := r.at("rename backup"); err != nil {
		os.Remove(r.path(newBackupName))
		return err
	}
	if err := os.Rename(r.path(newBackupName), r.path(BackupName)); err != nil {
		os.Remove(r.path(newBackupName))
		return err
	}
	// Renaming over another link to the same file does nothing, so the name
	// may still be there.
	os.Remove(r.path(newBackupName))
	return nil
}

func (r replacer) copyOld() (err error) {
	src, err := os.Open(r.path(Name))
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(r.path(newBackupName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
	f, err := os.Create(r.path(TouchName))
	if err != nil {
		return err
	}
	return f.Close()
}
