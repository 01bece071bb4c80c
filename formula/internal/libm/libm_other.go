//go:build !(linux && (amd64 || arm64 || 386 || arm || riscv64 || ppc64le || s390x || loong64))

package libm

import "math"

// Go's functions, where musl's are not to be had.
var (
	Pow   = math.Pow
	Exp   = math.Exp
	Log   = math.Log
	Log2  = math.Log2
	Exp2  = math.Exp2
	Expm1 = math.Expm1
	Sin   = math.Sin
	Cos   = math.Cos
	Tan   = math.Tan
	Asin  = math.Asin
	Acos  = math.Acos
	Atan  = math.Atan
	Sinh  = math.Sinh
	Cosh  = math.Cosh
	Tanh  = math.Tanh
	Atanh = math.Atanh
	Erf   = math.Erf
	Cbrt  = math.Cbrt
	Erfc  = math.Erfc
	Atan2 = math.Atan2
)
