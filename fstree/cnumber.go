package fstree

import "math"

// strtol reads a decimal integer as C's strtol: leading white space and a
// sign, then digits; a value beyond a long is cut to its limits. rest is what
// follows the digits, all of s when there are none.
func strtol(s string) (n int64, rest string) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	negative := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		negative = s[i] == '-'
		i++
	}
	first := i
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var u uint64
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := uint64(s[i] - '0')
		if u > (limit-d)/10 {
			u = limit
			continue
		}
		u = u*10 + d
	}
	if i == first {
		return 0, s
	}
	if negative {
		return int64(-u), s[i:]
	}
	return int64(u), s[i:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSpace is C's isspace.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
