package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Expanded returns the patterns of a list as a shell writes them out: cn0{41,43} is cn041 and cn043, and cn0{41..43} has cn042 as well. So does
// cn[041-043], as tables here and hostlists of Slurm print it; a single digit in brackets is of a pattern, which comes to the same.
func Expanded(list string) ([]string, error) {
	const most = 100_000
	patterns := outside(withBraces(list))
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

// numbers are those in brackets, such as 041-043 and 050.
var numbers = pattern.Of(`\[[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*\]`)

// withBraces writes ranges of numbers in brackets as braces, but for those of single digits.
func withBraces(list string) string {
	return numbers().ReplaceAllStringFunc(list, func(text string) string {
		parts := strings.Split(strings.Trim(text, "[]"), ",")
		if len(parts) == 1 && (len(parts[0]) <= len("1-2") || !strings.Contains(parts[0], "-")) { // letters of a pattern
			return text
		}
		for i, part := range parts {
			if from, to, isRange := strings.Cut(part, "-"); isRange {
				if between(from, to, 1<<20) == nil {
					return text
				}
				parts[i] = "{" + from + ".." + to + "}"
			}
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
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
