package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Verdict is what qmgr would answer to a formula, as JSON has it.
type Verdict struct {
	Error      int       `json:"error"` // PBS's error number, 0 if it accepts the formula
	Message    string    `json:"message"`
	Validation string    `json:"validation"` // Python's words, as the server logs them
	Runs       bool      `json:"runs"`       // whether this program can evaluate it
	Warnings   []Warning `json:"warnings"`

	Wrong *FormulaError `json:"-"` // why this program cannot evaluate it, nil if it can
}

// Warning is a trap in a formula.
type Warning struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Instead string `json:"instead,omitempty"`
}

// CanKill reports whether the scheduler can die of the formula.
func (v Verdict) CanKill() bool {
	return slices.ContainsFunc(v.Warnings, func(w Warning) bool { return formula.Warning(w).CanKill() })
}

// Check returns the verdict on a formula at a site, of which some is known.
func Check(src string, symbols *formula.Symbols, around formula.Surroundings) Verdict {
	v := formula.Check(src, symbols)
	verdict := Verdict{Error: v.Code, Message: v.Message, Validation: v.Validation, Runs: v.Err == nil, Warnings: []Warning{}}
	if v.Err != nil {
		verdict.Wrong = &FormulaError{Source: src, Err: v.Err, Hint: v.Hint}
	}
	for _, w := range formula.Warnings(src, symbols, around) {
		verdict.Warnings = append(verdict.Warnings, Warning(w))
	}
	return verdict
}

// Traps warns in one line of what no order shows of the formula of a site that is tried, such as that the scheduler can die of it.
func Traps(site *pbs.Site) []diag.Remark {
	var traps []formula.Warning
	for _, w := range formula.Warnings(site.Sched.Formula, Symbols(site.Resources), Surroundings(site)) {
		if w.IsSilent() {
			traps = append(traps, w)
		}
	}
	if len(traps) == 0 {
		return nil
	}
	more := ""
	if n := len(traps) - 1; n > 0 {
		more = fmt.Sprintf("; %s more", report.Count(n, "trap"))
	}
	return []diag.Remark{diag.Warningf("formula %s: %s: %s%s (formula check -f says what to do)", report.Printable(site.Sched.Formula), traps[0].Rule, traps[0].Message, more).OfAsked()}
}

// CheckLine returns the verdict on the formula of a JSON object, {"formula"}, and whether the line
// is one.
func CheckLine(line []byte, symbols *formula.Symbols, around formula.Surroundings) (v Verdict, ok bool) {
	var task struct{ Formula string }
	if err := json.Unmarshal(line, &task); err != nil {
		return Verdict{Message: "InputError: the line is not a JSON object with a formula", Warnings: []Warning{}}, false
	}
	return Check(task.Formula, symbols, around), true
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
	around := formula.Surroundings{ClocksOff: !site.Accrues()}
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

// CheckOptions returns how a list is read for checking a formula at a site against its jobs.
func CheckOptions(src string, site *pbs.Site) joblist.Options {
	symbols := Symbols(site.Resources)
	o := joblist.Options{Symbols: symbols, Entity: site.Entity()}
	countLacks(&o, site)
	o.Groups = true // whom limits name
	f, err := formula.Parse(src)
	if err != nil {
		return o
	}
	if site.Resources == nil { // they may be resources of the site's own
		symbols = symbols.With(asNumbers(slices.Values(f.Names()), symbols))
	}
	for _, name := range f.Names() {
		if v, ok := symbols.Lookup(name); ok && v.Origin == formula.FromJob && v.Type.Numeric() {
			o.Columns = append(o.Columns, name)
		}
	}
	return o
}

// SeenResources returns the names that jobs of a list, nil for none, and vnodes have amounts of and that PBS does not know by
// itself: where nothing tells the site's own resources, these are some of them.
func SeenResources(l *joblist.List, vnodes iter.Seq[map[string]string]) map[string]formula.Type {
	const available = "resources_available."
	names := map[string]bool{}
	if l != nil {
		maps.Copy(names, l.Requested)
	}
	for vnode := range vnodes {
		for attribute, value := range vnode {
			name, isResource := strings.CutPrefix(attribute, available)
			if _, isAmount := formula.ParseAmount(value, ""); isResource && isAmount {
				names[name] = true
			}
		}
	}
	return asNumbers(maps.Keys(names), Symbols(nil))
}

// Undefined returns the names of a formula that nobody knows. They may be resources of the site's own where nothing tells these.
func Undefined(src string, symbols *formula.Symbols) []string {
	f, err := formula.Parse(src)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Names()), func(name string) bool {
		return symbols.Resolve(name) != formula.UndefinedName || symbols.Type(name) != ""
	})
}

// AddJobs adds to surroundings what a list of jobs tells about the traps of formulas.
func AddJobs(around *formula.Surroundings, l *joblist.List) {
	around.Requested, around.Seen = l.Requested, seen(l)
}

// seen returns different amounts that the jobs of a list have, by column.
func seen(l *joblist.List) map[string][]formula.Value {
	const most = 100 // of a column
	all := map[string][]formula.Value{}
	for i, column := range l.Columns {
		known := map[float64]bool{}
		for row := range l.Len() {
			x := l.Amount(row, i)
			if known[x] || len(known) == most {
				continue
			}
			known[x] = true
			if v, ok := formula.Amount(x); ok {
				all[column] = append(all[column], v)
			}
		}
	}
	return all
}
