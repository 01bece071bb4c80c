package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// replace writes a file that has no name until all of it is there, so that a
// program that is killed leaves nothing behind. old is nil if there is no file
// yet.
func replace(path string, content []byte, old fs.FileInfo) error {
	dir := filepath.Dir(path)
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, uint32(modeOfNew))
	if err != nil {
		return replaceNamed(path, content, old) // not every file system has files without names
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	if old != nil {
		if was, ok := old.Sys().(*syscall.Stat_t); ok {
			err := f.Chown(int(was.Uid), int(was.Gid))
			if errors.Is(err, fs.ErrPermission) {
				err = f.Chown(-1, int(was.Gid)) // so that the group reads it as before
			}
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	// A file without a name can only get one that is free.
	name := filepath.Join(dir, fmt.Sprintf(".%d.new", os.Getpid()))
	if err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return replaceNamed(path, content, old)
	}
	if err := os.Rename(name, path); err != nil {
		os.Remove(name)
		return err
	}
	return nil
}
