package snapshot

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// archiveEndings are what the name of a packed snapshot ends with.
var archiveEndings = []string{".tgz", ".tar.gz"}

// ErrExists says that there is something of the name already.
var ErrExists = errors.New("it is there already")

// Only its owner may read a snapshot, since it has what only root may read on the
// site.
const (
	fileMode   = 0o600
	folderMode = 0o700
)

// Write writes a snapshot as an archive or, where the name does not end as an
// archive's, as a new folder: whole, or not at all.
func (s *Snapshot) Write(name string) error {
	modified, ok := s.Taken()
	if !ok {
		modified = time.Now()
	}
	return WriteFiles(name, modified, s.each)
}

// Files calls f for each file that is to be written.
type Files func(f func(name string, text []byte) error) error

// WriteFiles writes files as an archive or a new folder, as Write does, last modified at a time.
func WriteFiles(name string, modified time.Time, each Files) error {
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

// each calls f for every member that there is.
func (s *Snapshot) each(f func(name string, text []byte) error) error {
	written := map[string]bool{} // a member may have several parts
	for _, m := range Members {
		from := s.members[m.Path]
		if !from.IsGiven() || written[from.Member] {
			continue
		}
		written[from.Member] = true
		if err := copyTo(f, from.Member, from); err != nil {
			return err
		}
	}
	for i, logs := range [][]file.Source{s.logs, s.server} {
		for _, log := range logs {
			if err := copyTo(f, path.Join([]string{logsDir, serverLogsDir}[i], path.Base(log.Name)), log); err != nil {
				return err
			}
		}
	}
	if s.priv == "" {
		return nil
	}
	for _, name := range pbs.PrivFiles {
		text, err := fs.ReadFile(s.tree.FS, path.Join(s.top, s.priv, name))
		if isMissing(err) {
			continue
		}
		if err == nil {
			err = f(PrivPath(name), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTo calls f with what a source holds.
func copyTo(f func(name string, text []byte) error, name string, from file.Source) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err == nil {
		err = f(name, text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	return nil
}

func writeArchive(name, top string, modified time.Time, each Files) error {
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

func writeFolder(name string, each Files) error {
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
	return &fs.PathError{Op: "write", Path: name, Err: file.Cause(err)}
}
