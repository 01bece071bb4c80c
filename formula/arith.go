package formula

import (
	"math"
	"math/big"
	"math/bits"

	"fairshare/formula/internal/libm"
)

// Python's operators on values, as CPython 3.11 computes them and words its
// errors.

func unary(op string, x Value) (Value, error) {
	switch {
	case op == "not":
		return boolean(!x.truth()), nil
	case op == "~" && x.isInt():
		if x.big != nil {
			return bigInt(new(big.Int).Not(x.big)), nil
		}
		return Int(^x.i), nil
	case op == "~" || x.kind == kNone || x.kind > kComplex:
		return Value{}, typeError("bad operand type for unary %s: '%s'", op, x.typeName())
	case op == "+" && x.isInt():
		return Value{kind: kInt, i: x.i, big: x.big}, nil
	case op == "+":
		return x, nil
	case x.kind == kFloat:
		return Float(-x.f), nil
	case x.kind == kComplex:
		return Value{kind: kComplex, f: -x.f, im: -x.im}, nil
	case x.big == nil && x.i != math.MinInt64:
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

func intBinary(op string, x, y Value) (Value, error) {
	switch op {
	case "/":
		return intTrueDivide(x, y)
	case "//", "%":
		if y.sign() == 0 {
			if op == "%" {
				return Value{}, divisionError("integer modulo by zero")
			}
			return Value{}, divisionError("integer division or modulo by zero")
		}
		q, r := intDivMod(x, y)
		if op == "%" {
			return r, nil
		}
		return q, nil
	case "**":
		return intPower(x, y)
	case "<<", ">>":
		return shift(op, x, y)
	}
	if v, ok := smallBinary(op, x, y); ok {
		return v, nil
	}
	a, b, z := x.toBig(), y.toBig(), new(big.Int)
	switch op {
	case "+":
		z.Add(a, b)
	case "-":
		z.Sub(a, b)
	case "*":
		if a.BitLen()+b.BitLen() > maxIntBits {
			return Value{}, tooManyBits()
		}
		z.Mul(a, b)
	case "&":
		z.And(a, b)
	case "|":
		z.Or(a, b)
	case "^":
		z.Xor(a, b)
	}
	if z.BitLen() > maxIntBits {
		return Value{}, tooManyBits()
	}
	return bigInt(z), nil
}

func tooManyBits() error {
	return limitError("an integer of more than %d bits", maxIntBits)
}

// smallBinary returns the result of an operation on integers of 64 bits; ok is
// false if an operand or the result needs more bits.
func smallBinary(op string, x, y Value) (result Value, ok bool) {
	if x.big != nil || y.big != nil {
		return Value{}, false
	}
	a, b := x.i, y.i
	bothBool := x.kind == kBool && y.kind == kBool
	switch op {
	case "+":
		s := a + b
		return Int(s), (s > a) == (b > 0)
	case "-":
		s := a - b
		return Int(s), (s < a) == (b > 0)
	case "*":
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		if hi != 0 || lo > math.MaxInt64 {
			return Value{}, false
		}
		return Int(a * b), true
	case "&":
		return maybeBool(a&b, bothBool), true
	case "|":
		return maybeBool(a|b, bothBool), true
	case "^":
		return maybeBool(a^b, bothBool), true
	}
	return Value{}, false
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

func maybeBool(i int64, isBool bool) Value {
	if isBool {
		return boolean(i != 0)
	}
	return Int(i)
}

// intTrueDivide rounds the exact quotient once, as Python's long_true_divide.
func intTrueDivide(x, y Value) (Value, error) {
	if y.sign() == 0 {
		return Value{}, divisionError("division by zero")
	}
	if x.big == nil && y.big == nil && magnitude(x.i) <= maxExact && magnitude(y.i) <= maxExact {
		return Float(float64(x.i) / float64(y.i)), nil
	}
	return bigTrueDivide(x.toBig(), y.toBig())
}

// bigTrueDivide takes a quotient of some 70 bits and notes in one more
// whether anything is left, so that the conversion rounds as it should.
func bigTrueDivide(x, y *big.Int) (Value, error) {
	const enough = 70
	size := x.BitLen() - y.BitLen()
	if size > 1030 {
		return Value{}, overflowError("integer division result too large for a float")
	}
	shift := max(enough-size, 0)
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(x, uint(shift)), y, new(big.Int))
	q.Lsh(q, 1)
	if r.Sign() != 0 {
		q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	quotient := new(big.Float).SetInt(q)
	f, _ := quotient.SetMantExp(quotient, -shift-1).Float64()
	if math.IsInf(f, 0) {
		return Value{}, overflowError("integer division result too large for a float")
	}
	return Float(f), nil
}

// intDivMod returns the floor quotient and its remainder, which has the
// divisor's sign. The divisor is not 0.
func intDivMod(x, y Value) (q, r Value) {
	if x.big == nil && y.big == nil && x.i != math.MinInt64 {
		q, r := x.i/y.i, x.i%y.i
		if r != 0 && (r < 0) != (y.i < 0) {
			q, r = q-1, r+y.i
		}
		return Int(q), Int(r)
	}
	b := y.toBig()
	bq, br := new(big.Int).QuoRem(x.toBig(), b, new(big.Int))
	if br.Sign() != 0 && (br.Sign() < 0) != (b.Sign() < 0) {
		bq.Sub(bq, big.NewInt(1))
		br.Add(br, b)
	}
	return bigInt(bq), bigInt(br)
}

func intPower(x, y Value) (Value, error) {
	if y.sign() < 0 {
		return floatBinary("**", x, y)
	}
	base := x.toBig()
	if base.BitLen() <= 1 || y.sign() == 0 { // -1, 0, 1, and anything ** 0
		switch {
		case y.sign() == 0:
			return Int(1), nil
		case base.Sign() < 0 && y.toBig().Bit(0) == 0:
			return Int(1), nil
		}
		return bigInt(base), nil
	}
	if y.big != nil || int64(base.BitLen()-1)*y.i > maxIntBits || y.i > maxIntBits {
		return Value{}, tooManyBits()
	}
	return bigInt(new(big.Int).Exp(base, y.toBig(), nil)), nil
}

func shift(op string, x, y Value) (Value, error) {
	if y.sign() < 0 {
		return Value{}, valueError("negative shift count")
	}
	n := uint(y.i)
	if op == "<<" {
		if x.sign() == 0 {
			return Int(0), nil
		}
		if y.big != nil || y.i > maxIntBits-int64(x.toBig().BitLen()) {
			return Value{}, tooManyBits()
		}
		return bigInt(new(big.Int).Lsh(x.toBig(), n)), nil
	}
	if y.big != nil || y.i > maxIntBits {
		n = maxIntBits
	}
	return bigInt(new(big.Int).Rsh(x.toBig(), n)), nil
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
		return complex(v.f, v.im), nil
	}
	f, err := v.toFloat()
	return complex(f, 0), err
}

func complexValue(c complex128) Value {
	return Value{kind: kComplex, f: real(c), im: imag(c)}
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
	case op == "+" && xs && x.kind == y.kind:
		if len(x.seq)+len(y.seq) > maxElements {
			return Value{}, limitError("a sequence of more than %d elements", maxElements)
		}
		seq := append(append([]Value{}, x.seq...), y.seq...)
		return Value{kind: x.kind, seq: seq}, nil
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
	if times.sign() <= 0 || len(x.seq) == 0 {
		return Value{kind: x.kind}, nil
	}
	if times.big != nil {
		return Value{}, overflowError("cannot fit 'int' into an index-sized integer")
	}
	if times.i > maxElements/int64(len(x.seq)) {
		return Value{}, limitError("a sequence of more than %d elements", maxElements)
	}
	var seq []Value
	for range times.i {
		seq = append(seq, x.seq...)
	}
	return Value{kind: x.kind, seq: seq}, nil
}
