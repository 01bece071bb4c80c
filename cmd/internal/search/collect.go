package search

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// Collection is the cells of a search from all its parts.
type Collection struct {
	Cells   []Cell // by their numbers
	Missing []Part

	missing map[int]int // in Missing, by part
}

// Part is a part of a search of which cells are missing.
type Part struct {
	Part, Parts int
	Cells       []int // the numbers of those that are missing
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Part, p.Parts) }

// Collect returns the cells that the parts of a search have written to files, a line each,
// and remarks on what is wrong with them. Of a cell that is there twice the last one counts;
// a line that is cut off is missing.
func Collect(files []file.Source) (*Collection, []diag.Remark, error) {
	r := &reader{found: map[int]Cell{}}
	seen := map[string]bool{}
	for _, from := range files {
		name := filepath.Clean(from.Name)
		if seen[name] {
			r.remarks = append(r.remarks, diag.Warningf("%s is given more than once; it is read once", from.Name))
			continue
		}
		seen[name] = true
		if err := r.read(from); err != nil {
			return nil, r.remarks, err
		}
	}
	if r.again > 0 {
		r.remarks = append(r.remarks, diag.Notef("%s of rows that are there already, with the same figures: each row counts once", report.Count(r.again, "line")))
	}
	if r.first == nil {
		names := make([]string, len(files))
		for i, from := range files {
			names[i] = from.Name
		}
		return nil, r.remarks, fmt.Errorf("there is no line of a search in %s", report.First(names))
	}
	c := &Collection{missing: map[int]int{}}
	for number := range r.first.Cells + 1 {
		if cell, ok := r.found[number]; ok {
			c.Cells = append(c.Cells, cell)
		} else if number > 0 {
			c.miss(number, r.first.Parts)
		}
	}
	return c, r.remarks, nil
}

// reader reads the files of a search.
type reader struct {
	first   *Cell // the first one of all files; the others have to be of its search
	found   map[int]Cell
	again   int // lines of a cell that is there already and comes to the same
	remarks []diag.Remark
}

// read reads the cells of a file.
func (r *reader) read(from file.Source) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := beginCells(from.Name, in)
	if err != nil {
		return err
	}
	const most = 3 // lines that are told one by one
	damaged := 0
	var other error
	err = eachCell(plain, func(number int, c Cell, err error) error {
		switch {
		case err != nil:
			if damaged++; damaged <= most {
				r.remarks = append(r.remarks, diag.Damagef("%s:%d: this is no line of a search: %v", from.Name, number, err))
			}
			return nil
		case r.first == nil:
			r.first = &c
		case !c.isOf(r.first):
			other = fmt.Errorf("%s:%d: this is of another search (%s, not %s)", from.Name, number, c.Search, r.first.Search)
			return other
		}
		if before, ok := r.found[c.Cell]; ok && slices.EqualFunc(before.Runs, c.Runs, equalRuns) {
			if c.Cell > 0 { // the first one, the policy in force, is in each part
				r.again++
			}
		} else if ok {
			r.remarks = append(r.remarks, diag.Warningf("%s:%d: row %d is there already with other figures; this one counts", from.Name, number, c.Cell))
		}
		r.found[c.Cell] = c
		return nil
	})
	if damaged > most {
		r.remarks = append(r.remarks, diag.Damagef("%s: and %s like these", from.Name, report.Count(damaged-most, "more line")))
	}
	switch {
	case other != nil:
		return other
	case err != nil:
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	return nil
}

// miss notes that a cell is missing.
func (c *Collection) miss(cell, parts int) {
	part := partOf(cell, parts)
	at, ok := c.missing[part]
	if !ok {
		at = len(c.Missing)
		c.missing[part] = at
		c.Missing = append(c.Missing, Part{Part: part, Parts: parts})
	}
	c.Missing[at].Cells = append(c.Missing[at].Cells, cell)
}

// beginCells returns what is in a file, unpacked. It is an error if the file is known to be
// of another kind than the parts of a search.
func beginCells(name string, in io.Reader) (io.Reader, error) {
	const enough = 4 << 10
	plain, first, err := file.Begin(name, in, enough)
	if err != nil {
		return nil, err
	}
	switch kind := file.KindOf(first); kind {
	case "", "JSON", file.Empty:
		return plain, nil
	default:
		return nil, fmt.Errorf("%s is %s, and no part of a search, such as replay --part prints", name, kind)
	}
}

// eachCell calls use for each line, with its cell or with what is wrong with the line, until
// use returns an error.
func eachCell(in io.Reader, use func(number int, c Cell, err error) error) error {
	const longest = 16 << 20 // bytes of a line
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	number := 1
	for ; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var c Cell
		err := json.Unmarshal(lines.Bytes(), &c)
		if err == nil {
			err = c.check()
		}
		if err := use(number, c, err); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than any line of a search", number)
	}
	return lines.Err()
}

// Goals returns the goals of the search that the cells are of. Its errors are
// *figure.ParseError.
func (c *Collection) Goals() ([]Goal, error) {
	var goals []Goal
	for _, text := range c.Cells[0].Goals {
		g, err := ParseGoal(text)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}
