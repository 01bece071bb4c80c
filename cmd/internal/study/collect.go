package study

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// Collection is the cells of a search from all its parts.
type Collection struct {
	Cells   []Cell // in their order
	Missing []Part

	missing map[int]int // in Missing, by part
}

// Part is a part of a search that has not been made, or not to its end.
type Part struct {
	Part, Parts int
	Cells       []int // that are missing
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Part, p.Parts) }

// Collect joins the lines that the parts of a search have written. A cell that is there
// twice counts once, a line that is cut off counts as missing and is told.
func Collect(files []file.Source) (*Collection, []diag.Remark, error) {
	var remarks []diag.Remark
	found := map[int]Cell{}
	var first *Cell
	var other error
	for _, from := range files {
		in, err := from.Open()
		if err != nil {
			return nil, remarks, err
		}
		plain, err := beginCells(from.Name, in)
		if err != nil {
			in.Close()
			return nil, remarks, err
		}
		const most = 3 // lines of a file that are told one by one
		damaged := 0
		err = eachCell(plain, func(number int, c Cell, err error) error {
			switch {
			case err != nil:
				if damaged++; damaged > most {
					return nil
				}
				remarks = append(remarks, diag.Damagef("%s:%d: this is no line of a search: %v", from.Name, number, err))
				return nil
			case first == nil:
				first = &c
			case !c.isOf(first):
				other = fmt.Errorf("%s:%d: this is of another search (%s, not %s)", from.Name, number, c.Search, first.Search)
				return other
			}
			if before, ok := found[c.Cell]; ok && !slices.EqualFunc(before.Runs, c.Runs, equalRuns) {
				remarks = append(remarks, diag.Warningf("%s:%d: cell %d is there already and comes to something else; this one counts", from.Name, number, c.Cell))
			}
			found[c.Cell] = c
			return nil
		})
		in.Close()
		if damaged > most {
			remarks = append(remarks, diag.Damagef("%s: and %s like these", from.Name, report.Count(damaged-most, "more line")))
		}
		switch {
		case other != nil:
			return nil, remarks, other
		case err != nil:
			return nil, remarks, fmt.Errorf("%s: %w", from.Name, err)
		}
	}
	if first == nil {
		names := make([]string, len(files))
		for i, from := range files {
			names[i] = from.Name
		}
		return nil, remarks, fmt.Errorf("there is no line of a search in %s", report.First(names))
	}
	c := &Collection{missing: map[int]int{}}
	for number := range first.Cells + 1 {
		if cell, ok := found[number]; ok {
			c.Cells = append(c.Cells, cell)
		} else if number > 0 {
			c.miss(number, first.Parts)
		}
	}
	return c, remarks, nil
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

// beginCells returns what a file of cells holds. It is an error for a file of a known kind
// that is another.
func beginCells(name string, in io.Reader) (io.Reader, error) {
	const enough = 4 << 10
	plain, first, err := file.Begin(name, in, enough)
	if err != nil {
		return nil, err
	}
	switch kind := file.KindOf(first); kind {
	case "", "JSON", "empty":
		return plain, nil
	default:
		return nil, fmt.Errorf("%s is %s, and no part of a search, such as replay --part prints", name, kind)
	}
}

// eachCell reads lines of cells.
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

// isOf reports whether a cell is of the same search as another.
func (c *Cell) isOf(first *Cell) bool {
	isSame := c.Search == first.Search && c.Cells == first.Cells && slices.Equal(c.Axes, first.Axes) && slices.Equal(c.Goals, first.Goals) && slices.Equal(c.Figures, first.Figures)
	return isSame && slices.EqualFunc(c.Runs, first.Runs, func(a, b []*float64) bool { return len(a) == len(b) })
}

// equalRuns reports whether runs of a figure have come to the same.
func equalRuns(a, b []*float64) bool {
	return slices.EqualFunc(a, b, func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) })
}

// check returns what is wrong with a cell that was read.
func (c *Cell) check() error {
	isNone := c.Cell == 0 && len(c.Values) == 0
	switch {
	case c.Search == "":
		return errors.New("it names no search")
	case c.Cells < 1 || c.Cells > mostCells || c.Cell < 0 || c.Cell > c.Cells || c.Parts < 1 || c.Parts > mostCells || c.Part < 1 || c.Part > c.Parts:
		return fmt.Errorf("cell %d of %d, part %d of %d", c.Cell, c.Cells, c.Part, c.Parts)
	case !isNone && len(c.Values) != len(c.Axes), len(c.Runs) != len(c.Figures):
		return errors.New("values or figures are missing")
	}
	return nil
}

// Goals returns the goals of the search that cells are of. Its errors are *ParseError.
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
