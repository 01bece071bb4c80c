package formula

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// PBS splices a formula between quotes into the Python source that it runs, so
// that Python first reads the formula as the content of a string literal: a
// backslash and what follows it stand for another character. Recorded in
// testdata/qmgr/escapes.jsonl.

// pythonText is a formula as Python sees it, once the escapes are resolved.
type pythonText struct {
	text string
	// from has, for each byte of text and for its end, the place in the
	// formula; nil where nothing was escaped and both are the same.
	from []int
}

// source returns the part of the formula that a part of the text stems from.
func (t *pythonText) source(s Span) Span {
	if t.from == nil || s == (Span{}) {
		return s
	}
	last := len(t.from) - 1
	return Span{t.from[min(s.Start, last)], t.from[min(s.End, last)]}
}

// errBadLiteral says that the text between the quotes is no string literal.
var errBadLiteral = errors.New("an escape that Python cannot read")

// readLiteral resolves the escapes of a formula, as Python does in a string
// literal: \n, \x2b, \053, \u002b, \N{PLUS SIGN} and so on. Other backslashes
// stay. On an escape that is cut short it returns errBadLiteral and the place
// of the escape.
func readLiteral(formula string) (pythonText, Span, error) {
	if strings.IndexByte(formula, '\\') < 0 {
		return pythonText{text: formula}, Span{}, nil
	}
	var text []byte
	var from []int
	for at := 0; at < len(formula); {
		c, length, ok := unescape(formula[at:])
		if !ok {
			return pythonText{}, Span{at, at + length}, errBadLiteral
		}
		text = append(text, c...)
		for range len(c) {
			from = append(from, at)
		}
		at += length
	}
	return pythonText{string(text), append(from, len(formula))}, Span{}, nil
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`,
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// hexEscapes has how many hexadecimal digits follow a letter.
var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape reads the character with which s begins and returns it with the
// length of what stands for it. ok is false for an escape that is cut short or
// names no character.
func unescape(s string) (c string, length int, ok bool) {
	if s[0] != '\\' {
		return s[:1], 1, true
	}
	if len(s) == 1 {
		return "", 1, false
	}
	letter := s[1]
	if c, simple := simpleEscapes[letter]; simple {
		return c, 2, true
	}
	if digits, hex := hexEscapes[letter]; hex {
		if len(s) < 2+digits {
			return "", len(s), false
		}
		n, err := strconv.ParseUint(s[2:2+digits], 16, 32)
		return string(rune(n)), 2 + digits, err == nil && n <= utf8.MaxRune
	}
	switch {
	case '0' <= letter && letter <= '7':
		end := 2
		for end < len(s) && end < 4 && '0' <= s[end] && s[end] <= '7' {
			end++
		}
		n, err := strconv.ParseUint(s[1:end], 8, 16)
		return string(rune(n)), end, err == nil
	case letter == 'N':
		name, _, closed := strings.Cut(strings.TrimPrefix(s[2:], "{"), "}")
		length := len(`\N{}`) + len(name)
		if !closed || s[2] != '{' {
			return "", 2, false
		}
		c, known := characterNamed(name)
		return string(c), length, known
	}
	return `\`, 1, true
}

// characterNamed returns the character of ASCII with a name in Unicode. Other
// characters can stand in no formula that PBS knows.
func characterNamed(name string) (c rune, ok bool) {
	for c := rune(' '); c < utf8.RuneSelf; c++ {
		if strings.EqualFold(runenames.Name(c), name) {
			return c, true
		}
	}
	return 0, false
}
