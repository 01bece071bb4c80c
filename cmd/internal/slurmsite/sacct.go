package slurmsite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// IsSacct reports whether a file is a table of sacct, packed or not.
func IsSacct(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	first, err := begin(file.At(name))
	return err == nil && trace.IsSacct([]byte(first))
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

// FindSacct returns the largest table of sacct in a directory, "" if there is none. isAlone reports
// whether the directory has no others in it, which may be of other moments.
func FindSacct(dir string) (table string, isAlone bool) {
	entries, err := os.ReadDir(dir)
	const most = 1000 // files
	if err != nil || len(entries) > most {
		return "", false
	}
	isAlone = true
	largest := int64(-1)
	for _, e := range entries {
		isAlone = isAlone && !e.IsDir()
		name := filepath.Join(dir, e.Name())
		if info, err := e.Info(); err == nil && info.Size() > largest && IsSacct(name) {
			table, largest = name, info.Size()
		}
	}
	return table, isAlone
}

// IsSite reports whether a folder or an archive has what Slurm prints of itself. An error is of one
// that is there and cannot be read.
func IsSite(name string) (bool, error) {
	_, _, err := openBegins(name)
	if IsMissing(err) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// archiveName are the names of archives.
var archiveName = regexp.MustCompile(`\.(tgz|tar(\.\w+)?)$`)

// IsEmpty reports whether an archive has no files in it, or no bytes.
func IsEmpty(name string) bool {
	if !archiveName.MatchString(name) {
		return false
	}
	t, err := file.OpenTree(name)
	return err == nil && t.FS == nil && len(bytes.Trim(t.First, "\x00")) == 0
}

// Tables returns the tables of sacct that a Slurm site has within it, with remarks on what cannot be
// read. It is a *NotSiteError where there is nothing that Slurm prints.
func Tables(name string) (tables []file.Source, remarks []diag.Remark, err error) {
	c, _, err := openBegins(name)
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range sortedNames(c.folders) {
		for _, p := range c.folders[dir].all(isAccounting) {
			tables = append(tables, p.Source)
		}
	}
	return tables, c.remarks, nil
}

// openBegins opens a site of whose files only the begins are kept.
func openBegins(name string) (*collector, *folder, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // such as a pipe, which is read once
		return nil, nil, &NotSiteError{Name: name}
	}
	t, err := file.OpenTree(name)
	if err != nil {
		return nil, nil, err
	}
	c := &collector{tree: t, largest: maxFile, onlyBegins: true}
	best, err := c.collect()
	return c, best, err
}

// Accounting returns the table of sacct that a Slurm site has within it: that with the most columns,
// and with it those of the same columns, as of other months. Remarks say which others are left out.
// It is a *NotSiteError where there is nothing that Slurm prints.
func Accounting(name string) (from file.Source, remarks []diag.Remark, err error) {
	c, best, err := openBegins(name)
	if err != nil {
		return from, nil, err
	}
	tables := best.all(isAccounting)
	for _, dir := range sortedNames(c.folders) {
		if len(tables) == 0 {
			tables = c.folders[dir].all(isAccounting)
		}
	}
	if len(tables) == 0 {
		return from, c.remarks, &MissingError{name, "a table of sacct with the columns JobID, State, and Submit or Start (sacct -aPD --format=ALL), from which its past is told"}
	}
	slices.SortStableFunc(tables, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	header := func(p part) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(p.text, "\ufeff"), "\n")
		if strings.HasPrefix(strings.TrimSpace(first), "{") {
			return "" // JSON, none of which continues another
		}
		return strings.TrimRight(first, "\r")
	}
	widest := slices.MaxFunc(tables, func(a, b part) int {
		return strings.Count(header(a), "|") - strings.Count(header(b), "|")
	})
	var read []file.Source
	var left []string
	for _, p := range tables {
		if p.Name == widest.Name || header(p) != "" && header(p) == header(widest) {
			read = append(read, p.Source)
		} else {
			left = append(left, p.Member)
		}
	}
	text := "jobs are those of " + read[0].Name
	if n := len(read) - 1; n > 0 {
		text += fmt.Sprintf(" and of %d more with its columns", n)
	}
	said := diag.Generalf("%s", text)
	if len(left) > 0 {
		said = diag.Notef("%s, without those of %s", text, strings.Join(left, ", "))
	}
	return joined(read), append(c.remarks, said), nil
}

// joined returns tables with one header as one.
func joined(tables []file.Source) file.Source {
	if len(tables) == 1 {
		return tables[0]
	}
	return file.Source{Name: tables[0].Name, Open: func() (io.ReadCloser, error) { return &tableReader{rest: tables}, nil }}
}

// tableReader reads tables one after the other, with the header of the first one.
type tableReader struct {
	rest    []file.Source
	plain   io.Reader
	in      io.Closer
	isLater bool
	last    byte
}

// Read implements io.Reader.
func (r *tableReader) Read(b []byte) (int, error) {
	for len(b) > 0 {
		if r.plain == nil {
			if len(r.rest) == 0 {
				return 0, io.EOF
			}
			if err := r.next(); err != nil {
				return 0, err
			}
			if r.last != 0 && r.last != '\n' { // the table before ended within a line
				r.last, b[0] = '\n', '\n'
				return 1, nil
			}
		}
		n, err := r.plain.Read(b)
		if n > 0 {
			r.last = b[n-1]
			return n, nil
		}
		if err == nil {
			continue
		}
		r.plain = nil
		r.in.Close()
		if !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	return 0, nil
}

// next opens the next table, behind its header if it is not the first.
func (r *tableReader) next() error {
	in, err := r.rest[0].Open()
	if err != nil {
		return err
	}
	plain, _, err := file.Begin(r.rest[0].Name, in, 1)
	if err != nil {
		in.Close()
		return err
	}
	r.rest, r.in, r.plain = r.rest[1:], in, plain
	if r.isLater {
		if _, err := plain.ReadSlice('\n'); err != nil { // as long as the begin that told it
			return fmt.Errorf("its header cannot be read: %w", err)
		}
	}
	r.isLater = true
	return nil
}

// Close implements io.Closer.
func (r *tableReader) Close() error {
	if r.plain == nil {
		return nil
	}
	return r.in.Close()
}
