package formula

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
	"golang.org/x/text/unicode/norm"
)

// builder turns participle's structs into nodes.
type builder struct {
	src string
	err error
}

// span returns the text between two positions without the space that follows it.
func (b *builder) span(from, to lexer.Position) Span {
	s := Span{from.Offset, to.Offset}
	if s.End > len(b.src) || s.End < s.Start {
		s.End = len(b.src)
	}
	s.End = s.Start + len(strings.TrimRight(b.src[s.Start:s.End], " \t"))
	return s
}

func (b *builder) foreign(what string, s Span, x ...node) node {
	return &foreignNode{What: what, X: x, place: place{s}, text: b.src[s.Start:s.End]}
}

func (b *builder) formula(g *gFormula) node {
	for _, item := range g.Items {
		if item.For != nil {
			b.fail(item, "invalid syntax")
		}
	}
	if len(g.Items) == 1 && !g.Comma {
		return b.plainItem(g.Items[0], "can't use starred expression here")
	}
	return &sequenceNode{Tuple: true, X: b.items(g.Items), place: place{Span{0, len(b.src)}}}
}

// items builds the elements of a list or tuple, which a single star may unpack.
func (b *builder) items(items []*gItem) []node {
	nodes := make([]node, len(items))
	for i, g := range items {
		if g.Star == "**" || g.For != nil && len(items) > 1 {
			b.fail(g, "invalid syntax")
		}
		nodes[i] = b.item(g)
	}
	return nodes
}

// plainItem builds an item where nothing can be unpacked.
func (b *builder) plainItem(g *gItem, message string) node {
	switch g.Star {
	case "*":
		b.fail(g, message)
	case "**":
		b.fail(g, "invalid syntax")
	}
	return b.item(g)
}

// fail keeps the first error that the grammar lets pass.
func (b *builder) fail(g *gItem, message string) {
	if b.err == nil {
		b.err = &SyntaxError{Message: message, Span: b.span(g.Pos, g.EndPos)}
	}
}

func (b *builder) item(g *gItem) node {
	s := b.span(g.Pos, g.EndPos)
	switch {
	case g.Star != "":
		return b.foreign("a starred expression", s, b.expr(g.Value))
	case g.For != nil:
		return b.comprehension(s, g)
	case g.Named != nil:
		return b.foreign("an assignment", s, b.expr(g.Value))
	}
	return b.expr(g.Value)
}

// comprehension keeps what Python evaluates in order of its names: what the
// first "for" goes over, and the other names that the loops do not bind.
func (b *builder) comprehension(s Span, g *gItem) node {
	x := []node{b.or(g.For[0].In)}
	bound := map[string]bool{}
	inner := []node{b.expr(g.Value)}
	for i, loop := range g.For {
		for _, target := range loop.Targets {
			bound[target] = true
		}
		if i > 0 {
			inner = append(inner, b.or(loop.In))
		}
		for _, test := range loop.Ifs {
			inner = append(inner, b.or(test))
		}
	}
	for _, n := range inner {
		walk(n, func(n node) {
			if name, ok := n.(*nameNode); ok && !bound[name.Name] {
				x = append(x, name)
			}
		})
	}
	return b.foreign("a comprehension", s, x...)
}

func (b *builder) expr(g *gExpr) node {
	s := b.span(g.Pos, g.EndPos)
	if g.Lambda != nil {
		return b.foreign("a lambda expression", s)
	}
	n := b.or(g.Value)
	if g.If == nil {
		return n
	}
	return &conditionalNode{Then: n, Test: b.or(g.If.Test), Else: b.expr(g.If.Else), place: place{s}}
}

func (b *builder) or(g *gOr) node {
	x := make([]node, len(g.X))
	for i, a := range g.X {
		x[i] = b.and(a)
	}
	return logic("or", x, b.span(g.Pos, g.EndPos))
}

func (b *builder) and(g *gAnd) node {
	x := make([]node, len(g.X))
	for i, n := range g.X {
		x[i] = b.not(n)
	}
	return logic("and", x, b.span(g.Pos, g.EndPos))
}

func logic(op string, x []node, s Span) node {
	if len(x) == 1 {
		return x[0]
	}
	return &logicNode{Op: op, X: x, place: place{s}}
}

func (b *builder) not(g *gNot) node {
	if g.Not != nil {
		return &unaryNode{Op: "not", X: b.not(g.Not), place: place{b.span(g.Pos, g.EndPos)}}
	}
	return b.compare(g.Value)
}

func (b *builder) compare(g *gCompare) node {
	first := b.binary(g.First)
	if len(g.Rest) == 0 {
		return first
	}
	n := &compareNode{X: []node{first}, place: place{b.span(g.Pos, g.EndPos)}}
	for _, r := range g.Rest {
		n.Ops = append(n.Ops, strings.Join(r.Op, " "))
		n.X = append(n.X, b.binary(r.Value))
	}
	return n
}

// precedences of binary operators, the higher the tighter.
var precedences = map[string]int{
	"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6,
}

// operand is a node with its place, parentheses around it included.
type operand struct {
	node node
	span Span
}

func (b *builder) operand(g *gFactor) operand {
	return operand{b.factor(g), b.span(g.Pos, g.EndPos)}
}

// binary gives the flat list of operands its tree, all operators being
// left-associative.
func (b *builder) binary(g *gBinary) node {
	operands := []operand{b.operand(g.First)}
	var operators []string
	reduce := func() {
		last := len(operands) - 1
		x, y, op := operands[last-1], operands[last], operators[last-1]
		operands, operators = operands[:last], operators[:last-1]
		s := Span{x.span.Start, y.span.End}
		operands[last-1] = operand{&binaryNode{Op: op, X: x.node, Y: y.node, place: place{s}}, s}
	}
	for _, r := range g.Rest {
		for len(operators) > 0 && precedences[operators[len(operators)-1]] >= precedences[r.Op] {
			reduce()
		}
		operators = append(operators, r.Op)
		operands = append(operands, b.operand(r.Value))
	}
	for len(operators) > 0 {
		reduce()
	}
	return operands[0].node
}

func (b *builder) factor(g *gFactor) node {
	if g.Power != nil {
		return b.power(g.Power)
	}
	return &unaryNode{Op: g.Op, X: b.factor(g.Value), place: place{b.span(g.Pos, g.EndPos)}}
}

func (b *builder) power(g *gPower) node {
	n := b.atom(g.Atom)
	for _, t := range g.Trailers {
		s := b.span(g.Pos, t.EndPos)
		switch {
		case t.Attribute != nil:
			n = b.foreign("the attribute ."+*t.Attribute, s, n)
		case t.Call != nil:
			n = b.call(n, t.Call.Args, s)
		default:
			n = b.index(n, t.Index, s)
		}
	}
	if g.Exponent == nil {
		return n
	}
	return &binaryNode{Op: "**", X: n, Y: b.factor(g.Exponent), place: place{b.span(g.Pos, g.EndPos)}}
}

func (b *builder) call(f node, args []*gArg, s Span) node {
	c := &callNode{Func: f, place: place{s}}
	for _, a := range args {
		if a.Keyword == nil && len(c.Keywords) > 0 && a.Value.Star == "" {
			b.fail(a.Value, "positional argument follows keyword argument")
		}
		if a.Keyword != nil {
			if slices.Contains(c.Keywords, *a.Keyword) {
				b.fail(a.Value, "keyword argument repeated: "+*a.Keyword)
			}
			c.Keywords = append(c.Keywords, *a.Keyword)
		}
		c.Args = append(c.Args, b.item(a.Value))
	}
	if _, ok := f.(*nameNode); !ok {
		return b.foreign("a call of a value", s, append([]node{f}, c.Args...)...)
	}
	return c
}

func (b *builder) index(x node, g *gIndexes, s Span) node {
	var nodes []node
	for _, i := range g.X {
		if !i.Colon && i.Lower == nil && b.err == nil {
			b.err = &SyntaxError{Message: "invalid syntax", Span: s}
		}
		if i.Colon || i.Lower == nil {
			return b.foreign("a slice", s, x)
		}
		nodes = append(nodes, b.item(i.Lower))
	}
	if len(nodes) == 1 && !g.Comma {
		return &indexNode{X: x, I: nodes[0], place: place{s}}
	}
	return &indexNode{X: x, I: &sequenceNode{Tuple: true, X: nodes, place: place{s}}, place: place{s}}
}

func (b *builder) atom(g *gAtom) node {
	s := b.span(g.Pos, g.EndPos)
	switch {
	case g.Number != nil:
		return &literalNode{Value: parseNumber(*g.Number), place: place{s}, text: *g.Number}
	case g.Name != nil:
		return &nameNode{Name: norm.NFKC.String(*g.Name), place: place{s}} // as Python reads names
	case g.Const != nil:
		return b.constant(*g.Const, s)
	case g.Strings != nil:
		return b.foreign("a string", s)
	case g.Brace != nil:
		return b.brace(g.Brace, s)
	case g.List != nil:
		return b.elements(g.List, false, s)
	}
	if p := g.Paren; len(p.X) == 1 && !p.Comma && p.X[0].For == nil {
		return b.plainItem(p.X[0], "cannot use starred expression here")
	}
	return b.elements(g.Paren, true, s)
}

func (b *builder) elements(g *gElements, tuple bool, s Span) node {
	if len(g.X) == 1 && g.X[0].For != nil {
		return b.comprehension(s, g.X[0])
	}
	return &sequenceNode{Tuple: tuple, X: b.items(g.X), place: place{s}}
}

func (b *builder) brace(g *gBrace, s Span) node {
	var x []node
	for _, p := range g.X {
		if p.Key.For != nil || p.Value != nil && p.Value.For != nil {
			return b.foreign("a comprehension", s)
		}
		x = append(x, b.item(p.Key))
		if p.Value != nil {
			x = append(x, b.item(p.Value))
		}
	}
	return b.foreign("a set or dict", s, x...)
}

func (b *builder) constant(text string, s Span) node {
	switch text {
	case "True", "False":
		return &literalNode{Value: boolean(text == "True"), place: place{s}, text: text}
	case "None":
		return &literalNode{place: place{s}, text: text}
	}
	return b.foreign("an ellipsis", s)
}

// parseNumber reads a literal that the lexer and checkToken let pass.
func parseNumber(text string) Value {
	digits := strings.ToLower(strings.ReplaceAll(text, "_", ""))
	if strings.Trim(digits, "0123456789") == "" {
		n, _ := new(big.Int).SetString(digits, 10)
		return bigInt(n)
	}
	if len(digits) > 1 && strings.Contains("xob", digits[1:2]) {
		n, _ := new(big.Int).SetString(digits, 0)
		return bigInt(n)
	}
	imaginary := strings.HasSuffix(digits, "j")
	f, _ := strconv.ParseFloat(strings.TrimSuffix(digits, "j"), 64) // out of range is inf
	if imaginary {
		return complexValue(complex(0, f))
	}
	return Float(f)
}
