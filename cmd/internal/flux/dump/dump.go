// Package dump reads what a site of flux prints of itself: a folder or an archive of the output of flux jobs --json
// and of flux account, each told by what is in it, or what a live site answers.
package dump

import (
	"fmt"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Part is what one of flux's commands printed.
type Part = file.Printed[Kind]

// Dump is what a site prints of itself at one moment.
type Dump struct {
	Name    string
	Remarks []diag.Remark // on what could not be read
	Parts   []Part
	Asked   time.Time // when a live site was, zero for others
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

// Lacks returns that a site lacks something, with what it has where that is of one of flux's commands.
func (d *Dump) Lacks(what string) *file.MissingError {
	e := &file.MissingError{Name: d.Name, What: what}
	if len(d.Parts) == 1 {
		e.Has = words[d.Parts[0].Kind]
	}
	return e
}

// printed are the texts of flux's commands; of a database the begin is kept alone.
var printed = file.Commands[Kind]{
	Name: "flux", KindOf: KindOf, Largest: file.MostPrinted, KeepsHead: func(k Kind) bool { return k == KindDatabase }, Weight: weight,
}

// weight returns how many kinds of texts a folder has, of which a list of jobs counts most; 0 where none is flux's
// without a doubt.
func weight(f *file.Folder[Kind]) int {
	if !slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Kind != KindConfigs && p.Kind != KindModules && p.Kind != KindTable }) {
		return 0
	}
	if len(file.OfKind(f.Parts, KindJobs)) > 0 {
		return f.Kinds() + len(words)
	}
	return f.Kinds()
}

// Find returns what the folder of a tree printed that has most of a site, or a list of jobs alone. The name and the
// remarks are there beside an error as well. A file of its own may be of some more kinds.
func Find(t *file.Tree, alone ...Kind) (*Dump, error) {
	d := &Dump{Name: t.Name, Remarks: t.Remarks}
	if k := KindOf(string(t.First)); t.FS == nil && k != KindJobs && !slices.Contains(alone, k) {
		return d, &NotSiteError{t.Name, words[k]}
	}
	folders, err := printed.Folders(t, "printed")
	if d.Remarks = folders.Remarks; err != nil {
		return d, err
	}
	best := folders.Best()
	if best == nil {
		return d, &NotSiteError{Name: t.Name}
	}
	d.Parts, d.Remarks = best.Parts, append(d.Remarks, folders.Take(best)...)
	for _, p := range d.All(KindDatabase) {
		if !d.Has(KindUsers) {
			d.Remarks = append(d.Remarks, diag.Notef("%s is the database of flux-accounting, which is not read: flux account list-users --json and its like print what is in it", p.Name))
		}
	}
	return d, nil
}

// All returns the parts of a kind.
func (d *Dump) All(k Kind) []Part { return file.OfKind(d.Parts, k) }

// Has reports whether there is a part of a kind.
func (d *Dump) Has(k Kind) bool { return len(d.All(k)) > 0 }

// Set adds a text as a part of a name.
func (d *Dump) Set(name, text string) {
	d.Parts = append(d.Parts, Part{Source: file.Source{Name: d.Name + ": " + name, Member: name}, Kind: KindOf(text), Text: text})
}

// Moment returns when a live site was asked, and now of others.
func (d *Dump) Moment() time.Time {
	if d.Asked.IsZero() {
		return time.Now()
	}
	return d.Asked
}

// Write writes the files as an archive or, where the name does not end as an archive's, as a new folder: whole, or
// not at all.
func (d *Dump) Write(name string) error {
	return file.WriteAll(name, d.Moment(), func(f func(string, []byte) error) error {
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
