package qstat

import (
	"bytes"
	"io"
	"slices"
)

// Jobs that are objects of their own come as jq and other programs leave them: one
// a line, on several lines, or as elements of an array. They are read as lines.

// shapeOf returns how a text is written that begins as JSON does: JSON for a list
// whose members are named by job IDs, JSONL for objects that are jobs. The answer
// depends on the first object alone, as far as it is there.
func shapeOf(first []byte) Format {
	const window = 64 << 10
	s := jsonScanner{data: first[:min(window, len(first))]}
	s.take('[')
	if !s.take('{') {
		return JSON
	}
	isJob := false
	for members := 0; ; members++ {
		if s.take('}') {
			break
		}
		if members > 0 && !s.take(',') {
			break
		}
		s.space()
		if s.at >= len(s.data) || s.data[s.at] != '"' {
			break
		}
		r := jsonReader{jsonScanner: s}
		key, value, ok := r.key()
		if !ok {
			break
		}
		s = r.jsonScanner
		if s.data[value] == '{' && (string(key) == listKey || LooksLikeID(key)) {
			return JSON
		}
		isJob = isJob || !slices.Contains(qstatMembers, string(key))
		if s.at = value; !s.skipValue() {
			break
		}
	}
	if isJob {
		return JSONL
	}
	return JSON
}

// hasObjectOnLine reports whether a text begins with a line that holds whole
// objects, as JSON lines do.
func hasObjectOnLine(first []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(first, whiteSpace), []byte("\n"))
	line = bytes.TrimSpace(line)
	s := jsonScanner{data: append(line[:len(line):len(line)], '\n')}
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	for s.at < len(line) {
		if !s.skipValue() {
			// It may be damaged and meant as a line.
			return line[len(line)-1] == '}'
		}
		s.space()
	}
	return true
}

// lineReader writes the objects of a stream or an array as lines, without the
// white space in them.
type lineReader struct {
	in    io.Reader
	chunk []byte
	out   []byte // what has been written and not been read yet
	err   error

	depth int // of braces and brackets within an object
	start int // of the object in out; negative where its begin has been read

	inString, isEscaped bool
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: r, chunk: make([]byte, chunkSize)}
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.out) == 0 && l.err == nil {
		var n int
		n, l.err = l.in.Read(l.chunk)
		l.convert(l.chunk[:n])
		if l.err != nil && l.depth > 0 {
			l.out = append(l.out, '\n') // the object is cut off, which its reader sees
		}
	}
	if len(l.out) == 0 {
		return 0, l.err
	}
	n := copy(p, l.out)
	l.out, l.start = l.out[n:], l.start-n
	return n, nil
}

// convert takes a part of the input.
func (l *lineReader) convert(text []byte) {
	for len(text) > 0 {
		switch {
		case l.depth == 0:
			text = l.between(text)
		case l.inString:
			text = l.string(text)
		default:
			text = l.structure(text)
		}
		if l.depth > 0 && len(l.out)-l.start > maxJob {
			l.err = ErrTooLong
			return
		}
	}
}

// between takes what stands between objects, and returns the rest. What is no
// object makes a line that is none.
func (l *lineReader) between(text []byte) []byte {
	begin := bytes.IndexByte(text, '{')
	other := text
	if begin >= 0 {
		other = text[:begin]
	}
	if other = bytes.Trim(other, "[], \t\r\n"); len(other) > 0 {
		l.out = append(append(l.out, bytes.ReplaceAll(other, []byte("\n"), []byte(" "))...), '\n')
	}
	if begin < 0 {
		return nil
	}
	l.start = len(l.out)
	l.out = append(l.out, '{')
	l.depth = 1
	return text[begin+1:]
}

// string takes the rest of a string, and returns what is behind it.
func (l *lineReader) string(text []byte) []byte {
	end := bytes.IndexByte(text, '"')
	if end >= 0 && !l.isEscaped && bytes.IndexByte(text[:end], '\\') < 0 && bytes.IndexByte(text[:end], '\n') < 0 {
		l.out = append(l.out, text[:end+1]...) // as nearly all are
		l.inString = false
		return text[end+1:]
	}
	for i, c := range text {
		switch {
		case l.isEscaped:
			l.isEscaped = false
		case c == '"':
			l.out = append(l.out, c)
			l.inString = false
			return text[i+1:]
		case c == '\\':
			l.isEscaped = true
		case c == '\n':
			l.out = append(l.out, '\\')
			c = 'n'
		}
		l.out = append(l.out, c)
	}
	return nil
}

// structure takes what stands outside strings, up to the next string or the end of
// the object, and returns the rest.
func (l *lineReader) structure(text []byte) []byte {
	for i, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			l.depth++
		case '}', ']':
			l.depth--
		}
		l.out = append(l.out, c)
		if c == '"' {
			l.inString = true
			return text[i+1:]
		}
		if l.depth == 0 {
			l.out = append(l.out, '\n')
			return text[i+1:]
		}
	}
	return nil
}
