package search

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/study"
)

// Maker makes the cells of a part of a search, a few at a time.
type Maker struct {
	grid        *Grid
	on          *study.Study
	site        Site
	id          string
	part, parts int
	cells, next int
	first       int           // the number of the first cell
	numbers     []int         // of the cells that are being made
	said        []diag.Remark // of cells that were made
}

// NewMaker returns a maker of a part of a search, numbered from 1, that replays what a study
// is of. If it is known which policy is in force, that is cell 0, of the first part.
func NewMaker(grid *Grid, on *study.Study, site Site, isKnown bool, part, parts int) *Maker {
	m := &Maker{grid: grid, on: on, site: site, id: grid.identify(on, site), part: part, parts: parts}
	m.cells, _ = grid.Size()
	if !isKnown {
		m.next = 1
	}
	m.first = m.next
	return m
}

// Count returns how many cells there are in all.
func (m *Maker) Count() (n int) {
	for cell := m.first; cell <= m.cells; cell++ {
		if partOf(cell, m.parts) == m.part {
			n++
		}
	}
	return n
}

// Prepare makes the next cells, up to count of them, the policies of the study, and returns
// remarks on them, each once however many cells are made at a time. Afterwards the study has no
// policies if all cells have been made.
func (m *Maker) Prepare(count int) ([]diag.Remark, error) {
	m.numbers = nil
	var policies []*study.Changes
	var remarks []diag.Remark
	for ; m.next <= m.cells && len(m.numbers) < count; m.next++ {
		if partOf(m.next, m.parts) != m.part {
			continue
		}
		if m.next == 0 {
			policies, m.numbers = append(policies, nil), append(m.numbers, 0)
			continue
		}
		c, err := m.grid.changes(m.next, m.site.Formula())
		if err != nil {
			return remarks, err
		}
		policies, m.numbers = append(policies, c), append(m.numbers, m.next)
	}
	first, all, err := m.site.Try(policies)
	if slices.Contains(m.numbers, 1) {
		remarks = append(remarks, first...)
	}
	for _, r := range all {
		if !slices.Contains(m.said, r) { // by cells before
			m.said, remarks = append(m.said, r), append(remarks, r)
		}
	}
	return remarks, err
}

// Cells returns the cells that were prepared with what their replays have come to, without
// those that were interrupted.
func (m *Maker) Cells(all []*study.Measured) []Cell {
	var cells []Cell
	for i, measured := range all[1:] {
		if measured.IsCut {
			continue
		}
		c := Cell{Search: m.id, Cell: m.numbers[i], Cells: m.cells, Part: m.part, Parts: m.parts, Formula: measured.Policy.Formula, Values: []string{}, Goals: []string{}}
		if c.Cell > 0 {
			c.Values = m.grid.Values(c.Cell)
		}
		for _, a := range m.grid.Axes {
			c.Axes = append(c.Axes, a.Name)
		}
		for _, g := range m.grid.Goals {
			c.Goals = append(c.Goals, g.String())
		}
		for _, n := range measured.First.Result.Errors {
			c.Failed += n
		}
		c.Never, _ = measured.First.Result.Left()
		if p := measured.First.Preemptions(); p != nil {
			c.Cancelled = p.Cancelled
		}
		c.Starts = abbreviation(measured.First.Result.Start)
		if course := measured.First.Course(); course != nil {
			c.Shares = abbreviation(course.EntityOf, course.Percentages)
		}
		c.Kept = measured.First.Result.KeptFor()
		_, _, c.IsSaturated = measured.First.Result.IsSaturated(m.on.Work.Last)
		for _, f := range m.on.Figures {
			c.Figures = append(c.Figures, f.String())
		}
		c.Runs, c.Longer = m.figures(measured)
		if c.Cell == m.first {
			c.Observed = &Observed{}
			c.Observed.Values, c.Observed.Longer = m.figures(all[0])
		}
		if c.Cell == 0 {
			for _, a := range m.grid.Axes {
				value := ""
				if a.IsSetting {
					value = m.site.WasBefore(a.Name, a.Values[0])
				}
				c.InForce = append(c.InForce, value)
			}
			nearness, off := m.on.Nearness(all, "the policy in force")
			c.Nearness = nearness
			if !math.IsNaN(off) {
				c.Off = off
			}
		}
		cells = append(cells, c)
	}
	return cells
}

// figures returns what has come of a policy, or was observed: by figure and run, and which are only known to be longer.
func (m *Maker) figures(of *study.Measured) (all [][]*float64, longer []string) {
	for k, f := range m.on.Figures {
		runs := make([]*float64, len(of.Figures[k]))
		for n, x := range of.Figures[k] {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				runs[n] = &x
			}
		}
		all = append(all, runs)
		if of.Longer[k] {
			longer = append(longer, f.String())
		}
	}
	return all, longer
}

// abbreviation returns a short text that is the same for the same numbers.
func abbreviation(numbers ...any) string {
	h := sha256.New()
	for _, list := range numbers {
		if err := binary.Write(h, binary.LittleEndian, list); err != nil {
			panic(err) // of numbers it writes all
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// partOf returns the number of the part that a cell belongs to, from 1. The policy in force
// belongs to the first one.
func partOf(cell, parts int) int { return max(0, cell-1)%parts + 1 }
