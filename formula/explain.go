package formula

import "math"

// Step is a part of a formula with what it came to. Steps stand in the order
// of the tree: an operation before its operands.
type Step struct {
	Text    string // as it stands in the formula
	Span    Span
	Depth   int // in the tree; 0 is the whole formula
	Value   Value
	Err     error // the problem that arose here or below, nil if none did
	Reached bool  // whether Python evaluates it; it skips branches not taken
	Most    bool  // whether it contributes most to the result, see Explain
}

// newTreeEvaluator returns what evaluates the formula for given variables.
func (f *Formula) newTreeEvaluator(variables map[string]Value) *treeEvaluator {
	return &treeEvaluator{
		names:    bind([]node{f.root}, func(name string) bool { _, ok := variables[name]; return ok }),
		variable: func(name string) Value { return variables[name] },
	}
}

// Eval evaluates the formula once for the given variables by walking its tree.
// For many jobs, Compile it.
func (f *Formula) Eval(variables map[string]Value) Result {
	if f.isNone() {
		return Result{Err: errNotParsed}
	}
	return f.newTreeEvaluator(variables).result(f.root)
}

// Explain evaluates the formula for the given variables and returns what each
// part of it came to. Numbers that stand in the formula and names of functions
// are no steps. Most marks the term of a sum that is largest in size; of max
// and min it is looked for in the argument that was chosen, and of a
// conditional in the branch that was taken. Without a sum, nothing is marked.
func (f *Formula) Explain(variables map[string]Value) ([]Step, Result) {
	if f.isNone() {
		return nil, Result{Err: errNotParsed}
	}
	e := f.newTreeEvaluator(variables)
	e.outcomes = map[node]outcome{}
	result := e.result(f.root)
	most := e.most(f.root)
	var steps []Step
	type item struct {
		n     node
		depth int
	}
	stack := []item{{f.root, 0}}
	for len(stack) > 0 {
		n, depth := stack[len(stack)-1].n, stack[len(stack)-1].depth
		stack = stack[:len(stack)-1]
		s := Step{Text: f.source[n.span().Start:n.span().End], Span: n.span(), Depth: depth, Most: n == most}
		var o outcome
		if o, s.Reached = e.outcomes[n]; s.Reached {
			s.Value, s.Err = o.value, o.err
		}
		steps = append(steps, s)
		children := n.children()
		for i := len(children) - 1; i >= 0; i-- {
			if !e.plain(children[i]) {
				stack = append(stack, item{children[i], depth + 1})
			}
		}
	}
	return steps, result
}

// plain reports whether a node needs no explanation: a number or a function.
func (e *treeEvaluator) plain(n node) bool {
	switch n := n.(type) {
	case *literalNode:
		return true
	case *nameNode:
		kind := e.names[n.Name].kind
		return kind != VariableName && kind != UndefinedName
	}
	return false
}

// magnitude returns the size of a node's value, -1 if it has none.
func (e *treeEvaluator) magnitude(n node) float64 {
	o, reached := e.outcomes[n]
	if !reached || o.err != nil || !o.value.isReal() {
		return -1
	}
	x, err := o.value.toFloat()
	if err != nil {
		return math.Inf(1)
	}
	return math.Abs(x)
}

// most returns the term that contributes most, nil if nothing stands out.
func (e *treeEvaluator) most(n node) node {
	inSum := false
	for {
		switch at := n.(type) {
		case *binaryNode:
			if at.Op != "+" && at.Op != "-" {
				break
			}
			inSum = true
			n = at.X
			if e.magnitude(at.Y) > e.magnitude(at.X) {
				n = at.Y
			}
			continue
		case *conditionalNode:
			if inSum {
				break
			}
			n = at.Then
			if _, taken := e.outcomes[at.Then]; !taken {
				n = at.Else
			}
			continue
		case *callNode:
			chosen := e.chosen(at)
			if inSum || chosen == nil {
				break
			}
			n = chosen
			continue
		}
		if inSum && e.magnitude(n) >= 0 {
			return n
		}
		return nil
	}
}

// chosen returns the argument that max or min returned, nil for other calls.
func (e *treeEvaluator) chosen(n *callNode) node {
	name, ok := n.Func.(*nameNode)
	if !ok || name.Name != "max" && name.Name != "min" || len(n.Args) < 2 {
		return nil
	}
	for _, arg := range n.Args {
		if a, b := e.outcomes[arg], e.outcomes[n]; a.err == nil && b.err == nil && a.value.String() == b.value.String() {
			return arg
		}
	}
	return nil
}
