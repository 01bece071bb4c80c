package study

import (
	"math"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
)

// Maker makes the cells of a part of a search, a few at a time.
type Maker struct {
	search      *Search
	on          *Study
	site        *pbs.Site
	inForce     []*Policy // at most one
	id          string
	part, parts int
	cells, next int
	numbers     []int // of the cells that are being made
}

// NewMaker returns a maker of a part of a search, numbered from 1. The study's first
// policy, if it has one, is that in force, which belongs to the first part.
func NewMaker(search *Search, on *Study, site *pbs.Site, part, parts int) *Maker {
	m := &Maker{search: search, on: on, site: site, inForce: on.Policies, id: search.Identify(on, site), part: part, parts: parts}
	m.cells, _ = search.Size()
	if len(m.inForce) == 0 {
		m.next = 1
	}
	return m
}

// Prepare makes some of the next cells the policies of the study: none if all have been
// made.
func (m *Maker) Prepare(count int) ([]diag.Remark, error) {
	m.numbers = nil
	var policies []*Policy
	var remarks []diag.Remark
	for ; m.next <= m.cells && len(m.numbers) < count; m.next++ {
		if !InPart(m.next, m.part, m.parts) {
			continue
		}
		if m.next == 0 {
			policies, m.numbers = append(policies, m.inForce[0]), append(m.numbers, 0)
			continue
		}
		p, more, err := m.search.Policy(m.next, m.site)
		if err != nil {
			return remarks, err
		}
		if m.next == 1 {
			remarks = append(remarks, more...)
		}
		policies, m.numbers = append(policies, p), append(m.numbers, m.next)
	}
	more, err := m.on.Use(policies)
	if m.next <= count {
		remarks = append(remarks, more...)
	}
	return remarks, err
}

// Cells returns what the cells that were prepared come to, without those that were
// interrupted.
func (m *Maker) Cells(all []*Measured) []Cell {
	var cells []Cell
	for i, measured := range all[1:] {
		if measured.IsCut {
			continue
		}
		c := Cell{Search: m.id, Cell: m.numbers[i], Cells: m.cells, Part: m.part, Parts: m.parts, Formula: measured.Policy.Site.Sched.Formula, Values: []string{}, Goals: []string{}}
		if c.Cell > 0 {
			c.Values = m.search.Values(c.Cell)
		}
		for _, a := range m.search.Axes {
			c.Axes = append(c.Axes, a.Name)
		}
		for _, g := range m.search.Goals {
			c.Goals = append(c.Goals, g.String())
		}
		for _, n := range measured.First.Result.Errors {
			c.Failed += n
		}
		for k, f := range m.on.Figures {
			c.Figures = append(c.Figures, f.String())
			runs := make([]*float64, len(measured.Figures[k]))
			for n, x := range measured.Figures[k] {
				if !math.IsNaN(x) && !math.IsInf(x, 0) {
					runs[n] = &x
				}
			}
			c.Runs = append(c.Runs, runs)
		}
		cells = append(cells, c)
	}
	return cells
}
