package fstree

import (
	"cmp"
	"math"
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

// float64 returns the double that is nearest to a finite number.
func (x longDouble) float64() float64 { return math.Ldexp(float64(x.mantissa), int(x.exponent)) }

// add returns x+y, rounded to nearest and to even: neither is infinite.
func (x longDouble) add(y longDouble) longDouble {
	if x.exponent < y.exponent || x.mantissa == 0 {
		x, y = y, x
	}
	shift := x.exponent - y.exponent
	if y.mantissa == 0 || shift > 64 {
		return x // the other one is less than half of its last bit
	}
	lo := y.mantissa << (64 - shift) // what comes behind its last bit
	hi, carry := bits.Add64(x.mantissa, y.mantissa>>shift, 0)
	if carry > 0 {
		hi, lo = hi>>1|1<<63, hi<<63|lo>>1|lo&1
		x.exponent++
	}
	if lo > 1<<63 || lo == 1<<63 && hi&1 == 1 {
		if hi++; hi == 0 {
			hi = 1 << 63
			x.exponent++
		}
	}
	return longDouble{x.exponent, hi}
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

// compare orders numbers by their size.
func (x longDouble) compare(y longDouble) int {
	if x.exponent != y.exponent {
		return int(x.exponent - y.exponent)
	}
	return cmp.Compare(x.mantissa, y.mantissa)
}

// descending returns a code of the first bits of a number, which is never more than that of a smaller one.
func (x longDouble) descending() uint64 {
	const mantissaBits, most = 51, 1 << 12 // of which the first bit is always set, and of which no quotient of doubles has more
	exponent := uint64(min(max(x.exponent, -most), most-1) + most)
	return ^(exponent<<mantissaBits | x.mantissa<<1>>(64-mantissaBits))
}
