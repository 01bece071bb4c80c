package formula

import (
	"math"
	"strconv"
)

// Result is a formula's outcome for one job. When Err is set the Value is 0,
// as in PBS.
type Result struct {
	Value float64
	Err   error // a Problem
}

// Float32 returns the value as the scheduler keeps and compares it, a C float.
func (r Result) Float32() float32 { return float32(r.Value) }

// Log returns the value as the scheduler logs it, "Formula Evaluation = …".
func (r Result) Log() string { return logForm(r.Float32()) }

// logForm returns a value as PBS logs it: %.*f with floatDigits decimals.
func logForm(value float32) string {
	f := float64(value)
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return "-nan"
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return floatRepr(f)
	}
	return strconv.FormatFloat(f, 'f', floatDigits(f, 4), 64)
}

// floatDigits returns how many decimals, at most most, PBS prints a number with:
// as many steps of multiplying by ten until the first three decimals are 000
// or 999, as PBS's float_digits.
func floatDigits(x float64, most int) int {
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

// finish returns the Result of what a formula evaluates to.
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
