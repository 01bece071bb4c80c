package report

import (
	"io"
	"iter"
	"slices"
)

// Column is a column of a listing, said once for all its forms.
type Column[R any] struct {
	Title string         // above it in the table
	Text  func(R) string // its cell in the table, nil for a column that the table does not have
	Right bool           // whether the table aligns it at its end

	IsDetail bool // whether a terminal that is too narrow leaves it out
	IsText   bool // whether it has sentences, which go on in lines below; only of the last one

	Name string         // in CSV
	Cell func(R) string // in CSV, nil for a column that CSV does not have
}

// Sheet is what is printed as a table, as CSV or as JSON.
type Sheet interface {
	Table() Table
	WriteCSV(w io.Writer) error
	WriteJSON(w io.Writer) error
}

// Listing is rows with their columns.
type Listing[R any] struct {
	Columns []Column[R]
	Rows    iter.Seq[R]
	Line    func(R) any // a row in JSON
}

// Table returns the rows as people read them.
func (l *Listing[R]) Table() Table {
	columns := slices.DeleteFunc(slices.Clone(l.Columns), func(c Column[R]) bool { return c.Text == nil })
	var header []string
	for _, c := range columns {
		header = append(header, c.Title)
	}
	rows := [][]string{header}
	for row := range l.Rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.Text(row)
		}
		rows = append(rows, cells)
	}
	return Table{Rows: rows, Right: func(column int) bool { return columns[column].Right }, IsDetail: func(column int) bool { return columns[column].IsDetail }, IsText: len(columns) > 0 && columns[len(columns)-1].IsText}
}

// WriteCSV writes the rows as CSV.
func (l *Listing[R]) WriteCSV(w io.Writer) error {
	out := NewCSV(w)
	var header []string
	columns := slices.DeleteFunc(slices.Clone(l.Columns), func(c Column[R]) bool { return c.Cell == nil })
	for _, c := range columns {
		header = append(header, c.Name)
	}
	out.Write(header...)
	cells := make([]string, len(columns))
	for row := range l.Rows {
		for i, c := range columns {
			cells[i] = c.Cell(row)
		}
		out.Write(cells...)
	}
	return out.Flush()
}

// WriteJSON writes the rows as an array in JSON.
func (l *Listing[R]) WriteJSON(w io.Writer) error {
	return WriteArray(w, func(yield func(any) bool) {
		for row := range l.Rows {
			if !yield(l.Line(row)) {
				return
			}
		}
	})
}

// Printer writes what people read.
type Printer struct {
	io.Writer
	Width int // of the terminal, 0 for none
	Table func(Table) error
}
