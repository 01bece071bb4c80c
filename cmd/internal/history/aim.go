package history

import (
	"math"
	"slices"
)

// Names returns the names that a report has rows of, each once.
func (s *Sheet) Names() []string {
	var names []string
	for _, r := range s.Lines {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Parts returns the kinds of figures that a report has.
func (s *Sheet) Parts() []Part {
	parts := []Part{OfMachine, OfFairness, OfWork, OfWaiting}
	return slices.DeleteFunc(parts, func(p Part) bool {
		return !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Part == p })
	})
}

// Of returns the figures of a kind in the order of tables, in which the 90th percentile comes
// before the 95th.
func (s *Sheet) Of(part Part) []Column {
	columns := slices.DeleteFunc(slices.Clone(s.Columns), func(c Column) bool {
		return c.Part != part || slices.Contains(ofAny, c.Name) && !s.has(c) || slices.Contains(ofOneJob, c.Name) && !TellsMost(s.Kind)
	})
	is := func(name string) int { return slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }) }
	if i, k := is("wait_p95"), is("wait_p90"); i >= 0 && k > i {
		p90 := columns[k]
		columns = slices.Insert(slices.Delete(columns, k, k+1), i, p90)
	}
	return columns
}

// IsAtLeast reports whether a figure of some row may be more than it is.
func (s *Sheet) IsAtLeast(c Column) bool { return slices.ContainsFunc(s.Lines, c.IsAtLeast) }

// has reports whether some row has another figure than 0.
func (s *Sheet) has(c Column) bool {
	return slices.ContainsFunc(s.Lines, func(r *Line) bool { return c.Of(r) != 0 })
}

// Aim adds what names have occupied beside the part that they are to have, 1 for all. The
// report has to be of everybody's jobs. Only whole periods count for how many in a row are on a side of it.
func (s *Sheet) Aim(targets map[string]float64) {
	all := map[Span]float64{}
	for _, r := range s.Lines {
		all[r.Span] += r.occupied[0]
	}
	for _, r := range s.Lines { // those of the period before come first
		r.share, r.target = ratio(r.occupied[0], all[r.Span]), math.NaN()
		if target, ok := targets[r.Name]; ok {
			r.target = target
		}
		switch by := r.share - r.target; {
		case s.isCut(r):
			r.isCut = true
		case by > 0:
			r.periods = 1
		case by < 0:
			r.periods = -1
		}
		if r.Before != nil && r.Before.periods*r.periods > 0 {
			r.periods += r.Before.periods
		}
	}
	s.Columns = append(s.Columns,
		Column{"share", "SHARE", OfFairness, Ratio, false, func(r *Line) float64 { return r.share }},
		Column{"target", "TARGET", OfFairness, Ratio, false, func(r *Line) float64 { return r.target }},
		Column{"distance", "DISTANCE", OfFairness, Ratio, false, func(r *Line) float64 { return r.share - r.target }},
		Column{"periods_on_that_side", "PERIODS", OfFairness, Number, false, func(r *Line) float64 { return orNaN(float64(r.periods), !r.isCut) }})
}

// isCut reports whether a period is not a whole one: the logs lack a part of it, or only a part of it is asked for.
func (s *Sheet) isCut(r *Line) bool {
	if s.Step == Whole {
		return false
	}
	c := calendar{step: s.Step, zone: s.Zone}
	return r.Lacks != "" || c.begin(r.Begin, 0) != r.Begin || c.begin(r.Begin, 1) != r.End
}
