package search

import (
	"slices"
	"strings"
)

// IdleAxes returns the names of the axes that change nothing: whatever their value, the other values being the same, all runs come to the
// same in all figures.
func IdleAxes(cells []Cell) (names []string) {
	if len(cells) == 0 {
		return nil
	}
	for k, name := range cells[len(cells)-1].Axes {
		first, isTried := map[string]*Cell{}, false // by the values of the other axes
		changes := slices.ContainsFunc(cells, func(c Cell) bool {
			if k >= len(c.Values) {
				return false // the policy in force
			}
			others := strings.Join(slices.Delete(slices.Clone(c.Values), k, k+1), "\n")
			of := first[others]
			if of == nil {
				first[others] = &c
				return false
			}
			isTried = true
			return !of.isAlike(&c)
		})
		if isTried && !changes {
			names = append(names, name)
		}
	}
	return names
}

// AlikeTo returns the first cell before one that is alike to it, nil for none.
func AlikeTo(cells []Cell, at int) *Cell {
	first := slices.IndexFunc(cells[:at], func(c Cell) bool { return c.isAlike(&cells[at]) })
	if first < 0 {
		return nil
	}
	return &cells[first]
}

// Unmoved returns the cells that start every job when the first one does, which is the policy in force: of several runs, the first one tells
// when, and the others have to come to the same.
func Unmoved(cells []Cell) (same []Cell) {
	for _, c := range cells[min(1, len(cells)):] {
		if cells[0].Cell == 0 && c.Starts != "" && c.Starts == cells[0].Starts && (c.Single() || c.isAlike(&cells[0])) {
			same = append(same, c)
		}
	}
	return same
}

// OtherShares returns the cells whose distances are from other shares than those of the first one.
func OtherShares(cells []Cell) (others []Cell) {
	for _, c := range cells[min(1, len(cells)):] {
		if c.Shares != cells[0].Shares {
			others = append(others, c)
		}
	}
	return others
}

// isAlike reports whether two cells come to the same in each run, and tell something.
func (c *Cell) isAlike(other *Cell) bool {
	isSame := func(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	sameRuns := func(a, b []*float64) bool { return slices.EqualFunc(a, b, isSame) }
	return c.Never == other.Never && c.Cancelled == other.Cancelled && c.Failed == other.Failed && c.runs() > 0 && slices.EqualFunc(c.Runs, other.Runs, sameRuns)
}
