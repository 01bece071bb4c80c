package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// Replace puts content in place of a file, whole or not at all. The mode stays
// the old file's, and its owner where the system allows that. Of a symbolic
// link it replaces the target. What is no regular file, such as a pipe, it
// writes to; it fails at once where nobody reads the pipe.
func Replace(path string, content []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return writeTo(path, content)
	case err != nil:
		info = nil // there is no file yet
	}
	err = replace(path, content, info)
	var pathError *fs.PathError
	if errors.As(err, &pathError) { // it may name a temporary file
		return &fs.PathError{Op: "write", Path: path, Err: pathError.Err}
	}
	var linkError *os.LinkError
	if errors.As(err, &linkError) {
		return &fs.PathError{Op: "write", Path: path, Err: linkError.Err}
	}
	return err
}

func writeTo(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		err = &fs.PathError{Op: "write", Path: path, Err: errors.New("nobody reads this pipe")}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// modeOfNew is the mode of a file that was not there, before the umask.
const modeOfNew fs.FileMode = 0o644

// replaceNamed replaces a file by way of a temporary one with a name, which a
// program that is killed leaves behind. old is nil if there is no file yet.
func replaceNamed(path string, content []byte, old fs.FileInfo) error {
	if old != nil {
		return renameio.WriteFile(path, content, old.Mode().Perm(), renameio.IgnoreUmask())
	}
	return renameio.WriteFile(path, content, modeOfNew)
}
