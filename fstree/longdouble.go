package fstree

import (
	"math"
	"math/big"
	"math/bits"
)

// longDouble is a number from 0 as C's long double of x86 keeps it, with a
// mantissa of 64 bits: mantissa * 2^exponent, the mantissa's first bit set.
// Slurm computes level FS in it, and where a double would call two siblings
// tied, these 11 bits more tell them apart.
type longDouble struct {
	exponent int32
	mantissa uint64
}

var (
	longDoubleZero = longDouble{exponent: -1 << 20}
	longDoubleInf  = longDouble{exponent: 1 << 20, mantissa: 1 << 63}
)

// toLongDouble converts a finite number, exactly.
func toLongDouble(x float64) longDouble {
	const mantissaBits, bias = 52, 1023
	if x == 0 {
		return longDoubleZero
	}
	if bits := math.Float64bits(x); bits>>mantissaBits > 0 { // the common case, without Frexp
		return longDouble{int32(bits>>mantissaBits) - bias - 63, (bits | 1<<mantissaBits) << 11}
	}
	fraction, exponent := math.Frexp(x)
	return longDouble{int32(exponent - 64), uint64(fraction*(1<<53)) << 11}
}

// bigToLongDouble converts a number above 0 of 64 bits.
func bigToLongDouble(x *big.Float) longDouble {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa) // mantissa in [0.5, 1)
	bits, _ := mantissa.SetMantExp(mantissa, 64).Uint64()
	return longDouble{int32(exponent - 64), bits}
}

// quo returns x/y, rounded to nearest and to even: neither is 0 or infinite.
func (x longDouble) quo(y longDouble) longDouble {
	exponent := x.exponent - y.exponent - 64
	hi, lo := x.mantissa, uint64(0)
	if hi >= y.mantissa { // the quotient has a bit more: halve it
		hi, lo = hi>>1, hi<<63
		exponent++
	}
	q, rest := bits.Div64(hi, lo, y.mantissa)
	half := y.mantissa - rest
	if rest > half || rest == half && q&1 == 1 {
		if q++; q == 0 {
			q = 1 << 63
			exponent++
		}
	}
	return longDouble{exponent, q}
}
