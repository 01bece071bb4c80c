//go:build linux && (amd64 || arm64 || 386 || arm || riscv64 || ppc64le || s390x || loong64)

package libm

import (
	"runtime"
	"sync"

	"modernc.org/libc"
)

// shared serves the functions that need no stack of their own: none of these
// calls TLS.Alloc, which is not safe for concurrent use.
var shared = libc.NewTLS()

// A stack is for those that do. The library keeps a list of all that it has
// given, so that they must be closed.
type stack struct{ tls *libc.TLS }

var stacks = sync.Pool{New: func() any {
	s := &stack{libc.NewTLS()}
	runtime.AddCleanup(s, (*libc.TLS).Close, s.tls)
	return s
}}

func withStack(f func(*libc.TLS, float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		s := stacks.Get().(*stack)
		y := f(s.tls, x)
		stacks.Put(s)
		return y
	}
}

// The functions of C's math.h of these names.
func Exp(x float64) float64  { return libc.Xexp(shared, x) }
func Log(x float64) float64  { return libc.Xlog(shared, x) }
func Log2(x float64) float64 { return libc.Xlog2(shared, x) }
func Exp2(x float64) float64 { return libc.Xexp2(shared, x) }

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

// Pow is C's.
func Pow(x, y float64) float64 {
	s := stacks.Get().(*stack)
	z := libc.Xpow(s.tls, x, y)
	stacks.Put(s)
	return z
}

// Atan2 is C's.
func Atan2(y, x float64) float64 {
	s := stacks.Get().(*stack)
	z := libc.Xatan2(s.tls, y, x)
	stacks.Put(s)
	return z
}
