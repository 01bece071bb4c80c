package file

import (
	"iter"
	"strings"
)

// Words is a line of a text that people write: a word and what it takes, "" for nothing.
type Words struct{ First, Rest string }

// EachWords yields the lines of a text that are not empty, by their numbers from 1.
// Blanks count as one, and # after a blank begins a comment.
func EachWords(text string) iter.Seq2[int, Words] {
	return func(yield func(int, Words) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			line = " " + strings.Join(strings.Fields(line), " ")
			if at := strings.Index(line, " #"); at >= 0 {
				line = line[:at]
			}
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			first, rest, _ := strings.Cut(line, " ")
			if !yield(number, Words{first, rest}) {
				return
			}
		}
	}
}
