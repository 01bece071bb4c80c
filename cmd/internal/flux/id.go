package flux

import (
	"math"
	"strconv"
	"strings"
)

// digits are those in which users see the numbers of jobs (RFC 19, F58).
const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// ParseID returns the number of a job as people write it: ƒ4wye5Ry1 or f4wye5Ry1, 8716837453824, 0x7ed8c000000, or
// in four groups of hexadecimal digits.
func ParseID(text string) (number uint64, ok bool) {
	if word, isF58 := strings.CutPrefix(text, "ƒ"); isF58 {
		return parseF58(word)
	}
	if word, isF58 := strings.CutPrefix(text, "f"); isF58 && len(text) <= 12 {
		return parseF58(word)
	}
	if groups := strings.Split(text, "."); len(groups) == 4 {
		for _, g := range groups {
			n, err := strconv.ParseUint(g, 16, 16)
			if err != nil || len(g) != 4 {
				return 0, false
			}
			number = number<<16 | n
		}
		return number, true
	}
	base := 10
	if word, isHex := strings.CutPrefix(text, "0x"); isHex {
		text, base = word, 16
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// parseF58 returns the number of a job by its digits.
func parseF58(word string) (number uint64, ok bool) {
	for i := range len(word) {
		digit := strings.IndexByte(digits, word[i])
		if digit < 0 || number > (math.MaxUint64-uint64(digit))/uint64(len(digits)) {
			return 0, false
		}
		number = number*uint64(len(digits)) + uint64(digit)
	}
	return number, word != ""
}

// LooksLikeJob reports whether a text may name a job. One that begins with a plain f has a digit or a capital, which
// words seldom have.
func LooksLikeJob(text string) bool {
	_, ok := ParseID(text)
	return ok && (text[0] != 'f' || strings.ContainsAny(text, digits[:strings.IndexByte(digits, 'a')]))
}
