package sacct

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// IsRule reports whether a line is the one of dashes below a header, which shows how wide the columns are without -P.
func IsRule(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(line), []byte("--")) && len(bytes.Trim(line, "- \r\n")) == 0
}

// cutAt parts rows at columns of the widths that a line of dashes shows, and reports whether there are as many as names.
func (s *Splitter) cutAt(rule []byte) bool {
	s.widths, s.indent = nil, len(rule)-len(bytes.TrimLeft(rule, " "))
	for dashes := range bytes.FieldsSeq(rule) {
		s.widths = append(s.widths, len(dashes))
	}
	return len(s.widths) == len(s.Names)
}

// names that a table of a width may show in part.
var mayBeCut = []string{"user", "group", "account", "partition", "qos", "jobname", "cluster"}

// times are the columns without which a job would be one that never started or never ended.
var times = []string{"submit", "eligible", "start", "end"}

// isCutOff is why a row is left out whose job cannot be told.
const isCutOff = "the number of the job is cut off by the width of its column: the row is left out (sacct -P cuts nothing off)"

// cut returns the cells of a row in columns of a width. Sacct ends a value with + that it has cut off: of names, that is
// kept, of states, the whole one is found, a row whose time is cut off is left out, as is one whose number is where no other table is joined, and
// other values are taken as not known.
func (s *Splitter) cut(line []byte) (cells [][]byte, why string) {
	cells, s.short = s.cells[:0], s.short[:0]
	line = line[min(s.indent, len(line)-len(bytes.TrimLeft(line, " "))):]
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
			case name == "jobid" && bytes.IndexByte(cell, '.') < 0 && s.isJoined:
			case name == "jobid" && bytes.IndexByte(cell, '.') < 0:
				return nil, isCutOff
			case slices.Contains(times, name):
				return nil, "the time in the column " + name + " is cut off by the width of its column: the row is left out (sacct -P cuts nothing off)"
			case name == "jobid": // of a step
			default:
				s.short = append(s.short, i)
				if !slices.Contains(mayBeCut, name) {
					cell = nil
				}
			}
		}
		cells = append(cells, cell)
	}
	s.cells = cells
	return cells, ""
}

// countCut counts the values of a job that the widths of their columns have cut off.
func (r *Reader) countCut(row *Row) {
	for column, at := range row.header.at {
		if at >= 0 && slices.Contains(row.header.short, at) {
			r.cut[column]++
		}
	}
}

// Cut says which columns of what was read were so narrow that values in them are cut off, and of how many jobs.
func (r *Reader) Cut() (remarks []diag.Remark) {
	var names, values []string
	for column, jobs := range r.cut {
		if jobs == 0 {
			continue
		}
		list, name := &values, Column(column).String()
		if slices.Contains(mayBeCut, name) {
			list = &names
		}
		*list = append(*list, fmt.Sprintf("%s (%s)", name, report.Count(jobs, "job")))
	}
	const instead = "sacct -P cuts nothing off, and %30 behind the name of a column makes it wider"
	if len(names) > 0 {
		remarks = append(remarks, diag.Warningf("sacct has cut names off with a + at the width of their columns, and those that are alike up to there count as one: %s (%s)", strings.Join(names, ", "), instead))
	}
	if len(values) > 0 {
		remarks = append(remarks, diag.Warningf("sacct has cut values off with a + at the width of their columns, which are taken as not known: %s (%s)", strings.Join(values, ", "), instead))
	}
	return remarks
}

// Piped returns a table in columns of a width with pipes between its cells, and any other text as it is.
func Piped(text string) string {
	header, rest, _ := strings.Cut(text, "\n")
	rule, rows, _ := strings.Cut(rest, "\n")
	if strings.Contains(header, "|") || !IsRule([]byte(rule)) {
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

// placeCut gives rows whose numbers the width of a column has cut off to the job of another table whose number begins like theirs. Where
// several do, they tell nothing of their own; where fewer do than rows, these are left out.
func (r *Reader) placeCut(cut []*kept, jobs map[string]*jobRows) {
	type begin struct {
		table *string
		id    string
	}
	rows := map[begin]int{}
	beginOf := func(k *kept) begin {
		id, _, _ := strings.Cut(strings.TrimSuffix(string(*k.text[JobID]), "+"), "%")
		return begin{k.table, id}
	}
	for _, k := range cut {
		rows[beginOf(k)]++
	}
	ids := slices.Sorted(maps.Keys(jobs))
	for _, k := range cut {
		of := beginOf(k)
		first, _ := slices.BinarySearch(ids, of.id)
		n := 0
		for first+n < len(ids) && strings.HasPrefix(ids[first+n], of.id) {
			n++
		}
		switch {
		case n < rows[of]:
			r.Damaged(*k.table, k.line, isCutOff)
		case n == 1 && len(jobs[ids[first]].rows) > 0:
			job := jobs[ids[first]]
			k.text[JobID] = job.rows[0].text[JobID]
			job.rows = append(job.rows, k)
		}
	}
}
