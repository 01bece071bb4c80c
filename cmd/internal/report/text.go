package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairshare/cmd/internal/pattern"
)

// Printable returns a text in which a question mark stands for each control
// character and for each that turns the direction of writing, so that names
// from a job list cannot steer a terminal.
func Printable(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}

// isPlain reports whether a text has nothing but the characters of ASCII that print.
func isPlain[T string | []byte](text T) bool {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		word := uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
			uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56
		if !isPlainWord(word) {
			return false
		}
	}
	for i < len(text) && ' ' <= text[i] && text[i] < 0x7f {
		i++
	}
	return i == len(text)
}

// isPlainWord is isPlain of eight characters at once, without looking at each.
func isPlainWord(word uint64) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	control := (word - ' '*each) &^ word
	deleted := word ^ 0x7f*each
	return (word|control|(deleted-each)&^deleted)&high == 0
}

// Cut returns a text of at most most characters, an ellipsis at the end of one
// that was longer.
func Cut(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Count returns a number with a noun, which gets an s unless the number is 1.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// DashIfEmpty returns a text, "-" for an empty one.
func DashIfEmpty(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// IsBlank reports whether a cell of a table says nothing: it is empty, or what DashIfEmpty makes of that.
func IsBlank(cell string) bool { return cell == "" || cell == "-" }

// Listed returns names as a sentence has them: "a, b and c".
func Listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Having returns names with a verb behind them, as it is of one or of several.
func Having(names []string, one, several string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return Listed(names) + " " + several
}

// Clauses returns a sentence of some clauses with semicolons between them, but for those that are empty.
func Clauses(clauses ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(clauses), func(text string) bool { return text == "" }), "; ")
}

// WithoutBrackets returns a text without what stands in brackets.
func WithoutBrackets(text string) string { return inBrackets().ReplaceAllString(text, "") }

var inBrackets = pattern.Of(` \([^()]*\)`)

// Capital returns a text that begins with a capital.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[size:]
}

// First returns the first of a list of names, printable and with commas.
func First(names []string) string {
	const most = 5
	shown := names[:min(most, len(names))]
	text := Printable(strings.Join(shown, ", "))
	if len(names) > most {
		text += ", …"
	}
	return text
}

// Some returns up to so many of a list of names, with commas, and how many more there are.
func Some(names []string, most int) string {
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Indent returns a text behind two blanks for each level of depth.
func Indent(depth int, text string) string { return strings.Repeat("  ", depth) + text }

// Quote returns an argument as a shell reads it back.
func Quote(arg string) string {
	isSpecial := func(r rune) bool {
		isPlain := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./=:,+@%", r)
		return !isPlain
	}
	if arg != "" && !strings.ContainsFunc(arg, isSpecial) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// ShellWords parts a text into words as a shell does, without what it would put in place of variables and patterns.
func ShellWords(text string) (words []string, err error) {
	var word strings.Builder
	isWord, isEscaped, quote := false, false, rune(0)
	for _, c := range text {
		switch {
		case isEscaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			isEscaped = false
		case c == '\\' && quote != '\'':
			isWord, isEscaped = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			isWord, quote = true, c
		case !strings.ContainsRune(" \t\r\n", c):
			isWord = true
			word.WriteRune(c)
		case isWord:
			words = append(words, word.String())
			word.Reset()
			isWord = false
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quote (%c) is opened and not closed: %s", quote, Printable(text))
	case isEscaped:
		return nil, fmt.Errorf("a backslash ends what is asked for: %s", Printable(text))
	case isWord:
		words = append(words, word.String())
	}
	return words, nil
}
