package formula

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// builtin is a function that formulas may call. The number and the names of
// its arguments are checked before f or g runs.
type builtin struct {
	name     string
	min, max int  // of positional arguments; max < 0 is any number
	class    bool // a type, which Python's messages tell from a function
	style    arityStyle
	params   []string // names by which positions can be given, "" for a position that has none
	required int      // how many of the params must be given
	options  []string // names of arguments that are given by name only
	f        func(args []Value) (Value, error)
	g        func(args, options []Value) (Value, error) // instead of f, where there are options
}

// arityStyle is how CPython words a wrong number of arguments, which depends
// on how each of its functions is written.
type arityStyle uint8

const (
	styleExpected arityStyle = iota // "pow expected 2 arguments, got 1"
	styleTakes                      // "abs() takes exactly one argument (2 given)"
	styleMath                       // "math.sqrt() takes exactly one argument (2 given)"
	styleCounted                    // "round() takes at most 2 arguments (3 given)"
	styleLog                        // "math.log requires 1 to 2 arguments"
)

// call runs a function. Where an argument is left out before one that is given
// by name, and where an option is not given, f and g get an absent Value.
func (b *builtin) call(args []Value, keywords []string, values []Value) (Value, error) {
	if len(keywords) > 0 && len(b.params)+len(b.options) == 0 {
		return Value{}, typeError("%s() takes no keyword arguments", b.qualifiedName())
	}
	if total := len(b.params) + len(b.options); b.style == styleCounted && len(args)+len(keywords) > total {
		return Value{}, typeError("%s() takes at most %d arguments (%d given)", b.name, total, len(args)+len(keywords))
	}
	for i := len(args); i < b.required; i++ {
		if !slices.Contains(keywords, b.params[i]) {
			return Value{}, typeError("%s() missing required argument '%s' (pos %d)", b.name, b.params[i], i+1)
		}
	}
	if len(args) < b.min-b.required || b.max >= 0 && len(args) > b.max {
		return Value{}, b.arity(len(args))
	}
	args = slices.Clip(args) // other values may stand behind them in memory
	options := make([]Value, len(b.options))
	for i := range options {
		options[i] = absent
	}
	positions := len(args)
	for i, keyword := range keywords {
		if at := slices.Index(b.options, keyword); at >= 0 {
			options[at] = values[i]
			continue
		}
		at := slices.Index(b.params, keyword)
		if at < 0 {
			name := b.name
			if name == "sorted" {
				name = "sort" // the method that does the work
			}
			return Value{}, typeError("'%s' is an invalid keyword argument for %s()", keyword, name)
		}
		if at < positions {
			return Value{}, typeError("argument for %s() given by name ('%s') and position (%d)", b.name, keyword, at+1)
		}
		for len(args) <= at {
			args = append(args, absent)
		}
		args[at] = values[i]
	}
	if b.g != nil {
		return b.g(args, options)
	}
	return b.f(args)
}

// qualifiedName returns the name as CPython has it in most messages.
func (b *builtin) qualifiedName() string {
	if mathNames[b.name].function() == b && b.style != styleLog {
		return "math." + b.name
	}
	return b.name
}

// arity returns the error for n positional arguments, which are too few or too
// many.
func (b *builtin) arity(n int) error {
	switch {
	case b.style == styleMath:
		return typeError("math.%s() takes exactly one argument (%d given)", b.name, n)
	case b.style == styleLog:
		return typeError("math.log requires 1 to 2 arguments")
	case b.style == styleCounted && len(b.options) > 0:
		return typeError("%s() takes exactly %d positional argument%s (%d given)", b.name, b.max, plural(b.max), n)
	case b.style == styleCounted:
		return typeError("%s() takes at least %d positional argument%s (%d given)", b.name, b.min, plural(b.min), n)
	case b.style == styleTakes:
		return typeError("%s() takes exactly one argument (%d given)", b.name, n)
	}
	want, bound := b.min, "at least "
	if n > b.max && b.max >= 0 {
		want, bound = b.max, "at most "
	}
	if b.min == b.max {
		bound = ""
	}
	return typeError("%s expected %s%d argument%s, got %d", b.name, bound, want, plural(want), n)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// builtinNames are Python's own functions that formulas may use.
var builtinNames = functions([]*builtin{
	{name: "abs", min: 1, max: 1, style: styleTakes, f: one(absolute)},
	{name: "all", min: 1, max: 1, style: styleTakes, f: one(allTrue)},
	{name: "any", min: 1, max: 1, style: styleTakes, f: one(anyTrue)},
	{name: "bool", class: true, min: 0, max: 1, f: pyBool},
	{name: "divmod", min: 2, max: 2, f: divmod},
	{name: "float", class: true, min: 0, max: 1, f: pyFloat},
	{name: "int", class: true, min: 0, max: 2, style: styleCounted, params: []string{"", "base"}, f: pyInt},
	{name: "len", min: 1, max: 1, style: styleTakes, f: one(length)},
	{name: "max", min: 1, max: -1, options: []string{"key", "default"}, g: func(args, options []Value) (Value, error) {
		return extreme("max", ">", args, options)
	}},
	{name: "min", min: 1, max: -1, options: []string{"key", "default"}, g: func(args, options []Value) (Value, error) {
		return extreme("min", "<", args, options)
	}},
	{name: "round", min: 1, max: 2, style: styleCounted, params: []string{"number", "ndigits"}, required: 1, f: round},
	{name: "sorted", min: 1, max: 1, options: []string{"key", "reverse"}, g: sorted},
	{name: "sum", min: 1, max: 2, style: styleCounted, params: []string{"", "start"}, f: sum},
})

func functions(list []*builtin) map[string]Value {
	m := make(map[string]Value, len(list))
	for _, b := range list {
		m[b.name] = functionValue(b)
	}
	return m
}

func one(f func(x Value) (Value, error)) func(args []Value) (Value, error) {
	return func(args []Value) (Value, error) { return f(args[0]) }
}

func absolute(x Value) (Value, error) {
	switch {
	case x.kind == kFloat:
		return Float(math.Abs(x.f)), nil
	case x.kind == kComplex:
		return mathHypot([]Value{Float(x.f), Float(x.imaginary())})
	case x.isInt() && x.sign() < 0:
		return unary("-", x)
	case x.isInt():
		return unary("+", x)
	}
	return Value{}, typeError("bad operand type for abs(): '%s'", x.typeName())
}

func pyBool(args []Value) (Value, error) {
	return boolean(len(args) == 1 && args[0].truth()), nil
}

func pyFloat(args []Value) (Value, error) {
	if len(args) == 0 {
		return Float(0), nil
	}
	if !args[0].isReal() {
		return Value{}, typeError("float() argument must be a string or a real number, not '%s'", args[0].typeName())
	}
	f, err := args[0].toFloat()
	return Float(f), err
}

func pyInt(args []Value) (Value, error) {
	switch {
	case len(args) == 0:
		return Int(0), nil
	case args[0].kind == kAbsent:
		return Value{}, typeError("int() missing string argument")
	case len(args) == 2 && !args[1].isInt():
		return Value{}, notInteger(args[1])
	case len(args) == 2:
		return Value{}, typeError("int() can't convert non-string with explicit base")
	case !args[0].isReal():
		return Value{}, typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", args[0].typeName())
	}
	return toInteger(args[0], math.Trunc)
}

// toInteger returns a real number as an int, a float as rounding makes it.
func toInteger(x Value, rounding func(float64) float64) (Value, error) {
	if x.isInt() {
		return unary("+", x)
	}
	if math.IsInf(x.f, 0) {
		return Value{}, overflowError("cannot convert float infinity to integer")
	}
	if math.IsNaN(x.f) {
		return Value{}, valueError("cannot convert float NaN to integer")
	}
	n, _ := big.NewFloat(rounding(x.f)).Int(nil)
	return bigInt(n), nil
}

func notInteger(x Value) error {
	return typeError("'%s' object cannot be interpreted as an integer", x.typeName())
}

func divmod(args []Value) (Value, error) {
	x, y := args[0], args[1]
	if !x.isReal() || !y.isReal() {
		return Value{}, unsupported("divmod()", x, y)
	}
	if x.isInt() && y.isInt() {
		if y.sign() == 0 {
			return Value{}, divisionError("integer division or modulo by zero")
		}
		q, r := intDivMod(x, y)
		return sequence(kTuple, []Value{q, r}), nil
	}
	a, b, err := twoFloats(x, y)
	if err != nil {
		return Value{}, err
	}
	if b == 0 {
		return Value{}, divisionError("float divmod()")
	}
	q, r := floatDivMod(a, b)
	return sequence(kTuple, []Value{Float(q), Float(r)}), nil
}

// round returns a number rounded half to even, by its exact value.
func round(args []Value) (Value, error) {
	x := args[0]
	if !x.isReal() {
		return Value{}, typeError("type %s doesn't define __round__ method", x.typeName())
	}
	if len(args) == 1 || args[1].kind == kNone {
		return toInteger(x, math.RoundToEven)
	}
	if !args[1].isInt() {
		return Value{}, notInteger(args[1])
	}
	if x.isInt() {
		return roundInt(x, args[1])
	}
	return roundFloat(x.f, args[1])
}

func roundInt(x, digits Value) (Value, error) {
	if digits.sign() >= 0 {
		return unary("+", x)
	}
	if digits.large() != nil || digits.i < -maxIntDigits*10 {
		return Int(0), nil
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-digits.i), nil)
	q, r := new(big.Int).DivMod(x.toBig(), unit, new(big.Int))
	switch c := new(big.Int).Lsh(r, 1).Cmp(unit); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return bigInt(q.Mul(q, unit)), nil
}

func roundFloat(f float64, digits Value) (Value, error) {
	const most = 400 // decimals that a double can have, and more
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f), f == 0, digits.sign() > 0 && (digits.large() != nil || digits.i > most):
		return Float(f), nil
	case digits.sign() < 0 && (digits.large() != nil || digits.i < -most):
		return Float(math.Copysign(0, f)), nil
	case digits.i >= 0:
		r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(digits.i), 64), 64)
		if err != nil {
			return Value{}, overflowError("rounded value too large to represent")
		}
		return Float(r), nil
	}
	whole, frac := math.Modf(f)
	n, _ := big.NewFloat(whole).Int(nil)
	if frac != 0 { // it only matters that a half is more than a half
		n.Mul(n, big.NewInt(10)).Add(n, big.NewInt(int64(math.Copysign(1, f))))
		digits = Int(digits.i - 1)
	}
	v, err := roundInt(bigInt(n), digits)
	if err != nil {
		return Value{}, err
	}
	if frac != 0 {
		v = bigInt(new(big.Int).Quo(v.toBig(), big.NewInt(10)))
	}
	r, err := v.toFloat()
	if err != nil {
		return Value{}, overflowError("rounded value too large to represent")
	}
	return Float(math.Copysign(r, f)), nil
}

// describe returns how a NotRealError names a value.
func describe(v Value) string {
	switch v.kind {
	case kNone:
		return "None"
	case kComplex:
		return "a complex number"
	case kInt:
		return "an integer too large for a float"
	case kList, kTuple:
		return "a " + v.typeName()
	}
	return fmt.Sprintf("a function (%s)", v.function().name)
}
