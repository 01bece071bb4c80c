package formula

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// kind is a Python type that a formula's values can have.
type kind uint8

const (
	kNone kind = iota
	kBool
	kInt
	kFloat
	kComplex
	kList
	kTuple
	kFunction
	kAbsent // an argument that was not given
)

// typeNames are Python's, for its messages.
var typeNames = [...]string{"NoneType", "bool", "int", "float", "complex", "list", "tuple", "builtin_function_or_method", ""}

// Value is a Python value: a number, or one of the few other things that a
// formula can make. The zero Value is None.
type Value struct {
	kind kind
	i    int64   // bool, and int where rest is nil
	f    float64 // float, and the real part
	rest *rest   // nil for numbers that are not complex, and of at most 64 bits
}

// rest is what few values have, kept apart: the compiler keeps structs of at most four fields in registers.
type rest struct {
	big *big.Int // int beyond 64 bits, never changed
	im  float64  // imaginary part
	seq []Value  // list and tuple, never changed
	fn  *builtin
}

// large returns an integer of more than 64 bits, nil for any other value. It must not be changed.
func (v Value) large() *big.Int {
	if v.rest == nil {
		return nil
	}
	return v.rest.big
}

// imaginary returns the imaginary part of a number.
func (v Value) imaginary() float64 {
	if v.rest == nil {
		return 0
	}
	return v.rest.im
}

// elements returns those of a list or tuple, nil of anything else. They must not be changed.
func (v Value) elements() []Value {
	if v.rest == nil {
		return nil
	}
	return v.rest.seq
}

// function returns what a function computes, nil for anything else.
func (v Value) function() *builtin {
	if v.rest == nil {
		return nil
	}
	return v.rest.fn
}

// sequence returns a list or tuple.
func sequence(kind kind, elements []Value) Value {
	return Value{kind: kind, rest: &rest{seq: elements}}
}

func functionValue(b *builtin) Value { return Value{kind: kFunction, rest: &rest{fn: b}} }

// absent stands for an argument that was not given.
var absent = Value{kind: kAbsent}

// Int returns a Python int.
func Int(i int64) Value { return Value{kind: kInt, i: i} }

// Float returns a Python float.
func Float(f float64) Value { return Value{kind: kFloat, f: f} }

func boolean(b bool) Value {
	if b {
		return Value{kind: kBool, i: 1}
	}
	return Value{kind: kBool}
}

// bigInt returns a Python int; n must not change afterwards.
func bigInt(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return Value{kind: kInt, rest: &rest{big: n}}
}

// ParseValue reads a number as PBS prints it into a formula: an int if it has
// only digits, else a float; a sign may stand before it.
func ParseValue(s string) (Value, bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || len(digits) > maxIntDigits {
		return Value{}, false
	}
	if digits != "" && strings.Trim(digits, "0123456789") == "" {
		n, ok := new(big.Int).SetString(s, 10)
		if !ok {
			return Value{}, false
		}
		return bigInt(n), true
	}
	if strings.ContainsAny(digits, "_xXpP") { // Go's, not PBS's
		return Value{}, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, false
	}
	return Float(f), true
}

// typeName returns what Python's messages call the value's type.
func (v Value) typeName() string {
	if v.isClass() {
		return "type"
	}
	return typeNames[v.kind]
}

// isClass reports whether the value is one of Python's types themselves, as
// bool, float and int are, which are called as functions are.
func (v Value) isClass() bool { return v.kind == kFunction && v.function().class }

// isInt reports whether Python would take the value for an integer.
func (v Value) isInt() bool { return v.kind == kInt || v.kind == kBool }

func (v Value) isReal() bool { return v.isInt() || v.kind == kFloat }

// toBig returns an integer of any size. It must not be changed.
func (v Value) toBig() *big.Int {
	if v.large() != nil {
		return v.large()
	}
	return big.NewInt(v.i)
}

func (v Value) sign() int {
	switch {
	case v.large() != nil:
		return v.large().Sign()
	case v.i < 0:
		return -1
	case v.i > 0:
		return 1
	}
	return 0
}

// toFloat returns a real number as a double, rounded as Python does, with its
// error for an int that is too large.
func (v Value) toFloat() (float64, error) {
	switch {
	case v.kind == kFloat:
		return v.f, nil
	case v.large() != nil:
		f, _ := new(big.Float).SetInt(v.large()).Float64()
		if math.IsInf(f, 0) {
			return 0, overflowError("int too large to convert to float")
		}
		return f, nil
	}
	return float64(v.i), nil
}

// truth returns Python's bool().
func (v Value) truth() bool {
	switch v.kind {
	case kNone:
		return false
	case kFloat:
		return v.f != 0
	case kComplex:
		return v.f != 0 || v.imaginary() != 0
	case kList, kTuple:
		return len(v.elements()) > 0
	case kFunction:
		return true
	}
	return v.sign() != 0
}

// String returns Python's repr.
func (v Value) String() string {
	switch v.kind {
	case kNone:
		return "None"
	case kBool:
		if v.i != 0 {
			return "True"
		}
		return "False"
	case kInt:
		if v.large() != nil {
			return v.large().String()
		}
		return strconv.FormatInt(v.i, 10)
	case kFloat:
		return floatRepr(v.f)
	case kComplex:
		return "(" + floatRepr(v.f) + "+" + floatRepr(v.imaginary()) + "j)"
	case kFunction:
		return "<built-in function " + v.function().name + ">"
	}
	parts := make([]string, len(v.elements()))
	for i, e := range v.elements() {
		parts[i] = e.String()
	}
	s := strings.Join(parts, ", ")
	if v.kind == kList {
		return "[" + s + "]"
	}
	if len(parts) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

// Fixed returns a float with so many decimals, as C's %.*f writes it, and other
// values as String does.
func (v Value) Fixed(decimals int) string {
	if v.kind != kFloat || !finite(v.f) {
		return v.String()
	}
	return strconv.FormatFloat(v.f, 'f', decimals, 64)
}

// floatRepr returns Python's repr of a float: the shortest digits that read back
// to it, with an exponent below 1e-4 and from 1e16 on.
func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Number returns a real number as a float. ok is false for any other value and
// for an integer too large for a float.
func (v Value) Number() (f float64, ok bool) {
	if !v.isReal() {
		return 0, false
	}
	f, err := v.toFloat()
	return f, err == nil
}
