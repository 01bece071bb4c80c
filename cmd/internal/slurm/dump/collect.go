package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// collector keeps the files that are something of a site.
type collector struct {
	tree    *file.Tree
	folders map[string]*Dump
	remarks []diag.Remark
	largest int64 // that a file may be
	files   int
	total   int64

	onlyBegins bool // whether only the begins of files are kept, which tell what they are
}

// Open returns what the folder of a site printed that has most of one. The name and the remarks are there beside
// an error as well.
func Open(name string) (*Dump, error) {
	t, err := file.OpenTree(name)
	if err != nil {
		return &Dump{Name: name}, err
	}
	return Find(t)
}

// Find returns what Open does of a tree.
func Find(t *file.Tree) (*Dump, error) { return findWithin(t, maxFile) }

// findWithin finds a site whose files have so many bytes at most.
func findWithin(t *file.Tree, largest int64) (*Dump, error) {
	c := &collector{tree: t, largest: largest}
	best, err := c.collect()
	if err != nil {
		return &Dump{Name: t.Name, Remarks: c.remarks}, err
	}
	if others := c.others(best); len(others) > 0 {
		c.remarks = append(c.remarks, diag.Generalf("%s has what Slurm printed in several folders: %s has most and is taken, without %s", t.Name, t.Join(best.folder), strings.Join(others, " and ")))
	}
	for _, p := range best.Parts {
		c.remarks = append(c.remarks, t.Twice(p.Member)...)
	}
	best.Remarks = c.remarks
	return best, nil
}

// collect keeps the files of a tree, or a slurm.conf alone, and returns the folder that has most.
func (c *collector) collect() (*Dump, error) {
	c.folders, c.remarks = map[string]*Dump{}, slices.Clone(c.tree.Remarks)
	if c.tree.FS == nil {
		if KindOf(string(c.tree.First)) != KindConf {
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
	for _, d := range c.folders { // an archive has them in any order
		slices.SortFunc(d.Parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	}
	if best := c.best(); best != nil {
		return best, nil
	}
	return nil, &NotSiteError{Name: c.tree.Name}
}

// add keeps a file if it is something of a site, as its begin tells.
func (c *collector) add(at string, from file.Source) error {
	if c.onlyBegins && isDayLog.MatchString(path.Base(at)) {
		return nil
	}
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what Slurm's commands printed", c.tree.Name, maxFiles)
	}
	text, err := begin(from)
	k := KindOf(text)
	if err == nil && k != KindUnknown && !c.onlyBegins {
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
	if err != nil || k == KindUnknown {
		return nil // such as a picture, or what else is no text
	}
	if c.total += int64(len(text)); c.total > maxTotal {
		return fmt.Errorf("%s has more than %d bytes of what Slurm prints", c.tree.Name, int64(maxTotal))
	}
	dir := path.Dir(at)
	if c.folders[dir] == nil {
		c.folders[dir] = &Dump{Name: c.tree.Name, tree: c.tree, folder: dir}
	}
	d := c.folders[dir]
	d.Parts = append(d.Parts, Part{from, k, text})
	d.size += len(text)
	return nil
}

// isDayLog finds the names of PBS's accounting logs.
var isDayLog = regexp.MustCompile(`^[0-9]{8}(\.[a-z0-9]+)?$`)

// kinds returns how many kinds of output a site has.
func (d *Dump) kinds() int {
	seen := map[Kind]bool{}
	for _, p := range d.Parts {
		seen[p.Kind] = true
	}
	return len(seen)
}

// best returns the folder with most kinds of output, and of several with most in them.
func (c *collector) best() (best *Dump) {
	for _, name := range sortedNames(c.folders) {
		d := c.folders[name]
		if best == nil || d.kinds() > best.kinds() || d.kinds() == best.kinds() && d.size > best.size {
			best = d
		}
	}
	return best
}

// others returns the names of other folders that have much of a site as well.
func (c *collector) others(best *Dump) (names []string) {
	for _, name := range sortedNames(c.folders) {
		if d := c.folders[name]; d != best && d.kinds() > 2 {
			names = append(names, c.tree.Join(name))
		}
	}
	return names
}

func sortedNames(m map[string]*Dump) []string { return slices.Sorted(maps.Keys(m)) }

// IsConf reports whether a file of its own is a slurm.conf.
func IsConf(t *file.Tree) bool {
	return t.FS == nil && bytes.IndexByte(t.First, 0) < 0 && KindOf(string(t.First)) == KindConf
}
