// Package snapshot finds what a site says of itself in one place: in what
// pbs_snapshot writes, packed or not, in a sched_priv alone, in a folder of
// recorded files. It also writes snapshots.
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

	files   fs.FS
	priv    string                 // the folder of sched_priv, "" if there is none
	members map[string]file.Source // by their path in the layout, those that are not empty
	single  *bufio.Reader          // the content of a file that is no snapshot
	logs    []file.Source          // of accounting, to be written with it
	server  []file.Source          // of the server, likewise
}

// Error is a file or a folder that is no snapshot.
type Error struct{ Name, Detail string }

func (e *Error) Error() string { return e.Name + " " + e.Detail }

// Open returns what is at a place: a folder, an archive, or any other file, which
// is not read yet. stdin is what "-" names.
func Open(name string, stdin io.Reader) (*Snapshot, error) {
	if name == "-" {
		return Read(file.StandardInput, stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return openFolder(name)
	}
	return Read(name, f) // a single file stays open until the program ends
}

// Read returns what a stream holds, as Open does.
func Read(name string, r io.Reader) (*Snapshot, error) {
	plain, first, err := file.Begin(name, r, headerSize)
	if err != nil {
		return nil, err
	}
	if isArchive(first) {
		return readArchive(name, plain)
	}
	return &Snapshot{Name: name, single: plain}, nil
}

// New returns a snapshot of files by their paths in the layout, taken at a time.
func New(name string, files map[string][]byte, taken time.Time, remarks []diag.Remark) *Snapshot {
	a := archive{takenPath: content{strconv.AppendInt(nil, taken.Unix(), 10)}}
	priv := ""
	for path, text := range files {
		a[path] = content{text}
		if isPriv(path) {
			priv = pbs.PrivName
		}
	}
	s := &Snapshot{Name: name, Remarks: remarks, files: a, priv: priv}
	s.find()
	return s
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
		return nil, &Error{name, "is no snapshot: it has neither sched_priv, nor a list of jobs such as " + ListPath + ", nor a resource_group"}
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
	isHere := slices.ContainsFunc(Members, func(m Member) bool {
		return m.Part != Taken && (exists(m.Path) || exists(m.Path+Packed))
	})
	switch {
	case slices.ContainsFunc(pbs.PrivFiles, func(name string) bool { return exists(PrivPath(name)) }):
		s.priv = pbs.PrivName
	case exists("resource_group") || exists("sched_config"):
		s.priv = "."
	case !isHere:
		return nil
	}
	s.find()
	return s
}

// find finds the members that are there and not empty. Those that cannot be read
// are remarks.
func (s *Snapshot) find() {
	s.members = map[string]file.Source{}
	for _, m := range Members {
		for _, name := range []string{m.Path, m.Path + Packed} {
			if s.members[m.Path].IsGiven() {
				break
			}
			info, err := fs.Stat(s.files, name)
			if isMissing(err) {
				continue
			}
			if err == nil && !info.Mode().IsRegular() {
				err = errors.New("this is not a regular file")
			}
			if err == nil {
				err = readByte(s.files, name)
			}
			switch {
			case err == nil:
				s.members[m.Path] = file.Source{Name: path.Join(s.Name, name), Member: name, Open: func() (io.ReadCloser, error) { return s.files.Open(name) }, Optional: true}
			case !errors.Is(err, io.EOF):
				s.remark(diag.Damagef("%s cannot be read: %v", path.Join(s.Name, name), cause(err)))
			}
		}
	}
}

// readByte reads the first byte of a file.
func readByte(files fs.FS, name string) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

// IsFile reports whether this is a single file that is no snapshot, such as a list
// of jobs.
func (s *Snapshot) IsFile() bool { return s.single != nil }

// IsEmpty reports whether it is a single file without any content.
func (s *Snapshot) IsEmpty() bool {
	if s.single == nil {
		return false
	}
	_, err := s.single.Peek(1)
	return errors.Is(err, io.EOF)
}

// File returns the single file. It can be read once.
func (s *Snapshot) File() file.Source {
	return file.Source{Name: s.Name, Open: func() (io.ReadCloser, error) { return io.NopCloser(s.single), nil }}
}

// Taken returns when the snapshot was taken. ok is false where it does not say so.
func (s *Snapshot) Taken() (t time.Time, ok bool) {
	from := s.members[takenPath]
	if !from.IsGiven() {
		return time.Time{}, false
	}
	const longest = 64
	text, err := from.Text(longest)
	seconds, _, _ := strings.Cut(strings.TrimSpace(text), ".")
	unix, wrong := strconv.ParseInt(seconds, 10, 64)
	if err != nil || wrong != nil || unix <= 0 {
		return time.Time{}, false
	}
	return time.Unix(unix, 0), true
}

// Member returns the member at a path of the layout, the zero Source if there is none.
func (s *Snapshot) Member(path string) file.Source { return s.members[path] }

// KeptLogs returns the accounting logs that are to be written with it.
func (s *Snapshot) KeptLogs() []file.Source { return s.logs }

// KeptServerLogs returns the logs of the server that are to be written with it.
func (s *Snapshot) KeptServerLogs() []file.Source { return s.server }

// KeepLogs makes the logs of a site part of what is written: those of accounting, as Logs
// returns them, and those of the server, as VnodeLogs does.
func (s *Snapshot) KeepLogs(accounting, server []file.Source) { s.logs, s.server = accounting, server }

// Jobs returns the lists of jobs, the best one first.
func (s *Snapshot) Jobs() []file.Source { return s.All(Jobs) }

// Nodes returns what pbsnodes has printed, the zero Source where there is none.
func (s *Snapshot) Nodes() file.Source { return s.First(Nodes) }

// IsPrivAlone reports whether there is a sched_priv and nothing else.
func (s *Snapshot) IsPrivAlone() bool { return s.priv != "" && len(s.members) == 0 }

// Files returns what describes the site, as far as it is there.
func (s *Snapshot) Files() pbs.Files {
	f := pbs.Files{
		Queues: s.All(Queues), Resources: s.First(Resources), Sched: s.All(Attributes),
		Formula: s.First(Formula), Threshold: s.First(Threshold),
	}
	if s.priv == "" {
		return f
	}
	if sub, err := fs.Sub(s.files, s.priv); err == nil {
		f.SchedPriv = file.Dir{Name: path.Join(s.Name, s.priv), FS: sub, Optional: true}
	}
	return f
}

// First returns the first member of a part, the zero Source if there is none.
func (s *Snapshot) First(part Part) file.Source {
	if all := s.All(part); len(all) > 0 {
		return all[0]
	}
	return file.Source{}
}

// All returns the members of a part, the best one first.
func (s *Snapshot) All(part Part) []file.Source {
	var list []file.Source
	for _, m := range Members {
		if from := s.members[m.Path]; m.Part == part && from.IsGiven() {
			list = append(list, from)
		}
	}
	return list
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
