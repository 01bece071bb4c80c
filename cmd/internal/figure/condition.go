package figure

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pattern"
)

// Condition is a comparison that a policy may fulfil, such as
// p95(wait, queue=debug) > 1.1 * base. On its right side, base is what the left side comes
// to under the first policy, and observed what it comes to by the record.
type Condition struct {
	Text    string
	Figures []Figure // that it has, in their order
	node    *conditionNode

	usesBase bool
	numbers  map[*factorNode]float64
	places   map[*factorNode]int // in Figures
}

type conditionNode struct {
	Left  *sumNode `parser:"@@"`
	Op    string   `parser:"@('>=' | '<=' | '>' | '<')"`
	Right *sumNode `parser:"@@"`
}

type sumNode struct {
	First *productNode `parser:"@@"`
	Rest  []*addNode   `parser:"@@*"`
}

type addNode struct {
	Op string       `parser:"@('+' | '-')"`
	Of *productNode `parser:"@@"`
}

type productNode struct {
	First *factorNode `parser:"@@"`
	Rest  []*timeNode `parser:"@@*"`
}

type timeNode struct {
	Op string      `parser:"@('*' | '/')"`
	Of *factorNode `parser:"@@"`
}

type factorNode struct {
	Pos    lexer.Position
	Minus  bool        `parser:"@'-'?"`
	Number string      `parser:"( @Number"`
	Sum    *sumNode    `parser:"| '(' @@ ')'"`
	Figure *figureNode `parser:"| @@ )"`
	EndPos lexer.Position
}

var conditionParser = build[conditionNode]()

// units are what a number may have behind it, and what it is multiplied with then.
var units = map[string]float64{"": 1, "%": .01, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 24 * 3600}

var (
	numberWithUnit = pattern.Of(`^(.*?[0-9.](?:[eE][-+]?[0-9]+)?)(%|[A-Za-z]*)$`)
	timeOfClock    = pattern.Of(`^([0-9]+):([0-5][0-9]):([0-5][0-9])$`)
)

// numberOf reads a number, such as 5%, 2h, 1h30m or 1:30:00, whose last ones are seconds.
func numberOf(text string) (x float64, ok bool) {
	if parts := numberWithUnit().FindStringSubmatch(text); parts != nil {
		if x, err := strconv.ParseFloat(parts[1], 64); err == nil {
			unit, isKnown := units[parts[2]]
			return x * unit, isKnown
		}
	}
	if parts := timeOfClock().FindStringSubmatch(text); parts != nil {
		text = parts[1] + "h" + parts[2] + "m" + parts[3] + "s"
	}
	return moment.OfUnits(text)
}

// ParseCondition returns the condition that a text is. Its errors are *ParseError.
func ParseCondition(text string) (*Condition, error) {
	node, err := parse(conditionParser(), text)
	if err != nil {
		return nil, err
	}
	c := &Condition{Text: text, node: node, numbers: map[*factorNode]float64{}, places: map[*factorNode]int{}}
	if err := c.resolveSum(node.Left, false); err != nil {
		return nil, err
	}
	if len(c.Figures) == 0 {
		return nil, &ParseError{text, 0, len(text), "the left side has no figure"}
	}
	if err := c.resolveSum(node.Right, true); err != nil {
		return nil, err
	}
	n := node.Right.First.First
	isAlone := len(node.Right.Rest)+len(node.Right.First.Rest) == 0 // the right side is this number, or figure
	isAboveWhole := c.numbers[n] > 1 && !strings.HasSuffix(n.Number, "%")
	if c.Figures[0].Unit() == Fraction && isAlone && isAboveWhole {
		return nil, &ParseError{text, n.Pos.Offset, min(len(text), n.EndPos.Offset), fmt.Sprintf("%v is a part of the whole, 0 to 1: write %s%%", c.Figures[0], n.Number)}
	}
	return c, nil
}

// resolveSum notes the numbers and figures of a sum, and returns a *ParseError for what
// parses and means nothing.
func (c *Condition) resolveSum(n *sumNode, isRight bool) error {
	if err := c.resolveProduct(n.First, isRight); err != nil {
		return err
	}
	for _, add := range n.Rest {
		if err := c.resolveProduct(add.Of, isRight); err != nil {
			return err
		}
	}
	return nil
}

func (c *Condition) resolveProduct(n *productNode, isRight bool) error {
	if err := c.resolveFactor(n.First, isRight); err != nil {
		return err
	}
	for _, times := range n.Rest {
		if err := c.resolveFactor(times.Of, isRight); err != nil {
			return err
		}
	}
	return nil
}

func (c *Condition) resolveFactor(n *factorNode, isRight bool) error {
	wrong := func(detail string) error {
		return &ParseError{c.Text, n.Pos.Offset, min(len(c.Text), n.EndPos.Offset), detail}
	}
	switch {
	case n.Sum != nil:
		return c.resolveSum(n.Sum, isRight)
	case n.Number != "":
		x, ok := numberOf(n.Number)
		switch isPart := strings.HasSuffix(n.Number, "%"); {
		case !ok && strings.Count(n.Number, ":") == 1:
			return wrong(fmt.Sprintf("%s may be of hours or of minutes: times are written 1:30:00, 1h30m, 90s, 30min, 2h, 1d", n.Number))
		case !ok:
			return wrong(fmt.Sprintf("%s is no number; times are written 90s, 30min, 2h, 1d, 1h30m, 1:30:00", n.Number))
		case isPart && len(c.Figures) > 0 && c.Figures[0].Unit() != Fraction:
			return wrong(fmt.Sprintf("%s of what? For more than the base write %v * base", n.Number, 1+x))
		}
		c.numbers[n] = x
	case n.Figure.isSide():
		c.usesBase = c.usesBase || n.Figure.Name == "base"
		if !isRight {
			return wrong(n.Figure.Name + " is the value of the left side: it stands on the right")
		}
	default:
		f, err := n.Figure.figure(c.Text)
		if err != nil {
			return err
		}
		c.places[n] = len(c.Figures)
		c.Figures = append(c.Figures, f)
	}
	return nil
}

// isSide reports whether a name stands for what the left side comes to.
func (n *figureNode) isSide() bool {
	return n.Of == "" && (n.Name == "base" || n.Name == "observed")
}

// UsesBase reports whether a condition compares with the first policy.
func (c *Condition) UsesBase() bool { return c.usesBase }

// Sides returns what the two sides of a condition come to for a policy. Each argument has a
// value for each of the condition's Figures: under the policy, under the first policy, and
// as observed.
func (c *Condition) Sides(policy, base, observed []float64) (left, right float64) {
	e := sides{c: c, figures: policy}
	left = e.sum(c.node.Left)
	e.base = (&sides{c: c, figures: base}).sum(c.node.Left)
	e.observed = (&sides{c: c, figures: observed}).sum(c.node.Left)
	return left, e.sum(c.node.Right)
}

// Unit returns what the sides of a condition count in: the unit of the figure on the left,
// Plain where the left side is more than a single figure.
func (c *Condition) Unit() Unit {
	n := c.node.Left
	if len(n.Rest)+len(n.First.Rest) > 0 || n.First.First.Figure == nil {
		return Plain
	}
	return c.Figures[0].Unit()
}

// Holds reports whether a condition holds for its sides. It does not where one is NaN.
func (c *Condition) Holds(left, right float64) bool {
	switch c.node.Op {
	case ">":
		return left > right
	case ">=":
		return left >= right
	case "<":
		return left < right
	}
	return left <= right
}

// sides computes what the sides of a condition come to.
type sides struct {
	c              *Condition
	figures        []float64
	base, observed float64
}

func (e *sides) sum(n *sumNode) float64 {
	x := e.product(n.First)
	for _, add := range n.Rest {
		if y := e.product(add.Of); add.Op == "+" {
			x += y
		} else {
			x -= y
		}
	}
	return x
}

func (e *sides) product(n *productNode) float64 {
	x := e.factor(n.First)
	for _, times := range n.Rest {
		if y := e.factor(times.Of); times.Op == "*" {
			x *= y
		} else {
			x /= y
		}
	}
	return x
}

func (e *sides) factor(n *factorNode) float64 {
	var x float64
	switch {
	case n.Sum != nil:
		x = e.sum(n.Sum)
	case n.Number != "":
		x = e.c.numbers[n]
	case n.Figure.isSide() && n.Figure.Name == "base":
		x = e.base
	case n.Figure.isSide():
		x = e.observed
	default:
		x = e.figures[e.c.places[n]]
	}
	if n.Minus {
		return -x
	}
	return x
}
