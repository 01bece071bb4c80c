package dump

import (
	"iter"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm/sacct"
)

// Layout is how the lines of a table are parted into cells: by pipes, at columns of a width, or by blanks.
type Layout struct {
	Names    []string // of the columns, in lower case
	IsNarrow bool     // whether the columns have a width, which cuts off what is longer

	starts []int // of the columns where they have a width
	by     string
}

// preamble is what stands above a table: the cluster of sprio -M and squeue -M, and the time that squeue -l prints.
var preamble = pattern.Of(`^\s*(` + clusterLine + "|" + timeLine + ")+")

// timeLine is the time that squeue -l prints, such as Mon Sep 14 10:21:03 2026, or date above it, with a zone.
const timeLine = `\w{3} \w{3} +\d+ [\d:]{8} (?:[AP]M )?(?:[A-Z]{2,5} )?\d{4}\r?\n`

// IsRule reports whether a line is the one of dashes below a header.
func (l *Layout) IsRule(line string) bool { return l.IsNarrow && sacct.IsRule([]byte(line)) }

// numbersOf returns the numbers in a text, from 1, of some of its lines in their order.
func numbersOf(text string, lines []string) []int {
	numbers := make([]int, 0, len(lines))
	number := 0
	for line := range strings.Lines(text) {
		if number++; len(numbers) < len(lines) && strings.TrimRight(line, "\r\n") == lines[len(numbers)] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// headerOf returns the line that names the columns of a table.
func headerOf(text string) string {
	head := strings.TrimLeft(text[:min(len(text), file.MostTelling)], " \t\r\n")
	first, _, _ := strings.Cut(preamble().ReplaceAllString(head, ""), "\n")
	return first
}

// layoutOf returns how the lines of a table are parted, of which the first is its header; false where its columns cannot
// be told apart.
func layoutOf(lines []string) (*Layout, bool) {
	if len(lines) == 0 {
		return nil, false
	}
	l := &Layout{Names: ColumnsOf(lines[0])}
	if strings.Contains(lines[0], "|") {
		l.by = "|"
		return l, true
	}
	if len(lines) > 1 && sacct.IsRule([]byte(lines[1])) {
		for _, dashes := range nameInHeader().FindAllStringIndex(lines[1], -1) {
			l.starts = append(l.starts, dashes[0])
		}
		l.IsNarrow = true
		return l, len(l.starts) == len(l.Names)
	}
	header := strings.TrimRight(lines[0], " ")
	isPadded := strings.HasPrefix(header, " ") || strings.Contains(header, "  ")
	for _, finds := range []bool{isPadded, !isPadded} {
		if l.starts, l.IsNarrow = nil, false; finds {
			l.starts, l.IsNarrow = startsOf(header, lines[1:]), true
		}
		if l.IsNarrow && l.starts != nil || !l.IsNarrow && !slices.ContainsFunc(lines[1:], func(line string) bool { return l.fields(line) == nil }) {
			return l, true
		}
	}
	return l, false
}

// startsOf returns where the columns of a table begin whose cells have a width, nil where no such columns are seen. A
// name of the header stands at the begin of its column or at the end, and blanks part it from the next one in all rows. Of
// squeue -O alone nothing parts columns, which begin at each 20th letter.
func startsOf(header string, rows []string) []int {
	isBlank := func(at int) bool {
		return !slices.ContainsFunc(rows, func(row string) bool { return at < len(row) && row[at] != ' ' })
	}
	const width = 20 // of columns of squeue -O
	names := nameInHeader().FindAllStringIndex(header, -1)
	isRight := names[0][0] > 0
	starts := []int{0}
	for i := 1; i < len(names); i++ {
		end, begin := names[i-1][1], names[i][0]
		switch asRight, asLeft := isBlank(end), isBlank(begin-1); {
		case asRight && (isRight || !asLeft):
			starts = append(starts, end)
		case asLeft, begin%width == 0:
			starts = append(starts, begin)
		default:
			return nil
		}
	}
	return starts
}

// nameInHeader is the name of a column.
var nameInHeader = pattern.Of(`\S+`)

// Cells parts a line into as many cells as there are columns. It is nil where it has more or fewer. Those of a table with
// pipes take the place of memory, which is empty.
func (l *Layout) Cells(memory []string, line string) []string {
	switch {
	case l.by == "|":
		cells := memory
		for cell := range strings.SplitSeq(line, l.by) {
			cells = append(cells, cell)
		}
		if n := len(l.Names); len(cells) == n+1 && cells[n] == "" { // of -p, whose lines end with one
			cells = cells[:n]
		}
		if len(cells) != len(l.Names) {
			return l.mend(cells)
		}
		return cells
	case l.starts == nil:
		return l.fields(line)
	}
	var cells []string
	for i, start := range l.starts {
		end := len(line)
		if i+1 < len(l.starts) {
			end = l.starts[i+1]
		}
		cells = append(cells, strings.TrimSpace(line[min(start, len(line)):min(end, len(line))]))
	}
	return cells
}

// fields parts a line at its blanks. A reason in brackets, which may have blanks in it, ends it, and the name of a job may have
// some. It is nil where that leaves several ways of which each has a state of jobs in its place, or none.
func (l *Layout) fields(line string) (cells []string) {
	words, n := strings.Fields(line), len(l.Names)
	name, state := slices.Index(l.Names, "name"), max(slices.Index(l.Names, "st"), slices.Index(l.Names, "state"))
	isLast := l.Names[n-1] == "nodelist(reason)"
	more := len(words) - n
	if more < 0 {
		return nil
	}
	for ofName := range more + 1 {
		if ofName > 0 && name < 0 || ofName < more && !isLast {
			continue
		}
		parted := slices.Clone(words)
		if ofName > 0 {
			parted = slices.Replace(parted, name, name+ofName+1, strings.Join(words[name:name+ofName+1], " "))
		}
		parted = append(parted[:n-1], strings.Join(parted[n-1:], " "))
		switch isState := state < 0 || isStateOfQueue(parted[state]); {
		case !isState:
		case cells != nil:
			return nil
		default:
			cells = parted
		}
	}
	return cells
}

// Piped returns the lines of a table with pipes between their cells: none where its columns cannot be told apart, and none
// of a line that has other ones.
func Piped(text string) (lines []string) {
	table := linesOf(text)
	l, ok := layoutOf(table)
	if !ok {
		return nil
	}
	for i, line := range table {
		cells := l.Cells(nil, line)
		if i == 0 {
			cells = strings.Fields(line)
		}
		if cells != nil {
			lines = append(lines, strings.Join(cells, "|"))
		}
	}
	return lines
}

// Fills returns the values of a column that are as wide as it is, so that more of them may be cut off.
func (l *Layout) Fills(column string, values []string) (full []string) {
	i := slices.Index(l.Names, column)
	if !l.IsNarrow || i < 0 || i+1 >= len(l.starts) {
		return nil
	}
	width := l.starts[i+1] - l.starts[i]
	for _, value := range values {
		if isWide := len(value) >= width-1; isWide && !slices.Contains(full, value) {
			full = append(full, value)
		}
	}
	return full
}

// linesOf returns the lines of a table that are not empty, from its header on, which stands there once.
func linesOf(text string) []string {
	return slices.AppendSeq(make([]string, 0, strings.Count(text, "\n")+1), linesIn(text))
}

// linesIn yields what linesOf returns.
func linesIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		header, isBelow := "", false
		for line := range strings.Lines(text[len(preamble().FindString(text)):]) {
			line = strings.TrimRight(line, "\r\n")
			switch isEmpty := strings.TrimSpace(line) == ""; {
			case isEmpty, isBelow && line == header:
				continue
			case !isBelow:
				header, isBelow = line, true
			}
			if !yield(line) {
				return
			}
		}
	}
}
