package jobs

import (
	"bytes"
	"slices"
)

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
				b.problem("an object without a job's ID")
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

// isJobOnLine reports whether a line is an object that is a job, and not a list
// of jobs.
func isJobOnLine(line []byte) bool {
	s := jsonReader{jsonScanner: jsonScanner{data: line, at: 1}}
	isJob := false
	for members := 0; ; members++ {
		s.space()
		if s.at < len(line) && line[s.at] == '}' {
			return isJob
		}
		if members > 0 && !s.take(',') {
			break
		}
		s.space()
		if s.at >= len(line) || line[s.at] != '"' {
			break
		}
		key, value, ok := s.key()
		if !ok {
			break
		}
		if line[value] == '{' && (isListKey(key) || LooksLikeID(key)) {
			return false
		}
		isJob = isJob || !slices.Contains(qstatMembers, string(key))
		if s.at = value; !s.skipValue() {
			break
		}
	}
	// It is no JSON, but may be meant as a job.
	return bytes.HasSuffix(line, []byte("}")) && !bytes.Contains(line, []byte(`"Jobs"`)) && len(line) > 2
}

// idNames are what a job's ID may be called where it is a member or a column.
var idNames = []string{"id", "Job Id", "Job_Id", "job_id", "JobID", "jobid"}
