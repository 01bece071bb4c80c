package qstat

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// csvColumns are what the first line of a table names.
type csvColumns struct {
	header []byte
	names  [][]byte // of attributes
	id     int      // the column of the job's ID
	unused []string // columns that are neither PBS's nor this program's
	isOwn  bool     // whether this program wrote the table
}

// newColumns reads the first line of a table. The error is errNoColumn where no
// column has the job's ID.
func newColumns(header []byte) (*csvColumns, error) {
	c := &csvColumns{header: header, id: -1}
	names, err := newCSV(header).Read()
	if err != nil {
		return nil, errNoColumn
	}
	for _, name := range names {
		name = strings.TrimSpace(name)
		c.isOwn = c.isOwn || name == ownMark
		if !isKnown(name) {
			c.unused = append(c.unused, name)
		}
		if alias, ok := aliases[name]; ok {
			name = alias
		}
		c.names = append(c.names, []byte(name))
	}
	for _, name := range idNames {
		if c.id < 0 {
			c.id = slices.IndexFunc(c.names, func(column []byte) bool { return string(column) == name })
		}
	}
	switch {
	case c.id < 0 && bytes.Contains(header, []byte("=")):
		return nil, errNoHeader
	case c.id < 0:
		return nil, errNoColumn
	}
	return c, nil
}

func newCSV(text []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	r.TrimLeadingSpace = true
	return r
}

// parseCSV reads rows of a table.
func parseCSV(b *Batch) {
	columns := b.columns
	reader := newCSV(b.chunk)
	b.Before, b.IsOwn = columns.header, columns.isOwn
	for _, name := range columns.unused {
		if _, wanted := b.schema.wants([]byte(name)); !wanted {
			b.Unused = append(b.Unused, name)
		}
	}
	for {
		from := reader.InputOffset()
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			b.problem("a line that is not CSV")
			continue
		}
		if len(fields) == 1 && len(columns.names) > 1 {
			b.problem("a line with too few or too many fields")
			continue
		}
		id := ""
		if columns.id < len(fields) {
			id = strings.TrimSpace(fields[columns.id])
		}
		if id == "" {
			b.problem(noID)
			continue
		}
		r := b.add([]byte(id))
		r.Raw = b.chunk[from:reader.InputOffset()]
		for i, field := range fields {
			if columns.isOwn {
				field = withoutGuard(field)
			}
			if i < len(columns.names) && field != "" {
				b.set(r, columns.names[i], []byte(field))
			}
		}
		if len(fields) != len(columns.names) {
			b.problem("a line with too few or too many fields")
		}
	}
}

// withoutGuard takes the quote away that this program puts before what a
// spreadsheet would evaluate.
func withoutGuard(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.IndexByte("=+-@\t\r", cell[1]) >= 0 {
		return cell[1:]
	}
	return cell
}
