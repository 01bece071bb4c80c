package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Warning is something that may go wrong with a formula in a running
// scheduler.
type Warning struct {
	Rule    string // a short name, such as "division-by-zero"
	Message string
	Instead string // what to write instead, may be empty
}

// RuleExclusiveOr is the Rule of the warning about ^.
const RuleExclusiveOr = "exclusive-or"

// Surroundings are what is known of the scheduler in which a formula will run.
// The zero value says that nothing is known.
type Surroundings struct {
	HasConfig    bool            // whether sched_config was read
	FairShareOff bool            // whether its fair_share is false
	SortKeys     bool            // whether it has job_sort_key
	ClocksOff    bool            // whether eligible_time_enable of the server is false
	Requested    map[string]bool // the resources that jobs request, nil if not known

	// Defaults are the amounts that jobs have which do not ask for a resource themselves.
	Defaults map[string]Value
	// Seen are amounts that jobs have, by resource or another name of a formula.
	Seen map[string][]Value
}

// Warnings returns what an administrator should know before a formula reaches
// a scheduler. It reads the formula, and it evaluates it for typical and
// extreme values of its variables.
func Warnings(src string, symbols *Symbols, around Surroundings) []Warning {
	w := &warner{src: src, symbols: symbols, around: around, told: map[Warning]bool{}}
	w.text()
	if f, err := parsePython(src); err == nil {
		w.names(f)
		w.code(f)
		if findForeign(f.root) == nil {
			w.sample(f)
		}
	}
	slices.SortStableFunc(w.warnings, func(a, b Warning) int { return slices.Index(byWeight, a.Rule) - slices.Index(byWeight, b.Rule) })
	return w.warnings
}

// byWeight are the rules, those first of which the scheduler dies, then those that give another value than is meant, and those
// last that say what holds anyway.
var byWeight = slices.Concat(deadly, []string{"can-fail", "division-by-zero"}, distorting, []string{
	"not-of-pbs", "unchecked-name", "hidden-resource", "eligible-time-off", "fair-share-off", "unrequested-resource", "constant", "float-ties",
	"sort-key-beside-formula", "deprecated-name",
})

// distorting are the rules of formulas by which jobs have another value than is meant, without an error.
var distorting = []string{
	"float-overflow", "line-break", "backslash", "single-quotes", "double-quotes", "assignment", "python-code", "math-prefix", RuleExclusiveOr, "most-used-first",
}

// deadly are the rules of formulas of which the scheduler can die.
var deadly = []string{"first-evaluation", "complex-result", "not-a-number", "too-large"}

// CanKill reports whether the scheduler can die of the formula that a warning is of.
func (w Warning) CanKill() bool { return slices.Contains(deadly, w.Rule) }

// IsSilent reports whether no value shows what a warning is of: by it the scheduler dies, or jobs have other values than are meant. What a
// job's formula fails of is an error of that job.
func (w Warning) IsSilent() bool { return w.CanKill() || slices.Contains(distorting, w.Rule) }

type warner struct {
	src      string
	symbols  *Symbols
	around   Surroundings
	warnings []Warning
	told     map[Warning]bool // by rule, and what of the formula it is about where one rule tells of several parts
	divisors []divisor
	verdict  *Verdict // of src; nil until it is needed
}

// add keeps the first warning of each rule. Only unchecked-name tells of
// several names.
func (w *warner) add(rule, instead, format string, args ...any) {
	about := ""
	if rule == "unchecked-name" {
		about = fmt.Sprintf(format, args...)
	}
	w.addOf(about, rule, instead, format, args...)
}

// addOf keeps the first warning of a rule about each part of the formula.
func (w *warner) addOf(about, rule, instead, format string, args ...any) {
	warning := Warning{rule, fmt.Sprintf(format, args...), instead}
	once := Warning{Rule: rule, Message: about}
	if !w.told[once] {
		w.told[once] = true
		w.warnings = append(w.warnings, warning)
	}
}

// text warns of characters that PBS's quoting does not survive.
func (w *warner) text() {
	if strings.Contains(w.src, `"`) {
		w.add("double-quotes", "leave out double quotes",
			"the scheduler itself puts the formula between double quotes: every job silently gets the value that was evaluated last")
	}
	if strings.Contains(w.src, "'") {
		w.add("single-quotes", "leave out single quotes", "single quotes are an error in the server (%d)", CodeServerError)
	}
	if strings.ContainsAny(w.src, "\n\r") {
		w.add("line-break", "write it on one line",
			"qmgr -c takes what stands before a line break, sets that and says nothing of the rest")
	}
	literal, _, err := readLiteral(w.src)
	if err != nil {
		w.add("backslash", "leave out the backslash", "a backslash that begins no escape is an error in the server (%d)", CodeServerError)
		return
	}
	if checkLength(w.src) != nil {
		return
	}
	if s, err := parseStatements(literal.text); err == nil && len(s.marks) > 0 {
		w.add("assignment", "write one expression, with == for a comparison",
			"=, ; and line breaks are accepted when the formula is set, but each job's value is then 0")
	}
}

func (w *warner) names(f *Formula) {
	variables := 0
	for _, name := range f.Names() {
		v, known := w.symbols.Lookup(name)
		known = known && v.Origin != Additional
		kind := resolve(name, known)
		switch {
		case kind == MathFunction || kind == Constant:
			if known {
				w.add("hidden-resource", "rename the resource", "%s is a name of Python's math module, which hides the resource", name)
			}
		case v.Type.Numeric() && known:
			variables++
		case kind == UndefinedName:
			variables++
			w.unknown(name)
		}
		if name == "fair_share_perc" {
			w.add("deprecated-name", "fairshare_perc", "fair_share_perc is deprecated")
		}
		if kind == VariableName && w.around.Requested != nil && !isKeyword(name) && !w.around.Requested[name] {
			w.add("unrequested-resource", "", "no job requests %s, so it is 0 for all of them", name)
		}
		if w.around.ClocksOff && name == "eligible_time" {
			w.add("eligible-time-off", "set eligible_time_enable of the server to true",
				"eligible_time is 0 of all jobs as long as eligible_time_enable of the server is false")
		}
		if w.around.HasConfig && w.around.FairShareOff && known && v.Origin == FromTree {
			w.add("fair-share-off", "set fair_share to true in sched_config",
				"fair_share is false, so usage decays but never grows and %s forgets who has run", name)
		}
	}
	if variables == 0 {
		w.add("constant", "", "the formula has no variable: every job gets the same value")
	}
	if w.around.HasConfig && w.around.SortKeys {
		w.add("sort-key-beside-formula", "", "job_sort_key is set in sched_config too: it only decides between jobs with equal values")
	}
}

// unknown warns of a name that qmgr rejects, or overlooks.
func (w *warner) unknown(name string) {
	if v, ok := w.symbols.Lookup(name); ok && v.Origin == Additional {
		w.add("not-of-pbs", "fairshare_factor", "%s is not known to PBS: %s", name, v.Meaning)
		return
	}
	if name == "math" {
		w.add("math-prefix", "log2(x), not math.log2(x)", "PBS imports math's functions by name, math itself is not known")
		return
	}
	if w.verdict == nil {
		v := Check(w.src, w.symbols)
		w.verdict = &v
	}
	if w.verdict.Message != "" {
		return // the verdict names what is unknown
	}
	w.add("unchecked-name", w.symbols.nearest(name),
		"qmgr does not notice that %s is unknown: it evaluates the formula with every name set to 1, and then skips the branch with this name", name)
}

// code warns of what PBS would execute, and of operators that are easily
// mistaken.
func (w *warner) code(f *Formula) {
	walk(f.root, func(n node) {
		switch n := n.(type) {
		case *binaryNode:
			if n.Op == "^" {
				w.add(RuleExclusiveOr, "**", "^ is Python's exclusive or of bits; a power is written **")
			}
		case *foreignNode:
			w.add("python-code", "", "%s: PBS would run this as Python code inside the scheduler", n.What)
			if n.What == "a string" {
				w.add("not-a-number", "", "the formula contains a string: a result that is a string crashes the scheduler")
			}
		case *nameNode:
			if w.symbols.Resolve(n.Name) == ForeignName {
				w.add("python-code", "", "%s is a Python function: PBS would run it inside the scheduler", n.Name)
			}
		}
	})
}

// sampleValues returns what a variable is tried with. The first is ordinary.
func sampleValues(v Variable) []Value {
	name, t := v.Name, v.Type
	switch {
	case name == "job_priority":
		return []Value{Int(0), Int(MinJobPriority), Int(MaxJobPriority), Int(5)}
	case name == "queue_priority":
		return []Value{Int(10), Int(0), Int(-5), Int(150)}
	case name == "accrue_type":
		return []Value{Int(2), Int(0), Int(1)}
	case name == "fairshare_factor":
		return []Value{Float(0.5), Float(0), Float(1), Float(0.000001)}
	case name == "fairshare_tree_usage":
		return []Value{Float(0.125), Float(0), Float(1), Float(0.000001)}
	case v.Origin == FromTree:
		return []Value{Float(0.2), Float(0), Float(1), Float(0.000001)}
	case t == Float64:
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
	var ordinary []Value
	for _, name := range f.Names() {
		if v, _ := w.symbols.Lookup(name); w.symbols.Type(name).Numeric() && w.symbols.Resolve(name) == VariableName {
			names = append(names, name)
			choices = append(choices, w.choicesOf(v))
			ordinary = append(ordinary, choices[len(choices)-1][0])
		}
	}
	w.divisors = divisorsOf(f.root)
	zeros := w.zeros(f, names, ordinary)
	p, err := Compile(f, names)
	if err != nil {
		return
	}
	w.usage(p, names, ordinary)
	const tries = 600
	e := p.NewEvaluator(1)
	e.SetBudget(3 * maxWork) // the parts of a formula may cost two evaluations, before the whole costs one
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
			if err := e.Set(0, i, values[i]); err != nil {
				return
			}
		}
		if e.Run(1) != nil {
			return
		}
		w.outcome(e.Result(0), names, values)
		if len(names) == 0 || e.isSpent() {
			return
		}
	}
	// What makes a divisor 0, and what jobs have, one by one and with an ordinary rest.
	for i, name := range names {
		for _, value := range append(zeros[i], w.around.Seen[name]...) {
			if _, hasDefault := w.around.Defaults[name]; hasDefault && value.equals(Int(0)) {
				continue
			}
			copy(values, ordinary)
			values[i] = value
			for k, v := range values {
				if e.Set(0, k, v) != nil {
					return
				}
			}
			if e.Run(1) != nil || e.isSpent() {
				return
			}
			w.outcome(e.Result(0), names, values)
		}
	}
}

// usage warns of a value that grows as an entity uses more of the tree, whatever its shares are, with ordinary values of all else.
func (w *warner) usage(p *Program, names []string, ordinary []Value) {
	usage, factor, perc := slices.Index(names, "fairshare_tree_usage"), slices.Index(names, "fairshare_factor"), slices.Index(names, "fairshare_perc")
	if usage < 0 && factor < 0 {
		return
	}
	values := slices.Clone(ordinary)
	set := func(at int, x float64) {
		if at >= 0 {
			values[at] = Float(x)
		}
	}
	for _, share := range []float64{.05, .2, .6} {
		last, first := math.Inf(-1), math.NaN()
		for _, used := range []float64{0, .01, .05, .1, .25, .5, .9} {
			set(usage, used)
			set(perc, share)
			set(factor, math.Exp2(-used/share))
			r := p.Eval(values...)
			x := r.Value
			if r.Err != nil || !(x >= last) {
				return
			}
			if last = x; first != first {
				first = x
			}
		}
		if !(last > first) {
			return
		}
	}
	w.add("most-used-first", "fairshare_factor falls as usage grows, and fairshare_tree_usage grows: give the first a positive weight or the second a negative one",
		"who has used most goes first: the value grows as usage does, whatever the shares are")
}

// choicesOf returns what a variable is tried with. Where jobs have a default of it, that is
// ordinary, and none of it is not.
func (w *warner) choicesOf(v Variable) []Value {
	choices := sampleValues(v)
	value, hasDefault := w.around.Defaults[v.Name]
	if !hasDefault || value.equals(Int(0)) {
		return choices
	}
	choices = slices.DeleteFunc(choices, func(c Value) bool { return c.equals(Int(0)) })
	return append([]Value{value}, choices...)
}

// describeValues returns a text about the values that a warning was seen with.
// Of very many it names the first.
func describeValues(names []string, values []Value) string {
	var parts []string
	for i, name := range names {
		if i == maxDescribed {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		parts = append(parts, name+"="+values[i].String())
	}
	if len(parts) == 0 {
		return "always"
	}
	return "with " + strings.Join(parts, " ")
}

// maxDescribed is how many values a warning lists.
const maxDescribed = 20

// floatIntegers is the size up to which a C float has every integer.
const floatIntegers = 1 << 24

// outcome warns of what an evaluation with some values came to.
func (w *warner) outcome(r Result, names []string, values []Value) {
	if r.Err == nil && math.Abs(r.Value) <= floatIntegers {
		return
	}
	when := describeValues(names, values)
	var notReal *NotRealError
	var py *PyError
	var limit *LimitError
	switch {
	case errors.As(r.Err, &notReal) && notReal.What == "a complex number":
		w.add("complex-result", "use pow(x, y), which raises an error instead",
			"the result can be a complex number, which crashes the scheduler (%s)", when)
	case errors.As(r.Err, &notReal):
		w.add("not-a-number", "", "the result can be %s, which crashes the scheduler (%s)", notReal.What, when)
	case errors.As(r.Err, &py):
		w.raises(py, when)
	case errors.As(r.Err, &limit):
		w.add("too-large", "keep powers and shifts small",
			"%s: the scheduler can be busy with it for very long, or run out of memory (%s)", limit.What, when)
	case r.Err == nil && math.Abs(r.Value) > math.MaxFloat32:
		w.add("float-overflow", "", "the value can exceed a C float's 3.4e38 and become infinite (%s)", when)
	case r.Err == nil && math.Abs(r.Value) > floatIntegers:
		w.add("float-ties", "scale the value down", "the value can exceed 2^24: PBS keeps a C float, so different jobs can tie (%s)", when)
	}
}

// raises warns of an exception that an evaluation raised.
func (w *warner) raises(py *PyError, when string) {
	switch py.Class {
	case "NameError":
		return // a warning of its own tells of it
	case "ZeroDivisionError":
		instead := "test the divisor: … if x else 0"
		if strings.Contains(w.src, "fairshare_perc") || strings.Contains(w.src, "fair_share_perc") {
			instead = "max(fairshare_perc, 1e-6); it is 0 without shares, and below 0.0000005, since PBS prints six decimals"
		}
		part := ""
		for _, d := range w.divisors {
			if d.of.span() == py.Span {
				part = w.src[d.operand.span().Start:min(len(w.src), d.operand.span().End)]
			}
		}
		if part == "" {
			w.add("division-by-zero", instead, "%s, value 0 (%s)", py.Message, when)
		} else {
			w.addOf(part, "division-by-zero", instead, "%s can be 0: %s, value 0 (%s)", part, py.Message, when)
		}
	default:
		w.add("can-fail", "", "%s: %s, value 0 (%s)", py.Class, py.Message, when)
	}
	w.add("first-evaluation", "",
		"a scheduler that has just started dies if its first evaluation raises an error, and this one can (%s)", when)
}
