package formula

// treeEvaluator evaluates a formula by walking its tree: small, exact and
// unoptimised. It serves where every step is to be seen, the compiled program
// falls back on it, and tests hold the compiled program to it.
type treeEvaluator struct {
	names    map[string]binding
	variable func(name string) Value // values of the names that are variables
	work     int                     // steps so far, see charge
	outcomes map[node]outcome        // what each node came to; nil if nobody asks
}

// outcome is what a node came to.
type outcome struct {
	value Value
	err   error
}

// eval returns a node's value, or a *PyError, *ForeignError or *LimitError with
// the place where it arose.
func (e *treeEvaluator) eval(n node) (Value, error) {
	v, err := e.step(n)
	if v.large() != nil || v.elements() != nil {
		if limit := e.charge(v); limit != nil && err == nil {
			err = limit
		}
	}
	if err != nil {
		locate(err, n.span())
	}
	if e.outcomes != nil {
		e.outcomes[n] = outcome{v, err}
	}
	return v, err
}

// result evaluates a whole formula.
func (e *treeEvaluator) result(root node) Result {
	r := finish(e.eval(root))
	if r.Err != nil {
		locate(r.Err, root.span())
	}
	return r
}

// charge counts what large integers and sequences cost, whether they are
// results or operands: steps in proportion to the time that they take.
func (e *treeEvaluator) charge(values ...Value) error {
	const perBit, perElement = 8, 64
	stack := append(make([]Value, 0, 8), values...)
	for len(stack) > 0 && e.work <= maxWork {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.large() != nil {
			e.work += perBit * v.large().BitLen()
		}
		if v.elements() != nil {
			e.work += perElement * len(v.elements())
			stack = append(stack, v.elements()...)
		}
	}
	if e.work > maxWork {
		return limitError("it takes more than %d steps, most of them on large integers or lists", maxWork)
	}
	return nil
}

func (e *treeEvaluator) step(n node) (Value, error) {
	switch n := n.(type) {
	case *literalNode:
		return n.Value, nil
	case *nameNode:
		return e.name(n.Name)
	case *unaryNode:
		x, err := e.eval(n.X)
		if err != nil {
			return Value{}, err
		}
		return unary(n.Op, x)
	case *binaryNode:
		x, err := e.eval(n.X)
		if err != nil {
			return Value{}, err
		}
		y, err := e.eval(n.Y)
		if err != nil {
			return Value{}, err
		}
		return binary(n.Op, x, y)
	case *compareNode:
		return e.compareChain(n)
	case *logicNode:
		return e.logic(n)
	case *conditionalNode:
		test, err := e.eval(n.Test)
		if err != nil {
			return Value{}, err
		}
		if test.truth() {
			return e.eval(n.Then)
		}
		return e.eval(n.Else)
	case *callNode:
		return e.call(n)
	case *sequenceNode:
		x, err := e.all(n.X)
		kind := kList
		if n.Tuple {
			kind = kTuple
		}
		return sequence(kind, x), err
	case *indexNode:
		x, err := e.all([]node{n.X, n.I})
		if err != nil {
			return Value{}, err
		}
		return index(x[0], x[1])
	}
	return e.foreign(n.(*foreignNode))
}

// foreign evaluates what Python would evaluate on the way to what this package
// cannot do.
func (e *treeEvaluator) foreign(n *foreignNode) (Value, error) {
	if _, err := e.all(n.X); err != nil {
		return Value{}, err
	}
	return Value{}, &ForeignError{What: n.What, Span: n.span()}
}

func (e *treeEvaluator) name(name string) (Value, error) {
	switch b := e.names[name]; b.kind {
	case UndefinedName:
		return Value{}, &PyError{Class: "NameError", Message: "name '" + name + "' is not defined", name: name}
	case VariableName:
		return e.variable(name), nil
	case ForeignName:
		return Value{}, &ForeignError{What: "Python's " + name}
	default:
		return b.value, nil
	}
}

// all returns the values of several nodes.
func (e *treeEvaluator) all(nodes []node) ([]Value, error) {
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

func (e *treeEvaluator) compareChain(n *compareNode) (Value, error) {
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

func (e *treeEvaluator) logic(n *logicNode) (Value, error) {
	var v Value
	for _, x := range n.X {
		var err error
		if v, err = e.eval(x); err != nil || v.truth() == (n.Op == "or") {
			return v, err
		}
	}
	return v, nil
}

func (e *treeEvaluator) call(n *callNode) (Value, error) {
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
	return f.function().call(args[:first], n.Keywords, args[first:])
}

func index(x, i Value) (Value, error) {
	if x.isClass() {
		return Value{}, typeError("type '%s' is not subscriptable", x.function().name)
	}
	if x.kind != kList && x.kind != kTuple {
		return Value{}, typeError("'%s' object is not subscriptable", x.typeName())
	}
	if !i.isInt() {
		return Value{}, typeError("%s indices must be integers or slices, not %s", x.typeName(), i.typeName())
	}
	if i.large() != nil {
		return Value{}, pyError("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	at := i.i
	if at < 0 {
		at += int64(len(x.elements()))
	}
	if at < 0 || at >= int64(len(x.elements())) {
		return Value{}, pyError("IndexError", "%s index out of range", x.typeName())
	}
	return x.elements()[at], nil
}
