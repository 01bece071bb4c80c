package pbs

import (
	"strings"

	"fairshare/cmd/internal/pattern"
)

var (
	namesFirst       = pattern.Of(`^[^\s,]+(?:,\s*[^\s,]+)*`)
	operatorOf       = pattern.Of(`^\s*([A-Za-z_][\w.-]*?)\s*(\+=|-=|=)\s?`) // as of "enabled = True"
	furtherAttribute = pattern.Of(`,\s*[A-Za-z_][\w.-]*\s*(?:\+=|-=|=)(?:[^=]|$)`)
	withoutComma     = pattern.Of(`\s[A-Za-z_][\w.-]*\s*(?:\+=|-=|=)(?:[^=]|$)`)
)

// cutCommand cuts a line at its first semicolon outside quotes. A # there, with a blank before it, begins a comment up to the end of
// the line.
func cutCommand(line string) (command, rest string, isMore bool) {
	at := outsideQuotes(line, func(i int) bool {
		return line[i] == ';' || line[i] == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t')
	})
	switch {
	case at < 0:
		return line, "", false
	case line[at] == '#':
		return line[:at], "", false
	}
	return line[:at], line[at+1:], true
}

// outsideQuotes returns the first place of a line at which something is outside quotes, below 0 for none.
func outsideQuotes(line string, is func(at int) bool) int {
	open := rune(0)
	for i, c := range line {
		switch {
		case open == 0 && is(i):
			return i
		case open == 0 && strings.ContainsRune(quotes, c):
			open = c
		case c == open:
			open = 0
		}
	}
	return -1
}

// cutNames cuts what follows the kind of object into the names of objects, "" for none, and the rest.
func cutNames(rest string) (names, attributes string) {
	if _, _, _, isAttribute := cutOperator(rest); isAttribute {
		return "", rest
	}
	names = namesFirst().FindString(rest)
	return names, strings.TrimSpace(rest[len(names):])
}

// split returns the words of a list with commas, and "" for an empty one.
func split(list string) []string {
	words := strings.Split(list, ",")
	for i, word := range words {
		words[i], _, _ = strings.Cut(strings.TrimSpace(word), "@") // workq@server
	}
	return words
}

// cutOperator cuts a text that begins with an attribute at its operator, which needs no blanks.
func cutOperator(text string) (name, operator, value string, ok bool) {
	at := operatorOf().FindStringSubmatchIndex(text)
	if at == nil {
		return "", "", "", false
	}
	return text[at[2]:at[3]], text[at[4]:at[5]], text[at[1]:], true
}

// cutValue cuts a value, without its quotes, from the attributes that follow in the same command.
func cutValue(text string) (value, further string) {
	if end := closing(text); end > 0 {
		return text[1:end], strings.TrimLeft(text[end+1:], ", ")
	}
	if isQuoted(text) {
		return text, ""
	}
	for from := 0; ; {
		at := furtherAttribute().FindStringIndex(text[from:])
		if at == nil {
			return text, ""
		}
		value := text[:from+at[0]]
		if strings.Count(value, "(") == strings.Count(value, ")") && strings.Count(value, "[") == strings.Count(value, "]") {
			return strings.TrimSpace(value), text[from+at[0]+1:]
		}
		from += at[1] - 1
	}
}

// quotes are those in which a value may be.
const quotes = `"'`

func isQuoted(text string) bool { return text != "" && strings.Contains(quotes, text[:1]) }

// closing returns the place of the quote that ends a value in quotes, 0 for none: behind it is the end, or a further attribute.
func closing(text string) int {
	for i := 1; isQuoted(text) && i < len(text); i++ {
		if text[i] != text[0] {
			continue
		}
		at := furtherAttribute().FindStringIndex(text[i+1:])
		if behind := strings.TrimSpace(text[i+1:]); behind == "" || at != nil && strings.TrimSpace(text[i+1:i+1+at[0]]) == "" {
			return i
		}
	}
	return 0
}
