package qstat

import (
	"bytes"
	"slices"
)

// Reading with repairs: what PBS's writer leaves unescaped, and what is left of
// a list that is cut off or has other text mixed in.

// repairedMembers reads a job's attributes up to and with its closing brace, as
// far as they make sense. A key that is another job's ID tells that the brace is
// missing. It returns false where the data ends first.
func (r *jsonReader) repairedMembers(record *Record) bool {
	for {
		r.space()
		for r.at < len(r.data) && r.data[r.at] == ',' {
			r.at++
			r.space()
		}
		if r.at >= len(r.data) {
			r.sayCut("a job that is cut off")
			return false
		}
		switch r.data[r.at] {
		case '}':
			r.at++
			return true
		case '"':
		default:
			r.b.problem("text that is not JSON")
			r.resume("\"}")
			continue
		}
		start := r.at
		name, ok := r.repairedText(true)
		if !ok || !r.take(':') {
			r.sayCut("a job that is cut off")
			continue
		}
		r.space()
		isObject := r.at < len(r.data) && r.data[r.at] == '{'
		place, wanted := r.b.schema.wants(name)
		switch {
		case isObject && LooksLikeID(name):
			r.b.problem("a job that is cut off")
			r.at = start
			return true
		case isObject && string(name) == "Resource_List":
			r.repairedResources()
		case isObject:
			r.skipRepaired()
		case r.lines && slices.Contains(idNames, string(name)):
			record.ID = r.repairedValue()
		case wanted:
			record.Values[place] = r.repairedValue()
		default:
			r.repairedValue()
		}
	}
}

// sayCut counts what is cut off up to here. What ends with a list that is cut off is said with that alone.
func (r *jsonReader) sayCut(what string) {
	if r.at < len(r.data) || !r.b.last || r.lines {
		r.b.problem(what)
	}
}

// repairedResources reads the object of Resource_List.
func (r *jsonReader) repairedResources() {
	r.at++
	for {
		for r.take(',') {
		}
		if r.at >= len(r.data) || r.data[r.at] != '"' {
			r.take('}')
			return
		}
		start := r.at
		name, ok := r.repairedText(true)
		if !ok || !r.take(':') {
			return
		}
		r.space()
		if r.at < len(r.data) && r.data[r.at] == '{' { // its own brace is missing
			r.at = start
			return
		}
		r.b.addResource(name, r.repairedValue())
	}
}

// skipRepaired steps over an object, up to its end or to what looks like the
// next job.
func (r *jsonReader) skipRepaired() {
	depth := 0
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case '"':
			start := r.at
			key, ok := r.repairedText(true)
			if ok && LooksLikeID(key) {
				after := r.at
				if r.take(':') && r.take('{') {
					r.at = start
					return
				}
				r.at = after
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				r.at++
				return
			}
		}
		r.at++
	}
}

// repairedValue reads a string's content, or anything else up to where it ends.
func (r *jsonReader) repairedValue() []byte {
	if r.at < len(r.data) && r.data[r.at] == '"' {
		text, _ := r.repairedText(false)
		return text
	}
	if r.at < len(r.data) && r.data[r.at] == '[' {
		start := r.at
		r.skipRepaired()
		return r.data[start:r.at]
	}
	start := r.at
	end := bytes.IndexAny(r.data[start:], ",}\n")
	if end < 0 {
		end = len(r.data) - start
	}
	r.at = start + end
	return bytes.TrimRight(r.data[start:r.at], " \t\r")
}

// repairedText reads a string. PBS's writer leaves a quote at its beginning and
// a backslash at its end unescaped, so that the string ends at the first quote
// behind which the text goes on as JSON does; a line break ends it as well. ok
// is false for a string without an end, of which its line is returned.
func (r *jsonReader) repairedText(maybeKey bool) (text []byte, ok bool) {
	start := r.at + 1
	lineEnd := r.nextLineEnd(start)
	end := r.nextStringEnd(start)
	escaped := end <= lineEnd && end < len(r.data) && r.goesOn(end+1, maybeKey)
	if !escaped {
		for end = start; ; end++ {
			i := bytes.IndexByte(r.data[end:lineEnd], '"')
			if i < 0 {
				r.at = lineEnd
				r.sayCut("a string that is cut off")
				return bytes.TrimRight(r.data[start:lineEnd], "\r"), false
			}
			if end += i; r.goesOn(end+1, maybeKey) {
				r.b.problem("a string with a quote or a backslash that is not escaped")
				break
			}
		}
	}
	r.at = end + 1
	text = r.data[start:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		if text, ok = unescape(text); !ok && escaped {
			r.b.problem("an invalid escape in a string")
		}
	}
	return text, true
}

// nextPlace is the next place of something, as far as it is known: what is looked for
// again and again is found once.
type nextPlace struct{ from, to int }

// find returns the place for a start; look finds it where it is not known.
func (a *nextPlace) find(start int, look func() int) int {
	if start < a.from || start > a.to || a.to == 0 {
		*a = nextPlace{start, look()}
	}
	return a.to
}

// nextLineEnd returns where the line ends that holds a place.
func (r *jsonReader) nextLineEnd(start int) int {
	return r.lineEnd.find(start, func() int {
		if i := bytes.IndexByte(r.data[start:], '\n'); i >= 0 {
			return start + i
		}
		return len(r.data)
	})
}

// nextStringEnd returns the next quote, behind one, that is not escaped.
func (r *jsonReader) nextStringEnd(start int) int {
	return r.quote.find(start, func() int {
		if end := r.stringEnd(start); end >= 0 {
			return end
		}
		return len(r.data)
	})
}

// goesOn reports whether a string can end before a place: the end of an object
// follows, or a comma and another string, or one on the next line, or a colon
// where the string may be a key.
func (r *jsonReader) goesOn(at int, maybeKey bool) bool {
	const most = 200 // bytes of white space
	behind := r.data[at:min(len(r.data), at+most)]
	rest := bytes.TrimLeft(behind, whiteSpace)
	if len(rest) == 0 {
		return true
	}
	switch rest[0] {
	case ':':
		return maybeKey
	case '}', ']':
		return true
	case '"':
		return bytes.IndexByte(behind[:len(behind)-len(rest)], '\n') >= 0
	case ',':
		rest = bytes.TrimLeft(rest[1:], whiteSpace)
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	}
	return false
}
