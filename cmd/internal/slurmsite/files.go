// Package slurmsite reads what a Slurm site prints of itself: a folder or an archive of the output
// of scontrol, sprio, sshare, sacctmgr and squeue, each told by what is in it. It puts the jobs
// into the order in which Slurm considers them.
package slurmsite

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Bounds on what is read of a site.
const (
	maxFiles = 5000
	maxFile  = 1 << 30
	maxTotal = 3 << 30
)

// part is a file of a site.
type part struct {
	file.Source
	kind kind
	text string
}

// folder is what one of a site's folders holds: the view of one person at one moment.
type folder struct {
	name  string
	parts []part
	size  int

	settings map[string]string // what config returns, nil before it is asked
}

// NotSiteError is a folder or an archive that has nothing of a Slurm site, or a file that is one part of it.
type NotSiteError struct {
	Name string
	Is   string // the part that it is, in words; "" for none
}

func (e *NotSiteError) Error() string {
	if e.Is != "" {
		return fmt.Sprintf("%s is %s: a Slurm site is a folder or a .tgz with what several of its commands print, and formula collect --slurm site.tgz writes one", e.Name, e.Is)
	}
	return e.Name + " has nothing that Slurm's commands print, such as scontrol show job and sprio -l"
}

// collector keeps the files that are something of a site.
type collector struct {
	name    string
	folders map[string]*folder
	remarks []diag.Remark
	largest int64 // that a file may be
	files   int
	total   int64

	onlyBegins bool // whether only the begins of files are kept, which tell what they are
}

// open returns the files of the folder of a site that has most of one, with remarks on what could
// not be read.
func open(name string) (*folder, []diag.Remark, error) {
	return openWithin(name, maxFile)
}

// openWithin opens a site whose files have so many bytes at most.
func openWithin(name string, largest int64) (*folder, []diag.Remark, error) {
	c := &collector{name: name, largest: largest, folders: map[string]*folder{}}
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case info.IsDir():
		err = c.walk()
	case IsConf(name):
		err = c.add("slurm.conf", file.At(name))
	default:
		if err = Alone(name); err == nil {
			err = c.unpack()
		}
	}
	if err != nil {
		return nil, c.remarks, err
	}
	best, others := c.best()
	if best == nil {
		return nil, c.remarks, &NotSiteError{Name: name}
	}
	if len(others) > 0 {
		c.remarks = append(c.remarks, diag.Generalf("%s has what Slurm printed in several folders: %s has most and is taken, without %s", name, path.Join(name, best.name), strings.Join(others, " and ")))
	}
	return best, c.remarks, nil
}

// walk reads the files of a folder, and those of its folders.
func (c *collector) walk() error {
	const deepest = 3
	root := os.DirFS(c.name)
	return fs.WalkDir(root, ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at == ".":
			return err
		case err != nil:
			c.remarks = append(c.remarks, diag.Damagef("%s cannot be read: %v", path.Join(c.name, at), err))
			return nil
		case e.IsDir() && strings.Count(at, "/") >= deepest:
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		info, err := fs.Stat(root, at)
		if err != nil {
			c.remarks = append(c.remarks, diag.Damagef("%s cannot be read: %v", path.Join(c.name, at), err))
		}
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		return c.add(at, file.Source{Name: path.Join(c.name, at), Member: at, Open: func() (io.ReadCloser, error) { return root.Open(at) }})
	})
}

// unpack reads the files of an archive.
func (c *collector) unpack() error {
	f, err := os.Open(c.name)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := file.Plain(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	for t := tar.NewReader(io.LimitReader(plain, maxTotal)); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			c.remarks = append(c.remarks, diag.Cutf("%s is cut off or damaged, its rest is lost: %v", c.name, err))
			return nil
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		at := path.Clean(strings.TrimLeft(header.Name, "/"))
		var b bytes.Buffer
		if _, err := io.Copy(&b, io.LimitReader(t, c.largest+1)); err != nil {
			c.remarks = append(c.remarks, diag.Cutf("%s is cut off: %v", path.Join(c.name, at), err))
		}
		from := file.Source{Name: path.Join(c.name, at), Member: at, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }}
		if err := c.add(at, from); err != nil {
			return err
		}
	}
}

// add keeps a file if it is something of a site.
func (c *collector) add(at string, from file.Source) error {
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what Slurm's commands printed", c.name, maxFiles)
	}
	read := func() (string, error) { return from.Text(c.largest) }
	if c.onlyBegins {
		if isDayLog.MatchString(path.Base(at)) {
			return nil
		}
		read = func() (string, error) { return begin(from) }
	}
	text, err := read()
	var tooLarge *file.TooLargeError
	if errors.As(err, &tooLarge) {
		return c.addLarge(from)
	}
	var closed *fs.PathError
	if errors.As(err, &closed) {
		c.remarks = append(c.remarks, diag.Damagef("%s cannot be read: %v", from.Name, closed.Err))
	}
	if err != nil {
		return nil // a picture, or what else is no text
	}
	k := kindOf(text)
	if k == unknown {
		return nil
	}
	if c.total += int64(len(text)); c.total > maxTotal {
		return fmt.Errorf("%s has more than %d bytes of what Slurm prints", c.name, int64(maxTotal))
	}
	dir := path.Dir(at)
	if c.folders[dir] == nil {
		c.folders[dir] = &folder{name: dir}
	}
	f := c.folders[dir]
	f.parts = append(f.parts, part{from, k, text})
	f.size += len(text)
	return nil
}

// isDayLog finds the names of PBS's accounting logs.
var isDayLog = regexp.MustCompile(`^[0-9]{8}(\.[a-z0-9]+)?$`)

// addLarge says of a file that is too large that it is left out, if it is something of a site.
func (c *collector) addLarge(from file.Source) error {
	in, err := from.Open()
	if err != nil {
		return nil
	}
	defer in.Close()
	if _, begin, err := file.Begin(from.Name, in, mostTelling); err == nil && kindOf(string(begin)) != unknown {
		c.remarks = append(c.remarks, diag.Damagef("%s has more than %d bytes and is left out", from.Name, c.largest))
	}
	return nil
}

// best returns the folder with most kinds of output, and of several with most in them; and the
// names of the others.
func (c *collector) best() (best *folder, others []string) {
	kinds := func(f *folder) int {
		seen := map[kind]bool{}
		for _, p := range f.parts {
			seen[p.kind] = true
		}
		return len(seen)
	}
	for _, name := range sortedNames(c.folders) {
		f := c.folders[name]
		if best == nil || kinds(f) > kinds(best) || kinds(f) == kinds(best) && f.size > best.size {
			best = f
		}
	}
	for _, name := range sortedNames(c.folders) {
		if f := c.folders[name]; f != best && kinds(f) > 2 {
			others = append(others, path.Join(c.name, name))
		}
	}
	return best, others
}

func sortedNames(m map[string]*folder) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// IsConf reports whether a file is a slurm.conf.
func IsConf(name string) bool {
	const most = 64 << 20
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return false
	}
	text, err := file.ReadText(name, most)
	return err == nil && kindOf(text) == isConf
}

// all returns the files of a kind.
func (f *folder) all(k kind) []part {
	var list []part
	for _, p := range f.parts {
		if p.kind == k {
			list = append(list, p)
		}
	}
	return list
}

// only returns the files of some kinds alone.
func (f *folder) only(kinds []kind) *folder {
	of := &folder{name: f.name}
	for _, p := range f.parts {
		if slices.Contains(kinds, p.kind) {
			of.parts = append(of.parts, p)
		}
	}
	return of
}

// table returns the table of a kind that is parted by pipes, and not cut to widths: that with most
// columns, the first of several. Its text is "" where there is none.
func (f *folder) table(k kind) (best part) {
	most := 0
	for _, p := range f.all(k) {
		header, _, _ := strings.Cut(strings.TrimLeft(p.text, " \t\r\n"), "\n")
		if n := strings.Count(header, "|"); n > most {
			best, most = p, n
		}
	}
	return best
}

// config returns a setting of slurmctld by its name in lower case: as scontrol show config prints it,
// or as slurm.conf has it.
func (f *folder) config(name string) string {
	if f.settings == nil {
		f.settings = map[string]string{}
		for _, p := range slices.Concat(f.all(isConfig), f.all(isConf)) {
			for line := range strings.Lines(p.text) {
				if p.kind == isConf {
					line, _, _ = strings.Cut(line, "#")
				}
				key, value, _ := strings.Cut(line, "=")
				if key = strings.ToLower(strings.TrimSpace(key)); f.settings[key] == "" {
					f.settings[key] = strings.TrimSpace(value)
				}
			}
		}
	}
	return f.settings[name]
}
