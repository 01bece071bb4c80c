// Package search tries values for the settings of a policy and the names of its formula: it
// replays each combination, on its own or in parts that are made on a cluster and collected,
// and finds those that no other is better than.
package search

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/study"
	"fairshare/formula"
)

// Grid is a search: a policy, called a cell, for each formula and each combination of the
// values of the axes.
type Grid struct {
	Axes     []Axis
	Formulas []string // with the names of axes; none for the formula in force
	Settings []string // of all cells
	Goals    []Goal
}

// Site is the site that a search is of: it makes policies those of the study.
type Site interface {
	// Formula returns the formula in force, "" for none.
	Formula() string

	// Try makes policies those of the study: changed ones, and the one in force for nil. It returns
	// remarks on the first changed one, and on what all are replayed with.
	Try(policies []*study.Changes) (first, all []diag.Remark, err error)

	// WasBefore returns the value that a setting has before it is another one, "" where it is not set or has no single value.
	WasBefore(name, other string) string

	// Identify writes all that a replay depends on besides the jobs and what policies change.
	Identify(w io.Writer)
}

// Size returns the number of cells, without the policy in force. Its error is a *diag.RequestError.
func (g *Grid) Size() (int, error) {
	n := max(1, len(g.Formulas))
	for i, a := range g.Axes {
		if slices.ContainsFunc(g.Axes[:i], func(b Axis) bool { return a.Name == b.Name }) {
			return 0, diag.Requestf("--vary %s is given twice", a.Name)
		}
		if n *= len(a.Values); n > mostCells {
			return 0, diag.Requestf("the search has more than %d rows", mostCells)
		}
	}
	return n, nil
}

// Check returns what is wrong with the formulas and names of a search by themselves: a
// *figure.ParseError or a *diag.RequestError.
func (g *Grid) Check() error {
	names := map[string]string{}
	for _, a := range g.Axes {
		if !a.IsSetting {
			names[a.Name] = a.Values[0]
		}
	}
	for _, text := range g.Formulas {
		if _, err := substitute(text, names); err != nil {
			return err
		}
	}
	return nil
}

// Tried returns the values that a search tries for a name.
func (g *Grid) Tried(name string) []string {
	for _, a := range g.Axes {
		if a.Name == name {
			return a.Values
		}
	}
	return nil
}

// Values returns the values of a cell, by axis. Cell 1 has the first value of each axis; from
// one cell to the next the last axis changes fastest.
func (g *Grid) Values(cell int) []string {
	values, _ := g.at(cell)
	return values
}

// at returns the values of a cell and the number of its formula.
func (g *Grid) at(cell int) (values []string, formula int) {
	rest := cell - 1
	values = make([]string, len(g.Axes))
	for i, a := range slices.Backward(g.Axes) {
		values[i] = a.Values[rest%len(a.Values)]
		rest /= len(a.Values)
	}
	return values, rest
}

// changes returns what a cell changes at a site with a formula in force.
func (g *Grid) changes(cell int, inForce string) (*study.Changes, error) {
	values, number := g.at(cell)
	c := &study.Changes{Formula: inForce, Settings: slices.Clone(g.Settings)}
	if len(g.Formulas) > 0 {
		c.Formula = g.Formulas[number]
	}
	names := map[string]string{}
	for i, a := range g.Axes {
		if a.IsSetting {
			c.Settings = append(c.Settings, a.Name+"="+values[i])
		} else {
			names[a.Name] = values[i]
		}
	}
	if len(names) == 0 {
		return c, nil
	}
	text, err := substitute(c.Formula, names)
	c.Formula = text
	return c, err
}

// substitute returns a formula with values in the place of names. It is an error if the
// formula lacks one of the names.
func substitute(text string, values map[string]string) (string, error) {
	f, err := formula.Parse(text)
	if err != nil {
		return "", &figure.ParseError{Text: text, End: len(text), Detail: err.Error()}
	}
	names := f.Names()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			return "", diag.Requestf("--vary %s: there is no setting %s, and the formula has no such name: %s", name, name, text)
		}
	}
	return f.With(values), nil
}

// identify returns an abbreviation of a search at a site and of all that it is made on, so
// that cells of different searches are not taken for those of one.
func (g *Grid) identify(on *study.Study, site Site) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v %q %q %v\n", g.Axes, g.Formulas, g.Settings, g.Goals)
	fmt.Fprintf(h, "%d %d %d %v\n", max(1, on.Runs), on.Seed, on.Shake, on.Figures)
	site.Identify(h)
	for _, j := range on.Work.Jobs {
		fmt.Fprintln(h, j.ID, j.Arrival, j.Start, j.End, j.Priority, j.Subjobs, j.Runs, j.Walltime, on.Work.Requests[j.Request])
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
