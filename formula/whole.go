package formula

import (
	"math"

	"fairshare/formula/internal/libm"
)

// Most columns hold one kind of number in all of their rows, as a column of floats
// does. An operation on such columns is one loop that looks at no row's tag. Where
// a row needs more than that, an exact integer or an error of Python, the
// operation's kernel computes all rows.

// whole computes an operation in all rows at once, and reports false where a row
// needs the kernel; what it has written is then of no use. No operand has a row
// that is tagOther.
type whole func(rows int, out *column, x []*column) bool

// wholes are the operations that have a whole, by their kernel's name.
var wholes = map[string]whole{
	"add": wholeArithmetic(func(out, a, b []float64) {
		out, b = out[:len(a)], b[:len(a)]
		for i, x := range a {
			out[i] = x + b[i]
		}
	}),
	"subtract": wholeArithmetic(func(out, a, b []float64) {
		out, b = out[:len(a)], b[:len(a)]
		for i, x := range a {
			out[i] = x - b[i]
		}
	}),
	"multiply": wholeArithmetic(func(out, a, b []float64) {
		out, b = out[:len(a)], b[:len(a)]
		for i, x := range a {
			out[i] = x * b[i]
		}
	}),
	"divide":      wholeDivide,
	"power":       wholePower,
	"negate":      wholeNegate,
	"conditional": wholeConditional,
	"minOf":       wholeExtreme(comparisons["less"]),
	"maxOf":       wholeExtreme(comparisons["greater"]),
	"call abs":    wholeAbs,
	"call ceil":   wholeRounding(math.Ceil),
	"call floor":  wholeRounding(math.Floor),
	"call fabs":   wholeFabs,
	"call sqrt":   wholeSqrt,
}

// sameLength returns the first rows of two operands and of where their result goes,
// in a form that spares the loops their checks of bounds.
func sameLength(rows int, out *column, x []*column) (r, a, b []float64) {
	return out.v[:rows], x[0].v[:rows], x[1].v[:rows]
}

// wholeArithmetic returns the whole of a loop over operands of one length. A loop says
// so once more before it begins, which spares it two checks of bounds a row.
func wholeArithmetic(loop func(out, a, b []float64)) whole {
	return func(rows int, out *column, x []*column) bool {
		r, a, b := sameLength(rows, out, x)
		switch {
		case x[0].all == tagFloat || x[1].all == tagFloat:
			loop(r, a, b)
			out.fillTags(rows, tagFloat)
			return true
		case x[0].all != tagNumbers && x[1].all != tagNumbers:
			loop(r, a, b)
			return out.holdsInts(rows)
		}
		return false
	}
}

// holdsInts makes the first rows integers, and reports whether doubles hold all of them.
func (c *column) holdsInts(rows int) bool {
	v := c.v[:rows]
	for i, x := range v {
		if !(math.Abs(x) < maxExact) {
			return false
		}
		v[i] = x + 0 // the zero of integers has no sign
	}
	c.fillTags(rows, tagInt)
	return true
}

func wholeDivide(rows int, out *column, x []*column) bool {
	r, a, b := sameLength(rows, out, x)
	for i, divisor := range b {
		if divisor == 0 {
			return false
		}
		r[i] = a[i] / divisor
	}
	out.fillTags(rows, tagFloat)
	return true
}

func wholePower(rows int, out *column, x []*column) bool {
	if x[0].all != tagFloat && x[1].all != tagFloat {
		return false
	}
	r, a, b := sameLength(rows, out, x)
	for i, base := range a {
		p := libm.Pow(base, b[i])
		if !(base > 0) || !finite(p) {
			return false
		}
		r[i] = p
	}
	out.fillTags(rows, tagFloat)
	return true
}

func wholeNegate(rows int, out *column, x []*column) bool {
	r, a := out.v[:rows], x[0].v[:rows]
	for i, value := range a {
		r[i] = -value
	}
	switch x[0].all {
	case tagFloat:
		out.fillTags(rows, tagFloat)
		return true
	case tagNumbers:
		return false
	}
	return out.holdsInts(rows)
}

func wholeComparison(holds func(a, b float64) bool) whole {
	return func(rows int, out *column, x []*column) bool {
		r, a, b := sameLength(rows, out, x)
		for i, value := range a {
			r[i] = 0
			if holds(value, b[i]) {
				r[i] = 1
			}
		}
		out.fillTags(rows, tagBool)
		return true
	}
}

func wholeConditional(rows int, out *column, x []*column) bool {
	if x[1].all != x[2].all || x[1].all == tagNumbers {
		return false
	}
	r, a, b := sameLength(rows, out, x[1:])
	for i, condition := range x[0].v[:rows] {
		if r[i] = a[i]; condition == 0 {
			r[i] = b[i]
		}
	}
	out.fillTags(rows, x[1].all)
	return true
}

func wholeExtreme(better func(a, b float64) bool) whole {
	return func(rows int, out *column, x []*column) bool {
		kind := x[0].all
		for _, c := range x {
			if c.all != kind || kind == tagNumbers {
				return false
			}
		}
		r := out.v[:rows]
		copy(r, x[0].v)
		for _, c := range x[1:] {
			for i, value := range c.v[:rows] {
				if better(value, r[i]) {
					r[i] = value
				}
			}
		}
		out.fillTags(rows, kind)
		return true
	}
}

func wholeAbs(rows int, out *column, x []*column) bool {
	kind := x[0].all
	switch kind {
	case tagNumbers:
		return false
	case tagBool:
		kind = tagInt
	}
	absolutes(rows, out, x[0], kind)
	return true
}

func wholeFabs(rows int, out *column, x []*column) bool {
	absolutes(rows, out, x[0], tagFloat)
	return true
}

// absolutes makes a column the absolute values of another one, as numbers of a kind.
func absolutes(rows int, out, x *column, kind tag) {
	r := out.v[:rows]
	for i, value := range x.v[:rows] {
		r[i] = math.Abs(value)
	}
	out.fillTags(rows, kind)
}

func wholeRounding(rounding func(float64) float64) whole {
	return func(rows int, out *column, x []*column) bool {
		r := out.v[:rows]
		for i, value := range x[0].v[:rows] {
			r[i] = rounding(value)
		}
		return out.holdsInts(rows)
	}
}

func wholeSqrt(rows int, out *column, x []*column) bool {
	r := out.v[:rows]
	for i, value := range x[0].v[:rows] {
		if !(value >= 0) {
			return false
		}
		r[i] = math.Sqrt(value)
	}
	out.fillTags(rows, tagFloat)
	return true
}

// wholeUnary returns the whole of a function of mathematics.
func wholeUnary(f func(x float64) (float64, error)) whole {
	return func(rows int, out *column, x []*column) bool {
		r := out.v[:rows]
		for i, value := range x[0].v[:rows] {
			y, err := f(value)
			if err != nil {
				return false
			}
			r[i] = y
		}
		out.fillTags(rows, tagFloat)
		return true
	}
}
