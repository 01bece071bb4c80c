package formula

import (
	"math"
	"math/big"
	"math/bits"
)

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
	if x.large() != nil || y.large() != nil {
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
	if x.large() == nil && y.large() == nil && magnitude(x.i) <= maxExact && magnitude(y.i) <= maxExact {
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
	if x.large() == nil && y.large() == nil && x.i != math.MinInt64 {
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
	if y.large() != nil || int64(base.BitLen()-1)*y.i > maxIntBits || y.i > maxIntBits {
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
		if y.large() != nil || y.i > maxIntBits-int64(x.toBig().BitLen()) {
			return Value{}, tooManyBits()
		}
		return bigInt(new(big.Int).Lsh(x.toBig(), n)), nil
	}
	if y.large() != nil || y.i > maxIntBits {
		n = maxIntBits
	}
	return bigInt(new(big.Int).Rsh(x.toBig(), n)), nil
}
