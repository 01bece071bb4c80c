package sacct

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// Splitter parts the rows of a table of sacct into their cells.
type Splitter struct {
	Names []string // of the columns, in lower case

	needed []int // columns about which no doubt may be
	free   []int // the columns in which people write what they like
	cells  [][]byte
	widths []int // of the columns where the table is not parted by pipes
	indent int   // how many blanks stand before the first of these, as in a mail
	short  []int // the columns whose values such a width has cut off in the last row
	doubt  []int // the columns that pipes leave doubt about in the last row

	isJoined bool // whether another table may tell a number that such a width has cut off
}

// isFree are the columns in which a pipe may be.
var isFree = map[string]bool{
	"jobname": true, "comment": true, "admincomment": true, "systemcomment": true, "submitline": true, "workdir": true, "wckey": true, "container": true,
	"constraints": true, "extra": true, "failednode": true, "licenses": true, "stdin": true, "stdout": true, "stderr": true,
}

// NewSplitter returns what parts the rows under a header. needed are the columns that are read:
// a row is only parted where all ways to do so say the same of them.
func NewSplitter(header []byte, needed func(column string) bool) *Splitter {
	s := &Splitter{}
	for i, name := range Columns(string(header)) {
		name = strings.ToLower(name)
		s.Names = append(s.Names, name)
		if isFree[name] {
			s.free = append(s.free, i)
		}
		if needed(name) {
			s.needed = append(s.needed, i)
		}
	}
	return s
}

// Columns returns the names of the columns of a header as they stand in it.
func Columns(header string) []string {
	line := strings.TrimRight(header, "\r\n")
	if !strings.Contains(line, "|") {
		return strings.Fields(line)
	}
	return strings.Split(strings.TrimLeft(line, " \t"), "|")
}

// Split returns the cells of a row, which hold until the next one, or why it is left out. A column
// that is not needed is empty where it is in doubt.
func (s *Splitter) Split(line []byte) (cells [][]byte, why string) {
	if s.widths != nil {
		return s.cut(line)
	}
	cells, s.doubt = s.cells[:0], s.doubt[:0]
	for rest := line; ; {
		end := bytes.IndexByte(rest, '|')
		if end < 0 {
			cells = append(cells, rest)
			break
		}
		cells = append(cells, rest[:end])
		rest = rest[end+1:]
	}
	s.cells = cells
	switch extra := len(cells) - len(s.Names); {
	case extra == 1 && len(cells[len(cells)-1]) == 0 && (len(s.free) == 0 || s.isFitting(line)): // of sacct -p, whose lines end with one
		return cells[:len(cells)-1], ""
	case extra < 0:
		return nil, fmt.Sprintf("%d columns, the header has %d: the row is left out", len(cells), len(s.Names))
	case extra > 0:
		return s.join(cells, extra)
	}
	return cells, ""
}

// join puts cells together that a pipe in a name has parted: in a way in which all other
// columns have what belongs into them, if all such ways say the same of the job.
func (s *Splitter) join(cells [][]byte, extra int) (joined [][]byte, why string) {
	const most = 200
	if extra > most || len(s.free) == 0 {
		return nil, fmt.Sprintf("%d columns, the header has %d: the row is left out", len(cells), len(s.Names))
	}
	var ways [][]int // how many more cells each free column has
	steps := 0
	var try func(column, at int, given []int)
	try = func(column, at int, given []int) {
		const mostSteps, mostWays = 100_000, 100
		if steps++; len(ways) == mostWays || steps > mostSteps {
			return
		}
		if column == len(s.Names) {
			if at == len(cells) {
				ways = append(ways, append([]int(nil), given...))
			}
			return
		}
		if !isFree[s.Names[column]] {
			if at < len(cells) && fits(s.Names[column], cells[at]) {
				try(column+1, at+1, given)
			}
			return
		}
		left := len(cells) - at - (len(s.Names) - column)
		for more := 0; more <= left; more++ {
			try(column+1, at+1+more, append(given, more))
		}
	}
	try(0, 0, nil)
	if len(ways) == 0 {
		return nil, ambiguous
	}
	if alike := slices.DeleteFunc(slices.Clone(ways), func(way []int) bool { return !s.isAsked(s.joinAs(cells, way)) }); len(alike) > 0 {
		ways = alike
	}
	joined = s.joinAs(cells, ways[0])
	for _, way := range ways[1:] {
		for at, cell := range s.joinAs(cells, way) {
			if bytes.Equal(cell, joined[at]) {
				continue
			}
			if slices.Contains(s.needed, at) {
				return nil, ambiguous
			}
			joined[at], s.doubt = nil, append(s.doubt, at)
		}
	}
	return joined, ""
}

// isAsked reports whether the line that submitted a job asks for the features that stand in the column Constraints, such as
// a|b.
func (s *Splitter) isAsked(cells [][]byte) bool {
	constraints, line := slices.Index(s.Names, "constraints"), slices.Index(s.Names, "submitline")
	if constraints < 0 || line < 0 || len(cells[constraints]) == 0 {
		return false
	}
	isOption := regexp.MustCompile(`(-C *|--constraint[= ])['"]?` + regexp.QuoteMeta(string(cells[constraints])) + `['"]?( |$)`)
	return isOption.Match(cells[line])
}

// ambiguous is why a row is left out whose columns cannot be told apart.
const ambiguous = "a name has a pipe in it, and the columns cannot be told apart: the row is left out (sacct without the columns in which people write has no such doubt)"

// joinAs puts cells together, in each free column so many more than one.
func (s *Splitter) joinAs(cells [][]byte, more []int) (joined [][]byte) {
	at, free := 0, 0
	for column := range s.Names {
		n := 1
		if isFree[s.Names[column]] {
			n += more[free]
			free++
		}
		joined = append(joined, bytes.Join(cells[at:at+n], []byte("|")))
		at += n
	}
	return joined
}

// fits reports whether a cell may stand in a column.
func fits(column string, cell []byte) bool {
	text := string(cell)
	isNumber := func() bool { _, err := strconv.ParseFloat(text, 64); return err == nil || text == "" }
	switch column {
	case "submit", "eligible", "start", "end":
		isNone := text == "" || text == "Unknown" || text == "None"
		isLong := len(text) >= len(local)
		isLocal, isSeconds := isLong && text[4] == '-' && text[10] == 'T', !isLong && integer(cell) > 0
		return isNone || isLocal || isSeconds
	case "alloccpus", "ncpus", "reqcpus", "nnodes", "allocnodes", "reqnodes", "elapsedraw", "priority", "uid", "gid", "associd", "dbindex", "cputimeraw", "qosraw", "wckeyid", "resvcpuraw", "restarts":
		return isNumber()
	case "state":
		return text == "" || slurm.StateNamed(word(cell)).Fate != 0
	case "exitcode", "derivedexitcode":
		return text == "" || strings.Count(text, ":") == 1 && !strings.ContainsAny(text, " =")
	case "elapsed", "timelimit", "cputime", "suspended", "resvcpu", "reserved", "planned", "plannedcpu", "usercpu", "systemcpu", "totalcpu":
		return text == "" || duration(cell) != Unknown || text == "UNLIMITED" || text == "Partition_Limit" || text == "INVALID"
	case "jobid", "jobidraw":
		return text != "" && text[0] >= '0' && text[0] <= '9'
	case "reqtres", "alloctres":
		return text == "" || strings.Contains(text, "=")
	}
	return column == "nodelist" || column == "reason" || !strings.Contains(text, " ")
}
