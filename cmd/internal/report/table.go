package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Terminal is what tables are printed for.
type Terminal struct {
	Width int  // in columns; 0 for a file or a pipe
	Bold  bool // whether the header may be bold
}

// NewTerminal returns what an output is: a terminal with its width, bold where
// neither NO_COLOR nor a dumb terminal forbids it, or the zero Terminal.
func NewTerminal(w io.Writer) Terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Terminal{}
	}
	t := Terminal{Width: 80, Bold: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 20 {
		t.Width = width
	}
	return t
}

// Table is rows of cells, of which the first is the header.
type Table struct {
	Rows  [][]string
	Right func(column int) bool // whether a column is aligned at its end; nil for none

	// Long are rows behind Rows that are made anew whenever they are walked, so that a
	// table of a million need not be kept; nil for none. A row is valid until the next.
	Long iter.Seq[*Row]

	// Widest are those of the rows of Long, in whatever order, of which some cell may be wider than that of all others in its column;
	// nil for all of them. How wide columns are depends on no others.
	Widest iter.Seq[*Row]

	// IsDetail says which columns a terminal that is too narrow leaves out, the last one first; nil for none.
	IsDetail func(column int) bool

	// IsText says that the last column has sentences, which go on in lines below where a terminal has no room for them.
	IsText bool
}

// each yields the rows, with those behind Rows in an order. A row is valid until the next.
func (t Table) each(long iter.Seq[*Row], yield func(*Row) bool) {
	var cells Row
	for _, row := range t.Rows {
		cells.Clear()
		for _, cell := range row {
			cells.Add(cell)
		}
		if !yield(&cells) {
			return
		}
	}
	if long != nil {
		long(yield)
	}
}

// Write prints a table for people: without control characters and without details that a terminal has no room for, which
// a line behind it names, and cut to the terminal's width but for a text, which is broken there.
func (t Table) Write(w io.Writer, terminal Terminal) error {
	widths := t.widths()
	left := t.leaveOut(widths, terminal.Width)
	shown := t.places(widths, left)
	textAt := beginOf(shown, len(shown)-1)
	const most = 32 << 10 // bytes of lines that are written at once
	var lines []byte
	var memory Row
	var err error
	isHeader := true
	t.each(t.Long, func(cells *Row) bool {
		begin := len(lines)
		cells, isPlain := cells.readable(&memory)
		lines = cells.appendLine(lines, shown, isPlain)
		switch {
		case terminal.Width > 0 && t.IsText:
			lines = append(lines[:begin], broken(string(lines[begin:]), textAt, terminal.Width)...)
		case terminal.Width > 0:
			lines = append(lines[:begin], Cut(string(lines[begin:]), terminal.Width)...)
		}
		if isHeader && terminal.Bold {
			lines = fmt.Appendf(lines[:begin], "\x1b[1m%s\x1b[0m", bytes.Clone(lines[begin:]))
		}
		isHeader = false
		if lines = append(lines, '\n'); len(lines) >= most {
			_, err = w.Write(lines)
			lines = lines[:0]
		}
		return err == nil
	})
	if err == nil {
		_, err = w.Write(lines)
	}
	if err != nil || len(left) == 0 {
		return err
	}
	var names []string
	for _, i := range left {
		title := t.Rows[0][i]
		if title == "" {
			title = "what stands behind " + t.Rows[0][i-1]
		}
		names = append(names, title)
	}
	_, err = fmt.Fprintln(w, "(left out for want of width: "+Printable(strings.Join(names, ", "))+")")
	return err
}

// place is where a column stands in the line of a row.
type place struct {
	width   int
	isRight bool // whether it is aligned at its end
	isLeft  bool // whether it is left out
}

// places returns those of the columns, of which some are left out.
func (t Table) places(widths, left []int) []place {
	places := make([]place, len(widths))
	for i, width := range widths {
		places[i] = place{width, t.Right != nil && t.Right(i), slices.Contains(left, i)}
	}
	return places
}

// leaveOut returns the columns that a terminal of a width leaves out, in their order.
func (t Table) leaveOut(widths []int, most int) (left []int) {
	if t.IsDetail == nil || most == 0 {
		return nil
	}
	total := -2
	for i, width := range widths {
		if t.IsText && i == len(widths)-1 {
			width = min(width, leastOfText)
		}
		total += width + 2
	}
	for i := len(t.Rows[0]) - 1; i > 0 && total > most; i-- {
		if t.IsDetail(i) && widths[i] > 0 {
			left = append(left, i)
			total -= widths[i] + 2
		}
	}
	slices.Reverse(left)
	return left
}

// Width returns how many columns the table takes.
func (t Table) Width() int {
	total := 0
	for _, width := range t.widths() {
		total += width + 2
	}
	return total - 2
}

// widths returns how wide each column is.
func (t Table) widths() []int {
	widths := make([]int, len(t.Rows[0]))
	long := t.Widest
	if long == nil {
		long = t.Long
	}
	t.each(long, func(cells *Row) bool {
		cells.widen(widths)
		return true
	})
	return widths
}

// WithoutMiddle returns rows of which the middle is left out where there are
// more than most behind the header, with a row that counts what is missing.
func WithoutMiddle(rows [][]string, most int, noun string) [][]string {
	missing := len(rows) - 1 - most
	if missing <= 0 {
		return rows
	}
	gap := make([]string, len(rows[0]))
	gap[0] = fmt.Sprintf("… %d more %s", missing, noun)
	short := append([][]string{}, rows[:1+most/2]...)
	short = append(short, gap)
	return append(short, rows[len(rows)-(most-most/2):]...)
}

// CSV writes rows as CSV. A cell that a spreadsheet would take for a formula
// gets a single quote before it, which spreadsheets do not show.
type CSV struct{ w *csv.Writer }

// NewCSV returns a CSV that writes to w.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Write writes a row. Flush returns its error.
func (c CSV) Write(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = harmless(cell)
	}
	c.w.Write(row)
}

// Flush writes what is left and returns the first error of all rows.
func (c CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// harmless returns a cell that no spreadsheet evaluates. A number may begin
// with a sign.
func harmless(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// Shown returns how many of all rows a table shows that shall show most of them, all for 0: a single one that would be left out
// stands in place of the line that says so.
func Shown(all, most int) int {
	if most <= 0 || all <= most+1 {
		return all
	}
	return most
}

// FirstRows returns the header of rows and the first of those behind it, as Shown has it, with a row that says how many
// others there are. indent is what is before the names of rows.
func FirstRows(rows [][]string, most int, indent string) [][]string {
	most = Shown(len(rows)-1, most)
	left := len(rows) - 1 - most
	if left <= 0 {
		return rows
	}
	return append(rows[:1+most:1+most], MoreRow(indent, left, len(rows[0])))
}

// MoreRow returns the row of a table that says how many rows are left out, with what is before the names of the others.
func MoreRow(indent string, left, columns int) []string {
	row := make([]string, columns)
	row[0] = fmt.Sprintf("%s… %d more", indent, left)
	return row
}
