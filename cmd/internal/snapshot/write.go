package snapshot

import (
	"archive/tar"
	"bytes"
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

	"fairshare/cmd/internal/file"
)

// archiveEndings are what the name of a packed snapshot ends with.
var archiveEndings = []string{".tgz", ".tar.gz"}

// Write writes a snapshot as an archive or, where the name does not end as an
// archive's, as a new folder. Only its owner may read it, since it has what only
// root may read on the site. What has been written is whole, or not there.
func (s *Snapshot) Write(name string) error {
	for _, ending := range archiveEndings {
		if top, ok := strings.CutSuffix(filepath.Base(name), ending); ok {
			return s.writeArchive(name, top)
		}
	}
	return s.writeFolder(name)
}

// each calls f for every member that there is.
func (s *Snapshot) each(f func(name string, text []byte) error) error {
	seen := map[string]bool{}
	visit := func(name string, from file.Source) error {
		if !from.IsGiven() || seen[name] {
			return nil
		}
		seen[name] = true
		in, err := from.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		text, err := io.ReadAll(in)
		if err != nil {
			return fmt.Errorf("%s: %w", from.Name, err)
		}
		return f(name, text)
	}
	for _, m := range Members {
		if err := visit(m.Path, s.member(m.Path)); err != nil {
			return err
		}
	}
	if s.priv == "" {
		return nil
	}
	for _, name := range PrivFiles {
		text, err := fs.ReadFile(s.files, path.Join(s.priv, name))
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

func (s *Snapshot) writeArchive(name, top string) error {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	modified := time.Now()
	if taken, ok := s.Taken(); ok {
		modified = taken
	}
	err := s.each(func(name string, text []byte) error {
		header := &tar.Header{Name: path.Join(top, name), Mode: 0o600, Size: int64(len(text)), ModTime: modified}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	})
	if err = errors.Join(err, w.Close(), z.Close()); err != nil {
		return err
	}
	// A new file is only its owner's.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return file.Replace(name, out.Bytes())
	}
	if err != nil {
		return err
	}
	_, err = f.Write(out.Bytes())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(name)
	}
	return err
}

func (s *Snapshot) writeFolder(name string) error {
	if entries, err := os.ReadDir(name); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is there already and not empty", name)
	}
	temporary, err := os.MkdirTemp(filepath.Dir(name), ".snapshot")
	if err != nil {
		return err
	}
	err = s.each(func(member string, text []byte) error {
		path := filepath.Join(temporary, filepath.FromSlash(member))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o600)
	})
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		os.RemoveAll(temporary)
	}
	return err
}
