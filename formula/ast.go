package formula

import "strings"

// node is a node of a formula's tree.
type node interface {
	// span returns where the node stands in the formula's text.
	span() Span
	// move replaces the span by what f makes of it.
	move(f func(Span) Span)
	// children returns the operands in the order in which Python evaluates
	// them.
	children() []node
}

// place is the part that all nodes have in common: where they stand.
type place struct{ at Span }

func (p *place) span() Span             { return p.at }
func (p *place) move(f func(Span) Span) { p.at = f(p.at) }

type (
	// literalNode is a number, True, False or None.
	literalNode struct {
		place
		Value Value
		text  string
	}
	// nameNode is the name of a variable, a constant or a function.
	nameNode struct {
		place
		Name string
	}
	// unaryNode is an operation on one operand: + - ~ not.
	unaryNode struct {
		place
		Op string
		X  node
	}
	// binaryNode is an arithmetic or bit operation.
	binaryNode struct {
		place
		Op   string
		X, Y node
	}
	// compareNode is a chain of comparisons: X[0] Ops[0] X[1] Ops[1] X[2] …
	compareNode struct {
		place
		Ops []string
		X   []node
	}
	// logicNode is "and" or "or" of two or more operands, one of which is
	// its value.
	logicNode struct {
		place
		Op string
		X  []node
	}
	// conditionalNode is Then if Test else Else.
	conditionalNode struct {
		place
		Test, Then, Else node
	}
	// callNode is a function call. Keywords are the names of the last
	// arguments.
	callNode struct {
		place
		Func     node
		Args     []node
		Keywords []string
	}
	// sequenceNode is a list or a tuple.
	sequenceNode struct {
		place
		Tuple bool
		X     []node
	}
	// indexNode is X[I].
	indexNode struct {
		place
		X, I node
	}
	// foreignNode is something that only Python can run. Its operands are
	// those that Python evaluates on the way there.
	foreignNode struct {
		place
		What string
		X    []node
		text string
	}
)

func (n *literalNode) children() []node     { return nil }
func (n *nameNode) children() []node        { return nil }
func (n *unaryNode) children() []node       { return []node{n.X} }
func (n *binaryNode) children() []node      { return []node{n.X, n.Y} }
func (n *compareNode) children() []node     { return n.X }
func (n *logicNode) children() []node       { return n.X }
func (n *conditionalNode) children() []node { return []node{n.Test, n.Then, n.Else} }
func (n *callNode) children() []node        { return append([]node{n.Func}, n.Args...) }
func (n *sequenceNode) children() []node    { return n.X }
func (n *indexNode) children() []node       { return []node{n.X, n.I} }
func (n *foreignNode) children() []node     { return n.X }

// walk visits a node and all below it, parents before their children. It does
// not recurse.
func walk(n node, visit func(node)) {
	if n == nil {
		return
	}
	stack := []node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		visit(n)
		children := n.children()
		for i := len(children) - 1; i >= 0; i-- {
			stack = append(stack, children[i])
		}
	}
}

// format writes a tree as a formula that parses to the same tree, with
// parentheses around every operation.
func format(b *strings.Builder, n node) {
	switch n := n.(type) {
	case *literalNode:
		b.WriteString(n.text)
	case *nameNode:
		b.WriteString(n.Name)
	case *unaryNode:
		b.WriteString("(" + n.Op)
		if n.Op == "not" {
			b.WriteByte(' ')
		}
		format(b, n.X)
		b.WriteByte(')')
	case *binaryNode:
		formatInfix(b, []node{n.X, n.Y}, func(int) string { return n.Op })
	case *compareNode:
		formatInfix(b, n.X, func(i int) string { return n.Ops[i] })
	case *logicNode:
		formatInfix(b, n.X, func(int) string { return n.Op })
	case *conditionalNode:
		b.WriteByte('(')
		format(b, n.Then)
		b.WriteString(" if ")
		format(b, n.Test)
		b.WriteString(" else ")
		format(b, n.Else)
		b.WriteByte(')')
	case *callNode:
		format(b, n.Func)
		b.WriteByte('(')
		first := len(n.Args) - len(n.Keywords)
		formatList(b, n.Args, func(i int) string {
			if i < first {
				return ""
			}
			return n.Keywords[i-first] + "="
		})
		b.WriteByte(')')
	case *sequenceNode:
		brackets := "[]"
		if n.Tuple {
			brackets = "()"
		}
		b.WriteByte(brackets[0])
		formatList(b, n.X, func(int) string { return "" })
		if n.Tuple && len(n.X) == 1 {
			b.WriteByte(',')
		}
		b.WriteByte(brackets[1])
	case *indexNode:
		format(b, n.X)
		b.WriteByte('[')
		format(b, n.I)
		b.WriteByte(']')
	case *foreignNode:
		b.WriteString("(" + n.text + ")")
	}
}

func formatInfix(b *strings.Builder, x []node, op func(int) string) {
	b.WriteByte('(')
	for i, n := range x {
		if i > 0 {
			b.WriteString(" " + op(i-1) + " ")
		}
		format(b, n)
	}
	b.WriteByte(')')
}

func formatList(b *strings.Builder, x []node, prefix func(int) string) {
	for i, n := range x {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix(i))
		format(b, n)
	}
}
