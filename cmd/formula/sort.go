package main

import (
	"strconv"

	"fairshare/cmd/internal/report"
)

type sortCmd struct {
	formulaFlags
	privFlag
	siteFlags
	listFlags
	Output string `short:"o" enum:"table,ids,json,csv,jobs" default:"table" placeholder:"FORM" help:"What to print (${enum}); jobs: the records themselves, in the new order."`
	All    bool   `help:"Also print jobs that are not considered, with the reason."`
	Top    int    `placeholder:"N" help:"Print only the first N."`
	User   string `placeholder:"NAME" help:"Print only this user's jobs."`
	Queue  string `placeholder:"NAME" help:"Print only this queue's jobs."`
}

func (c *sortCmd) Run(s *session) error {
	if c.Top < 0 {
		return fail(exitUsage, "--top needs a number that is not negative")
	}
	p, err := s.plan(&c.siteFlags, c.SchedPriv, &c.formulaFlags)
	if err != nil {
		return err
	}
	list, err := s.readJobs(s.stdin(c.listFlags), c.Output == "jobs", p)
	if err != nil {
		return err
	}
	r, err := p.rank(list)
	if err != nil {
		return err
	}
	tied := r.floatTies()
	rows := c.rows(r, tied)
	switch c.Output {
	case "ids":
		for _, e := range rows {
			s.out.WriteString(list.row(e.row).id)
			s.out.WriteByte('\n')
		}
	case "json":
		err = printArray(s, rows, func(e entry) any { return r.line(e) })
	case "csv":
		s.printCSV(r, rows)
	case "jobs":
		s.printRecords(list, rows)
	default:
		s.printTable(r, rows)
	}
	s.closingNotes(r, len(tied))
	if err == nil && s.partly {
		err = failure{code: exitPartly}
	}
	return err
}

// entry is a line of output: a row and its rank, 0 when it is not considered.
type entry struct {
	row, rank int
	tied      bool // only because PBS keeps C floats
}

// rows are the entries to print.
func (c *sortCmd) rows(r *ranking, tied map[int]bool) []entry {
	l := r.list
	var entries []entry
	keep := func(row int) bool {
		return (c.User == "" || l.users.list[l.row(row).user] == c.User) &&
			(c.Queue == "" || l.queues.list[l.row(row).queue] == c.Queue)
	}
	for i, row := range r.order {
		if c.Top > 0 && len(entries) == c.Top {
			return entries
		}
		if keep(int(row)) {
			entries = append(entries, entry{int(row), i + 1, tied[int(row)]})
		}
	}
	for row := range l.len() {
		if c.Top > 0 && len(entries) == c.Top {
			break
		}
		if c.All && r.reasons[row] != "" && keep(row) {
			entries = append(entries, entry{row: row})
		}
	}
	return entries
}

// floatTies finds neighbours in the order whose C float is the same, but not
// the double.
func (r *ranking) floatTies() map[int]bool {
	tied := map[int]bool{}
	if r.program == nil {
		return tied
	}
	values := r.scores.values
	for from := 0; from < len(r.order); {
		first := values[r.order[from]]
		differ := false
		to := from + 1
		for ; to < len(r.order) && float32(values[r.order[to]]) == float32(first); to++ {
			differ = differ || values[r.order[to]] != first
		}
		for ; differ && from < to; from++ {
			tied[int(r.order[from])] = true
		}
		from = to
	}
	return tied
}

// closingNotes tells what the list met as a whole.
func (s *session) closingNotes(r *ranking, tied int) {
	counts := r.errorCounts()
	for _, message := range sortedKeys(counts) {
		s.diag.Note("%s: %s, value 0", count(counts[message], "job"), message)
		s.partly = true
	}
	if tied > 0 {
		s.diag.Note("%s tie only because PBS keeps values as C floats", count(tied, "job"))
	}
	if unreadable := len(r.list.unreadable); unreadable > 0 {
		s.diag.Note("%s: the scheduler cannot read an amount, and leaves them out", count(unreadable, "job"))
	}
}

// sortLine is a job in JSON.
type sortLine struct {
	Rank       *int               `json:"rank"`
	ID         string             `json:"id"`
	Value      *report.Number     `json:"value"`
	Float32    *report.Number     `json:"float32"`
	Log        string             `json:"log"`
	User       string             `json:"user"`
	Entity     string             `json:"entity"`
	Queue      string             `json:"queue"`
	State      string             `json:"state"`
	Considered bool               `json:"considered"`
	Reason     string             `json:"reason"`
	Error      string             `json:"error"`
	Vars       map[string]varJSON `json:"vars"`
}

func (r *ranking) line(e entry) sortLine {
	l := r.list
	row := l.row(e.row)
	line := sortLine{
		ID: row.id, User: l.users.list[row.user], Entity: l.entities.list[row.entity],
		Queue: l.queues.list[row.queue], State: string(row.state),
		Considered: r.reasons[e.row] == "", Reason: r.reasons[e.row], Vars: map[string]varJSON{},
	}
	if e.rank > 0 {
		line.Rank = &e.rank
	}
	if r.program == nil || !l.hasValue(e.row) {
		return line
	}
	result := r.scores.result(e.row)
	value, float := report.Number(result.Value), report.Number(result.Float32())
	line.Value, line.Float32, line.Log, line.Error = &value, &float, result.Log(), errorText(result.Err)
	for v, name := range r.program.vars {
		line.Vars[name] = varJSON(r.program.shown(v, e.row))
	}
	return line
}

// varJSON is a variable as PBS prints it.
type varJSON string

// MarshalJSON implements json.Marshaler: the digits are a number already, but
// for those that JSON lacks.
func (v varJSON) MarshalJSON() ([]byte, error) {
	switch v {
	case "inf", "-inf", "nan":
		return []byte(`"` + v + `"`), nil
	}
	return []byte(v), nil
}

// mark is what stands beside a value in a table.
func mark(e entry, err error) string {
	switch {
	case err != nil:
		return "!"
	case e.tied:
		return "="
	}
	return ""
}

// shownValue is a value as PBS logs it, shortened when it is long.
func shownValue(log string, v float64) string {
	const most = 14
	if len(log) <= most {
		return log
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
