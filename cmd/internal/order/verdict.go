package order

import (
	"errors"

	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Verdict is what qmgr would answer to a formula, as JSON has it.
type Verdict struct {
	Error      int       `json:"error"` // PBS's error number, 0 if it accepts the formula
	Message    string    `json:"message"`
	Validation string    `json:"validation"` // Python's words, as the server logs them
	Runs       bool      `json:"runs"`       // whether this program can evaluate it
	Warnings   []Warning `json:"warnings"`
}

// Warning is a trap in a formula.
type Warning struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Instead string `json:"instead,omitempty"`
}

// Check returns the verdict on a formula at a site, of which some is known.
func Check(src string, symbols *formula.Symbols, around formula.Surroundings) Verdict {
	v := formula.Check(src, symbols)
	verdict := Verdict{Error: v.Code, Message: v.Message, Validation: v.Validation, Runs: v.Err == nil, Warnings: []Warning{}}
	for _, w := range formula.Warnings(src, symbols, around) {
		verdict.Warnings = append(verdict.Warnings, Warning(w))
	}
	return verdict
}

// PlaceOf returns what of a formula an error is about, the zero Span where that is not
// known.
func PlaceOf(err error) formula.Span {
	var p formula.Problem
	if errors.As(err, &p) {
		return p.Place()
	}
	return formula.Span{}
}

// Surroundings returns what a site tells about the traps of formulas.
func Surroundings(site *pbs.Site) formula.Surroundings {
	var around formula.Surroundings
	if site.SchedPriv != nil {
		config := site.SchedPriv.Config
		around.HasConfig = true
		around.FairShareOff = !config.Prime.FairShare && !config.NonPrime.FairShare
		around.SortKeys = len(config.Prime.SortKeys)+len(config.NonPrime.SortKeys) > 0
	}
	around.Defaults = map[string]formula.Value{}
	for name, text := range site.Defaults() {
		if v, ok := formula.ParseAmount(text, site.Resources[name]); ok {
			around.Defaults[name] = v
		}
	}
	return around
}

// Seen returns different amounts that the jobs of a list have, by column.
func Seen(l *joblist.List) map[string][]formula.Value {
	const most = 100 // of a column
	seen := map[string][]formula.Value{}
	for i, column := range l.Columns {
		known := map[float64]bool{}
		for row := range l.Len() {
			x := l.Amount(row, i)
			if known[x] || len(known) == most {
				continue
			}
			known[x] = true
			if v, ok := formula.Amount(x); ok {
				seen[column] = append(seen[column], v)
			}
		}
	}
	return seen
}
