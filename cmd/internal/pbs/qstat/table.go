package qstat

import (
	"bytes"
	"strconv"
	"strings"
)

// Table is what qstat prints without -f, alone or with -1, -a, -i, -n, -r, -s, -T, -u, -w and -x: one line a job, which has neither what a job asks
// for of its vnodes nor when it came to its queue.
type Table struct {
	Rows  []TableRow
	Lines int // that are of a job and cannot be read

	Unread []string // the IDs of these
	Differ []string // what of a job two tables tell differently, so that they are of different moments
}

// TableRow is the line of a job. What a table does not have is "", and so is what it has as "--".
type TableRow struct {
	ID, Name, User, Queue string
	State                 byte
	Chunks, Tasks, Memory string // that the job asks for, with -a and the like; tasks are its cpus
	Walltime              string // likewise, as HH:MM
	CPUTime               string // that it has used
	Elapsed               string // how long it has run, with -a and the like, as HH:MM
	Starts                string // when PBS expects to start it, with -T
	Comment               string // why it does not run, with -s

	Cut []string // its names that qstat has cut, which end with an asterisk
}

// The columns of the two kinds of tables.
var (
	plainColumns = strings.Fields("id name user cputime state queue")
	wideColumns  = strings.Fields("id user queue name session chunks tasks memory walltime state elapsed")
)

// IsTable reports whether a text is such a table, by the line that names its columns.
func IsTable(text []byte) bool {
	for line := range bytes.Lines(text) {
		if columnsOf(line) != nil {
			return true
		}
	}
	return false
}

// columnsOf returns the columns that the first line of a table names, nil for another line.
func columnsOf(line []byte) []string {
	text := strings.ToLower(strings.Join(strings.Fields(string(line)), " "))
	switch text {
	case "job id name user time use s queue":
		return plainColumns
	case "job id username queue jobname sessid nds tsk memory time s time", "job id username queue jobname sessid nds tsk memory time s start":
		return wideColumns
	}
	return nil
}

// ReadTable reads one table, or several of the same jobs, whose columns are joined job by job, see join. Tables of several servers may
// stand one below the other.
func ReadTable(texts ...[]byte) (t Table) {
	for _, text := range texts {
		t.read(text)
	}
	for i := range t.Rows {
		t.Rows[i].noteCut()
	}
	return t
}

// read adds the tables of a text.
func (t *Table) read(text []byte) {
	var columns []string
	var rows []TableRow                // of the table that is read
	var indent []byte                  // that stands before all lines of the table, as in a mail
	isOfStarts, hasJob := false, false // hasJob is whether the line before is that of a job
	var above []byte                   // the line before
	for line := range bytes.Lines(text) {
		if named := columnsOf(line); named != nil {
			t.join(rows)
			rows, columns, hasJob, indent = nil, named, false, indentOf(line)
			isOfStarts = endsWithStart(line) || endsWithStart(above) // some versions put Est, Start and Time one below the other
			continue
		}
		above = line
		fields := strings.Fields(string(line))
		isIndented := len(indentOf(bytes.TrimPrefix(line, indent))) > 0
		switch {
		case columns == nil || len(fields) == 0 || strings.Trim(strings.Join(fields, ""), "-") == "" && !isIndented:
			hasJob = hasJob && len(fields) > 0
		case isIndented && hasJob:
			rows[len(rows)-1].remark(fields)
		case isIndented || len(fields) == 1 && strings.HasSuffix(fields[0], ":"): // the name of a server, or the second line of a head
			hasJob = false
		case !LooksLikeID([]byte(strings.TrimSuffix(fields[0], "*"))):
			columns, hasJob = nil, false // something else follows
		default:
			row, ok := rowOf(fields, columns, isOfStarts)
			if hasJob = ok; !ok {
				t.Lines++
				t.Unread = append(t.Unread, fields[0])
				continue
			}
			rows = append(rows, row)
		}
	}
	t.join(rows)
}

// endsWithStart reports whether a line of a head names starts in its last column.
func endsWithStart(line []byte) bool {
	words := bytes.Fields(bytes.ToLower(line))
	return len(words) > 0 && string(words[len(words)-1]) == "start"
}

// indentOf returns the blanks before the first word of a line.
func indentOf(line []byte) []byte { return line[:len(line)-len(bytes.TrimLeft(line, " \t"))] }

// beside keeps what stands behind the columns of a line with -1: the vnodes that -n prints, and the comment that -s does.
func (r *TableRow) beside(fields []string) {
	if len(fields) > 0 && (fields[0] == "--" || strings.Contains(fields[0], "/")) {
		fields = fields[1:]
	}
	if text := strings.Join(fields, " "); text != "--" {
		r.Comment = text
	}
}

// remark keeps a line below that of a job: the comment that -s prints, and not the vnodes that -n does.
func (r *TableRow) remark(fields []string) {
	isOfVnodes := len(fields) == 1 && strings.Contains(fields[0], "/")
	if text := strings.Join(fields, " "); text != "--" && !isOfVnodes && r.Comment == "" {
		r.Comment = text
	}
}

// rowOf returns the row of a line of so many columns; ok is false for one of others.
func rowOf(fields, columns []string, isOfStarts bool) (r TableRow, ok bool) {
	if last := len(columns) - 1; len(fields) > len(columns) && len(columns) == len(wideColumns) {
		end := len(columns)
		for isOfStarts && end < len(fields) && fields[end] != "--" && !strings.Contains(fields[end], "/") { // a date of several words
			end++
		}
		r.beside(fields[end:])
		fields = append(fields[:last:last], strings.Join(fields[last:end], " "))
	}
	if len(fields) != len(columns) {
		return r, false
	}
	for i, name := range columns {
		value := fields[i]
		if strings.Trim(value, "-") == "" {
			value = ""
		}
		switch name {
		case "id":
			r.ID = value
		case "name":
			r.Name = value
		case "user":
			r.User = value
		case "queue":
			r.Queue = value
		case "chunks":
			r.Chunks = value
		case "tasks":
			r.Tasks = value
		case "memory":
			r.Memory = value
		case "walltime":
			r.Walltime = value
		case "cputime":
			r.CPUTime = value
		case "elapsed":
			if r.Elapsed = value; isOfStarts {
				r.Elapsed, r.Starts = "", value
			}
		case "state":
			if len(value) != 1 || value[0] < 'A' || value[0] > 'Z' {
				return r, false
			}
			r.State = value[0]
		}
	}
	return r, true
}

// Clock returns the seconds of a time that a table has as HH:MM; ok is false where it has none.
func Clock(text string) (seconds int64, ok bool) {
	hours, minutes, isClock := strings.Cut(text, ":")
	h, err := strconv.ParseInt(hours, 10, 64)
	m, wrong := strconv.ParseInt(minutes, 10, 64)
	return 3600*h + 60*m, isClock && err == nil && wrong == nil
}
