// Package snapshot finds what a PBS site says of itself in one place: in what pbs_snapshot writes, packed or not, in a
// sched_priv alone, in a folder of recorded files. It also writes snapshots.
package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

	tree    *file.Tree
	top     string                 // the folder of the tree that has it
	priv    string                 // the folder of sched_priv in that one, "" if there is none
	members map[string]file.Source // by their path in the layout, those that are not empty
	logs    []file.Source          // of accounting, to be written with it
	server  []file.Source          // of the server, likewise

	tables []file.Source // of qstat without -f, where there is no list of jobs
	past   []file.Source // lists with jobs that have ended, where another list has those of now
	beside []file.Source // lists of jobs that are not read, for another one that is not the same

	failed []string // which files have the error of a command, each as a clause

	isPrinted bool // whether members of it were found by what they have, whatever they are called
}

// Error is a file or a folder that is no snapshot.
type Error struct {
	Name, Detail string
	IsEmpty      bool // whether there is nothing of one
}

func (e *Error) Error() string { return e.Name + " " + e.Detail }

// Open returns what is at a place: a folder, an archive, or any other file, which
// is not read yet.
func Open(name string) (*Snapshot, error) {
	t, err := file.OpenTree(name)
	if err != nil {
		return nil, err
	}
	return In(t)
}

// New returns a snapshot of files by their paths in the layout, taken at a time.
func New(name string, files map[string][]byte, taken time.Time, remarks []diag.Remark) *Snapshot {
	files = maps.Clone(files)
	files[takenPath] = strconv.AppendInt(nil, taken.Unix(), 10)
	s := &Snapshot{Name: name, Remarks: remarks, tree: file.TreeOf(name, files)}
	for at := range files {
		if isPriv(at) {
			s.priv = pbs.PrivName
		}
	}
	s.find()
	return s
}

// In returns the snapshot in a tree: that of a file of its own is no snapshot.
func In(t *file.Tree) (*Snapshot, error) {
	if t.FS == nil {
		return &Snapshot{Name: t.Name, tree: t}, nil
	}
	within := inFolder
	if t.IsArchive() {
		within = inArchive
	}
	s, err := within(t)
	if err == nil && s.isPrinted {
		err = s.strangers()
	}
	return s, err
}

// inArchive returns the snapshot in an archive, whatever folders stand before its layout's own.
func inArchive(t *file.Tree) (*Snapshot, error) {
	tops := topsOf(t, find)
	if len(tops) == 0 {
		tops = topsOf(t, findFlat)
	}
	if len(tops) > 1 {
		return nil, severalSites(t, tops)
	}
	if len(tops) == 1 {
		if s := begin(t, strings.TrimSuffix(tops[0], "/"), t.Name); s != nil {
			s.Remarks = slices.Concat(t.Remarks, s.Remarks)
			return s, nil
		}
	}
	if len(t.Remarks) > 0 {
		return nil, errors.New(t.Remarks[0].Text)
	}
	if s, err := inPrints(t); s != nil || err != nil {
		return s, err
	}
	return nil, &Error{Name: t.Name, Detail: "is an archive without anything of a snapshot: neither sched_priv nor a list of jobs, as qstat -f or qstat -f -F json prints it", IsEmpty: true}
}

// topsOf returns what stands before the layout's paths in an archive, by what finds members.
func topsOf(t *file.Tree, find func(name string) (member, top string, ok bool)) (tops []string) {
	for at, err := range t.Files() {
		if _, top, ok := find(at); ok && err == nil && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	slices.Sort(tops)
	return tops
}

// mostBeside is how many files and folders one may have with a site among its folders that is taken for it: one with more, such as
// /tmp, has whatever somebody has left there.
const mostBeside = 50

// inFolder returns the snapshot in a folder, or in the only one of its folders that is one.
func inFolder(t *file.Tree) (*Snapshot, error) {
	if s := begin(t, "", t.Name); s != nil {
		return s, nil
	}
	entries, err := fs.ReadDir(t.FS, ".")
	if err != nil {
		return nil, err
	}
	var found []*Snapshot
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if s := begin(t, e.Name(), t.Join(e.Name())); s != nil {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		if len(entries) > mostBeside {
			return nil, fmt.Errorf("%s is no site, but a folder of %d files and folders: it has neither a sched_priv, nor a list of jobs, as qstat -f or qstat -f -F json prints it, nor a resource_group; name the site in it, %s", t.Name, len(entries), found[0].Name)
		}
		return found[0], nil
	case 0:
		if s, err := inPrints(t); s != nil || err != nil {
			return s, err
		}
		return nil, &Error{Name: t.Name, Detail: "is no snapshot: it has neither sched_priv, nor a list of jobs, as qstat -f or qstat -f -F json prints it, nor a resource_group", IsEmpty: true}
	}
	return nil, severalSnapshots(t, found[0].Name)
}

// severalSites is the error of an archive, and severalSnapshots that of a folder, with more than one site.
func severalSites(t *file.Tree, tops []string) error {
	return &Error{Name: t.Name, Detail: fmt.Sprintf("holds several sites, in %q and %q: unpack it and name one of them", tops[0], tops[1])}
}

func severalSnapshots(t *file.Tree, one string) error {
	return &Error{Name: t.Name, Detail: fmt.Sprintf("holds several snapshots: name one of them, such as %s", one)}
}

// begin returns the snapshot that begins in a folder of a tree, "" for its own, nil if none does.
func begin(t *file.Tree, top, name string) *Snapshot {
	s := &Snapshot{Name: name, tree: t, top: top}
	exists := func(at string) bool {
		at = path.Join(top, at)
		if t.Lacks(at) {
			return false
		}
		_, err := fs.Stat(t.FS, at)
		return !isMissing(err)
	}
	isHere := slices.ContainsFunc(Members, func(m Member) bool {
		return m.Part != Taken && slices.ContainsFunc(m.places(), exists)
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
	s.addPrints()
	return s
}

// find finds the members that are there and not empty. Those that cannot be read
// are remarks.
func (s *Snapshot) find() {
	s.members = map[string]file.Source{}
	for _, m := range Members {
		for _, name := range m.places() {
			if s.members[m.Path].IsGiven() {
				break
			}
			at := path.Join(s.top, name)
			if s.tree.Lacks(at) {
				continue
			}
			info, err := fs.Stat(s.tree.FS, at)
			if s.sayLink(at, err) || isMissing(err) {
				continue
			}
			if err == nil && !info.Mode().IsRegular() {
				err = errors.New("this is not a regular file")
			}
			switch {
			case err != nil:
			case !s.tree.IsArchive():
				err = readByte(s.tree.FS, at)
			case info.Size() == 0: // which costs no pass of the archive
				err = io.EOF
			}
			switch {
			case err == nil:
				from := s.tree.Source(at)
				from.Name, from.Member, from.Optional = path.Join(s.Name, name), m.Path, true
				if strings.HasSuffix(name, Packed) {
					from.Member += Packed
				}
				s.members[m.Path] = from
				s.sayTwice(at)
			case !errors.Is(err, io.EOF):
				s.remark(diag.Damagef("%s cannot be read: %v", path.Join(s.Name, name), file.Cause(err)))
			}
		}
	}
	if s.priv != "" {
		for _, name := range pbs.PrivFiles {
			at := path.Join(s.top, s.priv, name)
			if s.tree.Lacks(at) {
				continue
			}
			_, err := fs.Stat(s.tree.FS, at)
			s.sayLink(at, err)
			s.sayTwice(at)
		}
	}
}

// sayTwice says of a file that its archive has another one of its path, if it has.
func (s *Snapshot) sayTwice(at string) {
	for _, r := range s.tree.Twice(at) {
		s.remark(r)
	}
}

// sayLink says of what cannot be found that it is a link that leads nowhere, if it is one.
func (s *Snapshot) sayLink(at string, err error) bool {
	if err == nil {
		return false
	}
	why := s.tree.WhyNot(at)
	if why != "" {
		s.remark(diag.Damagef("%s is %s", s.tree.Join(at), why))
	}
	return why != ""
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
func (s *Snapshot) IsFile() bool { return s.tree.FS == nil }

// File returns the single file, which may be a stream that can be read once.
func (s *Snapshot) File() file.Source { return s.tree.Single }

// Tree returns what has the snapshot, more than that perhaps.
func (s *Snapshot) Tree() *file.Tree { return s.tree }

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

// Failed says which files of prints have the error of a command in place of what it prints, each as a clause.
func (s *Snapshot) Failed() []string { return s.failed }

// Tables returns what qstat has printed without -f where there is no list of jobs.
func (s *Snapshot) Tables() []file.Source { return s.tables }

// Passed returns the names of lists of jobs that are not read, for another one that is not the same.
func (s *Snapshot) Passed() (names []string) {
	for _, from := range s.beside {
		names = append(names, from.Name)
	}
	return names
}

// Nodes returns what pbsnodes has printed, the zero Source where there is none.
func (s *Snapshot) Nodes() file.Source { return s.First(Nodes) }

// IsPrivAlone reports whether there is a sched_priv and nothing else.
func (s *Snapshot) IsPrivAlone() bool { return s.priv != "" && len(s.members) == 0 }

// IsPrinted reports whether it is a folder of what PBS's commands print, whatever its files are called, and no snapshot.
func (s *Snapshot) IsPrinted() bool { return s.isPrinted && s.priv == "" }

// Files returns what describes the site, as far as it is there.
func (s *Snapshot) Files() pbs.Files {
	f := pbs.Files{
		Queues: s.All(Queues), Resources: s.First(Resources), Sched: s.All(Attributes),
		Formula: s.First(Formula), Threshold: s.First(Threshold),
	}
	f.Further = func(name string) file.Dir {
		if _, err := fs.Stat(s.tree.FS, path.Join(s.top, name)); err != nil {
			return file.Dir{}
		}
		return s.dir(name)
	}
	if s.priv != "" {
		f.SchedPriv = s.dir(s.priv)
	}
	return f
}

// dir returns a directory of the snapshot.
func (s *Snapshot) dir(name string) file.Dir {
	sub, err := fs.Sub(s.tree.FS, path.Join(s.top, name))
	if err != nil {
		return file.Dir{}
	}
	return file.Dir{Name: path.Join(s.Name, name), FS: sub, Optional: true}
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
