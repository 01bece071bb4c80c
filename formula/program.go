package formula

// The formula is lowered to an expression of expr whose functions work on
// columns, the values of a thousand jobs at once, so that expr's machine runs
// once for all of them. A column holds what nearly all jobs have, floats and
// small integers. Where a job leaves that (an error, a large integer), it alone
// is evaluated again by walking the formula's tree.

import (
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Program is a compiled formula. It never changes and may be shared; each
// goroutine evaluates it with an Evaluator of its own.
type Program struct {
	formula *Formula
	slots   map[string]int // of the variables
	names   map[string]binding
	vm      *vm.Program
	ops     []op
}

// op is one function call of the lowered formula.
type op struct {
	node       node // what it computes
	slot       int  // of a variable; -1 for any other call
	isConstant bool // whether value and tag hold for every row
	value      float64
	tag        tag
}

// Compile prepares a formula for evaluation. vars are its variables in the
// order of their slots; what else the formula names is Python's, or a
// NameError where it is evaluated. Compile returns a *UseError if a variable is
// given twice or is no name, or if the formula was not parsed.
func Compile(f *Formula, vars []string) (*Program, error) {
	if f.isNone() {
		return nil, errNotParsed
	}
	p := &Program{formula: f, slots: make(map[string]int, len(vars))}
	for slot, name := range vars {
		if !isName(name) {
			return nil, useError("%q is no name that a variable can have", name)
		}
		if _, twice := p.slots[name]; twice {
			return nil, useError("the variable %s is given twice", name)
		}
		p.slots[name] = slot
	}
	p.names = bind([]node{f.root}, func(name string) bool { _, ok := p.slots[name]; return ok })
	l := &lowering{program: p}
	options := append([]expr.Option{
		expr.Env(map[string]any{batchName: (*Evaluator)(nil)}),
		expr.DisableAllBuiltins(),
		expr.Optimize(false),
		expr.Patch(l),
	}, kernelFunctions...)
	compiled, err := expr.Compile("0", options...)
	if err != nil {
		return nil, fmt.Errorf("lowering %q: %w", f.source, err)
	}
	p.vm = compiled
	return p, nil
}

// isName reports whether a text is a name in Python's sense.
func isName(text string) bool {
	for i, c := range []byte(text) {
		isLetter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isLetter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// Evaluator evaluates a Program for a batch of jobs, a job a row: Set the
// variables of each row, Run, read the Results. It is for one goroutine.
type Evaluator struct {
	program *Program
	size    int // rows that there are
	rows    int // of them in the last run
	machine vm.VM
	env     map[string]any
	vars    []column
	others  []map[int]Value // per slot and row, what a column cannot hold
	scratch []column        // per op
	out     *column         // of the last run

	tree      treeEvaluator
	row       int // that tree looks at
	steps     int // that tree has taken in this run
	budget    int // steps that it may still take in all runs
	unlimited bool
	rowByRow  bool // kernels alone compute, which tests compare with
}

// NewEvaluator returns an evaluator of batches of up to size rows, in which
// every variable is 0. A size below 0 is 0.
func (p *Program) NewEvaluator(size int) *Evaluator {
	size = max(size, 0)
	e := &Evaluator{
		program: p,
		size:    size,
		vars:    make([]column, len(p.slots)),
		others:  make([]map[int]Value, len(p.slots)),
		scratch: make([]column, len(p.ops)),

		unlimited: true,
	}
	e.env = map[string]any{batchName: e}
	for i := range e.vars {
		e.vars[i] = newColumn(size)
		e.vars[i].fill(0, tagInt)
	}
	for i, o := range p.ops {
		if o.slot >= 0 {
			continue
		}
		e.scratch[i] = newColumn(size)
		if o.isConstant {
			e.scratch[i].fill(o.value, o.tag)
			if e.scratch[i].all = o.tag; o.tag == tagOther {
				e.scratch[i].all = tagAny
			}
		}
	}
	e.tree = treeEvaluator{names: p.names, variable: e.variable}
	return e
}

// SetBudget bounds the steps that all further runs together may spend on large
// integers and lists; rows beyond it get a *LimitError. Without a budget only
// each evaluation by itself is bounded, which over many jobs can take long.
func (e *Evaluator) SetBudget(steps int) { e.budget, e.unlimited = steps, false }

// Set gives a row's variable its value, which it keeps for further runs. It
// returns a *UseError if there is no such row or slot.
func (e *Evaluator) Set(row, slot int, v Value) error {
	if v.kind == kFloat { // most are, and nothing else need be looked at
		return e.SetFloat(row, slot, v.f)
	}
	if uint(row) >= uint(e.size) || uint(slot) >= uint(len(e.vars)) {
		return useError("there is no row %d or no variable %d", row, slot)
	}
	c := &e.vars[slot]
	c.known = 0
	if c.v[row], c.tag[row] = narrow(v); c.tag[row] == tagOther {
		e.setOther(row, slot, v)
	}
	return nil
}

// SetFloat gives a row's variable a Float, as Set does.
func (e *Evaluator) SetFloat(row, slot int, x float64) error {
	if uint(row) >= uint(e.size) || uint(slot) >= uint(len(e.vars)) {
		return useError("there is no row %d or no variable %d", row, slot)
	}
	c := &e.vars[slot]
	c.v[row], c.tag[row], c.known = x, tagFloat, 0
	return nil
}

// setOther keeps a value that no column holds.
func (e *Evaluator) setOther(row, slot int, v Value) {
	if e.others[slot] == nil {
		e.others[slot] = map[int]Value{}
	}
	e.others[slot][row] = v
}

// SetFloats gives a variable a Float in each of the first rows, as Set does one by
// one. It returns a *UseError if there are not so many rows or no such slot.
func (e *Evaluator) SetFloats(slot int, values []float64) error {
	if len(values) > e.size || uint(slot) >= uint(len(e.vars)) {
		return useError("there are no %d rows or no variable %d", len(values), slot)
	}
	c := &e.vars[slot]
	copy(c.v, values)
	c.fillTags(len(values), tagFloat)
	return nil
}

// SetInts gives a variable an Int in each of the first rows, as Set does one by
// one. It returns a *UseError if there are not so many rows or no such slot.
func (e *Evaluator) SetInts(slot int, values []int64) error {
	if len(values) > e.size || uint(slot) >= uint(len(e.vars)) {
		return useError("there are no %d rows or no variable %d", len(values), slot)
	}
	c := &e.vars[slot]
	column := c.v[:len(values)]
	var beyond uint64 // not 0 if some integer is smaller than -maxExact, or not below maxExact
	for row, value := range values {
		column[row] = float64(value)
		beyond |= uint64(value+maxExact) / (2 * maxExact)
	}
	c.fillTags(len(values), tagInt)
	if beyond == 0 {
		return nil
	}
	for row, value := range values {
		if err := e.Set(row, slot, Int(value)); err != nil {
			return err
		}
	}
	return nil
}

// Run evaluates the first rows. It returns a *UseError if there are not so many.
func (e *Evaluator) Run(rows int) error {
	e.out = nil
	if e.program == nil || e.program.vm == nil {
		return errNotCompiled
	}
	if rows < 0 || rows > e.size {
		return useError("%d rows of %d cannot be run", rows, e.size)
	}
	e.rows, e.steps = rows, 0
	for i := range e.vars {
		e.vars[i].survey(rows)
	}
	out, err := e.machine.Run(e.program.vm, e.env)
	if err != nil {
		return err
	}
	e.out = out.(*column)
	return nil
}

// Result returns a row's outcome of the last Run. Its Err is a *UseError if
// the row was not part of it.
func (e *Evaluator) Result(row int) Result {
	if e.out == nil || row < 0 || row >= e.rows {
		return Result{Err: useError("row %d was not run", row)}
	}
	if e.out.tag[row] != tagOther {
		return Result{Value: e.out.v[row]}
	}
	if e.isSpent() {
		return Result{Err: limitError("the steps for all jobs together are spent, most of them on large integers or lists")}
	}
	e.row, e.tree.work = row, 0
	result := e.tree.result(e.program.formula.root)
	e.charge()
	return result
}

// Values returns what the rows of the last Run come to, which the next Run
// overwrites. It returns nil if the outcome of some row is not such a number, as an
// error is not, or nothing was run; then ask for each Result.
func (e *Evaluator) Values() []float64 {
	if e.out == nil || e.out.all == tagAny {
		return nil
	}
	return e.out.v[:e.rows:e.rows]
}

// charge counts the steps that tree has taken for a row.
func (e *Evaluator) charge() {
	e.steps += e.tree.work
	e.budget -= e.tree.work
}

// isSpent reports whether no step of the budget is left.
func (e *Evaluator) isSpent() bool { return !e.unlimited && e.budget < 0 }

// variable returns a variable's value in the row that tree looks at.
func (e *Evaluator) variable(name string) Value {
	slot := e.program.slots[name]
	c := &e.vars[slot]
	if c.tag[e.row] == tagOther {
		return e.others[slot][e.row]
	}
	return widen(c.v[e.row], c.tag[e.row])
}

// Eval evaluates the formula once, for the values of its variables in the
// order in which Compile was given them. The result's Err is a *UseError if
// there are too few or too many.
func (p *Program) Eval(vars ...Value) Result {
	if p.vm == nil {
		return Result{Err: errNotCompiled}
	}
	if len(vars) != len(p.slots) {
		return Result{Err: useError("%d values for %d variables", len(vars), len(p.slots))}
	}
	e := p.NewEvaluator(1)
	for slot, v := range vars {
		if err := e.Set(0, slot, v); err != nil {
			return Result{Err: err}
		}
	}
	if err := e.Run(1); err != nil {
		return Result{Err: err}
	}
	return e.Result(0)
}
