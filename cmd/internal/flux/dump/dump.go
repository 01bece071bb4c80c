// Package dump reads what a site of flux prints of itself: a folder or an archive of the output of flux jobs --json
// and of flux account, each told by what is in it, or what a live site answers.
package dump

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Part is what one of flux's commands printed.
type Part struct {
	file.Source
	Kind Kind
	Text string
}

// File returns the name of the file that keeps a part.
func (p Part) File() string { return strings.TrimSuffix(path.Base(p.Member), ".gz") }

// Dump is what a site prints of itself at one moment.
type Dump struct {
	Name    string
	Remarks []diag.Remark // on what could not be read
	Parts   []Part
	Asked   time.Time // when a live site was, zero for others

	folder string
	size   int
}

// NotSiteError is a folder or an archive that has nothing of a site of flux, or a file that is one part of it.
type NotSiteError struct {
	Name string
	Is   string // the part that it is, in words; "" for none
}

func (e *NotSiteError) Error() string {
	if e.Is != "" {
		return fmt.Sprintf("%s is %s: a site of flux is a folder or a .tgz with what flux jobs -a -A --json and flux account print, and formula collect --flux site.tgz writes one", e.Name, e.Is)
	}
	return e.Name + " has nothing that flux's commands print, such as flux jobs -A --json"
}

// MissingError is what a site lacks and cannot do without.
type MissingError struct{ Name, What string }

func (e *MissingError) Error() string { return e.Name + " lacks " + e.What }

// Bounds on what is read of a site.
const (
	maxFiles = 5000
	maxFile  = 1 << 30
	maxTotal = 3 << 30
)

// Find returns what the folder of a tree printed that has most of a site, or a list of jobs alone. The name and the
// remarks are there beside an error as well. A file of its own may be of some more kinds.
func Find(t *file.Tree, alone ...Kind) (*Dump, error) {
	c := &collector{tree: t, alone: append(alone, KindJobs), folders: map[string]*Dump{}, remarks: slices.Clone(t.Remarks)}
	d := &Dump{Name: t.Name}
	err := c.collect()
	if err == nil {
		if d = c.best(); d == nil {
			d, err = &Dump{Name: t.Name}, &NotSiteError{Name: t.Name}
		}
	}
	d.Remarks = c.remarks
	if err != nil {
		return d, err
	}
	if others := c.others(d); len(others) > 0 {
	}
	for _, p := range d.Parts {
		d.Remarks = append(d.Remarks, t.Twice(p.Member)...)
		if p.Kind == KindDatabase && !d.Has(KindUsers) {
			d.Remarks = append(d.Remarks, diag.Notef("%s is the database of flux-accounting, which is not read: flux account list-users --json and its like print what is in it", p.Name))
		}
	}
	return d, nil
}

// collector keeps the files that are something of a site.
type collector struct {
	tree    *file.Tree
	alone   []Kind // of which a file of its own may be
	folders map[string]*Dump
	remarks []diag.Remark
	files   int
	total   int64
}

// collect keeps the files of a tree.
func (c *collector) collect() error {
	if c.tree.FS == nil {
		if k := KindOf(string(c.tree.First)); !slices.Contains(c.alone, k) {
			return &NotSiteError{c.tree.Name, words[k]}
		}
		return c.add("printed", c.tree.Single)
	}
	for at, err := range c.tree.Files() {
		switch {
		case err != nil && at == ".":
			return fmt.Errorf("%s %w", c.tree.Name, err)
		case err != nil:
			c.remarks = append(c.remarks, diag.Damagef("%s %v", c.tree.Join(at), err))
			continue
		}
		if err := c.add(at, c.tree.Source(at)); err != nil {
			return err
		}
	}
	for _, d := range c.folders { // an archive has them in any order
		slices.SortFunc(d.Parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}

// add keeps a file if it is something of a site, as its begin tells.
func (c *collector) add(at string, from file.Source) error {
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what flux's commands printed", c.tree.Name, maxFiles)
	}
	text, err := begin(from)
	k := KindOf(text)
	if err == nil && k != KindUnknown && k != KindDatabase {
		text, err = from.Text(maxFile)
	}
	var closed *fs.PathError
	var tooLarge *file.TooLargeError
	switch {
	case errors.As(err, &closed):
		c.remarks = append(c.remarks, diag.Damagef("%s cannot be read: %v", from.Name, closed.Err))
	case errors.As(err, &tooLarge):
		c.remarks = append(c.remarks, diag.Damagef("%s has more than %d bytes and is left out", from.Name, maxFile))
	}
	if err != nil || k == KindUnknown {
		return nil // such as a picture, or what else is no text
	}
	if c.total += int64(len(text)); c.total > maxTotal {
		return fmt.Errorf("%s has more than %d bytes of what flux prints", c.tree.Name, int64(maxTotal))
	}
	dir := path.Dir(at)
	if c.folders[dir] == nil {
		c.folders[dir] = &Dump{Name: c.tree.Name, folder: dir}
	}
	d := c.folders[dir]
	d.Parts = append(d.Parts, Part{file.Source{Name: from.Name, Member: cmp.Or(from.Member, at), Open: from.Open}, k, text})
	d.size += len(text)
	return nil
}

// begin returns the begin of a file, which tells what it is.
func begin(from file.Source) (string, error) {
	in, err := from.Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	_, first, err := file.Begin(from.Name, in, mostTelling)
	return string(first), err
}

// kinds returns how many kinds of output a folder has; a list of jobs counts most.
func (d *Dump) kinds() int {
	seen := map[Kind]int{}
	for _, p := range d.Parts {
		seen[p.Kind] = 1
	}
	return len(seen) + len(words)*seen[KindJobs]
}

// best returns the folder with most kinds of output, and of several with most in them; nil where none has some that
// is flux's without a doubt.
func (c *collector) best() (best *Dump) {
	for _, name := range slices.Sorted(maps.Keys(c.folders)) {
		d := c.folders[name]
		isSome := slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Kind != KindConfigs && p.Kind != KindModules && p.Kind != KindTable })
		if isSome && (best == nil || d.kinds() > best.kinds() || d.kinds() == best.kinds() && d.size > best.size) {
			best = d
		}
	}
	return best
}

// others returns the names of other folders that have much of a site as well.
func (c *collector) others(best *Dump) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.folders)) {
		if d := c.folders[name]; d != best && d.kinds() > 2 {
			names = append(names, c.tree.Join(name))
		}
	}
	return names
}

// All returns the parts of a kind.
func (d *Dump) All(k Kind) (list []Part) {
	for _, p := range d.Parts {
		if p.Kind == k {
			list = append(list, p)
		}
	}
	return list
}

// Has reports whether there is a part of a kind.
func (d *Dump) Has(k Kind) bool { return len(d.All(k)) > 0 }

// Set adds a text as a part of a name.
func (d *Dump) Set(name, text string) {
	d.Parts = append(d.Parts, Part{file.Source{Name: d.Name + ": " + name, Member: name}, KindOf(text), text})
}

// Write writes the files as an archive or, where the name does not end as an archive's, as a new folder: whole, or
// not at all.
func (d *Dump) Write(name string) error {
	at := d.Asked
	if at.IsZero() {
		at = time.Now()
	}
	return file.WriteAll(name, at, func(f func(string, []byte) error) error {
		for _, p := range d.Parts {
			if p.Kind == KindDatabase {
				continue
			}
			if err := f(p.File(), []byte(p.Text)); err != nil {
				return err
			}
		}
		return nil
	})
}
