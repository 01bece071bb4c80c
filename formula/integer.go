package formula

import (
	"math"
	"math/big"
)

// The functions of math that work on integers, and exact sums.

func integerArg(x Value) (*big.Int, error) {
	if !x.isInt() {
		return nil, notInteger(x)
	}
	if n := x.toBig(); n.BitLen() <= maxSlowBits {
		return n, nil
	}
	return nil, limitError("an integer of more than %d bits as an argument", maxSlowBits)
}

func gcd(args []Value) (Value, error) {
	g := new(big.Int)
	for _, a := range args {
		n, err := integerArg(a)
		if err != nil {
			return Value{}, err
		}
		g.GCD(nil, nil, g, new(big.Int).Abs(n))
	}
	return bigInt(g), nil
}

func lcm(args []Value) (Value, error) {
	l := big.NewInt(1)
	for _, a := range args {
		n, err := integerArg(a)
		if err != nil {
			return Value{}, err
		}
		if n.Sign() == 0 || l.Sign() == 0 {
			l = new(big.Int)
			continue
		}
		n = new(big.Int).Abs(n)
		g := new(big.Int).GCD(nil, nil, l, n)
		l = new(big.Int).Mul(l, n.Quo(n, g))
		if l.BitLen() > maxSlowBits {
			return Value{}, tooManyBits()
		}
	}
	return bigInt(l), nil
}

func isqrt(x Value) (Value, error) {
	n, err := integerArg(x)
	if err != nil {
		return Value{}, err
	}
	if n.Sign() < 0 {
		return Value{}, valueError("isqrt() argument must be nonnegative")
	}
	return bigInt(new(big.Int).Sqrt(n)), nil
}

func factorial(x Value) (Value, error) {
	n, err := integerArg(x)
	switch {
	case err != nil:
		return Value{}, err
	case n.Sign() < 0:
		return Value{}, valueError("factorial() not defined for negative values")
	case !n.IsInt64():
		return Value{}, overflowError("factorial() argument should not exceed 9223372036854775807")
	case n.Int64() > maxFactorial:
		return Value{}, limitError("the factorial of more than %d", maxFactorial)
	}
	return bigInt(new(big.Int).MulRange(1, n.Int64())), nil
}

// choose checks the arguments of comb and perm.
func choose(n, k Value) (a, b *big.Int, err error) {
	if a, err = integerArg(n); err != nil {
		return nil, nil, err
	}
	if b, err = integerArg(k); err != nil {
		return nil, nil, err
	}
	switch {
	case a.Sign() < 0:
		return nil, nil, valueError("n must be a non-negative integer")
	case b.Sign() < 0:
		return nil, nil, valueError("k must be a non-negative integer")
	}
	return a, b, nil
}

func comb(args []Value) (Value, error) {
	n, k, err := choose(args[0], args[1])
	if err != nil {
		return Value{}, err
	}
	if k.Cmp(n) > 0 {
		return Int(0), nil
	}
	if other := new(big.Int).Sub(n, k); other.Cmp(k) < 0 {
		k = other
	}
	if !k.IsInt64() || k.Int64() > maxFactorial {
		return Value{}, limitError("a choice of more than %d", maxFactorial)
	}
	product, err := fallingProduct(n, k.Int64())
	if err != nil {
		return Value{}, err
	}
	return bigInt(product.Quo(product, new(big.Int).MulRange(1, k.Int64()))), nil
}

func perm(args []Value) (Value, error) {
	if len(args) == 1 || args[1].kind == kNone {
		return factorial(args[0])
	}
	n, k, err := choose(args[0], args[1])
	if err != nil {
		return Value{}, err
	}
	if k.Cmp(n) > 0 {
		return Int(0), nil
	}
	if !k.IsInt64() || k.Int64() > maxFactorial {
		return Value{}, limitError("a choice of more than %d", maxFactorial)
	}
	product, err := fallingProduct(n, k.Int64())
	if err != nil {
		return Value{}, err
	}
	return bigInt(product), nil
}

// fallingProduct returns n * (n-1) * … of k factors.
func fallingProduct(n *big.Int, k int64) (*big.Int, error) {
	if int64(n.BitLen())*k > 2*maxSlowBits {
		return nil, tooManyBits()
	}
	if n.IsInt64() {
		return new(big.Int).MulRange(n.Int64()-k+1, n.Int64()), nil
	}
	product, factor, unit := big.NewInt(1), new(big.Int).Set(n), big.NewInt(1)
	for range k {
		product.Mul(product, factor)
		factor.Sub(factor, unit)
	}
	return product, nil
}

// bigFrexp splits a positive integer into a fraction from 0.5 to 1 and a
// power of two.
func bigFrexp(n *big.Int) (m float64, exp int) {
	f := new(big.Float).SetInt(n)
	exp = f.MantExp(f)
	m, _ = f.Float64()
	return m, exp
}

func prod(args, options []Value) (Value, error) {
	product := Int(1)
	if start := options[0]; start.kind != kAbsent {
		product = start
	}
	seq, err := elements(args[0])
	if err != nil {
		return Value{}, err
	}
	work := 0
	for _, v := range seq {
		if product, err = binary("*", product, v); err != nil {
			return Value{}, err
		}
		if product.large() != nil {
			if work += product.large().BitLen(); work > maxWork {
				return Value{}, tooManyBits()
			}
		}
	}
	return product, nil
}

// fsum adds exactly and rounds once.
func fsum(x Value) (Value, error) {
	seq, err := elements(x)
	if err != nil {
		return Value{}, err
	}
	var special, infinities float64
	const precision = 2_200 // bits between the largest and the smallest double
	total := new(big.Float).SetPrec(precision)
	for _, v := range seq {
		f, err := v.real()
		if err != nil {
			return Value{}, err
		}
		if !finite(f) {
			if math.IsInf(f, 0) {
				infinities += f
			}
			special += f
			continue
		}
		total.Add(total, new(big.Float).SetFloat64(f))
	}
	if special != 0 {
		if math.IsNaN(infinities) {
			return Value{}, valueError("-inf + inf in fsum")
		}
		return Float(special), nil
	}
	f, _ := total.Float64()
	if math.IsInf(f, 0) {
		return Value{}, overflowError("intermediate overflow in fsum")
	}
	return Float(f), nil
}
