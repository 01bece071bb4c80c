package snapshot

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// Write writes a snapshot as an archive or, where the name does not end as an
// archive's, as a new folder: whole, or not at all.
func (s *Snapshot) Write(name string) error {
	modified, ok := s.Taken()
	if !ok {
		modified = time.Now()
	}
	return file.WriteAll(name, modified, s.each)
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
	if s.priv != "" {
		if err := s.eachPriv(f, s.priv, pbs.PrivName); err != nil {
			return err
		}
	}
	entries, err := fs.ReadDir(s.tree.FS, cmp.Or(s.top, "."))
	if err != nil {
		return nil // a file of its own
	}
	for _, e := range entries { // of further schedulers
		if strings.HasPrefix(e.Name(), pbs.PrivName+"_") && e.IsDir() {
			if err := s.eachPriv(f, e.Name(), e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachPriv calls f for every file of a sched_priv, as it is called then.
func (s *Snapshot) eachPriv(f func(name string, text []byte) error, priv, as string) error {
	for _, name := range pbs.PrivFiles {
		text, err := fs.ReadFile(s.tree.FS, path.Join(s.top, priv, name))
		if isMissing(err) {
			continue
		}
		if err == nil {
			err = f(path.Join(as, name), text)
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
