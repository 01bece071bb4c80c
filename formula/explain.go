package formula

import "math"

// Step is a sub-expression of a formula with what it came to. Steps stand in
// the order of the tree: an operation before its operands.
type Step struct {
	Text    string // as in the formula
	Span    Span
	Depth   int
	Value   Value
	Err     error // what Python raises here, or ran into below
	Reached bool  // false for a branch that was not taken
	Most    bool  // contributes most to the result, see Explain
}

// Eval evaluates the formula by walking its tree: exact, for a single value.
func (f *Formula) Eval(lookup func(name string) (Value, bool)) Result {
	e := &evaluator{lookup: lookup}
	return finish(e.eval(f.Root))
}

// Explain evaluates a formula and tells what each part of it came to. Numbers
// that stand in the formula and names of functions are no steps. Most marks
// the term of a sum with the largest magnitude; of max and min the argument
// that was chosen and of a conditional the branch taken are looked into.
// Without a sum, nothing is marked.
func (f *Formula) Explain(lookup func(name string) (Value, bool)) ([]Step, Result) {
	e := &evaluator{lookup: lookup, seen: map[Node]outcome{}}
	result := finish(e.eval(f.Root))
	most := e.most(f.Root)
	var steps []Step
	type item struct {
		n     Node
		depth int
	}
	stack := []item{{f.Root, 0}}
	for len(stack) > 0 {
		n, depth := stack[len(stack)-1].n, stack[len(stack)-1].depth
		stack = stack[:len(stack)-1]
		s := Step{Text: f.Source[n.Span().Start:n.Span().End], Span: n.Span(), Depth: depth, Most: n == most}
		var o outcome
		if o, s.Reached = e.seen[n]; s.Reached {
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

// outcome is what a node came to.
type outcome struct {
	value Value
	err   error
}

// plain tells whether a node says all by itself: a number or a function.
func (e *evaluator) plain(n Node) bool {
	switch n := n.(type) {
	case *Literal:
		return true
	case *Name:
		_, hidden := e.lookup(n.Name) // a variable hides a builtin
		return IsMathName(n.Name) || IsBuiltin(n.Name) && !hidden
	}
	return false
}

// magnitude is how large a node's value is, -1 when there is none.
func (e *evaluator) magnitude(n Node) float64 {
	o, reached := e.seen[n]
	if !reached || o.err != nil || !o.value.isReal() {
		return -1
	}
	x, err := o.value.toFloat()
	if err != nil {
		return math.Inf(1)
	}
	return math.Abs(x)
}

// most finds the term that contributes most, nil when nothing stands out.
func (e *evaluator) most(n Node) Node {
	inSum := false
	for {
		switch at := n.(type) {
		case *Binary:
			if at.Op != "+" && at.Op != "-" {
				break
			}
			inSum = true
			n = at.X
			if e.magnitude(at.Y) > e.magnitude(at.X) {
				n = at.Y
			}
			continue
		case *Conditional:
			if inSum {
				break
			}
			n = at.Then
			if _, taken := e.seen[at.Then]; !taken {
				n = at.Else
			}
			continue
		case *Call:
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

// chosen is the argument that max or min returned, nil for other calls.
func (e *evaluator) chosen(n *Call) Node {
	name, ok := n.Func.(*Name)
	if !ok || name.Name != "max" && name.Name != "min" || len(n.Args) < 2 {
		return nil
	}
	for _, arg := range n.Args {
		if a, b := e.seen[arg], e.seen[n]; a.err == nil && b.err == nil && a.value.String() == b.value.String() {
			return arg
		}
	}
	return nil
}
