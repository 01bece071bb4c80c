package trace

import (
	"math"

	"fairshare/formula"
)

// isTooLong reports whether a text is a number that integer cannot keep.
func isTooLong(text []byte) bool { return len(text) > longestInteger && isNumber(text) }

const longestInteger = 18 // digits

// Integer returns a number, Unknown for what is none.
func Integer(text []byte) int64 {
	n, digits := int64(0), text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > longestInteger {
		return Unknown
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return Unknown
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(text) {
		return -n
	}
	return n
}

// count returns a number of things, unknown for what is none.
func count(text []byte) int64 {
	if n := Integer(text); n >= 0 {
		return n
	}
	return Unknown
}

// Seconds returns a time written as HH:MM:SS, MM:SS or seconds, Unknown for what is
// none.
func Seconds(text []byte) int64 {
	if n := Integer(text); n >= 0 {
		return n
	}
	if n := clockTime(text); n != Unknown {
		return n
	}
	if x, ok := formula.ParseDuration(string(text)); ok && x >= 0 && x <= math.MaxInt64/2 {
		return int64(x)
	}
	return Unknown
}

// amountOf returns an amount: a number, a size in kb, a time in seconds; NaN for
// what is none.
func amountOf(value []byte) float64 {
	if n := len(value) - 2; n > 0 && string(value[n:]) == "kb" {
		if kb := Integer(value[:n]); kb != Unknown {
			return float64(kb) // as mom reports sizes
		}
	}
	if n := Integer(value); n != Unknown {
		return float64(n)
	}
	if n := clockTime(value); n != Unknown {
		return float64(n)
	}
	if kb := wholeSize(value); kb != Unknown {
		return float64(kb)
	}
	v, ok := formula.ParseAmount(string(value), "")
	x, isNumber := v.Number()
	if !ok || !isNumber {
		return math.NaN()
	}
	return x
}

// takesLongWay is set by a test that compares the short ways of reading with the long ones.
var takesLongWay bool

// clockTime returns what formula.ParseDuration does for a time such as 120:30:00, and Unknown for
// what it does not understand.
func clockTime(text []byte) int64 {
	const longest = 15 // characters
	if takesLongWay || len(text) == 0 || len(text) > longest {
		return Unknown
	}
	total, part, parts, digits := int64(0), int64(0), 1, 0
	for _, c := range text {
		switch {
		case '0' <= c && c <= '9':
			part, digits = 10*part+int64(c-'0'), digits+1
		case c == ':' && digits > 0 && parts < 3:
			total, part, parts, digits = 60*(total+part), 0, parts+1, 0
		default:
			return Unknown
		}
	}
	if digits == 0 || parts == 1 {
		return Unknown
	}
	return total + part
}

// wholeSize returns what formula.ParseAmount does for a size such as 128gb, in kb, and Unknown for
// what it does not understand.
func wholeSize(text []byte) int64 {
	const most = 1 << 20 // of which every size in kb is a number that a float64 has
	n := len(text) - 2
	if takesLongWay || n < 1 || text[n+1] != 'b' {
		return Unknown
	}
	shift := 10
	switch text[n] {
	case 'g':
		shift = 20
	case 'm':
	default:
		return Unknown
	}
	if x := Integer(text[:n]); x >= 0 && x <= most {
		return x << shift
	}
	return Unknown
}
