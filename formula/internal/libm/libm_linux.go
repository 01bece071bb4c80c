//go:build linux && (amd64 || arm64 || 386 || arm || riscv64 || ppc64le || s390x || loong64)

package libm

import "modernc.org/libc"

// shared serves the functions that need no stack of their own.
var shared = libc.NewTLS()

// stacks are for those that do. The library keeps a list of all stacks it
// has given, so they are handed on and closed, never dropped.
var stacks = make(chan *libc.TLS, 16)

func borrow() *libc.TLS {
	select {
	case tls := <-stacks:
		return tls
	default:
		return libc.NewTLS()
	}
}

func giveBack(tls *libc.TLS) {
	select {
	case stacks <- tls:
	default:
		tls.Close()
	}
}

func withStack(f func(*libc.TLS, float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		tls := borrow()
		y := f(tls, x)
		giveBack(tls)
		return y
	}
}

// The functions of C's math.h of these names.
func Pow(x, y float64) float64 { return libc.Xpow(shared, x, y) }
func Exp(x float64) float64    { return libc.Xexp(shared, x) }
func Log(x float64) float64    { return libc.Xlog(shared, x) }
func Log2(x float64) float64   { return libc.Xlog2(shared, x) }
func Exp2(x float64) float64   { return libc.Xexp2(shared, x) }

// The same, for functions that are seldom used.
var (
	Expm1 = withStack(libc.Xexpm1)
	Sin   = withStack(libc.Xsin)
	Cos   = withStack(libc.Xcos)
	Tan   = withStack(libc.Xtan)
	Asin  = withStack(libc.Xasin)
	Acos  = withStack(libc.Xacos)
	Atan  = withStack(libc.Xatan)
	Sinh  = withStack(libc.Xsinh)
	Cosh  = withStack(libc.Xcosh)
	Tanh  = withStack(libc.Xtanh)
	Atanh = withStack(libc.Xatanh)
	Erf   = withStack(libc.Xerf)
	Cbrt  = withStack(libc.Xcbrt)
	Erfc  = withStack(libc.Xerfc)
)

// Atan2 is C's.
func Atan2(y, x float64) float64 {
	tls := borrow()
	z := libc.Xatan2(tls, y, x)
	giveBack(tls)
	return z
}
