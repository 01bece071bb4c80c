package search

import (
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/study"
)

// Cell is what a cell of a search comes to, as a line of JSON has it.
type Cell struct {
	Search    string       `json:"search"` // which one: an abbreviation of all that it depends on
	Cell      int          `json:"cell"`   // from 1; 0 is the policy in force
	Cells     int          `json:"cells"`
	Part      int          `json:"part"` // from 1
	Parts     int          `json:"parts"`
	Axes      []string     `json:"axes"`
	Values    []string     `json:"values"` // by axis, none for the policy in force
	Formula   string       `json:"formula"`
	Goals     []string     `json:"goals"`
	Failed    int          `json:"failed"`              // evaluations of the formula that failed, in the first run
	Never     int          `json:"never"`               // jobs that are never started, in the first run
	Cancelled int          `json:"cancelled,omitempty"` // jobs that are cancelled for others, and do not run again, in the first run
	Kept      string       `json:"kept,omitempty"`      // how many of those a setting keeps for ever, and which
	Figures   []string     `json:"figures"`
	Runs      [][]*float64 `json:"runs"`             // by figure and run; null for what cannot be told
	Longer    []string     `json:"longer,omitempty"` // figures that are only known to be longer, since jobs are left waiting

	Starts string `json:"starts,omitempty"` // an abbreviation of when each job starts, in the first run
	Shares string `json:"shares,omitempty"` // likewise of the shares that distances are from; "" where there are none

	IsSaturated bool      `json:"saturated,omitempty"` // whether ever more jobs wait, so that waits grow with the time that is looked at
	Observed    *Observed `json:"observed,omitempty"`  // of the first cell
	Nearness    []string  `json:"nearness,omitempty"`  // of the policy in force: how near its replay comes to what has happened, in sentences
	InForce     []string  `json:"in_force,omitempty"`  // of the policy in force: by axis, the value that the site has; "" where it has none
	Off         float64   `json:"off,omitempty"`       // of the policy in force: by which part the mean wait of its replay is off, 0 where that is not known
}

// Unfinished returns how many jobs come to no end: those that are never started, and those that are cancelled for others.
func (c *Cell) Unfinished() int { return c.Never + c.Cancelled }

// Observed is what was observed, by the figures of a cell.
type Observed struct {
	Values [][]*float64 `json:"values"` // as Runs of a cell, of one run
	Longer []string     `json:"longer,omitempty"`
}

// AsCell returns what was observed in the form of a cell.
func (o *Observed) AsCell(of *Cell) Cell {
	return Cell{Figures: of.Figures, Runs: o.Values, Longer: o.Longer}
}

// runs returns how many runs a cell has.
func (c *Cell) runs() int {
	if len(c.Runs) == 0 {
		return 0
	}
	return len(c.Runs[0])
}

// Single reports whether a cell has been replayed once, so that noise is not told from difference.
func (c *Cell) Single() bool { return c.runs() < 2 }

// Value returns the value of a cell on an axis: for the policy in force, what the site has, or "".
func (c *Cell) Value(axis int) string {
	for _, values := range [][]string{c.Values, c.InForce} {
		if axis < len(values) {
			return values[axis]
		}
	}
	return ""
}

// values returns what a figure has come to in each run, nil unless all runs tell it.
func (c *Cell) values(name string) []float64 {
	at := slices.Index(c.Figures, name)
	if at < 0 || at >= len(c.Runs) {
		return nil
	}
	var runs []float64
	for _, x := range c.Runs[at] {
		if x == nil {
			return nil
		}
		runs = append(runs, *x)
	}
	return runs
}

// Figure returns what a figure of a cell comes to, NaN if the cell does not have it.
func (c *Cell) Figure(name string) study.Interval {
	return study.IntervalOf(c.values(name))
}

// Text returns what a figure of a cell comes to, as people read it.
func (c *Cell) Text(f figure.Figure) string {
	return study.MarkLonger(c.Figure(f.String()).Text(f.Unit()), c.IsLonger(f.String()))
}

// IsLonger reports whether a figure of a cell is only known to be longer.
func (c *Cell) IsLonger(name string) bool { return slices.Contains(c.Longer, name) }

// isOf reports whether a cell is of the same search as another.
func (c *Cell) isOf(first *Cell) bool {
	asksSame := slices.Equal(c.Axes, first.Axes) && slices.Equal(c.Goals, first.Goals) && slices.Equal(c.Figures, first.Figures)
	areAsMany := func(a, b []*float64) bool { return len(a) == len(b) }
	return c.Search == first.Search && c.Cells == first.Cells && asksSame && slices.EqualFunc(c.Runs, first.Runs, areAsMany)
}

// equalRuns reports whether runs of a figure have come to the same.
func equalRuns(a, b []*float64) bool {
	return slices.EqualFunc(a, b, func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) })
}

// check returns an error for a cell that was read and cannot be one.
func (c *Cell) check() error {
	isNone := c.Cell == 0 && len(c.Values) == 0
	isCell := 1 <= c.Cells && c.Cells <= mostCells && 0 <= c.Cell && c.Cell <= c.Cells
	isPart := 1 <= c.Parts && c.Parts <= mostCells && 1 <= c.Part && c.Part <= c.Parts
	switch {
	case c.Search == "":
		return errors.New("it names no search")
	case !isCell || !isPart:
		return fmt.Errorf("cell %d of %d, part %d of %d", c.Cell, c.Cells, c.Part, c.Parts)
	case !isNone && len(c.Values) != len(c.Axes), len(c.Runs) != len(c.Figures):
		return errors.New("values or figures are missing")
	}
	return nil
}
