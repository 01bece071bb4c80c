package page

import (
	"fairshare/cmd/internal/report"
	"strings"
	"unicode"
)

// Sentence returns a remark with a full stop, and with a capital unless it begins with a name, such as sacct.txt or bf_interval.
func Sentence(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(strings.TrimRight(word, ",:"), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) {
		return text + "."
	}
	return report.Capital(text) + "."
}
