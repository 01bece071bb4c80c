package formula

import (
	"math"
	"math/big"

	"fairshare/formula/internal/libm"
)

// Python's operators on values, as CPython 3.11 computes them and words its
// errors.

func unary(op string, x Value) (Value, error) {
	switch {
	case op == "not":
		return boolean(!x.truth()), nil
	case op == "~" && x.isInt():
		if x.large() != nil {
			return bigInt(new(big.Int).Not(x.large())), nil
		}
		return Int(^x.i), nil
	case op == "~" || x.kind == kNone || x.kind > kComplex:
		return Value{}, typeError("bad operand type for unary %s: '%s'", op, x.typeName())
	case op == "+" && x.isInt():
		return Value{kind: kInt, i: x.i, rest: x.rest}, nil
	case op == "+":
		return x, nil
	case x.kind == kFloat:
		return Float(-x.f), nil
	case x.kind == kComplex:
		return complexValue(complex(-x.f, -x.imaginary())), nil
	case x.large() == nil && x.i != math.MinInt64:
		return Int(-x.i), nil
	}
	return bigInt(new(big.Int).Neg(x.toBig())), nil
}

func binary(op string, x, y Value) (Value, error) {
	switch {
	case op == "@": // for matrices, which a formula does not have
		return Value{}, unsupported(op, x, y)
	case x.isInt() && y.isInt():
		return intBinary(op, x, y)
	case x.isReal() && y.isReal():
		return floatBinary(op, x, y)
	case (x.isReal() || x.kind == kComplex) && (y.isReal() || y.kind == kComplex):
		return complexBinary(op, x, y)
	}
	return sequenceBinary(op, x, y)
}

func unsupported(op string, x, y Value) error {
	if op == "**" {
		op = "** or pow()"
	}
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", op, x.typeName(), y.typeName())
}

func floatBinary(op string, x, y Value) (Value, error) {
	if op == "<<" || op == ">>" || op == "&" || op == "|" || op == "^" {
		return Value{}, unsupported(op, x, y)
	}
	a, b, err := twoFloats(x, y)
	if err != nil {
		return Value{}, err
	}
	switch op {
	case "+":
		return Float(a + b), nil
	case "-":
		return Float(a - b), nil
	case "*":
		return Float(a * b), nil
	case "/":
		if b == 0 {
			return Value{}, divisionError("float division by zero")
		}
		return Float(a / b), nil
	case "//":
		if b == 0 {
			return Value{}, divisionError("float floor division by zero")
		}
		q, _ := floatDivMod(a, b)
		return Float(q), nil
	case "%":
		if b == 0 {
			return Value{}, divisionError("float modulo")
		}
		_, r := floatDivMod(a, b)
		return Float(r), nil
	}
	return floatPower(a, b)
}

// twoFloats converts two real operands, the left one first.
func twoFloats(x, y Value) (a, b float64, err error) {
	if a, err = x.toFloat(); err == nil {
		b, err = y.toFloat()
	}
	return a, b, err
}

// floatDivMod returns Python's floor quotient of two floats and its remainder,
// which has the divisor's sign. The divisor is not 0.
func floatDivMod(a, b float64) (q, r float64) {
	r = math.Mod(a, b)
	div := (a - r) / b
	if r != 0 {
		if (b < 0) != (r < 0) {
			r += b
			div--
		}
	} else {
		r = math.Copysign(0, b)
	}
	if div == 0 {
		return math.Copysign(0, a/b), r
	}
	q = math.Floor(div)
	if div-q > 0.5 {
		q++
	}
	return q, r
}

// floatPower returns a ** b for floats, as Python does. A negative base with a
// fractional exponent gives a complex number.
func floatPower(a, b float64) (Value, error) {
	switch {
	case b == 0 || a == 1:
		return Float(1), nil
	case math.IsNaN(a) || math.IsNaN(b):
		return Float(math.NaN()), nil
	case math.IsInf(b, 0) && a == -1:
		return Float(1), nil
	case a == 0 && b < 0 && !math.IsInf(b, 0):
		return Value{}, divisionError("0.0 cannot be raised to a negative power")
	case a < 0 && !math.IsInf(a, 0) && !math.IsInf(b, 0) && b != math.Floor(b):
		return complexPower(complex(a, 0), complex(b, 0))
	}
	p := libm.Pow(a, b)
	if math.IsInf(p, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return Value{}, overflowError("(34, 'Numerical result out of range')")
	}
	return Float(p), nil
}

func (v Value) toComplex() (complex128, error) {
	if v.kind == kComplex {
		return complex(v.f, v.imaginary()), nil
	}
	f, err := v.toFloat()
	return complex(f, 0), err
}

func complexValue(c complex128) Value {
	return Value{kind: kComplex, f: real(c), rest: &rest{im: imag(c)}}
}

func complexBinary(op string, x, y Value) (Value, error) {
	a, err := x.toComplex()
	if err != nil {
		return Value{}, err
	}
	b, err := y.toComplex()
	if err != nil {
		return Value{}, err
	}
	switch op {
	case "+":
		return complexValue(a + b), nil
	case "-":
		return complexValue(a - b), nil
	case "*":
		return complexValue(complex(real(a)*real(b)-imag(a)*imag(b), real(a)*imag(b)+imag(a)*real(b))), nil
	case "/":
		if b == 0 {
			return Value{}, divisionError("complex division by zero")
		}
		return complexValue(a / b), nil
	case "**":
		return complexPower(a, b)
	}
	return Value{}, unsupported(op, x, y)
}

func complexPower(a, b complex128) (Value, error) {
	switch {
	case b == 0:
		return complexValue(1), nil
	case a == 0 && (imag(b) != 0 || real(b) < 0):
		return Value{}, divisionError("0.0 to a negative or complex power")
	case a == 0:
		return complexValue(0), nil
	}
	length := libm.Pow(libm.Hypot(real(a), imag(a)), real(b))
	angle := libm.Atan2(imag(a), real(a))
	phase := angle * real(b)
	if imag(b) != 0 {
		length /= libm.Exp(angle * imag(b))
		phase += imag(b) * libm.Log(libm.Hypot(real(a), imag(a)))
	}
	c := complex(length*libm.Cos(phase), length*libm.Sin(phase))
	if math.IsInf(real(c), 0) || math.IsInf(imag(c), 0) {
		return Value{}, overflowError("complex exponentiation")
	}
	return complexValue(c), nil
}

// sequenceBinary returns the sum or the repetition of lists and tuples, or the
// TypeError for any other pair of operands.
func sequenceBinary(op string, x, y Value) (Value, error) {
	xs, ys := x.kind == kList || x.kind == kTuple, y.kind == kList || y.kind == kTuple
	switch {
	case op == "|" && (x.isClass() && (y.isClass() || y.kind == kNone) || x.kind == kNone && y.isClass()):
		return Value{}, &ForeignError{What: "a union of types"}
	case op == "+" && xs && x.kind == y.kind:
		if len(x.elements())+len(y.elements()) > maxElements {
			return Value{}, limitError("a sequence of more than %d elements", maxElements)
		}
		seq := append(append([]Value{}, x.elements()...), y.elements()...)
		return sequence(x.kind, seq), nil
	case op == "+" && xs:
		return Value{}, typeError(`can only concatenate %s (not "%s") to %s`, x.typeName(), y.typeName(), x.typeName())
	case op == "*" && xs && y.isInt():
		return repeat(x, y)
	case op == "*" && ys && x.isInt():
		return repeat(y, x)
	case op == "*" && xs:
		return Value{}, typeError("can't multiply sequence by non-int of type '%s'", y.typeName())
	case op == "*" && ys:
		return Value{}, typeError("can't multiply sequence by non-int of type '%s'", x.typeName())
	}
	return Value{}, unsupported(op, x, y)
}

func repeat(x, times Value) (Value, error) {
	if times.sign() <= 0 || len(x.elements()) == 0 {
		return Value{kind: x.kind}, nil
	}
	if times.large() != nil {
		return Value{}, overflowError("cannot fit 'int' into an index-sized integer")
	}
	if times.i > maxElements/int64(len(x.elements())) {
		return Value{}, limitError("a sequence of more than %d elements", maxElements)
	}
	var seq []Value
	for range times.i {
		seq = append(seq, x.elements()...)
	}
	return sequence(x.kind, seq), nil
}
