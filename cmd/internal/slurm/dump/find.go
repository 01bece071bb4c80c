package dump

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/sacct"
)

// IsSacct reports whether a file is a table of sacct, packed or not.
func IsSacct(t *file.Tree) bool { return t.FS == nil && sacct.IsTable(t.First) }

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
		if first, err := begin(t.Source(e.Name())); err == nil && sacct.IsTable([]byte(first)) {
			table = t.Join(e.Name())
		}
	}
	return table, isAlone
}

// archiveName are the names of archives.
var archiveName = regexp.MustCompile(`\.(tgz|tar(\.\w+)?)$`)

// IsEmpty reports whether an archive has no files in it, or no bytes.
func IsEmpty(t *file.Tree) bool {
	return archiveName.MatchString(t.Name) && t.FS == nil && len(bytes.Trim(t.First, "\x00")) == 0
}

// openBegins opens a site of whose files only the begins are kept.
func openBegins(t *file.Tree) (*collector, *Dump, error) {
	if t.FS == nil {
		return nil, nil, &NotSiteError{Name: t.Name}
	}
	c := &collector{tree: t, largest: maxFile, onlyBegins: true}
	best, err := c.collect()
	return c, best, err
}

// Accounting returns what the function does of where a site is. There is nothing of a live one.
func (d *Dump) Accounting() (read []file.Source, remarks []diag.Remark, err error) {
	if d.tree == nil {
		return nil, nil, &NotSiteError{Name: d.Name}
	}
	return Accounting(d.tree)
}

// Accounting returns the tables of sacct that a Slurm site has within it: that with the most columns,
// and with it those of the same columns, as of other months. Remarks say which others are left out.
// It is a *NotSiteError where there is nothing that Slurm prints.
func Accounting(t *file.Tree) (read []file.Source, remarks []diag.Remark, err error) {
	c, best, err := openBegins(t)
	if err != nil {
		return nil, nil, err
	}
	tables := best.All(KindAccounting)
	for _, dir := range sortedNames(c.folders) {
		if len(tables) == 0 {
			tables = c.folders[dir].All(KindAccounting)
		}
	}
	if len(tables) == 0 {
		return nil, c.remarks, &MissingError{t.Name, "a table of sacct with the columns JobID, State, and Submit or Start (sacct -aPD --format=ALL), from which its past is told"}
	}
	slices.SortStableFunc(tables, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	header := func(p Part) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(p.Text, "\ufeff"), "\n")
		if strings.HasPrefix(strings.TrimSpace(first), "{") {
			return "" // JSON
		}
		return strings.TrimRight(first, "\r")
	}
	widest := slices.MaxFunc(tables, func(a, b Part) int {
		return strings.Count(header(a), "|") - strings.Count(header(b), "|")
	})
	var paths, left []string
	for _, p := range tables {
		if header(p) == header(widest) {
			paths = append(paths, p.Member)
			c.remarks = append(c.remarks, t.Twice(p.Member)...)
		} else {
			left = append(left, p.Member)
		}
	}
	if read = []file.Source{t.Source(paths[0])}; len(paths) > 1 {
		read = t.Sources(paths) // each is opened for its first time as well
	}
	text := "jobs are those of " + read[0].Name
	if n := len(read) - 1; n > 0 {
		text += fmt.Sprintf(" and of %d more with its columns", n)
	}
	said := diag.Generalf("%s", text)
	if len(left) > 0 {
		said = diag.Notef("%s, without those of %s", text, strings.Join(left, ", "))
	}
	return read, append(c.remarks, said), nil
}
