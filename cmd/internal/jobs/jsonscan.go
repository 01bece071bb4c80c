package jobs

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// jsonScanner steps through JSON that may be damaged.
type jsonScanner struct {
	b    *Batch
	data []byte
	at   int
}

// space steps over white space.
func (s *jsonScanner) space() {
	at := s.at
	for at < len(s.data) && (s.data[at] == '\t' || s.data[at] == '\n' || s.data[at] == ' ' || s.data[at] == '\r') {
		at++
	}
	s.at = at
}

// take steps over a character if it comes next.
func (s *jsonScanner) take(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] > ' ' { // mostly there is no space
		if s.data[s.at] != c {
			return false
		}
		s.at++
		return true
	}
	s.space()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// find goes to the next such character.
func (s *jsonScanner) find(c byte) bool {
	i := bytes.IndexByte(s.data[s.at:], c)
	if i < 0 {
		if text := bytes.TrimSpace(bytes.Trim(s.data[s.at:], "{}[], \t\r\n")); len(text) > 0 {
			s.b.problem("text that is no JSON")
		}
		s.at = len(s.data)
		return false
	}
	if text := bytes.Trim(s.data[s.at:s.at+i], "{}[], \t\r\n"); len(text) > 0 {
		s.b.problem("text that is no JSON")
	}
	s.at += i
	return true
}

// text reads a string that begins here. Without an end it is the rest of its
// line, and ok is false.
func (s *jsonScanner) text() (text []byte, ok bool) {
	start := s.at + 1
	end := s.closingQuote(start)
	if end < 0 {
		s.b.problem("a string that is cut off")
		if end = bytes.IndexByte(s.data[start:], '\n'); end < 0 {
			end = len(s.data) - start
		}
		s.at = start + end
		return s.data[start:s.at], false
	}
	s.at = end + 1
	text = s.data[start:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = s.unescape(text)
	}
	return text, true
}

// closingQuote finds the quote that ends a string whose content begins at
// start, or -1.
func (s *jsonScanner) closingQuote(start int) int {
	for at := start; ; {
		i := bytes.IndexByte(s.data[at:], '"')
		if i < 0 {
			return -1
		}
		end := at + i
		backslashes := 0
		for end-1-backslashes >= start && s.data[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
		at = end + 1
	}
}

// unescape resolves JSON's escapes; others stay as they are.
func (s *jsonScanner) unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
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
			if i+4 < len(text) {
				if n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16); err == nil {
					out = utf8.AppendRune(out, rune(n))
					i += 4
					continue
				}
			}
			s.b.problem("an invalid escape in a string")
			out = append(out, '\\', c)
		default:
			s.b.problem("an invalid escape in a string")
			out = append(out, '\\', c)
		}
	}
	return out
}

// skipLines steps over a value as qstat prints it: to the end of its line, or
// an object to the line that closes it. Anything else is skipped as JSON.
func (s *jsonScanner) skipLines() {
	rest := s.data[s.at:]
	if end := bytes.IndexByte(rest, '\n'); end > 0 {
		switch last := rest[end-1]; {
		case rest[0] == '{' && end == 1:
			if closing := bytes.Index(rest, closingLine); closing > 0 && bytes.Index(rest[:closing], jobClosing) < 0 {
				s.at += closing + len(closingLine)
				return
			}
		case rest[0] == '"' && (last == '"' || last == ',' && end > 1 && rest[end-2] == '"') && end > 1:
			s.at += end
			return
		case rest[0] != '"' && rest[0] != '{' && rest[0] != '[' && last != '}':
			s.at += end
			return
		}
	}
	s.skipValue()
}

// How qstat lays its JSON out.
var (
	attributeIndent = []byte("\n\t\t\t")
	closingLine     = []byte("\n\t\t\t}") // of an object among a job's attributes
	jobClosing      = []byte("\n\t\t\"")  // where the next job begins
)

// value reads a value as text: a string's content, anything else as it
// stands.
func (s *jsonScanner) value() []byte {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == '"' {
		text, _ := s.text()
		return text
	}
	start := s.at
	s.skipValue()
	return bytes.TrimRight(s.data[start:s.at], " \t\r\n")
}

// skipValue steps over a value, to what may follow it.
func (s *jsonScanner) skipValue() {
	s.space()
	depth := 0
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case '"':
			s.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return
			}
			if depth--; depth == 0 {
				s.at++
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		case '\n':
			// A nested job that begins here means that braces are missing.
			if depth > 0 && s.jobBegins() {
				s.b.problem("a job that is cut off")
				return
			}
		}
		s.at++
	}
}

// jobBegins tells whether the next line is qstat's first line of a job.
func (s *jsonScanner) jobBegins() bool {
	line := s.data[s.at+1:]
	if !bytes.HasPrefix(line, []byte("\t\t\"")) {
		return false
	}
	end := bytes.IndexByte(line, '\n')
	return end > 0 && looksLikeID(line[3:end]) && bytes.HasSuffix(bytes.TrimRight(line[:end], "\r"), []byte("{"))
}

func (s *jsonScanner) skipString() {
	end := s.closingQuote(s.at + 1)
	if end < 0 {
		s.b.problem("a string that is cut off")
		end = len(s.data) - 1
	}
	s.at = end + 1
}
