package formula

import "cmp"

// Rises reports whether the formula's value cannot fall while a variable grows, as
// far as its form tells: where it does not mention the variable, or adds it, or
// multiplies it by a number. It is false where that is not plain.
func (f *Formula) Rises(name string) bool {
	if f.isNone() {
		return false
	}
	d, ok := direction(f.root, name, 0)
	return ok && d >= 0
}

// direction returns 1 for what grows with a variable, -1 for what falls, 0 for what
// does not depend on it. ok is false where the form does not tell.
func direction(n node, name string, depth int) (d int, ok bool) {
	const deepest = 200
	if !mentions(n, name) {
		return 0, true
	}
	if depth > deepest {
		return 0, false
	}
	switch n := n.(type) {
	case *nameNode:
		return 1, true
	case *unaryNode:
		d, ok = direction(n.X, name, depth+1)
		switch n.Op {
		case "-":
			return -d, ok
		case "+":
			return d, ok
		}
	case *binaryNode:
		x, okX := direction(n.X, name, depth+1)
		y, okY := direction(n.Y, name, depth+1)
		if !okX || !okY {
			return 0, false
		}
		switch n.Op {
		case "+":
			return cmp.Compare(x+y, 0), x*y >= 0
		case "-":
			return cmp.Compare(x-y, 0), x*y <= 0
		case "*":
			if y == 0 {
				return x * signOf(n.Y), signOf(n.Y) != 0
			}
			return y * signOf(n.X), x == 0 && signOf(n.X) != 0
		case "/":
			return x * signOf(n.Y), y == 0 && signOf(n.Y) != 0
		}
	}
	return 0, false
}

// signOf returns the sign of a number that stands in the formula, 0 for zero and for
// anything else.
func signOf(n node) int {
	if unary, ok := n.(*unaryNode); ok && unary.Op == "-" {
		return -signOf(unary.X)
	}
	literal, ok := n.(*literalNode)
	if !ok {
		return 0
	}
	switch x, isNumber := literal.Value.Number(); {
	case isNumber && x > 0:
		return 1
	case isNumber && x < 0:
		return -1
	}
	return 0
}

func mentions(n node, name string) bool {
	found := false
	walk(n, func(n node) {
		if variable, ok := n.(*nameNode); ok && variable.Name == name {
			found = true
		}
	})
	return found
}
