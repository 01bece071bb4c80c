package sacct

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// Reader gives what sacct has printed, job by job.
type Reader struct {
	Zone      *time.Location // of local times
	Columns   []Column       // that are asked for
	MostTasks int            // of arrays that have not started
	IsTimed   bool           // whether nothing has to tell when jobs came and ran

	Header  func(from string, line int, h *Header) error // gets the header of each table, and may refuse it
	Row     func(*Row) error                             // gets each job, and may say why it is left out
	Step    func(job []byte, row *Row)                   // gets the texts of each step of a table, and the ID of its job; nil where nobody asks
	Damaged func(from string, line int, why string)      // gets what cannot be read

	clock  clock
	lists  map[string]map[string]float64
	tasks  int                   // that have been given
	cut    [columns]int          // jobs of which the width of a column has cut a value off
	before map[string]submission // the last one in the table, by cluster: each gives its jobs the same numbers
	ended  map[string]int64      // when the last run in the table ended, by cluster and job, of rows with times of the hour that comes twice
	open   int                   // rows of the file with times of the hour that comes twice, of which nothing tells which is meant
	above  map[string]int        // lines of text above the tables of files, by their names
	back   putBack               // rows of the file that the clock of another zone explains

	keep func(row *Row, line int) // gets each row and step in place of who asks; nil where tables are not joined
	join *join                    // of tables that are
}

// Read reads files, in the order in which their first jobs were submitted, whatever that of the files. Tables with different columns are
// joined, see readJoined.
func (r *Reader) Read(files ...file.Source) error {
	r.clock, r.lists = clock{zone: r.Zone, quarters: map[int64]int64{}, twice: map[int64]bool{}}, map[string]map[string]float64{}
	if len(files) > 1 { // a single one may be readable once
		if err := r.findStrangers(files); err != nil {
			return err
		}
		var areAlike bool
		if files, areAlike = r.inOrder(files); !areAlike {
			return r.readJoined(files)
		}
	}
	for _, from := range files {
		if err := r.read(from); err != nil && !errors.Is(err, errFound) {
			return err
		}
	}
	return nil
}

// Joins reports whether the tables that were read have different columns, and are joined.
func (r *Reader) Joins() bool { return r.join != nil }

// Again returns how many rows of tables that were joined are of runs of which others with the same columns tell as well.
func (r *Reader) Again() int {
	if r.join == nil {
		return 0
	}
	return r.join.again
}

// errFound ends the reading of a file: who asks needs nothing more of it.
var errFound = errors.New("found")

// inOrder returns files in the order of the first times in them, and whether all of them begin with a table of the same form.
func (r *Reader) inOrder(files []file.Source) (sorted []file.Source, areAlike bool) {
	first, forms := map[string]int64{}, map[form]bool{}
	for _, from := range files {
		of := &Reader{Zone: r.Zone, Columns: r.Columns, MostTasks: r.MostTasks, clock: r.clock, lists: r.lists}
		of.Header = func(string, int, *Header) error { return nil }
		of.Damaged = func(string, int, string) {}
		of.Row = func(row *Row) error {
			first[from.Name] = positive(row.Submit, row.Start)
			forms[row.header.form()] = true
			return errFound
		}
		_ = of.read(from) // what is wrong with it is said when it is read
	}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b file.Source) int { return cmp.Compare(first[a.Name], first[b.Name]) })
	return files, len(forms) < 2
}

// read reads a file, be it a table or JSON.
func (r *Reader) read(from file.Source) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	const enough = 8 << 10 // bytes to tell what it is, and its header
	plain, first, err := file.Begin(from.Name, in, enough)
	if err != nil {
		return err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return fmt.Errorf("%s: this is not text", from.Name)
	}
	if bytes.HasPrefix(bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf"), []byte("{")) {
		return r.readJSON(from.Name, plain)
	}
	var text io.Reader = plain
	if by := delimiterOf(first); by != '|' {
		text = piped{plain, by}
	}
	opened := file.Source{Name: from.Name, Open: func() (io.ReadCloser, error) { return io.NopCloser(text), nil }}
	return r.readTable(opened)
}

// readTable reads a table, or several of them one behind the other.
func (r *Reader) readTable(from file.Source) error {
	var row Row
	var lines rows
	leave := func(number int, why string) { r.Damaged(from.Name, number, why) }
	first := 0 // row with such a time
	r.open, r.back = 0, putBack{}
	err := file.EachLine(from, func(number int, line []byte) error {
		if first == 0 && r.open > 0 {
			first = number - 1
		}
		r.back.at(number - 1)
		if len(line) == 0 || file.IsPrompt(line) {
			return nil
		}
		if row.header == nil && isWords(line) && !slices.Contains(Columns(string(line)), "JobID") && !namesColumns(line) {
			r.passOver(from.Name)
			return nil
		}
		if row.header == nil || IsHeader(line) {
			if at, why := lines.end(); why != "" {
				leave(at, why)
			}
			isBelow := row.header != nil && r.keep == nil
			row.header, r.before, r.ended = newHeader(line, r.Columns), map[string]submission{}, map[string]int64{}
			lines.split, row.header.isJoined = row.header.Splitter, r.keep != nil
			if isTold := row.header.Has(State) && row.header.Has(Start) && row.header.Has(End); isBelow && isTold == r.IsTimed {
				return fmt.Errorf("%s:%d: here begins a second table, and %s: in a file of its own, named beside this one, it is joined with the first", from.Name, number, unlike[isTold])
			}
			return r.Header(from.Name, number, row.header)
		}
		if IsRule(line) {
			if !row.header.cutAt(line) {
				return fmt.Errorf("%s:%d: the columns cannot be told apart: sacct -P parts them", from.Name, number)
			}
			return nil
		}
		if row.header.widths != nil {
			return r.split(&row, from, number, line)
		}
		if lines.part == nil { // and a name may have blanks behind a line break
			line = bytes.TrimLeft(line, " ")
		}
		line, number, at, why := lines.add(number, line)
		if why != "" {
			leave(at, why)
		}
		if line == nil {
			return nil
		}
		return r.split(&row, from, number, line)
	}, leave)
	if at, why := lines.end(); why != "" && err == nil {
		leave(at, why)
	}
	if r.open > 0 && err == nil {
		leave(max(first, 1), fmt.Sprintf(openTimes, report.Count(r.open, "row")))
	}
	if r.back.rows > 0 && err == nil {
		leave(max(r.back.first, 1), r.back.text())
	}
	return err
}

// unlike says in what a table that stands below another one differs from it, by whether it tells when jobs ran, as the other does not.
var unlike = map[bool]string{true: "it tells when jobs ran, as the first does not", false: "it does not have all of " + Needed}

// openTimes says that nothing tells which of two hours times of so many rows are of.
const openTimes = "the clock has an hour twice, and nothing tells which one times of %s from here on are of: taken for the first (with SLURM_TIME_FORMAT=%%s, sacct prints times without such doubt)"

// split parts a line of a table into the cells of a row, and gives that to who asks.
func (r *Reader) split(row *Row, from file.Source, number int, line []byte) error {
	cells, why := row.header.Split(line)
	if why != "" {
		r.Damaged(from.Name, number, why)
		return nil
	}
	for column, at := range row.header.at {
		row.text[column] = nil
		if at >= 0 {
			row.text[column] = bytes.TrimSpace(cells[at])
		}
	}
	if r.keep != nil {
		r.keep(row, number)
		return nil
	}
	err := r.give(row)
	if err != nil && !errors.Is(err, errFound) {
		r.Damaged(from.Name, number, err.Error()+": the row is left out")
		return nil
	}
	if bytes.IndexByte(row.ID, '.') < 0 { // no step
		r.countCut(row)
	}
	return err
}
