package file

import (
	"regexp"
	"strings"
)

// boundless matches the numbers that JSON does not have and that some programs write.
var boundless = regexp.MustCompile(`("\s*:\s*)-?(?:Infinity|NaN)(\s*[,}\]])`)

// WithoutInfinity returns JSON with null for Infinity and NaN, which Slurm 23.11 writes and JSON does not have.
func WithoutInfinity(text string) string {
	if !strings.Contains(text, "Infinity") && !strings.Contains(text, "NaN") {
		return text
	}
	return boundless.ReplaceAllString(text, "${1}null${2}")
}
