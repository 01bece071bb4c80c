package formula

import (
	"math"

	"fairshare/formula/internal/libm"
)

func errDomain() error { return valueError("math domain error") }
func errRange() error  { return overflowError("math range error") }

func finite(x float64) bool   { return !math.IsInf(x, 0) && !math.IsNaN(x) }
func positive(x float64) bool { return x > 0 }

func always(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) { return f(x), nil }
}

// domain returns a function that raises Python's domain error outside of in.
func domain(f func(float64) float64, in func(float64) bool) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if math.IsNaN(x) {
			return x, nil
		}
		if !in(x) {
			return 0, errDomain()
		}
		return f(x), nil
	}
}

// ranged returns a function that raises Python's range error where f overflows.
func ranged(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		y := f(x)
		if math.IsInf(y, 0) && !math.IsInf(x, 0) {
			return 0, errRange()
		}
		return y, nil
	}
}

func gamma(x float64) (float64, error) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x, nil
	case math.IsInf(x, -1) || x == 0 || x < 0 && x == math.Floor(x):
		return 0, errDomain()
	case x == math.Floor(x) && x <= 23: // CPython has these in a table
		y := 1.0
		for i := 2.0; i < x; i++ {
			y *= i
		}
		return y, nil
	}
	return ranged(libm.Gamma)(x)
}

func lgamma(x float64) (float64, error) {
	switch {
	case math.IsNaN(x):
		return x, nil
	case math.IsInf(x, 0):
		return math.Inf(1), nil
	case x <= 0 && x == math.Floor(x):
		return 0, errDomain()
	}
	return ranged(libm.Lgamma)(x)
}

func ulp(x float64) float64 {
	x = math.Abs(x)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	next := math.Nextafter(x, math.Inf(1))
	if math.IsInf(next, 0) {
		return x - math.Nextafter(x, 0)
	}
	return next - x
}

func nextAfter(x, y float64) float64 {
	if x == y {
		return y // also -0
	}
	return math.Nextafter(x, y)
}

func fmod(x, y float64) (float64, error) {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN(), nil
	case math.IsInf(x, 0) || y == 0:
		return 0, errDomain()
	}
	return math.Mod(x, y), nil
}

func remainder(x, y float64) (float64, error) {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN(), nil
	case math.IsInf(x, 0) || y == 0:
		return 0, errDomain()
	}
	return math.Remainder(x, y), nil
}

// mathPow returns math.pow, which unlike ** never gives a complex number.
func mathPow(x, y float64) (float64, error) {
	p := libm.Pow(x, y)
	if finite(x) && finite(y) {
		switch {
		case math.IsNaN(p), x == 0 && y < 0:
			return 0, errDomain()
		case math.IsInf(p, 0):
			return 0, errRange()
		}
	}
	return p, nil
}
