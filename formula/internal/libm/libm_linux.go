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

func withStack2(f func(*libc.TLS, float64, float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		s := stacks.Get().(*stack)
		z := f(s.tls, x, y)
		stacks.Put(s)
		return z
	}
}

// The functions of C's math.h of these names.
func Exp(x float64) float64  { return libc.Xexp(shared, x) }
func Log(x float64) float64  { return libc.Xlog(shared, x) }
func Log2(x float64) float64 { return libc.Xlog2(shared, x) }
func Exp2(x float64) float64 { return libc.Xexp2(shared, x) }

// The same, for functions that need a stack.
var (
	Pow   = withStack2(libc.Xpow)
	Atan2 = withStack2(libc.Xatan2)
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
