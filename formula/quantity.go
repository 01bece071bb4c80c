package formula

import (
	"math"
	"strconv"
	"strings"
)

// How PBS turns what a job requests into the numbers that it prints into a
// formula.

// sizeUnits are the suffixes of sizes. One unit is kilo*word kB, where word is 8
// for units of words. kilo is 0 for plain bytes and words, which ParseSize
// rounds up to whole kB. A user may leave out the b of bytes, and a select
// stays as it was written.
var sizeUnits = map[string]struct{ kilo, word float64 }{
	"": {0, 1}, "b": {0, 1}, "kb": {1, 1}, "mb": {1 << 10, 1}, "gb": {1 << 20, 1}, "tb": {1 << 30, 1},
	"k": {1, 1}, "m": {1 << 10, 1}, "g": {1 << 20, 1}, "t": {1 << 30, 1},
	"w": {0, 8}, "kw": {1, 8}, "mw": {1 << 10, 8}, "gw": {1 << 20, 8}, "tw": {1 << 30, 8},
}

// ParseSize returns a size, written as PBS writes it ("4gb", "3w", "1500b"), in
// kB, as PBS's res_to_num: bytes are rounded up to whole kB, and so are words
// before they count eightfold. ok is false for what is no size.
func ParseSize(s string) (kB float64, ok bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	unit, known := sizeUnits[strings.ToLower(s[i:])]
	n, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || !known {
		return 0, false
	}
	if unit.kilo == 0 {
		return math.Ceil(n/1024) * unit.word, true
	}
	return n * unit.kilo * unit.word, true
}

// ParseDuration returns a time, written as HH:MM:SS, MM:SS or seconds, in
// seconds. ok is false for what is no time.
func ParseDuration(s string) (seconds float64, ok bool) {
	s, negative := strings.CutPrefix(s, "-")
	for parts, more := 1, true; more; parts++ {
		var part string
		part, s, more = strings.Cut(s, ":")
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil || parts > 3 {
			return 0, false
		}
		seconds = seconds*60 + float64(n)
	}
	if negative {
		seconds = -seconds
	}
	return seconds, true
}

// Amount returns a number as a formula sees it where PBS has no rule of its own
// for the variable: printed with at most four decimals, and with as few as
// floatDigits finds needed; an int if none are left. ok is false for NaN and
// infinities, which the scheduler cannot read.
func Amount(x float64) (v Value, ok bool) {
	if !finite(x) {
		return Value{}, false
	}
	digits := floatDigits(x, 4)
	if digits == 0 && math.Abs(x) < maxExact {
		return Int(int64(math.RoundToEven(x))), true
	}
	return ParseValue(strconv.FormatFloat(x, 'f', digits, 64))
}

// Value returns a number as a formula sees it as the value of the variable:
// PBS prints fairshare terms with six decimals and other numbers as Amount
// has them. An additional variable is not rounded.
func (v Variable) Value(x float64) (Value, bool) {
	switch {
	case v.Origin == Additional:
		return Float(x), true
	case v.Decimals > 0:
		return Float(v.Rounded(x)), true
	}
	return Amount(x)
}

// Rounded returns the double that a number comes to as the value of a variable that PBS prints with some decimals.
func (v *Variable) Rounded(x float64) float64 { return roundDecimals(x, v.Decimals) }

// roundDecimals returns a number as it is read again once it was printed with some decimals.
func roundDecimals(x float64, decimals int) float64 {
	if decimals == 6 { // as printf has it by itself
		// Far from where two numbers of six decimals are equally near, multiplying rounds to the right one.
		const scale, most, margin = 1e6, 1 << 40, 1. / 1024
		scaled := x * scale
		whole := math.RoundToEven(scaled)
		if math.Abs(scaled) < most && math.Abs(scaled-whole) < .5-margin {
			return whole / scale
		}
	}
	f, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
	return f
}

// Text returns a value of the variable as PBS prints it into the formula.
func (v Variable) Text(value Value) string {
	if v.Decimals > 0 {
		return value.Fixed(v.Decimals)
	}
	return value.String()
}

// ParseAmount reads what a person may write for a variable of a type: a
// number, or a size or time as PBS writes them. Without a known type the text
// is taken for what it looks like.
func ParseAmount(s string, t Type) (v Value, ok bool) {
	if v, ok := ParseValue(s); ok {
		return v, true
	}
	if f, ok := ParseSize(s); ok && (t == Size || t == "") {
		return Amount(f)
	}
	if f, ok := ParseDuration(s); ok && (t == Duration || t == "") {
		return Amount(f)
	}
	return Value{}, false
}
