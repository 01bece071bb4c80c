package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Expanded returns the patterns of a list as a shell writes them out: cn0{41,43} is cn041 and cn043, and cn0{41..43} has cn042 as well.
func Expanded(list string) ([]string, error) {
	const most = 100_000
	patterns := outside(list)
	for i := 0; i < len(patterns); {
		pattern := strings.TrimSpace(patterns[i])
		patterns[i] = pattern
		open := strings.IndexByte(pattern, '{')
		end := closing(pattern, open)
		if end < 0 {
			i++
			continue
		}
		words := outside(pattern[open+1 : end])
		if from, to, isRange := strings.Cut(pattern[open+1:end], ".."); isRange && len(words) == 1 {
			words = between(from, to, most)
		}
		if words == nil { // they are letters like others
			i++
			continue
		}
		if len(patterns)+len(words) > most {
			return nil, diag.Requestf("%s are too many vnodes", report.Cut(list, 80))
		}
		all := append([]string{}, patterns[:i]...)
		for _, word := range words {
			all = append(all, pattern[:open]+word+pattern[end+1:])
		}
		patterns = append(all, patterns[i+1:]...)
	}
	return patterns, nil
}

// outside splits a list at the commas that stand in no braces.
func outside(list string) (parts []string) {
	depth, from := 0, 0
	for i, c := range []byte(list) {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			parts, from = append(parts, list[from:i]), i+1
		}
	}
	return append(parts, list[from:])
}

// closing returns where a brace is closed, -1 where none opens or closes there.
func closing(text string, open int) int {
	depth := 0
	for i := max(open, 0); open >= 0 && i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// between returns the numbers from one to another, with the zeros before them, nil where they are no such numbers.
func between(from, to string, most int) (words []string) {
	a, err := strconv.Atoi(from)
	b, errTo := strconv.Atoi(to)
	if err != nil || errTo != nil || a < 0 || b < a || b-a >= most {
		return nil
	}
	for n := a; n <= b; n++ {
		words = append(words, fmt.Sprintf("%0*d", len(from), n))
	}
	return words
}
