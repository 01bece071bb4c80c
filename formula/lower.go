package formula

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// batchName is the one variable of a lowered formula: the Evaluator.
const batchName = "batch"

// lowering replaces expr's placeholder by the lowered formula. Nodes that no
// kernel computes are left to the tree walk, lane by lane.
type lowering struct {
	program *Program
	done    bool
}

// Visit implements expr's ast.Visitor.
func (l *lowering) Visit(node *ast.Node) {
	if l.done {
		return
	}
	l.done = true
	*node = l.lower(l.program.formula.Root)
}

// call is an expr call of a kernel. Its arguments begin with the batch and
// the op's number.
func (l *lowering) call(name string, o op, args ...ast.Node) ast.Node {
	o.kernel = kernels[name]
	l.program.ops = append(l.program.ops, o)
	callee := &ast.IdentifierNode{Value: name}
	n := &ast.CallNode{Callee: callee, Arguments: append([]ast.Node{
		&ast.IdentifierNode{Value: batchName},
		&ast.IntegerNode{Value: len(l.program.ops) - 1},
	}, args...)}
	n.SetLocation(file.Location{From: o.node.Span().Start, To: o.node.Span().End})
	return n
}

func (l *lowering) apply(name string, n Node, operands ...Node) ast.Node {
	args := make([]ast.Node, len(operands))
	for i, x := range operands {
		args[i] = l.lower(x)
	}
	return l.call(name, op{node: n, slot: -1}, args...)
}

func (l *lowering) constant(n Node, v Value) ast.Node {
	f, t := narrow(v)
	return l.call("constant", op{node: n, value: f, tag: t, slot: -1})
}

// lanes leaves a node to the tree walk.
func (l *lowering) lanes(n Node) ast.Node {
	return l.call("lanes", op{node: n, slot: -1})
}

var binaryKernels = map[string]string{
	"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floorDivide", "%": "modulo", "**": "power",
}

var unaryKernels = map[string]string{"+": "plus", "-": "negate", "not": "not"}

var compareKernels = map[string]string{
	"<": "less", "<=": "lessEqual", ">": "greater", ">=": "greaterEqual", "==": "equal", "!=": "notEqual",
}

func (l *lowering) lower(n Node) ast.Node {
	switch n := n.(type) {
	case *Literal:
		return l.constant(n, n.Value)
	case *Name:
		return l.name(n)
	case *Unary:
		if kernel, ok := unaryKernels[n.Op]; ok {
			return l.apply(kernel, n, n.X)
		}
	case *Binary:
		if kernel, ok := binaryKernels[n.Op]; ok {
			return l.apply(kernel, n, n.X, n.Y)
		}
	case *Compare:
		return l.compare(n)
	case *Logic:
		return l.apply(n.Op+"Operands", n, n.X...)
	case *Conditional:
		return l.apply("choose", n, n.Test, n.Then, n.Else)
	case *Call:
		return l.function(n)
	case *Index:
		if seq, ok := n.X.(*Sequence); ok && len(seq.X) > 0 {
			return l.apply("pick", n, append([]Node{n.I}, seq.X...)...)
		}
	}
	return l.lanes(n)
}

func (l *lowering) name(n *Name) ast.Node {
	if v, ok := mathNames[n.Name]; ok {
		if v.kind == kFloat {
			return l.constant(n, v)
		}
		return l.lanes(n)
	}
	if slot, ok := l.program.slots[n.Name]; ok {
		return l.call("variable", op{node: n, slot: slot})
	}
	return l.lanes(n)
}

// compare lowers a < b < c to (a < b) and (b < c).
func (l *lowering) compare(n *Compare) ast.Node {
	var links []ast.Node
	for i, op := range n.Ops {
		kernel, ok := compareKernels[op]
		if !ok {
			return l.lanes(n)
		}
		links = append(links, l.apply(kernel, n, n.X[i], n.X[i+1]))
	}
	if len(links) == 1 {
		return links[0]
	}
	return l.call("andOperands", op{node: n, slot: -1}, links...)
}

// function lowers the calls that have a kernel.
func (l *lowering) function(n *Call) ast.Node {
	f, ok := n.Func.(*Name)
	if !ok || len(n.Keywords) > 0 || len(n.Args) == 0 {
		return l.lanes(n)
	}
	if _, hidden := l.program.slots[f.Name]; hidden && mathNames[f.Name].fn == nil {
		return l.lanes(n)
	}
	args := n.Args
	switch f.Name {
	case "min", "max", "sum":
		if seq, ok := args[0].(*Sequence); ok && len(args) == 1 && len(seq.X) > 0 {
			args = seq.X
		} else if len(args) == 1 || f.Name == "sum" {
			return l.lanes(n)
		}
		return l.apply(f.Name+"Of", n, args...)
	}
	arity := 1
	if _, two := mathBinary[f.Name]; two {
		arity = 2
	}
	if kernels["call "+f.Name] != nil && len(args) == arity {
		return l.apply("call "+f.Name, n, args...)
	}
	return l.lanes(n)
}
