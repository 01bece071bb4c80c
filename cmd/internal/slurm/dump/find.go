package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sacct"
)

// IsSacct reports whether a file is a table of sacct, packed or not.
func IsSacct(t *file.Tree) bool { return t.FS == nil && sacct.IsTable(t.First) }

// IsOfSite reports whether a place has something that Slurm's commands print. In a folder a slurm.conf, or what is none of
// the texts that are known, is not enough: the line of one may stand in the environment of a job of PBS.
func IsOfSite(t *file.Tree) bool {
	if t.FS == nil {
		return IsSacct(t) || IsConf(t) || PieceOf(t.First) != ""
	}
	folders, _, err := collect(t, headsOnly)
	return err == nil && slices.ContainsFunc(folders.All(), func(f *file.Folder[Kind]) bool {
		return slices.ContainsFunc(f.Parts, func(p Part) bool { return parts[p.Kind] != "" })
	})
}

// FindSacct returns a table of sacct in a directory, "" if there is none. isAlone reports whether the directory has no
// others in it, which may be of other moments.
func FindSacct(t *file.Tree) (table string, isAlone bool) {
	if t.FS == nil || t.IsArchive() {
		return "", false
	}
	entries, err := fs.ReadDir(t.FS, ".")
	const most = 1000 // files
	if err != nil || len(entries) > most {
		return "", false
	}
	isAlone = true
	for _, e := range entries {
		isAlone = isAlone && !e.IsDir()
		if table != "" {
			continue
		}
		info, err := fs.Stat(t.FS, e.Name())
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if first, err := t.Head(e.Name()); err == nil && sacct.IsTable([]byte(first)) {
			table = t.Join(e.Name())
		}
	}
	return table, isAlone
}

// OnlyTables returns the tables of sacct of a folder or an archive that has nothing else of a Slurm site, none of others.
func OnlyTables(t *file.Tree) []file.Source {
	folders, _, err := collect(t, headsOnly)
	if err != nil || t.FS == nil {
		return nil
	}
	for _, f := range folders.All() {
		if slices.ContainsFunc(f.Parts, func(p Part) bool { return !isOfRecord(p) }) {
			return nil
		}
	}
	tables, _, _ := Accounting(t)
	return tables
}

// IsEmpty reports whether an archive has no files in it, or no bytes.
func IsEmpty(t *file.Tree) bool {
	return file.IsArchiveName(t.Name) && t.FS == nil && len(bytes.Trim(t.First, "\x00")) == 0
}

// isDayLog finds the names of PBS's accounting logs.
var isDayLog = pattern.Of(`^[0-9]{8}(\.[a-z0-9]+)?$`)

// headsOnly keeps the begins of files alone, which tell what they are, and passes over PBS's accounting logs.
var headsOnly = file.Commands[Kind]{
	Largest: file.MostPrinted, KeepsHead: func(Kind) bool { return true }, Skips: func(at string) bool { return isDayLog().MatchString(path.Base(at)) },
}

// Accounting returns what the function does of where a site is. There is nothing of a live one.
func (d *Dump) Accounting() (read []file.Source, remarks []diag.Remark, err error) {
	if d.tree == nil {
		return nil, nil, &NotSiteError{Name: d.Name}
	}
	return Accounting(d.tree)
}

// isOfRecord reports whether a part is a table of sacct, or adds to others.
func isOfRecord(p Part) bool {
	return p.Kind == KindAccounting || sacct.IsPart([]byte(p.Text[:min(len(p.Text), file.MostTelling)]))
}

// recordOf returns the tables of sacct of the folder of a site and of those that have nothing else, or else those of the first
// folder that has any.
func recordOf(folders *file.Folders[Kind], best *file.Folder[Kind]) (tables []Part) {
	var others []Part
	for _, f := range folders.All() {
		own := slices.DeleteFunc(slices.Clone(f.Parts), func(p Part) bool { return !isOfRecord(p) })
		switch {
		case f == best || len(own) == len(f.Parts):
			tables = append(tables, own...)
		case len(others) == 0:
			others = own
		}
	}
	if len(tables) == 0 {
		tables = others
	}
	if !slices.ContainsFunc(tables, func(p Part) bool { return p.Kind == KindAccounting }) {
		return nil // there is nothing to add to
	}
	return tables
}

// TakeRecord adds the tables of sacct that stand in other folders of a site, of which it is replayed, where it has none in its own.
func (d *Dump) TakeRecord() error {
	if d.tree == nil || len(d.All(KindAccounting)) > 0 {
		return nil
	}
	tables, remarks, err := Accounting(d.tree)
	var missing *MissingError
	if errors.As(err, &missing) || IsMissing(err) {
		return nil
	}
	for i, table := range tables {
		var text string
		if text, err = table.Text(file.MostPrinted); err != nil {
			return err
		}
		d.Set(fmt.Sprintf("sacct-%d.txt", i+1), text)
	}
	d.Remarks = append(d.Remarks, remarks...)
	return err
}

// Accounting returns the tables of sacct that a Slurm site has within it, and in folders that have nothing else. Those with other
// columns are joined, as where they are named.
// It is a *NotSiteError where there is nothing that Slurm prints.
func Accounting(t *file.Tree) (read []file.Source, remarks []diag.Remark, err error) {
	if t.FS == nil {
		if read = pastedTables(t); read == nil {
			return nil, nil, &NotSiteError{Name: t.Name}
		}
		return read, []diag.Remark{diag.Generalf("jobs are those of the table of sacct in %s", t.Name)}, nil
	}
	folders, best, err := collect(t, headsOnly)
	if err != nil {
		return nil, nil, err
	}
	remarks = folders.Remarks
	tables := recordOf(folders, best)
	for _, f := range folders.All() {
		if at := slices.IndexFunc(f.Parts, func(p Part) bool { return isUnreadSacct(p.Text) }); at >= 0 && len(tables) == 0 {
			return nil, remarks, &MissingError{Name: t.Name, What: "a table of sacct that is read: " + f.Parts[at].Name + " is " + ofUnreadSacct(f.Parts[at].Text), IsUnread: true}
		}
	}
	if len(tables) == 0 {
		return nil, remarks, (&Dump{Name: t.Name, Parts: best.Parts}).Lacks("a table of sacct with the columns " + sacct.Needed + " (sacct -aPD --format=ALL), from which its past is told")
	}
	slices.SortStableFunc(tables, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	var paths []string
	for _, p := range tables {
		paths = append(paths, p.Member)
		remarks = append(remarks, t.Twice(p.Member)...)
	}
	if read = []file.Source{t.Source(paths[0])}; len(paths) > 1 {
		read = t.Sources(paths) // each is opened for its first time as well
	}
	said := diag.Generalf("jobs are those of %s", read[0].Name)
	if n := len(read) - 1; n > 0 {
		said = diag.Generalf("jobs are those of %s and of %d more: %s", read[0].Name, n, report.First(paths[1:]))
	}
	return read, append(remarks, said), nil
}
