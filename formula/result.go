package formula

import (
	"math"
	"strconv"
)

// Result is a formula's outcome for one job. When Err is set the Value is 0,
// as in PBS.
type Result struct {
	Value float64
	Err   error // a *PyError, *NotRealError, *LimitError or *ForeignError
}

// Float32 is the value as the scheduler keeps and compares it, a C float.
func (r Result) Float32() float32 { return float32(r.Value) }

// Log is the value as the scheduler logs it, "Formula Evaluation = …".
func (r Result) Log() string { return LogForm(r.Float32()) }

// LogForm writes a value as PBS logs it: %.*f with FloatDigits decimals.
func LogForm(value float32) string {
	f := float64(value)
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return "-nan"
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return floatRepr(f)
	}
	return strconv.FormatFloat(f, 'f', FloatDigits(f, 4), 64)
}

// FloatDigits is how many decimals PBS prints a number with, at most most:
// as many steps of multiplying by ten until the first three decimals are 000
// or 999, as PBS's float_digits.
func FloatDigits(x float64, most int) int {
	x = math.Abs(x)
	for digits := range most {
		_, frac := math.Modf(x)
		if thousandths := int(frac * 1000); thousandths == 0 || thousandths == 999 {
			return digits
		}
		x *= 10
	}
	return most
}

// finish makes a Result of what a formula evaluates to.
func finish(v Value, err error) Result {
	if err != nil {
		return Result{Err: err}
	}
	if !v.isReal() {
		return Result{Err: &NotRealError{What: describe(v)}}
	}
	f, err := v.toFloat()
	if err != nil {
		return Result{Err: &NotRealError{What: describe(v)}}
	}
	return Result{Value: f}
}
