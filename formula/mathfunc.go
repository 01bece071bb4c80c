package formula

import (
	"math"
	"slices"

	"fairshare/formula/internal/libm"
)

// mathNames is Python's math module, which PBS imports whole: "from math
// import *".
var mathNames = mathModule()

// mathUnary are the functions of one float. Each gets a finite argument or an
// infinity; NaN passes through.
var mathUnary = map[string]func(x float64) (float64, error){
	"acos":    domain(libm.Acos, func(x float64) bool { return math.Abs(x) <= 1 }),
	"acosh":   domain(libm.Acosh, func(x float64) bool { return x >= 1 }),
	"asin":    domain(libm.Asin, func(x float64) bool { return math.Abs(x) <= 1 }),
	"asinh":   always(libm.Asinh),
	"atan":    always(libm.Atan),
	"atanh":   domain(libm.Atanh, func(x float64) bool { return math.Abs(x) < 1 }),
	"cbrt":    always(libm.Cbrt),
	"cos":     domain(libm.Cos, finite),
	"cosh":    ranged(libm.Cosh),
	"degrees": always(func(x float64) float64 { return x * (180 / math.Pi) }),
	"erf":     always(libm.Erf),
	"erfc":    always(libm.Erfc),
	"exp":     ranged(libm.Exp),
	"exp2":    ranged(libm.Exp2),
	"expm1":   ranged(libm.Expm1),
	"fabs":    always(math.Abs),
	"gamma":   gamma,
	"lgamma":  lgamma,
	"log10":   domain(libm.Log10, positive),
	"log1p":   domain(libm.Log1p, func(x float64) bool { return x > -1 }),
	"log2":    domain(libm.Log2, positive),
	"radians": always(func(x float64) float64 { return x * (math.Pi / 180) }),
	"sin":     domain(libm.Sin, finite),
	"sinh":    ranged(libm.Sinh),
	"sqrt":    domain(math.Sqrt, func(x float64) bool { return x >= 0 }),
	"tan":     domain(libm.Tan, finite),
	"tanh":    always(libm.Tanh),
	"ulp":     always(ulp),
}

// mathBinary are the functions of two floats.
var mathBinary = map[string]func(x, y float64) (float64, error){
	"atan2":     func(y, x float64) (float64, error) { return libm.Atan2(y, x), nil },
	"copysign":  func(x, y float64) (float64, error) { return math.Copysign(x, y), nil },
	"fmod":      fmod,
	"nextafter": func(x, y float64) (float64, error) { return nextAfter(x, y), nil },
	"pow":       mathPow,
	"remainder": remainder,
}

func mathModule() map[string]Value {
	names := functions([]*builtin{
		{name: "ceil", min: 1, max: 1, style: styleMath, f: rounding(math.Ceil)},
		{name: "floor", min: 1, max: 1, style: styleMath, f: rounding(math.Floor)},
		{name: "trunc", min: 1, max: 1, style: styleMath, f: one(truncate)},
		{name: "comb", min: 2, max: 2, f: comb},
		{name: "perm", min: 1, max: 2, f: perm},
		{name: "factorial", min: 1, max: 1, style: styleMath, f: one(factorial)},
		{name: "gcd", min: 0, max: -1, f: gcd},
		{name: "lcm", min: 0, max: -1, f: lcm},
		{name: "isqrt", min: 1, max: 1, style: styleMath, f: one(isqrt)},
		{name: "ldexp", min: 2, max: 2, f: ldexp},
		{name: "frexp", min: 1, max: 1, style: styleMath, f: one(frexp)},
		{name: "modf", min: 1, max: 1, style: styleMath, f: one(modf)},
		{name: "log", min: 1, max: 2, style: styleLog, f: log},
		{name: "hypot", min: 0, max: -1, f: mathHypot},
		{name: "dist", min: 2, max: 2, f: dist},
		{name: "fsum", min: 1, max: 1, style: styleMath, f: one(fsum)},
		{name: "prod", min: 1, max: 1, style: styleCounted, params: []string{""}, options: []string{"start"}, g: prod},
		{name: "isclose", min: 2, max: 2, style: styleCounted, params: []string{"a", "b"}, required: 2,
			options: []string{"rel_tol", "abs_tol"}, g: isclose},
		{name: "isfinite", min: 1, max: 1, style: styleMath, f: predicate(finite)},
		{name: "isinf", min: 1, max: 1, style: styleMath, f: predicate(func(x float64) bool { return math.IsInf(x, 0) })},
		{name: "isnan", min: 1, max: 1, style: styleMath, f: predicate(math.IsNaN)},
	})
	for name, f := range mathUnary {
		b := &builtin{name: name, min: 1, max: 1, style: styleMath, f: func(args []Value) (Value, error) {
			x, err := args[0].real()
			if err != nil {
				return Value{}, err
			}
			y, err := f(x)
			return Float(y), err
		}}
		names[name] = functionValue(b)
	}
	for name, f := range mathBinary {
		b := &builtin{name: name, min: 2, max: 2, f: func(args []Value) (Value, error) {
			v, err := reals(args)
			if err != nil {
				return Value{}, err
			}
			y, err := f(v[0], v[1])
			return Float(y), err
		}}
		names[name] = functionValue(b)
	}
	// These two know integers too large for a float.
	for name, f := range map[string]func(float64) float64{"log2": libm.Log2, "log10": libm.Log10} {
		float := names[name].function().f
		names[name].function().f = func(args []Value) (Value, error) {
			if args[0].large() != nil {
				return bigLog(args[0], f)
			}
			return float(args)
		}
	}
	for name, c := range map[string]float64{
		"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi, "inf": math.Inf(1), "nan": math.NaN(),
	} {
		names[name] = Float(c)
	}
	return names
}

// real returns a value as the float that a function of math takes. The error is
// Python's TypeError or OverflowError.
func (v Value) real() (float64, error) {
	if !v.isReal() {
		return 0, typeError("must be real number, not %s", v.typeName())
	}
	return v.toFloat()
}

func reals(args []Value) ([]float64, error) {
	v := make([]float64, len(args))
	for i, a := range args {
		var err error
		if v[i], err = a.real(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func predicate(f func(float64) bool) func(args []Value) (Value, error) {
	return one(func(x Value) (Value, error) {
		v, err := x.real()
		return boolean(f(v)), err
	})
}

func rounding(f func(float64) float64) func(args []Value) (Value, error) {
	return one(func(x Value) (Value, error) {
		if !x.isReal() {
			return Value{}, typeError("must be real number, not %s", x.typeName())
		}
		return toInteger(x, f)
	})
}

func truncate(x Value) (Value, error) {
	if !x.isReal() {
		return Value{}, typeError("type %s doesn't define __trunc__ method", x.typeName())
	}
	return toInteger(x, math.Trunc)
}

func log(args []Value) (Value, error) {
	x, err := naturalLog(args[0])
	if err != nil || len(args) == 1 {
		return x, err
	}
	base, err := naturalLog(args[1])
	if err != nil {
		return Value{}, err
	}
	return binary("/", x, base)
}

func naturalLog(x Value) (Value, error) {
	if x.large() != nil {
		return bigLog(x, libm.Log)
	}
	f, err := x.real()
	if err != nil {
		return Value{}, err
	}
	y, err := domain(libm.Log, positive)(f)
	return Float(y), err
}

// bigLog returns the logarithm of an int beyond 64 bits, also of one that is too
// large for a float.
func bigLog(x Value, f func(float64) float64) (Value, error) {
	if x.large().Sign() <= 0 {
		return Value{}, errDomain()
	}
	if v, err := x.toFloat(); err == nil {
		return Float(f(v)), nil
	}
	m, exp := bigFrexp(x.large())
	return Float(f(m) + f(2)*float64(exp)), nil
}

func mathHypot(args []Value) (Value, error) {
	v, err := reals(args)
	if err != nil {
		return Value{}, err
	}
	return Float(libm.Hypot(v...)), nil
}

func dist(args []Value) (Value, error) {
	for _, a := range args {
		if a.kind != kList && a.kind != kTuple {
			return Value{}, typeError("'%s' object is not iterable", a.typeName())
		}
	}
	p, err := reals(args[0].elements())
	if err != nil {
		return Value{}, err
	}
	q, err := reals(args[1].elements())
	if err != nil {
		return Value{}, err
	}
	if len(p) != len(q) {
		return Value{}, valueError("both points must have the same number of dimensions")
	}
	for i := range p {
		p[i] -= q[i]
	}
	return Float(libm.Hypot(p...)), nil
}

func frexp(x Value) (Value, error) {
	f, err := x.real()
	if err != nil {
		return Value{}, err
	}
	if !finite(f) {
		return sequence(kTuple, []Value{Float(f), Int(0)}), nil
	}
	m, exp := math.Frexp(f)
	return sequence(kTuple, []Value{Float(m), Int(int64(exp))}), nil
}

func modf(x Value) (Value, error) {
	f, err := x.real()
	if err != nil {
		return Value{}, err
	}
	whole, frac := math.Modf(f)
	if math.IsInf(f, 0) {
		frac = 0
	}
	return sequence(kTuple, []Value{Float(math.Copysign(frac, f)), Float(whole)}), nil
}

func ldexp(args []Value) (Value, error) {
	f, err := args[0].real()
	if err != nil {
		return Value{}, err
	}
	if !args[1].isInt() {
		return Value{}, typeError("Expected an int as second argument to ldexp.")
	}
	if f == 0 || !finite(f) {
		return Float(f), nil
	}
	const most = 1 << 20 // beyond which all is 0 or infinite
	n := args[1].i
	if args[1].large() != nil {
		n = int64(args[1].large().Sign()) * most
	}
	r := math.Ldexp(f, int(min(max(n, -most), most)))
	if math.IsInf(r, 0) {
		return Value{}, errRange()
	}
	return Float(r), nil
}

func isclose(args, options []Value) (Value, error) {
	args = append(slices.Clip(args), options...)
	for i, tolerance := range []float64{1e-9, 0} {
		if args[2+i].kind == kAbsent {
			args[2+i] = Float(tolerance)
		}
	}
	v, err := reals(args)
	if err != nil {
		return Value{}, err
	}
	a, b, rel, abs := v[0], v[1], v[2], v[3]
	switch {
	case rel < 0 || abs < 0:
		return Value{}, valueError("tolerances must be non-negative")
	case a == b:
		return boolean(true), nil
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return boolean(false), nil
	}
	diff := math.Abs(b - a)
	return boolean(diff <= math.Abs(rel*b) || diff <= math.Abs(rel*a) || diff <= abs), nil
}
