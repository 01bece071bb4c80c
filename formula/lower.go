package formula

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// batchName is the one variable that a lowered formula has in expr: the
// Evaluator, whose columns the kernels work on.
const batchName = "batch"

// lowering replaces expr's placeholder by the lowered formula. Nodes that no
// kernel computes are left to the tree evaluator, row by row.
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
	*node = l.lower(l.program.formula.root)
}

// call returns expr's call of a kernel. Its arguments begin with the batch and
// the op's number.
func (l *lowering) call(name string, o op, args ...ast.Node) ast.Node {
	l.program.ops = append(l.program.ops, o)
	callee := &ast.IdentifierNode{Value: name}
	n := &ast.CallNode{Callee: callee, Arguments: append([]ast.Node{
		&ast.IdentifierNode{Value: batchName},
		&ast.IntegerNode{Value: len(l.program.ops) - 1},
	}, args...)}
	n.SetLocation(file.Location{From: o.node.span().Start, To: o.node.span().End})
	return n
}

func (l *lowering) apply(name string, n node, operands ...node) ast.Node {
	args := make([]ast.Node, len(operands))
	for i, x := range operands {
		args[i] = l.lower(x)
	}
	return l.call(name, op{node: n, slot: -1}, args...)
}

func (l *lowering) constant(n node, v Value) ast.Node {
	f, t := narrow(v)
	return l.call("constant", op{node: n, slot: -1, isConstant: true, value: f, tag: t})
}

// byTree leaves a node to the tree evaluator.
func (l *lowering) byTree(n node) ast.Node {
	return l.call("byTree", op{node: n, slot: -1})
}

var binaryKernels = map[string]string{
	"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floorDivide", "%": "modulo", "**": "power",
}

var unaryKernels = map[string]string{"+": "plus", "-": "negate", "not": "not"}

var compareKernels = map[string]string{
	"<": "less", "<=": "lessEqual", ">": "greater", ">=": "greaterEqual", "==": "equal", "!=": "notEqual",
}

func (l *lowering) lower(n node) ast.Node {
	switch n := n.(type) {
	case *literalNode:
		return l.constant(n, n.Value)
	case *nameNode:
		return l.name(n)
	case *unaryNode:
		if kernel, ok := unaryKernels[n.Op]; ok {
			return l.apply(kernel, n, n.X)
		}
	case *binaryNode:
		if kernel, ok := binaryKernels[n.Op]; ok {
			return l.apply(kernel, n, n.X, n.Y)
		}
	case *compareNode:
		return l.compare(n)
	case *logicNode:
		return l.apply(n.Op+"Operands", n, n.X...)
	case *conditionalNode:
		return l.apply("conditional", n, n.Test, n.Then, n.Else)
	case *callNode:
		return l.function(n)
	case *indexNode:
		if seq, ok := n.X.(*sequenceNode); ok && len(seq.X) > 0 {
			return l.apply("pick", n, append([]node{n.I}, seq.X...)...)
		}
	}
	return l.byTree(n)
}

func (l *lowering) name(n *nameNode) ast.Node {
	switch b := l.program.names[n.Name]; b.kind {
	case Constant:
		return l.constant(n, b.value)
	case VariableName:
		return l.call("variable", op{node: n, slot: l.program.slots[n.Name]})
	}
	return l.byTree(n)
}

// compare lowers a < b < c to (a < b) and (b < c).
func (l *lowering) compare(n *compareNode) ast.Node {
	var links []ast.Node
	for i, op := range n.Ops {
		kernel, ok := compareKernels[op]
		if !ok {
			return l.byTree(n)
		}
		links = append(links, l.apply(kernel, n, n.X[i], n.X[i+1]))
	}
	if len(links) == 1 {
		return links[0]
	}
	return l.call("andOperands", op{node: n, slot: -1}, links...)
}

// function lowers the calls that have a kernel.
func (l *lowering) function(n *callNode) ast.Node {
	f, ok := n.Func.(*nameNode)
	if !ok || len(n.Keywords) > 0 || len(n.Args) == 0 {
		return l.byTree(n)
	}
	if kind := l.program.names[f.Name].kind; kind != MathFunction && kind != BuiltinFunction {
		return l.byTree(n)
	}
	args := n.Args
	switch f.Name {
	case "min", "max", "sum":
		if seq, ok := args[0].(*sequenceNode); ok && len(args) == 1 && len(seq.X) > 0 {
			args = seq.X
		} else if len(args) == 1 || f.Name == "sum" {
			return l.byTree(n)
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
	return l.byTree(n)
}
