package lab

import (
	"math"
	"slices"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/report"
)

// Ranking is a part of an order beside the one in force, with rows of the kind of site.
type Ranking[R any] struct {
	Jobs    int            `json:"jobs"`  // considered in both
	Moved   int            `json:"moved"` // of those
	Entered int            `json:"entered"`
	Left    int            `json:"left"`
	Tau     *report.Number `json:"tau"`
	InOrder string         `json:"in_order"` // which part of all pairs keep their order, in words; "" where there are none
	Total   int            `json:"total"`    // rows that the filters let pass
	Rows    []R            `json:"rows"`
	Shifts  []Shifts       `json:"shifts"`
	Slope   []Line         `json:"slope"`
	Last    int            `json:"last"` // the largest rank
}

// Bounds of an answer.
const (
	maxRows   = 500
	maxShifts = 200
	maxLines  = 400
)

// Part returns the rows of a list that a page asks for.
func (q Query) Part(n int) (first, end int) {
	first = max(0, min(q.First, n))
	return first, first + max(0, min(q.Count, maxRows, n-first))
}

// Shifts are the mean changes by a kind of names.
type Shifts struct {
	Kind  string          `json:"kind"`
	Names []compare.Shift `json:"names"`
}

// NewShifts returns the changes by a kind of names, of many those that move most on both sides.
func NewShifts(kind string, names []compare.Shift) Shifts {
	if n := len(names); n > maxShifts {
		names = slices.Concat(names[:maxShifts/2], names[n-maxShifts/2:])
	}
	if names == nil {
		names = []compare.Shift{}
	}
	return Shifts{kind, names}
}

// Line is some jobs that begin and end close together: the mean of their ranks, in force
// and as tried.
type Line struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Jobs int     `json:"jobs"`
	Name string  `json:"name"` // of the kind of Query.By
}

// Lines joins the rows of a name that begin and end close together, as coarse as it
// takes to have few lines. of returns the ranks of a row, 0 for none, up to last.
func Lines[R any](rows []R, last int, of func(R) (from, to int, name string)) []Line {
	last = max(1, last)
	for bins := last; ; bins = min(bins/2, 40) {
		type place struct {
			name     string
			from, to int
		}
		places := map[place]int32{} // in lines
		var lines []Line
		isOver := false
		for _, row := range rows {
			from, to, name := of(row)
			if from == 0 || to == 0 {
				continue // it is in one of the orders only
			}
			key := place{name, from * bins / last, to * bins / last}
			at, ok := places[key]
			if !ok {
				if at = int32(len(lines)); len(lines) == maxLines {
					isOver = true
					break
				}
				places[key] = at
				lines = append(lines, Line{Name: key.name})
			}
			lines[at].From, lines[at].To, lines[at].Jobs = lines[at].From+float64(from), lines[at].To+float64(to), lines[at].Jobs+1
		}
		if isOver && bins > 1 { // with one, what is beyond the most names is left out
			continue
		}
		for i := range lines {
			line := &lines[i]
			n := float64(line.Jobs)
			line.From, line.To = math.Round(line.From/n*10)/10, math.Round(line.To/n*10)/10
		}
		return append([]Line{}, lines...)
	}
}
