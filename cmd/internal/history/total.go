package history

import (
	"math"
	"slices"
)

// AllNames is what a row of all names together is called.
const AllNames = "all"

// Totals returns rows of all together: of each period where a report has names, otherwise one of all periods, and none
// where there is a single row.
func (s *Sheet) Totals() []*Line {
	if len(s.Lines) < 2 {
		return nil
	}
	if s.Kind == "" {
		return []*Line{together(s.Lines)}
	}
	var totals []*Line
	for from := 0; from < len(s.Lines); {
		to := from + 1
		for to < len(s.Lines) && s.Lines[to].Span == s.Lines[from].Span {
			to++
		}
		total := together(s.Lines[from:to])
		if n := len(totals); n > 0 && totals[n-1].End == total.Begin {
			total.Before = totals[n-1]
		}
		totals = append(totals, total)
		from = to
	}
	return totals
}

// together returns the sum of rows: of the names of a period, or of periods one after the other.
func together(lines []*Line) *Line {
	first := lines[0]
	sum := &Line{Span: first.Span, Name: AllNames, Lacks: first.Lacks, cell: &cell{occupied: make([]float64, len(first.occupied)), exits: map[int64]int{}}, share: 1, target: math.NaN(),
		supply: make([]float64, len(first.supply))}
	var last Span
	for _, r := range lines {
		if r.Span != last {
			for i, supply := range r.supply {
				sum.supply[i] += supply
			}
			sum.cell.waiting = 0 // those who wait at the end of all
			last, sum.End = r.Span, r.End
		}
		if sum.Lacks == "" {
			sum.Lacks = r.Lacks
		}
		sum.cell.add(r.cell)
	}
	slices.Sort(sum.waits)
	return sum
}

// add adds the sums of other jobs.
func (c *cell) add(o *cell) {
	for i, x := range o.occupied {
		c.occupied[i] += x
	}
	c.ended, c.rerun, c.killed, c.failed = c.ended+o.ended, c.rerun+o.rerun, c.killed+o.killed, c.failed+o.failed
	c.coreSeconds, c.rerunSeconds, c.charged = c.coreSeconds+o.coreSeconds, c.rerunSeconds+o.rerunSeconds, c.charged+o.charged
	c.used.add(o.used.Walltime, o.used.CPU, o.used.Memory)
	c.most.add(o.most.walltime, o.most.memory)
	for status, n := range o.exits {
		c.exits[status] += n
	}
	c.started, c.waiting = c.started+o.started, c.waiting+o.waiting
	c.deleted, c.unstarted = c.deleted+o.deleted, c.unstarted+o.unstarted
	c.waits = append(c.waits, o.waits...)
	c.slowdowns, c.slowed = c.slowdowns+o.slowdowns, c.slowed+o.slowed
}
