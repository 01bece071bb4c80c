package sacct

import (
	"bytes"
	"fmt"
	"slices"
)

// rows puts the lines of a table together that a line break in a name or a command has parted: Slurm does not escape it.
type rows struct {
	split *Splitter
	part  []byte // of a row that is not whole yet, nil for none
	begin int    // in which line that begins
}

// mostOfRow bounds the bytes of a row that is put together.
const mostOfRow = 1 << 20

// add takes a line, and returns the row that is whole with it and the line where that begins; nil for none yet. why says
// why lines before it are left out, which begin at left.
func (r *rows) add(number int, line []byte) (row []byte, at int, left int, why string) {
	n := bytes.Count(line, []byte("|")) + 1
	if r.part == nil {
		if n >= len(r.split.Names) || len(r.split.free) == 0 {
			return line, number, 0, ""
		}
		r.part, r.begin = bytes.Clone(line), number
		return nil, 0, 0, ""
	}
	whole := slices.Concat(r.part, []byte("\n"), line)
	columns := bytes.Count(whole, []byte("|")) + 1
	isRow := n >= len(r.split.Names) && r.split.isFitting(line)
	switch {
	case isRow || columns > len(r.split.Names)+1 || len(whole) > mostOfRow:
		left, why = r.end()
		row, at, _, _ = r.add(number, line)
		return row, at, left, why
	case columns < len(r.split.Names) || !r.split.isFitting(whole):
		r.part = whole
		return nil, 0, 0, ""
	}
	at, r.part = r.begin, nil
	return whole, at, 0, ""
}

// end returns why lines are left out that are no whole row, and where they begin; "" for none.
func (r *rows) end() (left int, why string) {
	if r.part == nil {
		return 0, ""
	}
	first, _, _ := bytes.Cut(r.part, []byte("\n"))
	left, why = r.begin, fmt.Sprintf("%d columns, the header has %d: the row is left out", bytes.Count(first, []byte("|"))+1, len(r.split.Names))
	r.part = nil
	return left, why
}

// isFitting reports whether a row has as many cells as there are columns, with what belongs into each.
func (s *Splitter) isFitting(row []byte) bool {
	cells := bytes.Split(row, []byte("|"))
	if n := len(s.Names); len(cells) == n+1 && len(cells[n]) == 0 {
		cells = cells[:n]
	}
	if len(cells) != len(s.Names) {
		return false
	}
	for i, cell := range cells {
		if !isFree[s.Names[i]] && (bytes.IndexByte(cell, '\n') >= 0 || !fits(s.Names[i], cell)) {
			return false
		}
	}
	return true
}
