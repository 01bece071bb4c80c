package report

import (
	"strconv"
	"unicode/utf8"
)

// Row is the cells of a row of a table, side by side in memory that the next row may use again, so that a long table costs no
// memory for each cell.
type Row struct {
	text []byte
	ends []int
}

// Clear begins a row.
func (r *Row) Clear() { r.text, r.ends = r.text[:0], r.ends[:0] }

// Add adds a cell.
func (r *Row) Add(text string) { r.End(append(r.text, text...)) }

// AddInt adds a cell with a number.
func (r *Row) AddInt(n int) {
	if n < 0 {
		r.End(strconv.AppendInt(r.text, int64(n), 10))
		return
	}
	r.End(appendDigits(r.text, uint64(n)))
}

// Open returns what End takes, behind which the text of a cell is to be added.
func (r *Row) Open() []byte { return r.text }

// End adds the cell whose text was added to what Open returned.
func (r *Row) End(text []byte) { r.text, r.ends = text, append(r.ends, len(text)) }

// each yields the cells with their columns.
func (r *Row) each(yield func(column int, cell []byte) bool) {
	begin := 0
	for column, end := range r.ends {
		if !yield(column, r.text[begin:end]) {
			return
		}
		begin = end
	}
}

// mostOfCell is how many characters of a cell a table shows at most.
const mostOfCell = 200

// widen makes widths of columns so large that the cells have room.
func (r *Row) widen(widths []int) {
	isPlain := isPlain(r.text)
	begin := 0
	for column, end := range r.ends {
		width := end - begin
		if !isPlain {
			width = utf8.RuneCount(r.text[begin:end])
		}
		begin = end
		widths[column] = max(widths[column], min(width, mostOfCell))
	}
}

// appendLine adds the line of a row whose columns stand at some places. isPlain is whether all of its text is.
func (r *Row) appendLine(line []byte, places []place, isPlain bool) []byte {
	from, begin := len(line), 0
	for column, end := range r.ends {
		at, cell := &places[column], r.text[begin:end]
		begin = end
		if at.isLeft {
			continue
		}
		missing := at.width - len(cell)
		if !isPlain {
			missing = at.width - utf8.RuneCount(cell)
		}
		if column > 0 && at.width > 0 {
			line = append(line, "  "...)
		}
		if at.isRight {
			line = appendShort(appendBlanks(line, missing), cell)
		} else {
			line = appendBlanks(appendShort(line, cell), missing)
		}
	}
	for len(line) > from && line[len(line)-1] == ' ' {
		line = line[:len(line)-1]
	}
	return line
}

// appendBlanks adds so many blanks to a text, none for fewer than one.
func appendBlanks(text []byte, n int) []byte {
	const blanks = "                                "
	for ; n > len(blanks); n -= len(blanks) {
		text = append(text, blanks...)
	}
	return append(text, blanks...)[:len(text)+max(n, 0)] // as many as are always copied, which needs no call
}

// appendShort adds a text to another one, as append does. One of a few bytes is copied with what stands behind it in its memory, since
// so many bytes as are always copied need no call.
func appendShort(text, more []byte) []byte {
	const few = 16
	if len(more) > few || cap(more) < few {
		return append(text, more...)
	}
	return append(text, (*[few]byte)(more[:few])[:]...)[:len(text)+len(more)]
}

// readable returns the cells without control characters and with a bounded length, in memory of another row unless they are so
// already, and whether they are plain.
func (r *Row) readable(memory *Row) (row *Row, plain bool) {
	if plain = isPlain(r.text); plain && len(r.text) <= mostOfCell {
		return r, true
	}
	memory.Clear()
	for _, cell := range r.each {
		memory.Add(Printable(Cut(string(cell), mostOfCell)))
	}
	return memory, isPlain(memory.text)
}
