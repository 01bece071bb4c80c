package qstat

import "bytes"

// parseText reads qstat -f's text: a line "Job Id: ID" (in some builds of PBS "Job: ID"), attributes in lines
// "    name = value", whose continuation begins with a tab, a blank line. Values
// are not escaped, so that one with line breaks, such as a shell function among
// the variables, goes on in lines that look like anything. What looks like an
// attribute is taken for one; of one that comes twice, the first counts.
func parseText(b *Batch) {
	t := textParser{b: b, data: b.chunk}
	for at := 0; at < len(t.data); {
		line, next := t.data[at:], len(t.data)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		t.line(line, at)
		at = next
	}
	t.end(len(t.data))
	b.After = t.data[t.closed:]
	b.checkLineEnd()
}

// checkLineEnd says when a list does not end with a line.
func (b *Batch) checkLineEnd() {
	if n := len(b.chunk); b.last && n > 0 && b.chunk[n-1] != '\n' {
		b.problem(cutList)
	}
}

type textParser struct {
	b      *Batch
	data   []byte
	record *Record // nil before the first, and for one without an ID
	isLost bool    // whether this is one without an ID
	start  int     // of the record
	closed int     // end of the last record
	name   []byte  // of the attribute begun last, nil when it is not kept
	value  []byte
	folded bool // the value is a copy
}

var indent, equals = []byte("    "), []byte(" = ")

// jobHeaders begin the first line of a job, each in all of a list.
var jobHeaders = [][]byte{[]byte("Job Id: "), []byte("Job: ")}

// headerOf returns how jobs begin in a list that begins in some way, nil for what is no text of qstat -f.
func headerOf(begin []byte) []byte {
	for _, header := range jobHeaders {
		if bytes.HasPrefix(begin, header) {
			return header
		}
	}
	return nil
}

func (t *textParser) line(line []byte, at int) {
	switch {
	case len(line) == 0:
	case line[0] == '\t' && t.record != nil:
		if t.name == nil {
			return
		}
		if !t.folded {
			t.value, t.folded = bytes.Clone(t.value), true
		}
		t.value = append(t.value, line[1:]...)
	case t.record != nil && bytes.HasPrefix(line, indent) && t.begin(line[len(indent):]):
	case bytes.HasPrefix(line, t.b.header):
		t.end(at)
		switch len(t.b.Records) {
		case 0:
			t.b.Before = t.data[:at]
		case 1:
			t.b.Between = t.data[t.closed:at]
		}
		id := bytes.TrimSpace(line[len(t.b.header):])
		if t.record = nil; len(id) == 0 {
			t.b.problem(noID)
			t.isLost = true
			return
		}
		t.isLost = false
		t.record, t.start = t.b.add(id), at
	case t.record == nil && !t.isLost && len(bytes.TrimSpace(line)) > 0:
		t.b.problem("text that belongs to no job")
	}
}

// begin begins an attribute, if a line is one without its indent.
func (t *textParser) begin(line []byte) bool {
	end := bytes.IndexByte(line, ' ') // no name has a space
	if end < 1 || !bytes.HasPrefix(line[end:], equals) || !isNameStart(line[0]) {
		return false
	}
	t.finish()
	if name := line[:end]; t.b.asks(name) {
		t.name, t.value, t.folded = name, line[end+len(equals):], false
	} else {
		t.b.meet(name)
	}
	return true
}

// isNameStart reports whether an attribute's name can begin with a byte.
func isNameStart(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// finish keeps the attribute begun last.
func (t *textParser) finish() {
	if t.name != nil {
		t.b.setOnce(t.record, t.name, t.value)
		t.name = nil
	}
}

// end ends the record begun last, without the blank lines after it.
func (t *textParser) end(at int) {
	if t.record == nil {
		return
	}
	t.finish()
	raw := bytes.TrimRight(t.data[t.start:at], "\r\n")
	t.closed = t.start + len(raw) + newline(t.data[t.start+len(raw):])
	t.record.Raw = t.data[t.start:t.closed]
}

func newline(s []byte) int {
	switch {
	case bytes.HasPrefix(s, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(s, []byte("\n")):
		return 1
	}
	return 0
}

// parseDSV reads qstat -f -F dsv: a line a job, "Job Id: ID" and name=value
// fields with a delimiter between them. In values PBS writes a backslash before
// each delimiter and each backslash.
func parseDSV(b *Batch) {
	for line := range bytes.Lines(b.chunk) {
		text := bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		id, rest, ok := cutField(text, b.delimiter)
		id, isJob := bytes.CutPrefix(id, []byte("Job Id: "))
		if !isJob {
			b.problem("a line that is not a job")
			continue
		}
		if len(bytes.TrimSpace(id)) == 0 {
			b.problem(noID)
			continue
		}
		r := b.add(id)
		r.Raw = line
		for ok {
			var field []byte
			field, rest, ok = cutField(rest, b.delimiter)
			name, value, pair := bytes.Cut(field, []byte("="))
			if !pair {
				b.problem("a field without a value")
				continue
			}
			if b.asks(name) {
				b.setOnce(r, name, value)
			} else {
				b.meet(name)
			}
		}
	}
	b.checkLineEnd()
}

// SplitDSV returns the fields of a line of DSV, which have bars between them.
func SplitDSV(line string) []string {
	var fields []string
	for rest, more := []byte(line), true; more; {
		var field []byte
		field, rest, more = cutField(rest, []byte("|"))
		fields = append(fields, string(field))
	}
	return fields
}

// cutField cuts off the text before the next delimiter that is not escaped. more
// reports whether there was one.
func cutField(s, delimiter []byte) (field, rest []byte, more bool) {
	field = s
	for from := 0; ; {
		i := bytes.Index(s[from:], delimiter)
		if i < 0 {
			break
		}
		at := from + i
		before := s[:at]
		if backslashes := len(before) - len(bytes.TrimRight(before, `\`)); backslashes%2 == 0 {
			field, rest, more = before, s[at+len(delimiter):], true
			break
		}
		from = at + 1
	}
	if bytes.IndexByte(field, '\\') >= 0 {
		field = unescapeDSV(field, delimiter)
	}
	return field, rest, more
}

// unescapeDSV takes the backslashes away that stand before delimiters and
// backslashes.
func unescapeDSV(field, delimiter []byte) []byte {
	out := make([]byte, 0, len(field))
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+1 < len(field) && (field[i+1] == '\\' || bytes.HasPrefix(field[i+1:], delimiter)) {
			i++
		}
		out = append(out, field[i])
	}
	return out
}

// findDelimiter returns what separates the first line's fields: it stands
// between the ID and the name of the first attribute.
func findDelimiter(line []byte) []byte {
	first := len(line)
	for _, name := range []string{"Job_Name=", "Job_Owner="} {
		if i := bytes.Index(line[:first], []byte(name)); i > len("Job Id: ") {
			first = i
		}
	}
	start := first
	for start > 0 && !isIDByte(line[start-1]) {
		start--
	}
	if first == len(line) || start == first {
		return []byte("|")
	}
	return line[start:first]
}

// isIDByte reports whether a byte can be part of a job's ID.
func isIDByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '[' || c == ']' || c == '_'
}
