package jobs

import (
	"bufio"
	"bytes"
	"errors"
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
		if s.data[value] == '{' && (isListKey(key) || LooksLikeID(key)) {
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

// lineReader writes the objects of a stream or an array as lines.
type lineReader struct {
	in    *bufio.Reader
	out   bytes.Buffer
	err   error
	size  int // of the object so far
	depth int // of braces and brackets within it

	inString, isEscaped bool
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, chunkSize)}
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	for l.out.Len() < len(p) && l.err == nil {
		var c byte
		if c, l.err = l.in.ReadByte(); l.err != nil {
			if l.depth > 0 {
				l.out.WriteByte('\n') // the object is cut off, which its reader sees
			}
			break
		}
		l.step(c)
	}
	n, err := l.out.Read(p)
	if l.err != nil && !errors.Is(l.err, io.EOF) {
		return n, l.err
	}
	return n, err
}

// step takes a byte.
func (l *lineReader) step(c byte) {
	if l.size++; l.size > maxJob {
		l.err = ErrTooLong
		return
	}
	switch {
	case l.depth == 0:
		l.size = 0
		if c == '{' {
			l.depth = 1
			l.out.WriteByte(c)
		} else if bytes.IndexByte([]byte("[], \t\r\n"), c) < 0 {
			l.out.WriteByte(c) // no object, which makes a line that is none
			if l.isAlone() {
				l.out.WriteByte('\n')
			}
		}
		return
	case l.isEscaped:
		l.isEscaped = false
	case c == '"':
		l.inString = !l.inString
	case l.inString && c == '\\':
		l.isEscaped = true
	case l.inString && c == '\n':
		l.out.WriteString(`\n`)
		return
	case l.inString:
	case c == '{' || c == '[':
		l.depth++
	case c == '}' || c == ']':
		l.depth--
	case bytes.IndexByte([]byte(whiteSpace), c) >= 0:
		return
	}
	l.out.WriteByte(c)
	if l.depth == 0 {
		l.out.WriteByte('\n')
	}
}

// isAlone reports whether white space, a bracket or the end follows.
func (l *lineReader) isAlone() bool {
	next, err := l.in.Peek(1)
	return err != nil || bytes.IndexByte([]byte("[]{, \t\r\n"), next[0]) >= 0
}
