package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// form is a command with several forms of output.
type form struct {
	args []string
	of   string // "pbs", "slurm" or "flux", "" for all
	jobs string // the column of CSV that has the jobs which a table lists as JOB

	isRounded  bool // whether CSV has whole points, as sprio prints them
	isOfRecord bool // whether it is the same at all moments of a run but for where its logs end
}

var forms = []form{
	{args: words("sort --all --why"), of: "pbs", jobs: "id"},
	{args: words("sort --all --now --tz UTC"), of: "pbs", jobs: "id"},
	{args: words("sort --all"), of: "slurm", jobs: "id"},
	{args: words("sort --all"), of: "flux", jobs: "id"},
	{args: words("compare -f ncpus"), of: "pbs"},
	{args: words("compare --set PriorityWeightAge=20000"), of: "slurm"},
	{args: words("compare --set weight.queue=2000"), of: "flux"},
	{args: words("priority"), of: "flux", jobs: "id"},
	{args: words("when --runs 1 --tz UTC --classic"), jobs: "job"},
	{args: words("priority"), of: "slurm", isRounded: true},
	{args: words("usage"), isOfRecord: true},
	{args: words("usage --fairness"), of: "pbs", isOfRecord: true},
	{args: words("nodes --tz UTC")},
	{args: words("history --tz UTC"), isOfRecord: true},
	{args: words("history --tz UTC --by day,user"), isOfRecord: true},
}

func words(text string) []string { return strings.Fields(text) }

// The forms of one command have the same rows and values: CSV, JSON, a table, and ids.
func TestForms(t *testing.T) {
	hold(t, sitesOfForms(t), 31, func(t testing.TB, p place, d *differences) {
		for _, f := range forms {
			if (f.of == "" || f.of == p.scheduler()) && !(f.isOfRecord && strings.HasPrefix(p.name, "moments/")) {
				formsOf(t, p, f, d)
			}
		}
	})
}

func formsOf(t testing.TB, p place, f form, d *differences) {
	name := strings.Join(f.args, " ")
	args := slices.Insert(slices.Clone(f.args), 1, p.dir)
	a := ask(append(args, "-o", "csv")...)
	inJSON := ask(append(args, "-o", "json")...)
	d.equal("exit of "+name+" as CSV and as JSON", a.code, inJSON.code)
	if !a.isGiven() || !inJSON.isGiven() {
		return
	}
	d.equal("warnings of "+name+" as CSV and as JSON", warnings(a.said), warnings(inJSON.said))
	first, second := ofCSV(t, a.out), ofJSON(t, rowsOf(t, inJSON.out))
	d.equal("rows of "+name+" as CSV and as JSON", len(first.rows), len(second.rows))
	for i := range min(len(first.rows), len(second.rows)) {
		for _, column := range first.columns {
			value, isThere := second.rows[i][column]
			switch cell := first.rows[i][column]; {
			case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"): // a list, of which CSV makes a text
			case column == "users" && !isThere: // each job of the row has its own
				for user := range strings.SplitSeq(cell, ",") {
					if user != "" && !strings.Contains(second.rows[i]["jobs"], `"user":"`+user+`"`) {
						d.add("%s: no job of row %d is of %s in JSON", name, i+1, user)
					}
				}
			case !isThere && cell != "":
				d.add("%s: JSON has no %s, which is %s in row %d of CSV", name, column, cell, i+1)
			case isThere && !f.isSame(column, cell, value):
				d.add("%s: %s of row %d is %q in CSV and %q in JSON", name, column, i+1, cell, value)
			}
		}
	}
	if f.jobs != "" {
		jobs := first.column(f.jobs)
		d.equal("jobs of "+name+" in CSV and a table", jobs, parted(jobsOf(answered(t, args...)), jobs))
	}
}

// isSame reports whether a cell of CSV and a value of JSON are the same text or the same number. CSV
// has a mark before what a spreadsheet would take for a formula.
func (f form) isSame(column, cell, value string) bool {
	if cell == value || cell == "'"+value {
		return true
	}
	bits := 64
	if column == "float32" {
		bits = 32
	}
	x, errX := strconv.ParseFloat(cell, bits)
	y, errY := strconv.ParseFloat(value, bits)
	return errX == nil && errY == nil && (x == y || f.isRounded && math.Abs(x-y) <= 0.5)
}

// warnings returns the lines of what a command says that warn.
func warnings(said string) (list []string) {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "warning: ") {
			list = append(list, line)
		}
	}
	return list
}

// rowsOf returns the array of rows in JSON, which may be one of several members.
func rowsOf(t testing.TB, text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return text
	}
	var of map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobs", "moves", "nodes"} {
		if list := string(of[name]); strings.HasPrefix(list, "[") {
			return list
		}
	}
	t.Fatalf("no rows in %.200s", text)
	return ""
}

// jobsOf returns what stands on each line of a table below JOB.
func jobsOf(text string) (list []string) {
	body, _, _ := strings.Cut(text, "\n\n")
	for _, mark := range []string{"\n* ", "\nrecorded starts of ", "\neach start is that of one run"} { // what marks are, or whom all are of, or what a single run is
		body, _, _ = strings.Cut(body, mark)
	}
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	column := utf8.RuneCountInString(lines[0][:max(0, strings.Index(lines[0], "JOB"))])
	for _, text := range lines[1:] {
		cells := []rune(text)
		cell := string(cells[min(column, len(cells)):])
		job, _, _ := strings.Cut(cell, " ")
		if job == "…" { // so many more of an array
			job = strings.TrimRight(cell, " ")
		}
		list = append(list, job)
	}
	return list
}

// parted returns the jobs of a table with the parts of arrays in place of the rows that count them, as all has them there; what is no part
// of the array stays out.
func parted(table, all []string) (list []string) {
	for _, job := range table {
		var n int
		var array string
		if _, err := fmt.Sscanf(job, "… %d more of %s", &n, &array); err != nil {
			list = append(list, job)
			continue
		}
		behind := all[min(len(list), len(all)):]
		for _, part := range behind[:min(n, len(behind))] {
			if stem, _, _ := strings.Cut(array, "[]"); strings.HasPrefix(part, stem+"_") || strings.HasPrefix(part, stem+"[") {
				list = append(list, part)
			}
		}
	}
	return list
}
