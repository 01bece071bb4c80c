package usagefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// aclAttribute is the extended attribute that holds an access control list.
const aclAttribute = "system.posix_acl_access"

// keepRights gives f, a new file that nobody else can read, the owner, group,
// mode and access control list of the file at path, whose old state is old.
// Only root may give files away, and only members of a group may give files to
// it: where the group cannot be kept it gets no rights.
func keepRights(f *os.File, path string, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); errors.Is(err, fs.ErrPermission) {
		err = f.Chown(-1, int(was.Gid))
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	} else if err != nil {
		return err
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := now.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode := old.Mode().Perm()
	acl, err := readACL(path)
	if err != nil {
		return err
	}
	if acl == nil {
		// A list that the directory passes on must not widen the mode.
		if err := unix.Fremovexattr(int(f.Fd()), aclAttribute); err != nil && !isNoACL(err) {
			return err
		}
	} else if err := unix.Fsetxattr(int(f.Fd()), aclAttribute, acl, 0); err != nil {
		// The mode's group bits are the most that anyone in the list has.
		if !isNoACL(err) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		mode &^= 0o070
	}
	if is.Gid != was.Gid {
		mode &^= 0o070
	}
	return f.Chmod(mode)
}

// readACL returns a file's access control list, nil if it has none.
func readACL(path string) ([]byte, error) {
	size, err := unix.Getxattr(path, aclAttribute, nil)
	if err != nil {
		if isNoACL(err) {
			return nil, nil
		}
		return nil, err
	}
	acl := make([]byte, size)
	if size, err = unix.Getxattr(path, aclAttribute, acl); err != nil {
		return nil, err
	}
	return acl[:size], nil
}

// isNoACL reports whether an error says that there is no list, or that the file
// system has none.
func isNoACL(err error) bool {
	return errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP)
}
