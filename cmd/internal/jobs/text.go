package jobs

import "bytes"

// parseText reads qstat -f's text: a line "Job Id: ID", attributes in lines
// "    name = value", whose continuation begins with a tab, a blank line.
func parseText(b *Batch) {
	t := textParser{b: b, data: b.chunk, header: []byte("Job Id: ")}
	if b.queues {
		t.header = []byte("Queue: ")
	}
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
}

type textParser struct {
	b      *Batch
	data   []byte
	header []byte
	record *Record // nil before the first
	start  int     // of the record
	closed int     // end of the last record
	name   []byte  // of the attribute begun last, nil when it is not kept
	value  []byte
	folded bool // the value is a copy
}

var indent, equals, resourceBytes = []byte("    "), []byte(" = "), []byte(resourcePrefix)

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
	case line[0] == ' ' && bytes.HasPrefix(line, indent) && t.record != nil:
		t.finish()
		rest := line[len(indent):]
		end := bytes.IndexByte(rest, ' ') // no name has a space
		if end < 1 || !bytes.HasPrefix(rest[end:], equals) {
			t.b.problem("a line without a value")
			return
		}
		name := rest[:end]
		if _, wanted := t.b.schema.wants(name); wanted || name[0] == resourcePrefix[0] && bytes.HasPrefix(name, resourceBytes) {
			t.name, t.value, t.folded = name, rest[end+len(equals):], false
		}
	case bytes.HasPrefix(line, t.header):
		t.end(at)
		switch len(t.b.Records) {
		case 0:
			t.b.Before = t.data[:at]
		case 1:
			t.b.Between = t.data[t.closed:at]
		}
		t.record, t.start = t.b.add(bytes.TrimSpace(line[len(t.header):])), at
	case len(bytes.TrimSpace(line)) > 0:
		t.b.problem("text that belongs to no job")
	}
}

// finish keeps the attribute begun last.
func (t *textParser) finish() {
	if t.name != nil {
		t.b.set(t.record, t.name, t.value)
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
// fields with a delimiter between them. A backslash before a delimiter makes
// it part of the value.
func parseDSV(b *Batch) {
	for line := range bytes.Lines(b.chunk) {
		text := bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		id, rest, ok := cutField(text, b.delimiter)
		id, isJob := bytes.CutPrefix(id, []byte("Job Id: "))
		if !isJob {
			b.problem("a line that is no job")
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
			b.set(r, name, value)
		}
	}
}

// cutField takes the text before the next delimiter that no backslash
// precedes; more tells whether there was one.
func cutField(s, delimiter []byte) (field, rest []byte, more bool) {
	from := 0
	escaped := false
	for {
		i := bytes.Index(s[from:], delimiter)
		if i < 0 {
			field = s
			break
		}
		if at := from + i; at == 0 || s[at-1] != '\\' {
			field, rest, more = s[:at], s[at+len(delimiter):], true
			break
		}
		escaped = true
		from += i + len(delimiter)
	}
	if escaped {
		field = bytes.ReplaceAll(field, append([]byte{'\\'}, delimiter...), delimiter)
	}
	return field, rest, more
}

// findDelimiter finds what separates the first line's fields: it stands
// between the ID and the name of the first attribute.
func findDelimiter(line []byte) []byte {
	for _, name := range []string{"Job_Name=", "Job_Owner="} {
		if i := bytes.Index(line, []byte(name)); i > len("Job Id: ") {
			start := i
			for start > 0 && !isIDByte(line[start-1]) {
				start--
			}
			return line[start:i]
		}
	}
	return []byte("|")
}

// isIDByte tells whether a byte can be part of a job's ID.
func isIDByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '[' || c == ']' || c == '_'
}
