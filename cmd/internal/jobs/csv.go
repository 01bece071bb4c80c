package jobs

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// parseCSV reads a table whose first line, which every chunk gets in
// b.header, names the columns: an ID and attributes as qstat names them.
func parseCSV(b *Batch) {
	reader := csv.NewReader(io.MultiReader(bytes.NewReader(b.header), bytes.NewReader(b.chunk)))
	reader.FieldsPerRecord = -1
	reader.LazyQuotes = true
	reader.TrimLeadingSpace = true
	names, err := reader.Read()
	if err != nil {
		b.problem("a header that is not CSV")
		return
	}
	columns := make([][]byte, len(names))
	id := 0 // the first column, unless one is called so
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		columns[i] = []byte(names[i])
	}
	for _, name := range idNames {
		if i := slices.Index(names, name); i >= 0 {
			id = i
			break
		}
	}
	b.Before = b.header
	before := int64(len(b.header))
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
		if id >= len(fields) {
			b.problem("a line without an ID")
			continue
		}
		if len(fields) == 1 && len(columns) > 1 {
			b.problem("a line with too few or too many fields")
			continue
		}
		r := b.add([]byte(fields[id]))
		r.Raw = b.chunk[from-before : reader.InputOffset()-before]
		for i, field := range fields {
			if i < len(columns) && field != "" {
				b.set(r, columns[i], []byte(field))
			}
		}
		if len(fields) != len(columns) {
			b.problem("a line with too few or too many fields")
		}
	}
}
