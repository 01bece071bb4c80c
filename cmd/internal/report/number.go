// Package report has what the outputs of the commands have in common: how
// numbers, texts, tables and JSON are written.
package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Number is a float64 that JSON can carry whatever it is: infinities and NaN
// become the strings "inf", "-inf" and "nan".
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte(`"` + Shortest(f) + `"`), nil
	}
	return json.Marshal(f)
}

// IsNaN reports whether a number is not one.
func (n Number) IsNaN() bool { return n != n }

// Optional returns a number for a field that is null where there is none, which
// NaN stands for.
func Optional(f float64) *Number {
	if math.IsNaN(f) {
		return nil
	}
	n := Number(f)
	return &n
}

// CFloat returns a C float as a number with no more digits than it has.
func CFloat(f float32) Number {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return Number(f)
	}
	return Number(x)
}

// special returns how all outputs write infinities and NaN.
func special(x float64) (text string, ok bool) {
	switch {
	case math.IsNaN(x):
		return "nan", true
	case math.IsInf(x, 1):
		return "inf", true
	case math.IsInf(x, -1):
		return "-inf", true
	}
	return "", false
}

// Plain returns the shortest text that reads back to a number, without an
// exponent.
func Plain(x float64) string { return fixed(x, -1, 64) }

// AppendPlain adds what Plain returns to a text.
func AppendPlain(text []byte, x float64) []byte {
	if n := int64(x); x > 0 && x < 1<<53 && x == float64(n) {
		return appendDigits(text, uint64(n))
	}
	return append(text, Plain(x)...)
}

// Shortest returns the shortest text that reads back to a number. Only very
// large and very small numbers have an exponent.
func Shortest(x float64) string { return shortest(x, 64) }

// ShortestFloat is Shortest for a C float.
func ShortestFloat(x float32) string { return shortest(float64(x), 32) }

func shortest(x float64, bits int) string {
	if size := math.Abs(x); size != 0 && (size < 1e-5 || size >= 1e21) {
		if text, ok := special(x); ok {
			return text
		}
		return strconv.FormatFloat(x, 'e', -1, bits)
	}
	return fixed(x, -1, bits)
}

// Significant returns a number rounded to at most so many significant digits.
func Significant(x float64, digits int) string {
	if text, ok := special(x); ok {
		return text
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return Shortest(x)
	}
	return Shortest(rounded)
}

// Fixed returns a number with so many decimals, rounded half to even, and never
// as -0.
func Fixed(x float64, decimals int) string { return string(AppendFixed(nil, x, decimals)) }

// AppendFixed adds what Fixed returns to a text.
func AppendFixed(text []byte, x float64, decimals int) []byte {
	if units, ok := rounded(x, decimals); ok {
		return AppendUnits(text, units, decimals)
	}
	return appendFixed(text, x, decimals)
}

// Grouped returns a text that begins with a number, such as "974399.4 h", as people read it: one of five digits and more before the
// point is rounded to a whole one, and its digits stand in groups of three.
func Grouped(text string) string {
	const few, group = 5, 3
	const narrow = "\u202f" // a space that does not break
	number, rest, isCut := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.Abs(x) < math.Pow10(few-1) || math.IsInf(x, 0) || strings.ContainsAny(number, "eExX_") {
		return text
	}
	grouped := Fixed(math.Abs(x), 0)
	for at := len(grouped) - group; at > 0; at -= group {
		grouped = grouped[:at] + narrow + grouped[at:]
	}
	if sign := number[0]; sign == '-' || sign == '+' {
		grouped = string(sign) + grouped
	}
	if isCut {
		grouped += " " + rest
	}
	return grouped
}

// Units returns a number from 0 to billions as Fixed rounds it, in units of its last decimal, such as 125 of 1.25.
func Units(x float64, decimals int) uint64 {
	if units, ok := rounded(x, decimals); ok {
		return units
	}
	var units uint64
	for _, c := range appendFixed(nil, x, decimals) {
		if c != '.' {
			units = 10*units + uint64(c-'0')
		}
	}
	return units
}

// rounded returns what Units does, in a fifth of the time that appendFixed takes, for numbers that are not so near to the middle
// between two of so many decimals that a product of float64 does not tell to which they are rounded; false for others.
func rounded(x float64, decimals int) (units uint64, ok bool) {
	const most, near = 1 << 36, 1.0 / (1 << 16) // products below most are wrong by half of near at most
	if decimals < 0 || decimals >= len(powers) {
		return 0, false
	}
	product := x * float64(powers[decimals])
	if !(x >= 0 && product < most) {
		return 0, false
	}
	units = uint64(product)
	rest := product - float64(units)
	if math.Abs(rest-.5) <= near {
		return 0, false
	}
	if rest > .5 {
		units++
	}
	return units, true
}

// AppendUnits adds a number of so many decimals to a text, which is given in units of the last of them.
func AppendUnits(text []byte, units uint64, decimals int) []byte {
	if decimals == 0 {
		return appendDigits(text, units)
	}
	power := powers[decimals]
	whole := units / power
	text = appendDigits(text, whole)
	return appendLast(append(text, '.'), units-whole*power, decimals)
}

// appendDigits adds a whole number to a text, as strconv.AppendUint does in twice the time.
func appendDigits(text []byte, n uint64) []byte {
	digits := 1
	for digits < len(powers) && n >= powers[digits] {
		digits++
	}
	if digits == len(powers) {
		return strconv.AppendUint(text, n, 10)
	}
	return appendLast(text, n, digits)
}

// appendLast adds the last digits of a number to a text.
func appendLast(text []byte, n uint64, digits int) []byte {
	const zeros = "0000000000"
	text = append(text, zeros...)[:len(text)+digits]
	for at := len(text) - 1; digits > 0; digits-- {
		rest := n / 10
		text[at] = '0' + byte(n-10*rest)
		n = rest
		at--
	}
	return text
}

// powers are those of 10 by their exponents.
var powers = [...]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000}

// appendFixed adds what Fixed returns to a text, whatever the number is.
func appendFixed(text []byte, x float64, decimals int) []byte {
	if special, ok := special(x); ok {
		return append(text, special...)
	}
	begin := len(text)
	text = strconv.AppendFloat(text, x, 'f', decimals, 64)
	if number := text[begin:]; number[0] == '-' && len(bytes.Trim(number, "-0.")) == 0 {
		return append(text[:begin], number[1:]...)
	}
	return text
}

func fixed(x float64, decimals, bits int) string {
	if text, ok := special(x); ok {
		return text
	}
	return strconv.FormatFloat(x, 'f', decimals, bits)
}

// Apart returns two numbers with as many significant digits, but no fewer than
// least, as tell them apart.
func Apart(a, b float64, least int) (string, string) {
	for digits := least; digits <= 17; digits++ {
		ta, tb := Significant(a, digits), Significant(b, digits)
		if ta != tb || a == b {
			return ta, tb
		}
	}
	return Shortest(a), Shortest(b)
}

// OrEmpty returns a number, "" where there is none.
func OrEmpty(x *Number) string {
	if x == nil {
		return ""
	}
	return Shortest(float64(*x))
}

// OrDash returns a number in at most six significant digits, "-" where there is
// none.
func OrDash(x *Number) string {
	if x == nil {
		return "-"
	}
	return Significant(float64(*x), 6)
}

// SixDecimals returns a number as Slurm prints it, "" where there is none.
func SixDecimals(x *Number) string {
	if x == nil {
		return ""
	}
	return Fixed(float64(*x), 6)
}

// AppendSixDecimals adds a number to a text as Slurm prints it, nothing where there is none, which NaN stands for.
func AppendSixDecimals(text []byte, x float64) []byte {
	if math.IsNaN(x) {
		return text
	}
	return AppendFixed(text, x, 6)
}

// Percent returns a part of 1 in percent with some decimals, "-" for NaN.
func Percent(part float64, decimals int) string {
	if math.IsNaN(part) {
		return "-"
	}
	return Fixed(100*part, decimals) + "%"
}

// Fitted returns a text in at most most characters: a number keeps as many digits as always fit.
func Fitted(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const around = 8 // a sign, a point and an exponent
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return Significant(x, max(1, most-around))
	}
	return Cut(text, most)
}

// AppendUsage adds usage to a text as a table shows it: whole, or in six digits where it is huge.
func AppendUsage(text []byte, x float64) []byte {
	if x >= 1e16 {
		return append(text, Significant(x, 6)...)
	}
	return AppendFixed(text, x, 0)
}

// Rank returns a rank, "" where there is none.
func Rank(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
