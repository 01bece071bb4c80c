package formula

import (
	"strings"
)

// Node is a node of a formula's tree.
type Node interface {
	// Span is where the node stands in the formula's text.
	Span() Span
	// children are the operands, in the order of evaluation.
	children() []Node
}

// The nodes. Each knows its place in the text.
type (
	// Literal is a number, True, False or None.
	Literal struct {
		Value Value
		span  Span
		text  string
	}
	// Name is a variable, a constant or a function.
	Name struct {
		Name string
		span Span
	}
	// Unary is an operation on one operand: + - ~ not.
	Unary struct {
		Op   string
		X    Node
		span Span
	}
	// Binary is an arithmetic or bit operation.
	Binary struct {
		Op   string
		X, Y Node
		span Span
	}
	// Compare is a chain of comparisons: X[0] Ops[0] X[1] Ops[1] X[2] …
	Compare struct {
		Ops  []string
		X    []Node
		span Span
	}
	// Logic is "and" or "or" of two or more operands, of which it returns one.
	Logic struct {
		Op   string
		X    []Node
		span Span
	}
	// Conditional is Then if Test else Else.
	Conditional struct {
		Test, Then, Else Node
		span             Span
	}
	// Call is a function call; Keywords name the last arguments.
	Call struct {
		Func     Node
		Args     []Node
		Keywords []string
		span     Span
	}
	// Sequence is a list or a tuple.
	Sequence struct {
		Tuple bool
		X     []Node
		span  Span
	}
	// Index is X[I].
	Index struct {
		X, I Node
		span Span
	}
	// Foreign is something that only Python can run. Its operands are those
	// that Python evaluates on the way there.
	Foreign struct {
		What string
		X    []Node
		span Span
		text string
	}
)

func (n *Literal) Span() Span     { return n.span }
func (n *Name) Span() Span        { return n.span }
func (n *Unary) Span() Span       { return n.span }
func (n *Binary) Span() Span      { return n.span }
func (n *Compare) Span() Span     { return n.span }
func (n *Logic) Span() Span       { return n.span }
func (n *Conditional) Span() Span { return n.span }
func (n *Call) Span() Span        { return n.span }
func (n *Sequence) Span() Span    { return n.span }
func (n *Index) Span() Span       { return n.span }
func (n *Foreign) Span() Span     { return n.span }

func (n *Literal) children() []Node     { return nil }
func (n *Name) children() []Node        { return nil }
func (n *Unary) children() []Node       { return []Node{n.X} }
func (n *Binary) children() []Node      { return []Node{n.X, n.Y} }
func (n *Compare) children() []Node     { return n.X }
func (n *Logic) children() []Node       { return n.X }
func (n *Conditional) children() []Node { return []Node{n.Test, n.Then, n.Else} }
func (n *Call) children() []Node        { return append([]Node{n.Func}, n.Args...) }
func (n *Sequence) children() []Node    { return n.X }
func (n *Index) children() []Node       { return []Node{n.X, n.I} }
func (n *Foreign) children() []Node     { return n.X }

// walk visits a node and all below it, parents first, without recursion.
func walk(n Node, visit func(Node)) {
	stack := []Node{n}
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

// Format prints a tree as a formula that parses to the same tree, with
// parentheses around every operation.
func Format(n Node) string {
	var b strings.Builder
	format(&b, n)
	return b.String()
}

func format(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case *Literal:
		b.WriteString(n.text)
	case *Name:
		b.WriteString(n.Name)
	case *Unary:
		b.WriteString("(" + n.Op)
		if n.Op == "not" {
			b.WriteByte(' ')
		}
		format(b, n.X)
		b.WriteByte(')')
	case *Binary:
		formatInfix(b, []Node{n.X, n.Y}, func(int) string { return n.Op })
	case *Compare:
		formatInfix(b, n.X, func(i int) string { return n.Ops[i] })
	case *Logic:
		formatInfix(b, n.X, func(int) string { return n.Op })
	case *Conditional:
		b.WriteByte('(')
		format(b, n.Then)
		b.WriteString(" if ")
		format(b, n.Test)
		b.WriteString(" else ")
		format(b, n.Else)
		b.WriteByte(')')
	case *Call:
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
	case *Sequence:
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
	case *Index:
		format(b, n.X)
		b.WriteByte('[')
		format(b, n.I)
		b.WriteByte(']')
	case *Foreign:
		b.WriteString("(" + n.text + ")")
	}
}

func formatInfix(b *strings.Builder, x []Node, op func(int) string) {
	b.WriteByte('(')
	for i, n := range x {
		if i > 0 {
			b.WriteString(" " + op(i-1) + " ")
		}
		format(b, n)
	}
	b.WriteByte(')')
}

func formatList(b *strings.Builder, x []Node, prefix func(int) string) {
	for i, n := range x {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix(i))
		format(b, n)
	}
}
