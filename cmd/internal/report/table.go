package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

	// IsDetail says which columns a terminal that is too narrow leaves out, the last one first; nil for none.
	IsDetail func(column int) bool
}

// Write prints a table for people: without control characters and without details that a terminal has no room for, which
// a line behind it names, and cut to the terminal's width.
func (t Table) Write(w io.Writer, terminal Terminal) error {
	rows := readable(t.Rows)
	widths := columnWidths(rows)
	left := t.leaveOut(rows, widths, terminal.Width)
	for n, cells := range rows {
		var b strings.Builder
		for i, cell := range cells {
			if slices.Contains(left, i) {
				continue
			}
			if i > 0 && widths[i] > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Right != nil && t.Right(i) {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		line := strings.TrimRight(b.String(), " ")
		if terminal.Width > 0 {
			line = Cut(line, terminal.Width)
		}
		if terminal.Bold && n == 0 {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	if len(left) == 0 {
		return nil
	}
	var names []string
	for _, i := range left {
		names = append(names, rows[0][i])
	}
	_, err := fmt.Fprintln(w, "(left out for want of width: "+strings.Join(names, ", ")+")")
	return err
}

// leaveOut returns the columns that a terminal of a width leaves out, in their order.
func (t Table) leaveOut(rows [][]string, widths []int, most int) (left []int) {
	if t.IsDetail == nil || most == 0 {
		return nil
	}
	total := -2
	for _, width := range widths {
		total += width + 2
	}
	for i := len(rows[0]) - 1; i > 0 && total > most; i-- {
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
	for _, width := range columnWidths(readable(t.Rows)) {
		total += width + 2
	}
	return total - 2
}

// readable returns cells without control characters and of a bounded length.
func readable(rows [][]string) [][]string {
	const most = 200 // characters of a cell
	out := make([][]string, len(rows))
	for n, cells := range rows {
		out[n] = make([]string, len(cells))
		for i, cell := range cells {
			out[n][i] = Printable(Cut(cell, most))
		}
	}
	return out
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
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

// MoreRow returns the row of a table that says how many rows are left out, with what is before the names of the others.
func MoreRow(indent string, left, columns int) []string {
	row := make([]string, columns)
	row[0] = fmt.Sprintf("%s… %d more", indent, left)
	return row
}
