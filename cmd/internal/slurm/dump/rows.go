package dump

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
)

// Row is what scontrol prints of a node or a partition, or a row of a table, by its keys in lower case.
type Row map[string]string

// firsts are the keys with which records of scontrol begin.
var firsts = map[Kind]string{KindNodes: "NodeName", KindPartitions: "PartitionName", KindReservations: "ReservationName", KindLicences: "LicenseName", KindTopology: "SwitchName"}

// FirstKey returns the key with which the records of a kind begin, as scontrol prints it; "" for a kind without records.
func FirstKey(k Kind) string { return firsts[k] }

// comments are those of a topology.conf.
var comments = pattern.Of(`#[^\n]*`)

// records are the rows of a text.
type records struct {
	text string
	rows []Row
}

// Records returns what scontrol show node or partition prints, with -o or without or as JSON, and the like. Of several lists
// the first one counts. It is read once, and nobody changes it.
func (d *Dump) Records(k Kind) []Row {
	parts := d.All(k)
	if len(parts) == 0 {
		return nil
	}
	if known, isKnown := d.records.Load(k); isKnown && known.(records).text == parts[0].Text {
		return slices.Clone(known.(records).rows)
	}
	rows := d.readRecords(k, parts)
	d.records.Store(k, records{parts[0].Text, rows})
	return slices.Clone(rows)
}

// readRecords reads what Records returns.
func (d *Dump) readRecords(k Kind, parts []Part) []Row {
	if slurm.IsJSON(parts[0].Text) {
		list, _ := jsonRows(k, parts[0].Text, d.Zone())
		switch k {
		case KindReservations:
			d.setStates(list)
		case KindPartitions:
			d.fillUntold(list, parts[1:])
		}
		return list
	}
	return cut(k, recordsOf(k, firsts[k], parts[0].Text))
}

// recordsOf returns the records of a text that each begin with a key, as words of a key and a value. Of a key that comes twice, the first
// value counts.
func recordsOf(k Kind, first, text string) (list []Row) {
	if k == KindTopology {
		text = comments().ReplaceAllString(text, "")
	}
	for word := range strings.FieldsSeq(text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			continue
		}
		if key == first || k == KindTopology && strings.EqualFold(key, first) {
			list = append(list, Row{})
		}
		if len(list) > 0 {
			if key = strings.ToLower(key); list[len(list)-1][key] == "" {
				list[len(list)-1][key] = value
			}
		}
	}
	return list
}

// ReadTable reads a table, parted as Layout says: rows by the names of their columns in lower case, and how many are left
// out since they have more or fewer columns than the header.
func ReadTable(text string) (rows []Row, odd int) {
	lines := linesOf(text)
	l, ok := layoutOf(lines)
	if !ok {
		return nil, max(len(lines)-1, 0)
	}
	return l.rows(lines[1:])
}

// each yields the cells of the lines below a header, and returns how many lines are left out since they have more or fewer.
func (l *Layout) each(lines iter.Seq[string], yield func(cells []string)) (odd int) {
	var memory []string
	for line := range lines {
		if l.IsRule(line) {
			continue
		}
		cells := l.Cells(memory[:0], line)
		if cells == nil {
			odd++
			continue
		}
		memory = cells
		yield(cells)
	}
	return odd
}

// rows returns the lines below a header.
func (l *Layout) rows(lines []string) (rows []Row, odd int) {
	odd = l.each(slices.Values(lines), func(cells []string) {
		row := Row{}
		for i, cell := range cells {
			if _, isSecond := row[l.Names[i]]; !isSecond {
				row[l.Names[i]] = strings.TrimSpace(cell)
			}
		}
		rows = append(rows, row)
	})
	return rows, odd
}

// ColumnsOf returns the names of a header's columns in lower case, parted by pipes or by blanks.
func ColumnsOf(header string) []string {
	cells := strings.Fields(header)
	if strings.Contains(header, "|") {
		cells = strings.Split(header, "|")
	}
	for i, cell := range cells {
		cells[i] = strings.ToLower(strings.TrimSpace(cell))
	}
	return cells
}

// Number returns a number that a text holds, or what stands for one that is missing. What of the site is no number is said, see
// numbers.
func Number(text string, missing float64) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x >= 0 && !math.IsInf(x, 1) {
		return x
	}
	return missing
}
