package qstat

import "bytes"

// parseLines reads JSON objects, one a line or more, each with its ID among the
// members.
func parseLines(b *Batch) {
	for line := range bytes.Lines(b.chunk) {
		whole := bytes.TrimSpace(line)
		for text := whole; len(text) > 0; {
			if text[0] != '{' {
				b.problem("a line that is not an object")
				break
			}
			record, rest := b.object(text)
			switch {
			case len(record.ID) == 0:
				b.problem(noID)
				b.dropLast()
			case len(rest) == 0 && len(text) == len(whole):
				record.Raw = line
			default:
				record.Raw = append(bytes.Clone(text[:len(text)-len(rest)]), '\n')
			}
			text = bytes.TrimSpace(rest)
		}
	}
}

// object adds the job whose object a text begins with, and returns it with what
// stands behind it.
func (b *Batch) object(text []byte) (record *Record, rest []byte) {
	r := jsonReader{jsonScanner: jsonScanner{data: text, at: 1}, b: b, lines: true}
	record = b.add(nil)
	if !r.members(record) {
		b.clearLast()
		record.ID = nil
		r.at = 1
		r.repairedMembers(record)
		return record, nil
	}
	return record, text[r.at:]
}
