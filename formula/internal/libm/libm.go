// Package libm provides the mathematical functions that CPython takes from the
// C library.
//
// PBS runs on Linux with glibc. Go's own functions differ from glibc's in the
// last bit for many arguments (pow: half of them), musl's for few. So musl's,
// translated to Go in modernc.org/libc, serve where that library builds for
// Linux, and Go's elsewhere and where they are closer.
package libm

import "math"

// Hypot returns the length of a vector, rounded correctly in nearly all cases as
// CPython's vector_norm: squares and their sum are kept in two doubles.
func Hypot(v ...float64) float64 {
	var largest float64
	for _, x := range v {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		largest = max(largest, math.Abs(x)) // NaN stays NaN
	}
	if !(largest > 0) {
		return largest
	}
	_, exp := math.Frexp(largest)
	var hi, lo float64
	for _, x := range v {
		x = math.Ldexp(x, -exp)
		square := x * x
		lo += math.FMA(x, x, -square)
		sum := hi + square
		lo += square - (sum - hi) // hi is not below 0, but may be below square
		if hi < square {
			lo += hi - (sum - square) - (square - (sum - hi))
		}
		hi = sum
	}
	h := math.Sqrt(hi + lo)
	// One step of Newton's method with the exact remainder.
	square := h * h
	rest := (hi - square) - math.FMA(h, h, -square) + lo
	return math.Ldexp(h+rest/(2*h), exp)
}

// Log1p returns Go's log1p, which agrees with glibc's more often than musl's.
func Log1p(x float64) float64 { return math.Log1p(x) }
