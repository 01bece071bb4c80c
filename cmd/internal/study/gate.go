package study

import (
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
)

// Verdict is what a condition says of a policy.
type Verdict struct {
	Condition   *figure.Condition
	Policy      int     // numbered from 1
	Left, Right float64 // the sides, by the means of all runs
	Holds       bool    // whether it does for these
	IsOpen      bool    // whether it could turn out the other way if jobs that are left waiting kept waiting
	HoldsIn     int     // in how many runs it does
	Runs        int
}

// Judge returns whether conditions hold for each policy but the first, or for the first if it
// is the only one. The figures of the conditions have to be among the study's. It is a
// *diag.RequestError if a side of a condition is no number, since no comparison with that holds.
func (s *Study) Judge(all []*Measured, conditions []*figure.Condition) ([]Verdict, error) {
	var verdicts []Verdict
	for _, c := range conditions {
		if len(s.Policies) == 1 && c.UsesBase() {
			return nil, diag.Requestf("%s: base is the first policy, and there is no other to compare with it", c.Text)
		}
		for i, m := range all {
			if m.IsCut {
				return nil, diag.Requestf("%s cannot be told: policy %d was interrupted", c.Text, i)
			}
		}
	}
	for p := range s.Policies {
		if p == 0 && len(s.Policies) > 1 {
			continue
		}
		for _, c := range conditions {
			v := Verdict{Condition: c, Policy: p + 1, Runs: min(all[p+1].Runs, all[1].Runs)}
			places := s.placesOf(c.Figures)
			observed := figuresAt(all[0], places, -1)
			v.Left, v.Right = c.Sides(figuresAt(all[p+1], places, -1), figuresAt(all[1], places, -1), observed)
			if isNone(v.Left) || isNone(v.Right) {
				return nil, diag.Requestf("%s cannot be told: a side of it is no number", c.Text)
			}
			v.Holds = c.Holds(v.Left, v.Right)
			v.IsOpen = isOpen(c, v.Holds, []*Measured{all[p+1], all[1], all[0]}, places)
			for run := range v.Runs {
				if c.Holds(c.Sides(figuresAt(all[p+1], places, run), figuresAt(all[1], places, run), observed)) {
					v.HoldsIn++
				}
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts, nil
}

// isOpen reports whether a condition could turn out the other way if figures that are only known to be longer
// were as long as can be: those of the policy, of the first one, or of what was observed.
func isOpen(c *figure.Condition, holds bool, of []*Measured, places []int) bool {
	const long = 1e12 // seconds
	for which := range 1 << len(of) {
		figures := make([][]float64, len(of))
		for i, m := range of {
			figures[i] = figuresAt(m, places, -1)
			for k, at := range places {
				if m.Longer[at] && which&(1<<i) != 0 {
					figures[i][k] = long
				}
			}
		}
		if c.Holds(c.Sides(figures[0], figures[1], figures[2])) != holds {
			return true
		}
	}
	return false
}

// openText says of a verdict that it could turn out the other way, "" if it could not.
func openText(isOpen bool) string {
	if !isOpen {
		return ""
	}
	return " That is by the last start of the record: if jobs that are left waiting kept waiting, it could turn out the other way."
}

func isNone(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Ask adds a figure to those that the study computes, unless it is one of them.
func (s *Study) Ask(f figure.Figure) {
	if s.At(f) < 0 {
		s.Figures = append(s.Figures, f)
	}
}

// At returns the index of a figure among those that the study computes, -1 if it is not one
// of them.
func (s *Study) At(f figure.Figure) int { return slices.IndexFunc(s.Figures, f.Equal) }

func (s *Study) placesOf(figures []figure.Figure) []int {
	var places []int
	for _, f := range figures {
		places = append(places, s.At(f))
	}
	return places
}

// figuresAt returns what figures at some places come to in a run, or on average over all
// runs if the run is -1.
func figuresAt(m *Measured, places []int, run int) []float64 {
	var list []float64
	for _, at := range places {
		if run < 0 {
			list = append(list, IntervalOf(m.Figures[at]).Mean)
		} else {
			list = append(list, m.Figures[at][run])
		}
	}
	return list
}
