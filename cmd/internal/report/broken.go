package report

import "strings"

// leastOfText is how many columns a terminal has at least for a text before details are left out, and textIndent where one begins
// that has a line of its own, for want of so many.
const leastOfText, textIndent = 24, 4

// beginOf returns where a column begins in a line.
func beginOf(places []place, column int) int {
	at := 0
	for _, p := range places[:column] {
		if !p.isLeft && p.width > 0 {
			at += p.width + 2
		}
	}
	return at
}

// broken returns a line whose text from a place on is broken at blanks so that no line is wider than a terminal, the rest of it below
// its beginning.
func broken(line string, at, most int) string {
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	if len(runes) <= at {
		return Cut(line, most)
	}
	text, head := runes[at:], string(runes[:at])
	if most-at < leastOfText {
		head, at = Cut(strings.TrimRight(head, " "), most)+"\n"+strings.Repeat(" ", textIndent), textIndent
	}
	room := max(1, most-at)
	var lines []string
	for len(text) > room {
		end := room
		for end > 0 && text[end] != ' ' {
			end--
		}
		if end == 0 {
			end = room
		}
		lines = append(lines, strings.TrimRight(string(text[:end]), " "))
		text = []rune(strings.TrimLeft(string(text[end:]), " "))
	}
	lines = append(lines, string(text))
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", at))
}
