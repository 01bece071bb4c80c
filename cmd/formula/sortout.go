package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/jobs"
)

// printArray prints a JSON array, an element a line.
func printArray[E any](s *session, list []E, line func(E) any) error {
	opening := "[\n"
	for _, element := range list {
		text, err := marshal(line(element))
		if err != nil {
			return err
		}
		s.out.WriteString(opening)
		s.out.Write(text)
		opening = ",\n"
	}
	if len(list) == 0 {
		s.out.WriteString("[")
	}
	_, err := s.out.WriteString("\n]\n")
	return err
}

func (s *session) printCSV(r *ranking, entries []entry) {
	w := csv.NewWriter(s.out)
	header := []string{"rank", "id", "value", "float32", "log", "user", "entity", "queue", "state", "considered", "reason", "error"}
	if r.program != nil {
		header = append(header, r.program.vars...)
	}
	w.Write(header)
	for _, e := range entries {
		line := r.line(e)
		rank, value, float := "", "", ""
		if line.Rank != nil {
			rank = strconv.Itoa(*line.Rank)
		}
		if line.Value != nil {
			value, float = number(float64(*line.Value), 64), number(float64(*line.Float32), 32)
		}
		record := []string{rank, line.ID, value, float, line.Log, line.User, line.Entity, line.Queue, line.State,
			strconv.FormatBool(line.Considered), line.Reason, line.Error}
		if r.program != nil {
			for _, name := range r.program.vars {
				record = append(record, string(line.Vars[name]))
			}
		}
		w.Write(record)
	}
	w.Flush()
}

// printRecords prints the records as they stand in the input, in the new
// order, with what stands before, between and after them.
func (s *session) printRecords(l *jobList, entries []entry) {
	between := l.between
	if between == nil && l.format == jobs.JSON {
		between = []byte(",\n\t\t")
	}
	if l.format != jobs.DSV && l.format != jobs.JSONL {
		s.out.Write(l.before)
	}
	for i, e := range entries {
		if i > 0 {
			s.out.Write(between)
		}
		raw := l.raw(e.row)
		s.out.WriteString(raw)
		if l.format != jobs.JSON && !strings.HasSuffix(raw, "\n") && i+1 < len(entries) {
			s.out.WriteByte('\n') // the input's last line had no end
		}
	}
	if l.format == jobs.JSON || l.format == jobs.Text {
		s.out.Write(l.after)
	}
}

// printTable prints what people read. On a terminal it fits the width and has
// a bold header.
func (s *session) printTable(r *ranking, entries []entry) {
	header := []string{"RANK", "JOB", "VALUE", "", "USER", "ENTITY", "QUEUE"}
	if r.program != nil {
		header = append(header, r.program.vars...)
	}
	all := false
	for _, e := range entries {
		all = all || e.rank == 0
	}
	if all {
		header = append(header, "WHY NOT")
	}
	table := [][]string{header}
	for _, e := range entries {
		line := r.line(e)
		rank, value := "-", "-"
		if line.Rank != nil {
			rank = strconv.Itoa(*line.Rank)
		}
		m := ""
		if line.Value != nil {
			value = shownValue(line.Log, float64(*line.Float32))
			m = mark(e, r.scores.errs[e.row])
		}
		cells := []string{rank, line.ID, value, m, line.User, line.Entity, line.Queue}
		if r.program != nil {
			for _, name := range r.program.vars {
				cells = append(cells, string(line.Vars[name]))
			}
		}
		if all {
			cells = append(cells, line.Reason)
		}
		table = append(table, cells)
	}
	s.printCells(table, func(column int) bool { return column == 0 || column == 2 })
}

// printCells prints a table whose first row is the header; right tells which
// columns end at one place.
func (s *session) printCells(table [][]string, right func(column int) bool) {
	table = readable(table)
	widths := columnWidths(table)
	width := s.terminalWidth()
	bold := width > 0 && os.Getenv("NO_COLOR") == ""
	for n, cells := range table {
		var b strings.Builder
		for i, cell := range cells {
			if i > 0 && widths[i] > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right(i) {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		line := strings.TrimRight(b.String(), " ")
		if width > 0 && utf8.RuneCountInString(line) > width {
			line = string([]rune(line)[:width-1]) + "…"
		}
		if bold && n == 0 {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		fmt.Fprintln(s.out, line)
	}
}

// readable is a table without control characters and endless cells.
func readable(table [][]string) [][]string {
	const most = 200 // characters
	out := make([][]string, len(table))
	for n, cells := range table {
		out[n] = make([]string, len(cells))
		for i, cell := range cells {
			if len(cell) > most && utf8.RuneCountInString(cell) > most {
				cell = string([]rune(cell)[:most-1]) + "…"
			}
			out[n][i] = diag.Printable(cell)
		}
	}
	return out
}

func columnWidths(table [][]string) []int {
	widths := make([]int, len(table[0]))
	for _, cells := range table {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// tableWidth is how wide a table prints.
func tableWidth(table [][]string) int {
	total := 0
	for _, width := range columnWidths(table) {
		total += width + 2
	}
	return total - 2
}
