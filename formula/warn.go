package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Warning is what may go wrong with a formula that qmgr accepts, or what went
// wrong with one that it does not.
type Warning struct {
	Rule    string // a short name, "division-by-zero"
	Message string
	Instead string // what to write instead, may be empty
}

// Site is what is known of where a formula will run; its zero value is
// nothing.
type Site struct {
	HasConfig    bool // sched_config was read
	FairShareOff bool // its fair_share is false
	SortKeys     bool // it has job_sort_key
	// Requested tells which resources jobs request, nil when not known.
	Requested map[string]bool
}

// Warnings looks for what spares a scheduler: by reading the formula, and by
// evaluating it for typical and extreme values of its variables.
func Warnings(src string, symbols *Symbols, site Site) []Warning {
	w := &warner{src: src, symbols: symbols, site: site}
	w.text()
	if f, err := parsePython(src); err == nil {
		w.names(f)
		w.code(f)
		if findForeign(f.Root) == nil {
			w.sample(f)
		}
	}
	return w.warnings
}

type warner struct {
	src      string
	symbols  *Symbols
	site     Site
	warnings []Warning
}

func (w *warner) add(rule, instead, format string, args ...any) {
	for _, have := range w.warnings {
		if have.Rule == rule && rule != "unchecked-name" {
			return
		}
	}
	w.warnings = append(w.warnings, Warning{Rule: rule, Message: fmt.Sprintf(format, args...), Instead: instead})
}

// text warns of characters that PBS's quoting does not survive.
func (w *warner) text() {
	if strings.Contains(w.src, `"`) {
		w.add("double-quotes", "leave out double quotes",
			"the scheduler puts the formula in double quotes: every job silently keeps the value of the last evaluation before")
	}
	if strings.Contains(w.src, "'") {
		w.add("single-quotes", "leave out single quotes", "single quotes are an error in the server (%d)", CodeServerError)
	}
	if strings.HasSuffix(w.src, `\`) {
		w.add("backslash", "leave out the backslash", "a backslash at the end is an error in the server (%d)", CodeServerError)
	}
	if s, err := parseStatements(w.src); err == nil && s.assigns {
		w.add("assignment", "write one expression, with == for a comparison",
			"= and ; are accepted when the formula is set, but each job's value is then 0")
	}
}

// fairshareNames are the terms that come from the fairshare tree.
var fairshareNames = []string{"fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"}

func (w *warner) names(f *Formula) {
	names := f.Names()
	variables := 0
	for _, name := range names {
		t := w.symbols.Type(name)
		_, isMath := mathNames[name]
		switch {
		case isMath && t != "":
			w.add("hidden-resource", "rename the resource", "%s is a name of Python's math module, which hides the resource", name)
		case isMath:
		case t.Numeric():
			variables++
		case t == "" && builtinNames[name].fn == nil && !pythonNames[name]:
			variables++
			w.unknown(name)
		}
		if name == "fair_share_perc" {
			w.add("deprecated-name", "fairshare_perc", "fair_share_perc is deprecated")
		}
		if t != "" && !isMath && w.site.Requested != nil && !isKeyword(name) && !w.site.Requested[name] {
			w.add("unrequested-resource", "", "no job requests %s, so it is 0 for all of them", name)
		}
		if w.site.HasConfig && w.site.FairShareOff && slices.Contains(fairshareNames, name) {
			w.add("fair-share-off", "set fair_share to true in sched_config",
				"fair_share is false, so usage decays but never grows and %s forgets who has run", name)
		}
	}
	if variables == 0 {
		w.add("constant", "", "the formula has no variable: every job gets the same value")
	}
	if w.site.HasConfig && w.site.SortKeys {
		w.add("sort-key-beside-formula", "", "job_sort_key is set in sched_config too: it only decides between jobs of one value")
	}
}

// unknown warns of a name that qmgr rejects, or overlooks.
func (w *warner) unknown(name string) {
	if IsOtherFairshare(name) {
		w.add("not-of-pbs", "fairshare_factor", "%s is another scheduler's fairshare, which PBS does not know", name)
		return
	}
	if name == "math" {
		w.add("math-prefix", "log2(x), not math.log2(x)", "PBS imports math's functions by name, math itself is not known")
		return
	}
	if Check(w.src, w.symbols).Code != 0 {
		return // the verdict says so
	}
	instead := w.symbols.Nearest(name)
	w.add("unchecked-name", instead,
		"%s is unknown, but qmgr does not see it: the branch is not taken when every name is 1", name)
}

// code warns of what PBS would execute.
func (w *warner) code(f *Formula) {
	walk(f.Root, func(n Node) {
		switch n := n.(type) {
		case *Foreign:
			w.add("python-code", "", "%s: PBS would run this as Python code inside the scheduler", n.What)
			if n.What == "a string" {
				w.add("not-a-number", "", "the formula has a string: a result that is one crashes the scheduler")
			}
		case *Name:
			if pythonNames[n.Name] && w.symbols.Type(n.Name) == "" {
				w.add("python-code", "", "%s is a Python function: PBS would run it inside the scheduler", n.Name)
			}
		}
	})
}

// sampleValues are what a variable of a type is tried with. The first is
// ordinary.
func sampleValues(name string, t Type) []Value {
	switch {
	case name == "job_priority":
		return []Value{Int(0), Int(-1024), Int(1023), Int(5)}
	case name == "queue_priority":
		return []Value{Int(10), Int(0), Int(-5), Int(150)}
	case name == "accrue_type":
		return []Value{Int(2), Int(0), Int(1)}
	case name == "fairshare_factor":
		return []Value{Float(0.5), Float(0), Float(1), Float(0.000001)}
	case name == "fairshare_tree_usage":
		return []Value{Float(0.125), Float(0), Float(1), Float(0.000001)}
	case slices.Contains(fairshareNames, name):
		return []Value{Float(0.2), Float(0), Float(1), Float(0.000001)}
	case t == FloatType:
		return []Value{Float(1.5), Int(0), Float(0.0001), Int(1000), Int(1)}
	case t == Size:
		return []Value{Int(4 << 20), Int(0), Int(1), Int(1 << 40)}
	case t == Duration:
		return []Value{Int(3600), Int(0), Int(1), Int(30 * 86400)}
	}
	return []Value{Int(4), Int(0), Int(1), Int(4096)}
}

// sample evaluates the formula for many values of its variables and warns of
// what it sees, with the values that show it.
func (w *warner) sample(f *Formula) {
	var names []string
	var choices [][]Value
	for _, name := range f.Names() {
		if t := w.symbols.Type(name); t.Numeric() {
			names = append(names, name)
			choices = append(choices, sampleValues(name, t))
		}
	}
	p, err := Compile(f, names)
	if err != nil {
		return
	}
	const tries = 600
	e := p.NewEvaluator(1)
	values := make([]Value, len(names))
	random := uint32(1)
	for try := range tries {
		for i, c := range choices {
			// First all ordinary, then one extreme after another, then any mix.
			pick := 0
			switch k := try - 1; {
			case k >= 0 && k/4 == i:
				pick = (k%4 + 1) % len(c)
			case k >= 4*len(choices):
				random = random*1664525 + 1013904223
				pick = int(random>>16) % len(c)
			}
			values[i] = c[pick]
			e.Set(0, i, values[i])
		}
		if e.Run(1) != nil {
			return
		}
		w.outcome(e.Result(0), describeValues(names, values))
		if len(names) == 0 || e.spent > maxWork {
			return
		}
	}
}

func describeValues(names []string, values []Value) string {
	var parts []string
	for i, name := range names {
		parts = append(parts, name+"="+values[i].String())
	}
	if len(parts) == 0 {
		return "always"
	}
	return "with " + strings.Join(parts, " ")
}

// ties is from where on a C float skips integers.
const ties = 1 << 24

func (w *warner) outcome(r Result, when string) {
	var notReal *NotRealError
	var py *PyError
	switch {
	case errors.As(r.Err, &notReal) && notReal.What == "a complex number":
		w.add("complex-result", "use pow(x, y), which raises an error instead",
			"the result can be a complex number, which crashes the scheduler (%s)", when)
	case errors.As(r.Err, &notReal):
		w.add("not-a-number", "", "the result can be %s, which crashes the scheduler (%s)", notReal.What, when)
	case errors.As(r.Err, &py):
		w.raises(py, when)
	case r.Err == nil && math.Abs(r.Value) > math.MaxFloat32:
		w.add("float-overflow", "", "the value can exceed a C float's 3.4e38 and become infinite (%s)", when)
	case r.Err == nil && math.Abs(r.Value) > ties:
		w.add("float-ties", "scale the value down", "the value can exceed 2^24: PBS keeps a C float, so different jobs can tie (%s)", when)
	}
}

func (w *warner) raises(py *PyError, when string) {
	switch py.Class {
	case "NameError":
		return // unchecked-name tells of it
	case "ZeroDivisionError":
		instead := "test the divisor: … if x else 0"
		if strings.Contains(w.src, "fairshare_perc") || strings.Contains(w.src, "fair_share_perc") {
			instead = "max(fairshare_perc, 1e-6); it is 0 without shares, and below 0.0000005, since PBS prints six decimals"
		}
		w.add("division-by-zero", instead, "%s, value 0 (%s)", py.Message, when)
	default:
		w.add("can-fail", "", "%s: %s, value 0 (%s)", py.Class, py.Message, when)
	}
	w.add("first-evaluation", "",
		"a scheduler that has just started dies if its first evaluation raises an error, and this one can (%s)", when)
}
