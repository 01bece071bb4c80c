package jobs

import "bytes"

// parseText reads qstat -f's text: a line "Job Id: ID", attributes in lines
// "    name = value", whose continuation begins with a tab, a blank line.
func parseText(b *Batch) {
	data := b.chunk
	header := []byte("Job Id: ")
	if b.queues {
		header = []byte("Queue: ")
	}
	at, end := 0, 0
	var r *Record
	var name, value []byte
	start := 0
	finish := func() {
		if r != nil && name != nil {
			b.set(r, name, value)
		}
		name, value = nil, nil
	}
	closeRecord := func(to int) {
		finish()
		if r != nil {
			r.Raw = bytes.TrimRight(data[start:to], "\r\n")
			r.Raw = data[start : start+len(r.Raw)+newline(data[start+len(r.Raw):])]
			end = start + len(r.Raw)
		}
	}
	for at < len(data) {
		line := data[at:]
		next := len(data)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case bytes.HasPrefix(line, header):
			closeRecord(at)
			switch len(b.Records) {
			case 0:
				b.Before = data[:at]
			case 1:
				b.Between = data[end:at]
			}
			r, start = b.add(bytes.TrimSpace(line[len(header):])), at
		case len(bytes.TrimSpace(line)) == 0:
		case r == nil:
			b.problem("text that belongs to no job")
		case line[0] == '\t':
			if name != nil {
				value = append(value[:len(value):len(value)], line[1:]...)
			}
		case bytes.HasPrefix(line, []byte("    ")):
			finish()
			n, v, ok := bytes.Cut(line[4:], []byte(" = "))
			if !ok {
				b.problem("a line without a value")
				break
			}
			name, value = n, v
		default:
			b.problem("text that belongs to no job")
		}
		at = next
	}
	closeRecord(len(data))
	b.After = data[end:]
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
