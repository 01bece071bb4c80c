package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Printed is a text that one of a scheduler's commands printed, of a kind.
type Printed[K comparable] struct {
	Source
	Kind  K
	Text  string
	Above int // how many blank lines the file has above it
}

// File returns the name of the file that keeps it.
func (p Printed[K]) File() string { return strings.TrimSuffix(path.Base(p.Member), ".gz") }

// OfKind returns those of some texts that are of a kind.
func OfKind[K comparable](all []Printed[K], kind K) (list []Printed[K]) {
	for _, p := range all {
		if p.Kind == kind {
			list = append(list, p)
		}
	}
	return list
}

// MissingError is what a site lacks and cannot do without.
type MissingError struct {
	Name, What string
	Has        string // all that there is, where it is little, in words; "" for more
	IsUnread   bool   // whether it is there in a form that is not read, which What names
}

func (e *MissingError) Error() string {
	if e.Has != "" {
		return e.Name + " lacks " + e.What + "; all that is read there is " + e.Has
	}
	return e.Name + " lacks " + e.What
}

// MostTelling is how many bytes of a text tell what a scheduler's command printed it.
const MostTelling = 64 << 10

// MostPrinted is how many bytes a file with what a command printed may have.
const MostPrinted = 1 << 30

// Bounds on what is read of a site.
const (
	mostFiles = 5000
	mostBytes = 3 << 30
)

// Commands are those of a scheduler that print what a site has.
type Commands[K comparable] struct {
	Name    string         // of the scheduler
	KindOf  func(string) K // of a text by its begin, the zero K for one that is nothing of a site
	Largest int64          // bytes that a file may have, which is left out otherwise

	Skips     func(at string) bool // reports whether a file is nothing by its name; nil for none
	KeepsHead func(K) bool         // reports whether of a text of a kind the begin is kept alone; nil for never

	// Knows reports whether files of a kind that file.KindOf returns are among what a site has, though none of this reads
	// them; nil for none.
	Knows func(kind string) bool

	// Cut returns where in a text of a kind others begin that stand below the first one, as where people put several into a file; nil
	// for never.
	Cut func(kind K, text string) []int

	// Weight returns how much of a site a folder has, 0 for one that is none; nil for the number of kinds.
	Weight func(f *Folder[K]) int
}

// Folder is what a folder has of what a scheduler's commands printed.
type Folder[K comparable] struct {
	Name  string // within the tree
	Parts []Printed[K]
	size  int

	Pasted []string // files with the prints of several commands, one below the other

	passed []passedFile           // those that are nothing of a site
	knows  func(kind string) bool // as of Commands
}

// passedFile is a file that is nothing of a site, with its begin, by which it is known what else it is.
type passedFile struct{ name, begin string }

// Passed returns remarks on the files of a folder that are nothing of a site, with what they are where nothing but prose is of
// such as well.
func (f *Folder[K]) Passed() (remarks []diag.Remark) {
	var passed, empty []string
	for _, p := range f.passed {
		switch kind := KindOf([]byte(p.begin)); {
		case f.knows != nil && f.knows(kind):
		case kind == Empty:
			empty = append(empty, p.name)
		case kind != "" && (kind != CSV || strings.HasSuffix(p.name, ".csv")):
			passed = append(passed, p.name+" ("+kind+")")
		default:
			passed = append(passed, p.name)
		}
	}
	if len(empty) > 0 {
		remarks = append(remarks, diag.Notef("passed over, as empty: %s", Several(empty)).Joined(diag.Place, "%s", inShort(empty, "empty: ", "empty file")))
	}
	if len(passed) > 0 {
		short := inShort(passed, "passed over: ", "file")
		if len(passed) > fewNamed {
			short += " passed over"
		}
		remarks = append(remarks, diag.Notef("passed over: %s", Several(passed)).Joined(diag.Place, "%s", short))
	}
	return remarks
}

// fewNamed is how many files are named where not all notes are wanted.
const fewNamed = 2

// inShort names files without their folder where they are few, behind a head, and else counts them as what they are.
func inShort(names []string, head, noun string) string {
	if len(names) > fewNamed {
		return report.Count(len(names), noun)
	}
	return head + strings.ReplaceAll(Several(names), path.Dir(names[0])+"/", "")
}

// Failed says which files of a folder have the error of a command in place of what it prints, each as a clause.
func (f *Folder[K]) Failed() (clauses []string) {
	for _, p := range f.passed {
		if kind := KindOf([]byte(p.begin)); IsError(kind) {
			clauses = append(clauses, p.name+" is "+kind)
		}
	}
	return clauses
}

// Pass makes what is of a kind something that is nothing of a site, as where something else tells it.
func (f *Folder[K]) Pass(kind K) {
	for _, p := range OfKind(f.Parts, kind) {
		f.passed = append(f.passed, passedFile{p.Name, p.Text})
	}
}

// Use takes in which files of a folder are read though they are nothing that commands print: Passed does not name them.
func (f *Folder[K]) Use(names []string) {
	f.passed = slices.DeleteFunc(f.passed, func(p passedFile) bool { return slices.Contains(names, p.name) })
}

// Several returns names of files of a folder, of many the first ones and how many there are beside them.
func Several(names []string) string {
	const most = 5
	slices.Sort(names)
	if more := len(names) - most; more > 1 {
		return fmt.Sprintf("%s and %d more in %s", strings.Join(names[:most], ", "), more, path.Dir(names[0]))
	}
	return strings.Join(names, ", ")
}

// Are is Several, with the verb of what is said of them.
func Are(names []string) string {
	if len(names) > 1 {
		return Several(names) + " are"
	}
	return Several(names) + " is"
}

// Kinds returns how many kinds of texts a folder has.
func (f *Folder[K]) Kinds() int {
	seen := map[K]bool{}
	for _, p := range f.Parts {
		seen[p.Kind] = true
	}
	return len(seen)
}

// Folders are those of a tree that have something of what a scheduler's commands printed.
type Folders[K comparable] struct {
	Remarks []diag.Remark // on what could not be read

	of    Commands[K]
	tree  *Tree
	all   map[string]*Folder[K]
	files int
	total int64
}

// Folders returns the folders of a tree; of a file of its own it is one with that alone, which goes by the name alone.
// Their remarks are there beside an error as well.
func (c Commands[K]) Folders(t *Tree, alone string) (*Folders[K], error) {
	f := &Folders[K]{Remarks: slices.Clone(t.Remarks), of: c, tree: t, all: map[string]*Folder[K]{}}
	if t.FS == nil {
		single := t.Single
		single.Member = alone
		return f, f.add(alone, single, func() (string, error) { return string(t.First), nil })
	}
	for at, err := range t.Files() {
		switch {
		case err != nil && at == ".":
			return f, fmt.Errorf("%s %w", t.Name, err)
		case err != nil:
			f.Remarks = append(f.Remarks, diag.Damagef("%s %v", t.Join(at), err))
			continue
		}
		if err := f.add(at, t.Source(at), func() (string, error) { return t.Head(at) }); err != nil {
			return f, err
		}
	}
	for _, d := range f.all { // an archive has them in any order
		slices.SortFunc(d.Parts, func(a, b Printed[K]) int { return strings.Compare(a.Name, b.Name) })
	}
	return f, nil
}

// add keeps a file if it is something of a site, as its begin tells. It is read once, as standard input can be.
func (f *Folders[K]) add(at string, from Source, head func() (string, error)) error {
	if f.of.Skips != nil && f.of.Skips(at) {
		return nil
	}
	if f.files++; f.files > mostFiles {
		return fmt.Errorf("%s has more than %d files: name the folder in it that has what %s's commands printed", f.tree.Name, mostFiles, f.of.Name)
	}
	text, err := head()
	var unknown K
	kind, isSpoilt := f.of.kindIn(f.tree, at, text)
	if isTar(text) { // whose first file may be such a print
		kind = unknown
	}
	isWhole := isSpoilt || f.of.KeepsHead == nil || !f.of.KeepsHead(kind)
	if err == nil && kind != unknown && isWhole {
		text, err = from.Text(f.of.Largest)
		if lines := strings.LastIndexByte(text, '\n') + 1; errors.Is(err, io.ErrUnexpectedEOF) && lines > 0 {
			f.Remarks = append(f.Remarks, diag.Cutf("%s is cut off: what is left of it is used", from.Name))
			text, err = text[:lines], nil
		}
		from.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	var closed *fs.PathError
	var tooLarge *TooLargeError
	switch {
	case errors.As(err, &closed):
		f.Remarks = append(f.Remarks, diag.Damagef("%s cannot be read: %v", from.Name, closed.Err))
	case errors.As(err, &tooLarge):
		f.Remarks = append(f.Remarks, diag.Damagef("%s has more than %d bytes and is left out", from.Name, f.of.Largest))
	case err != nil && kind != unknown:
		f.Remarks = append(f.Remarks, diag.Damagef("%v, though it begins as what %s prints: it is left out", err, f.of.Name))
	}
	dir := path.Dir(at)
	if f.all[dir] == nil {
		f.all[dir] = &Folder[K]{Name: dir, knows: f.of.Knows}
	}
	d := f.all[dir]
	const most = 2 << 10 // bytes, since it takes long to find out what a file is that nobody asks about
	switch isHidden := strings.HasPrefix(path.Base(from.Name), "."); {
	case err == nil && kind == unknown && !isHidden: // as a file system or an editor leaves those
		d.passed = append(d.passed, passedFile{from.Name, strings.Clone(text[:min(len(text), most)])})
		return nil
	case err != nil || kind == unknown:
		return nil
	}
	if f.total += int64(len(text)); f.total > mostBytes {
		return fmt.Errorf("%s has more than %d bytes of what %s prints", f.tree.Name, int64(mostBytes), f.of.Name)
	}
	d.size += len(text)
	if isWhole { // of a begin alone, nobody asks what else stands in the file
		if cuts := f.of.cuts(kind, text); cuts != nil {
			d.addPasted(f.of, from, text, cuts)
			return nil
		}
	}
	blank := blankLines().FindString(text)
	d.Parts = append(d.Parts, Printed[K]{from, kind, text[len(blank):], strings.Count(blank, "\n")})
	return nil
}

// blankLines are those that a text begins with.
var blankLines = pattern.Of(`^([ \t]*\r?\n)+`)

// Head returns the begin of a file, which tells what a scheduler's command printed it.
func (s Source) Head() (string, error) {
	in, err := s.Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	buffer := borrow(in)
	defer giveBack(buffer)
	_, first, err := begin(s.Name, buffer, MostTelling)
	return string(first), err
}

// All returns the folders that have something by their names.
func (f *Folders[K]) All() (list []*Folder[K]) {
	for _, name := range slices.Sorted(maps.Keys(f.all)) {
		if d := f.all[name]; len(d.Parts) > 0 {
			list = append(list, d)
		}
	}
	return list
}

func (f *Folders[K]) weight(d *Folder[K]) int {
	if f.of.Weight == nil {
		return d.Kinds()
	}
	return f.of.Weight(d)
}

// Best returns the folder that has most of a site, and of several the one with most in it; nil if none has some.
func (f *Folders[K]) Best() (best *Folder[K]) {
	most := 0
	for _, d := range f.All() {
		if n := f.weight(d); n > most || n > 0 && n == most && d.size > best.size {
			best, most = d, n
		}
	}
	return best
}

// Take returns the remarks on the folder that is taken: which others have much of a site as well, which of its files an
// archive has twice, and which are nothing of a site.
func (f *Folders[K]) Take(best *Folder[K]) (remarks []diag.Remark) {
	var others []string
	for _, d := range f.All() {
		if d != best && f.weight(d) > 2 {
			others = append(others, f.tree.Join(d.Name))
		}
	}
	if len(others) > 0 {
		said := diag.Generalf("%s has what %s printed in several folders: %s has most and is taken, without %s", f.tree.Name, f.of.Name, f.tree.Join(best.Name), strings.Join(others, " and ")).OfPeople() // after whom folders may be called
		said.Short = fmt.Sprintf("%s, of which %s is read", f.tree.Name, best.Name)
		remarks = append(remarks, said)
	}
	for _, p := range best.Parts {
		remarks = append(remarks, f.tree.Twice(p.Member)...)
	}
	return append(remarks, best.Passed()...)
}
