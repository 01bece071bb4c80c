// Package dump reads what a Slurm site prints of itself: a folder or an archive of the output
// of scontrol, sprio, sshare, sacctmgr and squeue, each told by what is in it, or what a live site answers.
package dump

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Bounds on what is read of a site.
const (
	maxFiles = 5000
	maxFile  = 1 << 30
	maxTotal = 3 << 30
)

// Part is what one of Slurm's commands printed, or a slurm.conf.
type Part struct {
	file.Source
	Kind Kind
	Text string
}

// Dump is what a site prints of itself: the view of one person at one moment, as a folder or an archive keeps it or
// as a live site answers.
type Dump struct {
	Name    string
	Remarks []diag.Remark // on what could not be read
	Parts   []Part

	folder   string // of which they are
	size     int
	asked    time.Time         // when a live site was
	settings map[string]string // what Config returns, nil before it is asked
}

// MissingError is what a site lacks and cannot do without.
type MissingError struct{ Name, What string }

func (e *MissingError) Error() string { return e.Name + " lacks " + e.What }

// IsMissing reports whether an error says that there is nothing of a Slurm site.
func IsMissing(err error) bool {
	var none *NotSiteError
	return errors.As(err, &none)
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
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what Slurm's commands printed", c.tree.Name, maxFiles)
	}
	if c.onlyBegins && isDayLog.MatchString(path.Base(at)) {
		return nil
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
		c.folders[dir] = &Dump{Name: c.tree.Name, folder: dir}
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

// IsConf reports whether a file is a slurm.conf.
func IsConf(name string) bool {
	const most = 64 << 20
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return false
	}
	text, err := file.ReadText(name, most)
	return err == nil && KindOf(text) == KindConf
}

// All returns the parts of a kind.
func (d *Dump) All(k Kind) []Part {
	var list []Part
	for _, p := range d.Parts {
		if p.Kind == k {
			list = append(list, p)
		}
	}
	return list
}

// Only returns the parts of some kinds alone.
func (d *Dump) Only(kinds ...Kind) *Dump {
	of := &Dump{Name: d.Name}
	for _, p := range d.Parts {
		if slices.Contains(kinds, p.Kind) {
			of.Parts = append(of.Parts, p)
		}
	}
	return of
}

// Table returns the table of a kind that is parted by pipes, and not cut to widths: that with most
// columns, the first of several. Its text is "" where there is none.
func (d *Dump) Table(k Kind) (best Part) {
	most := 0
	for _, p := range d.All(k) {
		header, _, _ := strings.Cut(strings.TrimLeft(p.Text, " \t\r\n"), "\n")
		if n := strings.Count(header, "|"); n > most {
			best, most = p, n
		}
	}
	return best
}

// Config returns a setting of slurmctld by its name in lower case: as scontrol show config prints it,
// or as slurm.conf has it.
func (d *Dump) Config(name string) string {
	if d.settings == nil {
		d.settings = map[string]string{}
		for _, p := range slices.Concat(d.All(KindConfig), d.All(KindConf)) {
			for line := range strings.Lines(p.Text) {
				if p.Kind == KindConf {
					line, _, _ = strings.Cut(line, "#")
				}
				key, value, _ := strings.Cut(line, "=")
				if key = strings.ToLower(strings.TrimSpace(key)); d.settings[key] == "" {
					d.settings[key] = strings.TrimSpace(value)
				}
			}
		}
	}
	return d.settings[name]
}

// Denied says what Slurm refused to print.
func (d *Dump) Denied() (remarks []diag.Remark) {
	for _, p := range d.All(KindDenied) {
		remarks = append(remarks, diag.Warningf("%s: Slurm refused this (PrivateData), so that what it would say is not known", p.Name))
	}
	return remarks
}

// Cut says which files end in the middle of a line: what Slurm prints ends with a line break.
func (d *Dump) Cut() (remarks []diag.Remark) {
	for _, p := range d.Parts {
		if p.Kind != KindUnknown && p.Kind != KindConf && p.Kind != KindDenied && !strings.HasPrefix(p.Text, "{") && !strings.HasSuffix(p.Text, "\n") {
			remarks = append(remarks, diag.Damagef("%s ends in the middle of a line: it is cut off, and what is missing is not known", p.Name))
		}
	}
	return remarks
}

// asOf is what says when scontrol show config was asked.
var asOf = regexp.MustCompile(`^Configuration data as of (\S+)`)

// Taken returns when the site was asked: as scontrol show config says, or else the last time that
// the jobs tell of.
func (d *Dump) Taken() time.Time {
	for _, p := range d.All(KindConfig) {
		if m := asOf.FindStringSubmatch(p.Text); m != nil {
			if t, err := time.Parse(TimeLayout, m[1]); err == nil {
				return t
			}
		}
	}
	var last time.Time
	for _, p := range d.All(KindJobs) {
		for _, m := range lastTime.FindAllStringSubmatch(p.Text, -1) {
			if t, err := time.Parse(TimeLayout, m[1]); err == nil && t.After(last) {
				last = t
			}
		}
	}
	return last
}

const TimeLayout = "2006-01-02T15:04:05"

// lastTime is when the scheduler looked at a job last.
var lastTime = regexp.MustCompile(`(?:LastSchedEval|SubmitTime)=(\S+)`)
