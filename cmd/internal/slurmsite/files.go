// Package slurmsite reads what a Slurm site prints of itself: a folder or an archive of the output
// of scontrol, sprio, sshare, sacctmgr and squeue, each told by what is in it. It puts the jobs
// into the order in which Slurm considers them.
package slurmsite

import (
	"errors"
	"fmt"
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
	tree    *file.Tree
	folders map[string]*folder
	remarks []diag.Remark
	largest int64 // that a file may be
	files   int
	total   int64

	onlyBegins bool // whether only the begins of files are kept, which tell what they are
}

// openIn returns the files of the folder of a site that has most of one, with remarks on what could
// not be read.
func openIn(t *file.Tree) (*folder, []diag.Remark, error) { return openWithin(t, maxFile) }

// openWithin opens a site whose files have so many bytes at most.
func openWithin(t *file.Tree, largest int64) (*folder, []diag.Remark, error) {
	c := &collector{tree: t, largest: largest}
	best, err := c.collect()
	if err != nil {
		return nil, c.remarks, err
	}
	if others := c.others(best); len(others) > 0 {
		c.remarks = append(c.remarks, diag.Generalf("%s has what Slurm printed in several folders: %s has most and is taken, without %s", t.Name, t.Join(best.name), strings.Join(others, " and ")))
	}
	return best, c.remarks, nil
}

// collect keeps the files of a tree, or a slurm.conf alone, and returns the folder that has most.
func (c *collector) collect() (*folder, error) {
	c.folders, c.remarks = map[string]*folder{}, slices.Clone(c.tree.Remarks)
	if c.tree.FS == nil {
		if kindOf(string(c.tree.First)) != isConf {
			return nil, &NotSiteError{c.tree.Name, aloneIs(c.tree.First)}
		}
		if err := c.add("slurm.conf", c.tree.Single); err != nil {
			return nil, err
		}
	} else {
		for at, err := range c.tree.Files() {
			switch {
			case err != nil && at == ".":
				return nil, fmt.Errorf("%s %w", c.tree.Name, err)
			case err != nil:
				c.remarks = append(c.remarks, diag.Damagef("%s %v", c.tree.Join(at), err))
				continue
			}
			if err := c.add(at, c.tree.Source(at)); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range c.folders { // an archive has them in any order
		slices.SortFunc(f.parts, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	}
	if best := c.best(); best != nil {
		return best, nil
	}
	return nil, &NotSiteError{Name: c.tree.Name}
}

// add keeps a file if it is something of a site, as its begin tells.
func (c *collector) add(at string, from file.Source) error {
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what Slurm's commands printed", c.tree.Name, maxFiles)
	}
	if c.onlyBegins && isDayLog.MatchString(path.Base(at)) {
		return nil
	}
	text, err := begin(from)
	k := kindOf(text)
	if err == nil && k != unknown && !c.onlyBegins {
		text, err = from.Text(c.largest)
	}
	var closed *fs.PathError
	var tooLarge *file.TooLargeError
	switch {
	case errors.As(err, &closed):
		c.remarks = append(c.remarks, diag.Damagef("%s cannot be read: %v", from.Name, closed.Err))
	case errors.As(err, &tooLarge):
		c.remarks = append(c.remarks, diag.Damagef("%s has more than %d bytes and is left out", from.Name, c.largest))
	}
	if err != nil || k == unknown {
		return nil // such as a picture, or what else is no text
	}
	if c.total += int64(len(text)); c.total > maxTotal {
		return fmt.Errorf("%s has more than %d bytes of what Slurm prints", c.tree.Name, int64(maxTotal))
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

// kinds returns how many kinds of output a folder has.
func (f *folder) kinds() int {
	seen := map[kind]bool{}
	for _, p := range f.parts {
		seen[p.kind] = true
	}
	return len(seen)
}

// best returns the folder with most kinds of output, and of several with most in them.
func (c *collector) best() (best *folder) {
	for _, name := range sortedNames(c.folders) {
		f := c.folders[name]
		if best == nil || f.kinds() > best.kinds() || f.kinds() == best.kinds() && f.size > best.size {
			best = f
		}
	}
	return best
}

// others returns the names of other folders that have much of a site as well.
func (c *collector) others(best *folder) (names []string) {
	for _, name := range sortedNames(c.folders) {
		if f := c.folders[name]; f != best && f.kinds() > 2 {
			names = append(names, c.tree.Join(name))
		}
	}
	return names
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
