package sacct

import (
	"bytes"
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Begin returns a text from the header of its table on: blank lines and a few lines in words may stand above that, as where people paste
// what sacct printed below what they say of it. A text without such a header is returned without the blanks before it. A table that other signs
// part has pipes.
func Begin(text []byte) []byte {
	if by := delimiterOf(text); by != '|' {
		text = swapped(text, by)
	}
	text = bytes.TrimLeft(text, " \t\r\n\xef\xbb\xbf")
	const most = 5 // lines that have text, the header among them
	rest := text
	for range most {
		line, below, _ := bytes.Cut(rest, []byte("\n"))
		switch {
		case isHeading(line, below):
			return rest
		case !isWords(line):
			return text
		}
		rest = bytes.TrimLeft(below, " \t\r\n")
	}
	return text
}

// isHeading reports whether a line names the columns of a table, be it one whose line of dashes is missing.
func isHeading(line, below []byte) bool {
	if !bytes.Contains(line, []byte("JobID")) || !slices.Contains(Columns(string(line)), "JobID") { // to others JOBID
		return false
	}
	rule, _, _ := bytes.Cut(below, []byte("\n"))
	return bytes.Contains(line, []byte("|")) || IsRule(rule) || namesColumns(line)
}

// namesColumns reports whether so many columns that are read stand in a line that it is no text in words.
func namesColumns(line []byte) bool {
	const most = 2 // words of a text that are names of columns by chance
	h, n := newHeader(line, everyColumn()), 0
	for _, c := range everyColumn() {
		if h.Has(c) {
			n++
		}
	}
	return n > most
}

// isWords reports whether a line is in words, and nothing that a scheduler's command prints above other text.
func isWords(line []byte) bool {
	isLower := func(c rune) bool { return c >= 'a' && c <= 'z' }
	return !bytes.ContainsAny(line, "|;={}\"\x00") && bytes.ContainsFunc(line, isLower)
}

// passOver passes over a line of text above the table of a file.
func (r *Reader) passOver(name string) {
	if r.above == nil {
		r.above = map[string]int{}
	}
	r.above[name]++
}

// sayAbove says which text above tables was passed over.
func (r *Reader) sayAbove() (remarks []diag.Remark) {
	for _, name := range slices.Sorted(maps.Keys(r.above)) {
		remarks = append(remarks, diag.Notef("%s: passed over %s of text above the table of sacct", name, report.Count(r.above[name], "line")))
	}
	return remarks
}
