package formula

import (
	"math"
	"math/big"
)

// compare returns the value of one comparison in a chain.
func compare(op string, x, y Value) (Value, error) {
	switch op {
	case "==":
		return boolean(equal(x, y)), nil
	case "!=":
		return boolean(!equal(x, y)), nil
	case "is":
		return boolean(same(x, y)), nil
	case "is not":
		return boolean(!same(x, y)), nil
	case "in", "not in":
		if y.kind != kList && y.kind != kTuple {
			return Value{}, typeError("argument of type '%s' is not iterable", y.typeName())
		}
		found := false
		for _, e := range y.elements() {
			found = found || equal(x, e)
		}
		return boolean(found == (op == "in")), nil
	}
	return order(op, x, y)
}

// order returns the value of x < y, x <= y, x > y or x >= y.
func order(op string, x, y Value) (Value, error) {
	if x.isReal() && y.isReal() {
		c, ordered := compareReal(x, y)
		return boolean(ordered && orderHolds(op, c)), nil
	}
	if (x.kind == kList || x.kind == kTuple) && x.kind == y.kind {
		for i := 0; i < len(x.elements()) && i < len(y.elements()); i++ {
			if !equal(x.elements()[i], y.elements()[i]) {
				return order(op, x.elements()[i], y.elements()[i])
			}
		}
		return boolean(orderHolds(op, len(x.elements())-len(y.elements()))), nil
	}
	return Value{}, typeError("'%s' not supported between instances of '%s' and '%s'", op, x.typeName(), y.typeName())
}

func orderHolds(op string, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// compareReal compares exactly, also an int with a float; ordered is false
// for NaN.
func compareReal(x, y Value) (c int, ordered bool) {
	switch {
	case x.kind == kFloat && y.kind == kFloat:
		return compareFloats(x.f, y.f)
	case x.kind == kFloat:
		c, ordered := compareReal(y, x)
		return -c, ordered
	case y.kind != kFloat:
		if x.large() == nil && y.large() == nil {
			return compareInts(x.i, y.i), true
		}
		return x.toBig().Cmp(y.toBig()), true
	case math.IsNaN(y.f):
		return 0, false
	case math.IsInf(y.f, 0):
		return -int(math.Copysign(1, y.f)), true
	}
	if x.large() == nil && magnitude(x.i) <= maxExact {
		return compareFloats(float64(x.i), y.f)
	}
	return new(big.Float).SetInt(x.toBig()).Cmp(big.NewFloat(y.f)), true
}

func compareFloats(a, b float64) (c int, ordered bool) {
	switch {
	case a < b:
		return -1, true
	case a > b:
		return 1, true
	}
	return 0, a == b
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func equal(x, y Value) bool {
	switch {
	case x.isReal() && y.isReal():
		c, ordered := compareReal(x, y)
		return ordered && c == 0
	case x.kind == kComplex && y.isReal():
		return x.imaginary() == 0 && equal(Float(x.f), y)
	case x.isReal() && y.kind == kComplex:
		return equal(y, x)
	case x.kind != y.kind:
		return false
	case x.kind == kComplex:
		return x.f == y.f && x.imaginary() == y.imaginary()
	case x.kind == kList || x.kind == kTuple:
		if len(x.elements()) != len(y.elements()) {
			return false
		}
		for i := range x.elements() {
			if !equal(x.elements()[i], y.elements()[i]) {
				return false
			}
		}
		return true
	}
	return x.function() == y.function()
}

// same reports whether x is y, as far as Python defines that: for None, True,
// False and functions. Equal numbers are mostly one object in CPython, too.
func same(x, y Value) bool {
	return x.kind == y.kind && equal(x, y)
}
