//go:build unix && !linux

package usagefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepRights gives f, a new file that nobody else can read, the owner, group and
// mode of an old file. Where the group cannot be kept it gets no rights.
func keepRights(f *os.File, _ string, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode := old.Mode().Perm()
	if err := f.Chown(int(was.Uid), int(was.Gid)); errors.Is(err, fs.ErrPermission) {
		if f.Chown(-1, int(was.Gid)) != nil {
			mode &^= 0o070
		}
	} else if err != nil {
		return err
	}
	return f.Chmod(mode)
}
