package file

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// archiveEndings are what the name of a packed folder ends with.
var archiveEndings = []string{".tgz", ".tar.gz"}

// otherArchives are what the names of archives end with that are not written.
var otherArchives = []string{".zip", ".tar", ".tar.xz", ".tar.bz2", ".tar.zst", ".txz", ".tbz", ".7z", ".rar"}

// IsOtherArchive reports whether a name is that of an archive in a form that WriteAll does not write: it would be a folder.
func IsOtherArchive(name string) bool {
	return slices.ContainsFunc(otherArchives, func(ending string) bool { return strings.HasSuffix(strings.ToLower(name), ending) })
}

// ErrExists says that there is something of the name already.
var ErrExists = errors.New("it is there already")

// Only its owner may read what is written of a site, since it may have what only root may read on the
// site.
const (
	fileMode   = 0o600
	folderMode = 0o700
)

// Each calls f for each file that is to be written.
type Each func(f func(name string, text []byte) error) error

// WriteAll writes files as an archive or, where the name does not end as an archive's, as a
// new folder: whole, or not at all. They are last modified at a time.
func WriteAll(name string, modified time.Time, each Each) error {
	name = filepath.Clean(name)
	if entries, err := os.ReadDir(name); err != nil || len(entries) > 0 {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s: %w", name, ErrExists)
		}
	}
	for _, ending := range archiveEndings {
		if top, ok := strings.CutSuffix(filepath.Base(name), ending); ok {
			return writeArchive(name, top, modified, each)
		}
	}
	return writeFolder(name, each)
}

func writeArchive(name, top string, modified time.Time, each Each) error {
	out, err := renameio.NewPendingFile(name, renameio.WithPermissions(fileMode))
	if err != nil {
		return writing(name, err)
	}
	defer out.Cleanup()
	z := gzip.NewWriter(out)
	w := tar.NewWriter(z)
	err = each(func(member string, text []byte) error {
		header := &tar.Header{Name: path.Join(top, member), Mode: fileMode, Size: int64(len(text)), ModTime: modified}
		if err := w.WriteHeader(header); err != nil {
			return writing(name, err)
		}
		_, err := w.Write(text)
		return writing(name, err)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return writing(name, err)
	}
	return writing(name, out.CloseAtomicallyReplace())
}

func writeFolder(name string, each Each) error {
	temporary, err := os.MkdirTemp(filepath.Dir(name), ".snapshot")
	if err != nil {
		return writing(name, err)
	}
	err = each(func(member string, text []byte) error {
		path := filepath.Join(temporary, filepath.FromSlash(member))
		if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
			return writing(name, err)
		}
		return writing(name, os.WriteFile(path, text, fileMode))
	})
	if err == nil {
		err = writing(name, os.Rename(temporary, name))
	}
	if err != nil {
		os.RemoveAll(temporary)
	}
	return err
}

// writing returns an error of writing with the name that was asked for, and no temporary one.
func writing(name string, err error) error {
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: Cause(err)}
}
