// Package snapshot finds what a site says of itself in one place: in what
// pbs_snapshot writes, packed or not, in a sched_priv alone, in a folder of
// recorded files, or in a list of jobs. It also writes snapshots.
package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// Snapshot is what there is of a site, in the layout of Members. Any of it may be
// missing.
type Snapshot struct {
	Name    string        // for messages
	Remarks []diag.Remark // on what could not be read of it

	files fs.FS
	priv  string        // the folder of sched_priv, "" if there is none
	list  *bufio.Reader // a list of jobs, where that is all there is
}

// New returns a snapshot of files by their paths in the layout, taken at a time.
func New(name string, files map[string][]byte, taken time.Time, remarks []diag.Remark) *Snapshot {
	a := archive{"ctime": content{strconv.AppendInt(nil, taken.Unix(), 10)}}
	s := &Snapshot{Name: name, Remarks: remarks, files: a}
	for path, text := range files {
		a[path] = content{text}
		if strings.HasPrefix(path, privDir+"/") {
			s.priv = privDir
		}
	}
	return s
}

// Error is a file or a folder that is no snapshot.
type Error struct{ Name, Detail string }

func (e *Error) Error() string { return e.Name + " " + e.Detail }

// Open returns what is at a place: a folder, an archive, or a list of jobs, which
// is not read yet. stdin is what "-" names.
func Open(name string, stdin io.Reader) (*Snapshot, error) {
	if name == "-" {
		return Read("standard input", stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return openFolder(name)
	}
	return Read(name, f) // a list stays open until the program ends
}

// Read returns what a stream holds, as Open does.
func Read(name string, r io.Reader) (*Snapshot, error) {
	plain, err := file.Plain(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	const headerSize = 512
	first, err := plain.Peek(headerSize)
	if err != nil && !errors.Is(err, io.EOF) && len(first) == 0 {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if isArchive(first) {
		return readArchive(name, plain)
	}
	return &Snapshot{Name: name, list: plain}, nil
}

// openFolder returns the snapshot in a folder, or in the only one of its folders
// that is one.
func openFolder(name string) (*Snapshot, error) {
	root := os.DirFS(name)
	if s := inFolder(name, root); s != nil {
		return s, nil
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var found []*Snapshot
	for _, e := range entries {
		sub, err := fs.Sub(root, e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		if s := inFolder(path.Join(name, e.Name()), sub); s != nil {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &Error{name, "is no snapshot: it has neither sched_priv, nor a list of jobs such as " + Members[0].Path + ", nor a resource_group"}
	}
	return nil, &Error{name, fmt.Sprintf("holds several snapshots: name one of them, such as %s", found[0].Name)}
}

// inFolder returns the snapshot that begins in a folder, nil if none does.
func inFolder(name string, files fs.FS) *Snapshot {
	s := &Snapshot{Name: name, files: files}
	exists := func(path string) bool {
		_, err := fs.Stat(files, path)
		return !isMissing(err)
	}
	isHere := false
	for _, m := range Members {
		isHere = isHere || m.Part != Taken && (exists(m.Path) || exists(m.Path+packed))
	}
	switch {
	case slices.ContainsFunc(PrivFiles, func(name string) bool { return exists(path.Join(privDir, name)) }):
		s.priv = privDir
	case exists("resource_group") || exists("sched_config"):
		s.priv = "."
	case !isHere:
		return nil
	}
	return s
}

// IsList reports whether there is a list of jobs and nothing else.
func (s *Snapshot) IsList() bool { return s.list != nil }

// Taken returns when the snapshot was taken. ok is false where it does not say so.
func (s *Snapshot) Taken() (t time.Time, ok bool) {
	from := s.first(Taken)
	if !from.IsGiven() {
		return time.Time{}, false
	}
	const longest = 64
	text, err := from.Text(longest)
	seconds, _, _ := strings.Cut(strings.TrimSpace(text), ".")
	unix, wrong := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(unix, 0), err == nil && wrong == nil && unix > 0
}

// Jobs returns the list of jobs, the zero Source if there is none.
func (s *Snapshot) Jobs() file.Source {
	if s.list != nil {
		return file.Source{Name: s.Name, Open: func() (io.ReadCloser, error) { return io.NopCloser(s.list), nil }}
	}
	return s.first(Jobs)
}

// Files returns what describes the site, as far as it is there.
func (s *Snapshot) Files() pbs.Files {
	var f pbs.Files
	if s.list != nil {
		return f
	}
	f.Queues, f.Resources, f.Sched = s.first(Queues), s.first(Resources), s.all(Attributes)
	f.Formula, f.Threshold = s.first(Formula), s.first(Threshold)
	if s.priv == "" {
		return f
	}
	if sub, err := fs.Sub(s.files, s.priv); err == nil {
		name := s.Name
		if s.priv != "." {
			name = s.memberName(s.priv)
		}
		f.SchedPriv = file.Dir{Name: name, FS: sub, Optional: true}
	}
	return f
}

// first returns the first member of a part that is not empty, the zero Source if
// there is none.
func (s *Snapshot) first(part Part) file.Source {
	for _, m := range Members {
		if m.Part == part {
			if from := s.member(m.Path); from.IsGiven() {
				return from
			}
		}
	}
	return file.Source{}
}

// all returns the members of a part that are not empty.
func (s *Snapshot) all(part Part) []file.Source {
	var list []file.Source
	for _, m := range Members {
		if m.Part == part {
			if from := s.member(m.Path); from.IsGiven() {
				list = append(list, from)
			}
		}
	}
	return list
}

// member returns a member, the zero Source where it is missing, empty or not
// readable.
func (s *Snapshot) member(name string) file.Source {
	if s.files == nil {
		return file.Source{}
	}
	for _, name := range []string{name, name + packed} {
		f, err := s.files.Open(name)
		if isMissing(err) {
			continue
		}
		if err != nil {
			s.remark(diag.Damagef("%s cannot be read: %v", s.memberName(name), cause(err)))
			continue
		}
		_, err = f.Read(make([]byte, 1))
		f.Close()
		if err == nil {
			return file.Source{Name: s.memberName(name), Open: func() (io.ReadCloser, error) { return s.files.Open(name) }, Optional: true}
		}
	}
	return file.Source{}
}

// isMissing reports whether an error says that there is no such file, perhaps
// since a folder of its name is a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// remark adds a remark, once.
func (s *Snapshot) remark(r diag.Remark) {
	if !slices.Contains(s.Remarks, r) {
		s.Remarks = append(s.Remarks, r)
	}
}

// cause returns an error without the path, which is named already.
func cause(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}

func (s *Snapshot) memberName(name string) string { return path.Join(s.Name, name) }
