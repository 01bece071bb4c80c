package sacct

import (
	"bytes"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// isRule reports whether a line is the one of dashes below a header, which shows how wide the columns are without -P.
func isRule(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(line), []byte("--")) && len(bytes.Trim(line, "- \r\n")) == 0
}

// cutAt parts rows at columns of the widths that a line of dashes shows, and reports whether there are as many as names.
func (s *Splitter) cutAt(rule []byte) bool {
	s.widths = nil
	for dashes := range bytes.FieldsSeq(rule) {
		s.widths = append(s.widths, len(dashes))
	}
	return len(s.widths) == len(s.Names)
}

// names that a table of a width may show in part.
var mayBeCut = []string{"user", "group", "account", "partition", "qos", "jobname", "cluster"}

// times are the columns without which a job would be one that never started or never ended.
var times = []string{"submit", "eligible", "start", "end"}

// cut returns the cells of a row in columns of a width. Sacct ends a value with + that it has cut off: of names, that is
// kept, of states, the whole one is found, a row whose number or time is cut off is left out, and other values are taken as not known.
func (s *Splitter) cut(line []byte) (cells [][]byte, why string) {
	cells = s.cells[:0]
	for i, width := range s.widths {
		end := min(width, len(line))
		cell := bytes.TrimSpace(line[:end])
		if line = line[end:]; len(line) > 0 {
			line = line[1:]
		}
		if len(cell) == width && cell[width-1] == '+' {
			switch name := s.Names[i]; {
			case name == "state":
				cell = slurm.StateCutOff(cell[:width-1])
			case name == "jobid" && bytes.IndexByte(cell, '.') < 0:
				return nil, "the number of the job is cut off by the width of its column: the row is left out (sacct -P cuts nothing off)"
			case slices.Contains(times, name):
				return nil, "the time in the column " + name + " is cut off by the width of its column: the row is left out (sacct -P cuts nothing off)"
			case !slices.Contains(mayBeCut, name) && name != "jobid":
				cell = nil
			}
		}
		cells = append(cells, cell)
	}
	s.cells = cells
	return cells, ""
}

// Piped returns a table in columns of a width with pipes between its cells, and any other text as it is.
func Piped(text string) string {
	header, rest, _ := strings.Cut(text, "\n")
	rule, rows, _ := strings.Cut(rest, "\n")
	if strings.Contains(header, "|") || !isRule([]byte(rule)) {
		return text
	}
	s := NewSplitter([]byte(header), func(string) bool { return false })
	if !s.cutAt([]byte(rule)) {
		return text
	}
	list := []string{strings.Join(strings.Fields(header), "|")}
	for line := range strings.Lines(rows) {
		if cells, why := s.Split([]byte(strings.TrimRight(line, "\r\n"))); why == "" && strings.TrimSpace(line) != "" {
			list = append(list, string(bytes.Join(cells, []byte("|"))))
		}
	}
	return strings.Join(list, "\n") + "\n"
}
