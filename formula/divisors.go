package formula

import (
	"math"
	"slices"
)

// divisor is an operand whose value 0 makes Python raise ZeroDivisionError or, of a power
// with a negative exponent, ValueError.
type divisor struct {
	of, operand node // the operation, and its operand
}

// divisorsOf returns the divisors of a formula, the outermost first.
func divisorsOf(root node) []divisor {
	var found []divisor
	walk(root, func(n node) {
		switch n := n.(type) {
		case *binaryNode:
			switch n.Op {
			case "/", "//", "%":
				found = append(found, divisor{n, n.Y})
			case "**":
				found = append(found, divisor{n, n.X})
			}
		case *callNode:
			name, isName := n.Func.(*nameNode)
			if !isName || len(n.Args) != 2 {
				return
			}
			switch name.Name {
			case "divmod", "fmod", "remainder":
				found = append(found, divisor{n, n.Args[1]})
			case "pow":
				found = append(found, divisor{n, n.Args[0]})
			}
		}
	})
	return found
}

// mostZeros bounds the values that are tried for each variable to make divisors 0.
const mostZeros = 60

// zeros returns for each of some variables values that may make a divisor 0: the roots of
// divisors that are linear in it, and the numbers of the formula with their neighbours.
// ordinary has what the other variables are then.
func (w *warner) zeros(f *Formula, names []string, ordinary []Value) [][]Value {
	variables := map[string]Value{}
	for i, name := range names {
		variables[name] = ordinary[i]
	}
	var numbers []float64
	walk(f.root, func(n node) {
		if l, ok := n.(*literalNode); ok {
			if x, isNumber := l.Value.Number(); isNumber && len(numbers) < mostZeros/3 {
				numbers = append(numbers, x-1, x, x+1)
			}
		}
	})
	divisors := divisorsOf(f.root)
	zeros := make([][]Value, len(names))
	for i, name := range names {
		v, _ := w.symbols.Lookup(name)
		candidates := slices.Clone(numbers)
		for _, d := range divisors {
			if root, ok := f.rootOf(d.operand, name, variables); ok && len(candidates) < mostZeros {
				candidates = append(candidates, root)
			}
		}
		for _, x := range candidates {
			if value, ok := legalValue(v, x); ok && !slices.ContainsFunc(zeros[i], value.equals) {
				zeros[i] = append(zeros[i], value)
			}
		}
	}
	return zeros
}

// rootOf returns where a part of the formula is 0 if it is linear in a variable, with the
// others as they are given.
func (f *Formula) rootOf(part node, name string, variables map[string]Value) (root float64, ok bool) {
	isThere := false
	walk(part, func(n node) {
		if named, isName := n.(*nameNode); isName && named.Name == name {
			isThere = true
		}
	})
	if !isThere {
		return 0, false
	}
	at := func(x float64) float64 {
		own := map[string]Value{}
		for name, value := range variables {
			own[name] = value
		}
		own[name] = Float(x)
		r := f.newTreeEvaluator(own).result(part)
		if r.Err != nil {
			return math.NaN()
		}
		return r.Value
	}
	const from, to = 1., 2.
	a, b := at(from), at(to)
	root = from - a/(b-a)
	const near = 1e-9
	if root != root || math.IsInf(root, 0) || !(math.Abs(at(root)) <= near*max(1, math.Abs(a))) {
		return 0, false
	}
	return root, true
}

// legalValue returns a number as a value that PBS can give a variable. ok is false where it
// cannot.
func legalValue(v Variable, x float64) (value Value, ok bool) {
	isWhole := v.Type != Float64
	if isWhole {
		x = math.Round(x)
	}
	switch {
	case math.Abs(x) > maxExact || x != x:
		return Value{}, false
	case v.Name == "job_priority":
		ok = x >= MinJobPriority && x <= MaxJobPriority
	case v.Name == "queue_priority":
		ok = math.Abs(x) <= 1024
	case v.Origin == FromTree:
		ok = x >= 0 && x <= 1
	default:
		ok = x >= 0
	}
	if !ok {
		return Value{}, false
	}
	return v.Value(x)
}

// equals reports whether two values are the same number.
func (v Value) equals(other Value) bool {
	a, isNumber := v.Number()
	b, isOther := other.Number()
	return isNumber && isOther && a == b
}
