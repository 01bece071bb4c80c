package qstat

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScanner steps through JSON.
type jsonScanner struct {
	data     []byte
	at       int
	gap      []byte // the white space that was stepped over last, if there was any
	endsHere bool   // whether the last failure was that the data ended
	hasID    bool   // whether an object was stepped over whose key looks like a job's
	tooDeep  bool   // whether something was nested too deep to step over
}

// stopped notes whether a failure is that the data ends here, and returns false.
func (s *jsonScanner) stopped() bool {
	s.endsHere = s.at >= len(s.data)
	return false
}

// space steps over white space.
func (s *jsonScanner) space() {
	if s.at < len(s.data) && s.data[s.at] <= ' ' {
		s.wideSpace()
	}
}

// wideSpace steps over one or more characters of white space. Lists have the
// same white space again and again, so that it first looks whether that of the
// last time comes.
func (s *jsonScanner) wideSpace() {
	at := s.at
	if n := len(s.gap); at+n < len(s.data) && s.data[at+n] > ' ' && string(s.data[at:at+n]) == string(s.gap) {
		s.at = at + n
		return
	}
	for at < len(s.data) && (s.data[at] == ' ' || s.data[at] == '\n' || s.data[at] == '\t' || s.data[at] == '\r') {
		at++
	}
	if at-s.at > 1 {
		s.gap = s.data[s.at:at]
	}
	s.at = at
}

// take steps over a character if it comes next, behind white space.
func (s *jsonScanner) take(c byte) bool {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// stringEnd returns the place of the quote that ends a string whose content
// begins at start, or -1.
func (s *jsonScanner) stringEnd(start int) int {
	for at := start; ; {
		i := bytes.IndexByte(s.data[at:], '"')
		if i < 0 {
			return -1
		}
		end := at + i
		if s.data[end-1] != '\\' || end == start {
			return end
		}
		backslashes := 1
		for end-1-backslashes >= start && s.data[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
		at = end + 1
	}
}

// skipString steps over a string without a backslash before its end, as nearly
// all are, and reports whether one was here.
func (s *jsonScanner) skipString() bool {
	start := s.at + 1
	if s.data[s.at] != '"' {
		return false
	}
	i := bytes.IndexByte(s.data[start:], '"')
	if i < 0 || s.data[start+i-1] == '\\' {
		return false
	}
	s.at = start + i + 1
	return true
}

// text reads the string that begins here. ok is false where it has no end or an
// escape that JSON does not know.
func (s *jsonScanner) text() (text []byte, ok bool) {
	start := s.at + 1
	end := s.stringEnd(start)
	if s.endsHere = end < 0; s.endsHere {
		return nil, false
	}
	s.at = end + 1
	text = s.data[start:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		return unescape(text)
	}
	return text, true
}

// value reads a value as text: a string's content, anything else as it stands.
func (s *jsonScanner) value() (text []byte, ok bool) {
	if s.at < len(s.data) && s.data[s.at] == '"' {
		return s.text()
	}
	start := s.at
	ok = s.skipValue()
	return s.data[start:s.at], ok
}

// scalarByte has the bytes of numbers and of true, false and null.
var scalarByte = func() (table [256]bool) {
	for _, c := range []byte("+-.0123456789Eaeflnrstu") {
		table[c] = true
	}
	return table
}()

// skipValue steps over the value that begins here.
func (s *jsonScanner) skipValue() bool {
	if s.at >= len(s.data) {
		return s.stopped()
	}
	switch c := s.data[s.at]; {
	case c == '"':
		end := s.stringEnd(s.at + 1)
		if s.endsHere = end < 0; s.endsHere {
			return false
		}
		s.at = end + 1
		return true
	case c == '{' || c == '[':
		return s.skipNested()
	}
	start := s.at
	for s.at < len(s.data) && scalarByte[s.data[s.at]] {
		s.at++
	}
	if s.at == start || s.at >= len(s.data) {
		return s.stopped()
	}
	return true
}

// skipNested steps over an object or an array.
func (s *jsonScanner) skipNested() bool {
	const deepest = 1000
	depth := 0
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			start := s.at + 1
			if !s.skipString() {
				end := s.stringEnd(start)
				if end < 0 {
					s.at = len(s.data)
					return s.stopped()
				}
				s.at = end + 1
			}
			if first := s.data[start]; '0' <= first && first <= '9' && LooksLikeID(s.data[start:s.at-1]) {
				s.hasID = s.hasID || bytes.HasPrefix(bytes.TrimLeft(s.data[s.at:], whiteSpace), []byte{':'})
			}
		case c == ',' || c == ':' || scalarByte[c]:
			s.at++
		case c <= ' ':
			before := s.at
			if s.wideSpace(); s.at == before { // a control character
				return s.stopped()
			}
		case c == '{' || c == '[':
			if depth++; depth > deepest {
				s.tooDeep = true
				return s.stopped()
			}
			s.at++
		case c == '}' || c == ']':
			s.at++
			if depth--; depth == 0 {
				return true
			}
		default:
			return s.stopped()
		}
	}
	return s.stopped()
}

// unescape resolves JSON's escapes. Others stay as they are, and ok is false.
func unescape(text []byte) (out []byte, ok bool) {
	out = make([]byte, 0, len(text))
	ok = true
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		if i++; i == len(text) {
			return append(out, '\\'), false
		}
		switch c := text[i]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			char, length := unicodeEscape(text[i-1:])
			if length == 0 {
				ok = false
				out = append(out, '\\', c)
				continue
			}
			out = utf8.AppendRune(out, char)
			i += length - 2
		default:
			ok = false
			out = append(out, '\\', c)
		}
	}
	return out, ok
}

// unicodeEscape reads a backslash, a u and four hexadecimal digits, or two such escapes that are one
// character, and returns the escape's length, 0 for what is none.
func unicodeEscape(text []byte) (char rune, length int) {
	const size = len(`\u0000`)
	hex := func(text []byte) (rune, bool) {
		if len(text) < size || text[0] != '\\' || text[1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(text[2:size]), 16, 16)
		return rune(n), err == nil
	}
	first, ok := hex(text)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(first) {
		if second, ok := hex(text[size:]); ok {
			if char := utf16.DecodeRune(first, second); char != utf8.RuneError {
				return char, 2 * size
			}
		}
	}
	return first, size // AppendRune makes U+FFFD of half a pair
}
