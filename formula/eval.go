package formula

import "errors"

// evaluator walks a formula's tree: small, exact and unoptimised. It serves
// where every step is to be seen, and is what the compiled program is tested
// against and falls back on.
type evaluator struct {
	lookup func(name string) (Value, bool) // the variables
	work   int                             // steps so far
	seen   map[Node]outcome                // what each node came to, for Explain
}

// eval is a node's value, or the *PyError that Python would raise or the
// *LimitError of ours, with the place where it arose.
func (e *evaluator) eval(n Node) (Value, error) {
	v, err := e.step(n)
	if v.big != nil || v.seq != nil {
		if limit := e.charge(v); limit != nil && err == nil {
			err = limit
		}
	}
	if err != nil {
		locate(err, n.Span())
	}
	if e.seen != nil {
		e.seen[n] = outcome{v, err}
	}
	return v, err
}

// charge counts what large integers and sequences cost, whether they are
// results or operands: steps in proportion to the time they take.
func (e *evaluator) charge(values ...Value) error {
	const perBit, perElement = 8, 64
	stack := append(make([]Value, 0, 8), values...)
	for len(stack) > 0 && e.work <= maxWork {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.big != nil {
			e.work += perBit * v.big.BitLen()
		}
		if v.seq != nil {
			e.work += perElement * len(v.seq)
			stack = append(stack, v.seq...)
		}
	}
	if e.work > maxWork {
		return limitError("it takes more than %d steps, most of them on large integers or lists", maxWork)
	}
	return nil
}

// locate notes where an error arose, the first time that it is known.
func locate(err error, s Span) {
	var py *PyError
	var limit *LimitError
	var foreign *ForeignError
	switch {
	case errors.As(err, &py) && py.Span == Span{}:
		py.Span = s
	case errors.As(err, &limit) && limit.Span == Span{}:
		limit.Span = s
	case errors.As(err, &foreign) && foreign.Span == Span{}:
		foreign.Span = s
	}
}

func (e *evaluator) step(n Node) (Value, error) {
	switch n := n.(type) {
	case *Literal:
		return n.Value, nil
	case *Name:
		return e.name(n.Name)
	case *Unary:
		x, err := e.eval(n.X)
		if err != nil {
			return Value{}, err
		}
		return unary(n.Op, x)
	case *Binary:
		x, err := e.eval(n.X)
		if err != nil {
			return Value{}, err
		}
		y, err := e.eval(n.Y)
		if err != nil {
			return Value{}, err
		}
		return binary(n.Op, x, y)
	case *Compare:
		return e.compareChain(n)
	case *Logic:
		return e.logic(n)
	case *Conditional:
		test, err := e.eval(n.Test)
		if err != nil {
			return Value{}, err
		}
		if test.truth() {
			return e.eval(n.Then)
		}
		return e.eval(n.Else)
	case *Call:
		return e.call(n)
	case *Sequence:
		x, err := e.all(n.X)
		kind := kList
		if n.Tuple {
			kind = kTuple
		}
		return Value{kind: kind, seq: x}, err
	case *Index:
		x, err := e.all([]Node{n.X, n.I})
		if err != nil {
			return Value{}, err
		}
		return index(x[0], x[1])
	}
	return e.foreign(n.(*Foreign))
}

// foreign evaluates what Python would on the way to what we cannot do.
func (e *evaluator) foreign(n *Foreign) (Value, error) {
	if _, err := e.all(n.X); err != nil {
		return Value{}, err
	}
	return Value{}, &ForeignError{What: n.What, Span: n.span}
}

// name finds a name as PBS's interpreter does: a name of Python's math module
// hides a variable, a variable hides a builtin.
func (e *evaluator) name(name string) (Value, error) {
	if v, ok := mathNames[name]; ok {
		return v, nil
	}
	if v, ok := e.lookup(name); ok {
		return v, nil
	}
	if v, ok := builtinNames[name]; ok {
		return v, nil
	}
	if pythonNames[name] {
		return Value{}, &ForeignError{What: "Python's " + name}
	}
	return Value{}, pyError("NameError", "name '%s' is not defined", name)
}

func (e *evaluator) all(nodes []Node) ([]Value, error) {
	values := make([]Value, len(nodes))
	for i, n := range nodes {
		v, err := e.eval(n)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (e *evaluator) compareChain(n *Compare) (Value, error) {
	x, err := e.eval(n.X[0])
	if err != nil {
		return Value{}, err
	}
	var result Value
	for i, op := range n.Ops {
		y, err := e.eval(n.X[i+1])
		if err != nil {
			return Value{}, err
		}
		if err := e.charge(x, y); err != nil {
			return Value{}, err
		}
		if result, err = compare(op, x, y); err != nil || !result.truth() {
			return result, err
		}
		x = y
	}
	return result, nil
}

func (e *evaluator) logic(n *Logic) (Value, error) {
	var v Value
	for _, x := range n.X {
		var err error
		if v, err = e.eval(x); err != nil || v.truth() == (n.Op == "or") {
			return v, err
		}
	}
	return v, nil
}

func (e *evaluator) call(n *Call) (Value, error) {
	f, err := e.eval(n.Func)
	if err != nil {
		return Value{}, err
	}
	args, err := e.all(n.Args)
	if err != nil {
		return Value{}, err
	}
	if f.kind != kFunction {
		return Value{}, typeError("'%s' object is not callable", f.typeName())
	}
	if err := e.charge(args...); err != nil {
		return Value{}, err
	}
	first := len(args) - len(n.Keywords)
	return f.fn.call(args[:first], n.Keywords, args[first:])
}

func index(x, i Value) (Value, error) {
	if x.kind != kList && x.kind != kTuple {
		return Value{}, typeError("'%s' object is not subscriptable", x.typeName())
	}
	if !i.isInt() {
		return Value{}, typeError("%s indices must be integers or slices, not %s", x.typeName(), i.typeName())
	}
	if i.big != nil {
		return Value{}, pyError("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	at := i.i
	if at < 0 {
		at += int64(len(x.seq))
	}
	if at < 0 || at >= int64(len(x.seq)) {
		return Value{}, pyError("IndexError", "%s index out of range", x.typeName())
	}
	return x.seq[at], nil
}
