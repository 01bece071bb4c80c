package formula

import (
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Program is a compiled formula. It never changes and may be shared; each
// goroutine evaluates it with an Evaluator of its own.
//
// The formula is lowered to an expression of expr whose functions work on
// columns, the values of a thousand jobs at once: expr's machine runs once
// for all of them. A column holds what nearly all jobs have, floats and small
// integers. Where a job leaves that (an error, a large integer), it alone is
// evaluated again by walking the formula's tree.
type Program struct {
	formula *Formula
	slots   map[string]int
	vm      *vm.Program
	ops     []op
}

// op is one function call of the lowered formula.
type op struct {
	kernel kernel
	node   Node    // what it computes
	value  float64 // of a constant
	tag    tag
	slot   int // of a variable
}

// Compile prepares a formula for evaluation. vars are the variables in the
// order of their slots; any other name that Python does not know is a
// NameError where it is evaluated.
func Compile(f *Formula, vars []string) (*Program, error) {
	p := &Program{formula: f, slots: make(map[string]int, len(vars))}
	for i, name := range vars {
		p.slots[name] = i
	}
	l := &lowering{program: p}
	options := append([]expr.Option{
		expr.Env(map[string]any{batchName: (*Evaluator)(nil)}),
		expr.DisableAllBuiltins(),
		expr.Optimize(false),
		expr.Patch(l),
	}, kernelFunctions...)
	compiled, err := expr.Compile("0", options...)
	if err != nil {
		return nil, fmt.Errorf("lowering %q: %w", f.Source, err)
	}
	p.vm = compiled
	return p, nil
}

// Evaluator evaluates a Program for a batch of jobs: Set the variables of
// each lane, Run, read the Results. It is for one goroutine.
type Evaluator struct {
	program *Program
	machine vm.VM
	env     map[string]any
	lanes   int // of this run
	vars    []column
	odd     []map[int]Value // per slot, what a column cannot hold
	scratch []column        // per op
	result  *column
	scalar  evaluator
	lane    int // that scalar looks at
	spent   int // steps of all walks of the tree
	before  int // of them before this run
}

// NewEvaluator returns an evaluator for up to size jobs at once.
func (p *Program) NewEvaluator(size int) *Evaluator {
	e := &Evaluator{
		program: p,
		vars:    make([]column, len(p.slots)),
		odd:     make([]map[int]Value, len(p.slots)),
		scratch: make([]column, len(p.ops)),
	}
	e.env = map[string]any{batchName: e}
	for i := range e.vars {
		e.vars[i] = newColumn(size)
		for k := range e.vars[i].tag {
			e.vars[i].tag[k] = tagInt // 0
		}
	}
	for i, o := range p.ops {
		if o.slot >= 0 {
			continue
		}
		e.scratch[i] = newColumn(size)
		if o.kernel == nil {
			e.scratch[i].fill(o.value, o.tag)
		}
	}
	e.scalar.lookup = e.lookup
	return e
}

// Set gives a lane's variable its value. Until then it is 0, and it stays
// set for further runs.
func (e *Evaluator) Set(lane, slot int, v Value) {
	c := &e.vars[slot]
	if c.v[lane], c.tag[lane] = narrow(v); c.tag[lane] == tagOdd {
		if e.odd[slot] == nil {
			e.odd[slot] = map[int]Value{}
		}
		e.odd[slot][lane] = v
	}
}

// Run evaluates the first lanes.
func (e *Evaluator) Run(lanes int) error {
	e.lanes, e.before = lanes, e.spent
	out, err := e.machine.Run(e.program.vm, e.env)
	if err != nil {
		return err
	}
	e.result = out.(*column)
	return nil
}

// Result is a lane's outcome of the last Run.
func (e *Evaluator) Result(lane int) Result {
	if e.result.tag[lane] != tagOdd {
		return Result{Value: e.result.v[lane]}
	}
	if e.spent > maxSpent {
		return Result{Err: limitError("it took more than %d steps for all jobs", maxSpent)}
	}
	e.lane, e.scalar.work = lane, 0
	result := finish(e.scalar.eval(e.program.formula.Root))
	e.spent += e.scalar.work
	return result
}

// lookup is a variable's value in the current lane.
func (e *Evaluator) lookup(name string) (Value, bool) {
	slot, ok := e.program.slots[name]
	if !ok {
		return Value{}, false
	}
	c := &e.vars[slot]
	if c.tag[e.lane] == tagOdd {
		return e.odd[slot][e.lane], true
	}
	return widen(c.v[e.lane], c.tag[e.lane]), true
}

// Eval evaluates a formula once, for the values of its variables.
func (p *Program) Eval(vars []Value) Result {
	e := p.NewEvaluator(1)
	for slot, v := range vars {
		e.Set(0, slot, v)
	}
	if err := e.Run(1); err != nil {
		return Result{Err: err}
	}
	return e.Result(0)
}
