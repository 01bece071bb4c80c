// Package conformance has only tests: they ask two commands the same, of every recorded site and of
// random ones, and hold the answers to each other.
package conformance

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/cli"
	"fairshare/cmd/internal/report"
	_ "fairshare/cmd/internal/workshop" // for its heap
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // of every site that says no zone
	code := m.Run()
	os.RemoveAll(unpackedIn)
	os.Exit(code)
}

// answer is what a command printed, and on standard error what it said.
type answer struct {
	code      int
	out, said string
}

// ask runs a command.
func ask(args ...string) answer { return askWith("", args...) }

// askWith runs a command that may read a text from standard input, and has it say all that it has to say. A forecast is made of two runs
// unless it is told of how many: relations hold of any number.
func askWith(text string, args ...string) answer {
	if args[0] == "when" && !slices.Contains(args, "--runs") {
		args = slices.Concat(args, []string{"--runs", "2"})
	}
	var out, said bytes.Buffer
	code := cli.Run(context.Background(), append(slices.Clip(args), "--notes"), cli.Config{Stdin: strings.NewReader(text), Stdout: &out, Stderr: &said})
	return answer{code, out.String(), said.String()}
}

// isGiven reports whether a command answered, if of a part of its input.
func (a answer) isGiven() bool { return a.code <= 1 }

// isForecast reports whether an answer of when forecasts something, and does not only tell what the scheduler itself expects.
func (a answer) isForecast() bool {
	return a.isGiven() && a.out != "" && !strings.Contains(a.said, "So nothing is forecast: ")
}

// answered runs a command that must answer, and returns what it printed.
func answered(t testing.TB, args ...string) string {
	t.Helper()
	a := ask(args...)
	if !a.isGiven() {
		t.Fatalf("formula %s: exit %d: %s", strings.Join(args, " "), a.code, a.said)
	}
	return a.out
}

// line is a row of an answer, by its columns.
type line map[string]string

// table is an answer with rows.
type table struct {
	columns []string
	rows    []line
}

// column returns the values of one column.
func (t table) column(name string) (values []string) {
	for _, row := range t.rows {
		values = append(values, row[name])
	}
	return values
}

// entry returns what a row is about: a job, at a Slurm site in one of its partitions.
func (l line) entry() string { return strings.TrimSpace(l["id"] + " " + l["partition"]) }

// entries returns the rows by what they are about.
func (t table) entries() map[string]line {
	all := map[string]line{}
	for _, row := range t.rows {
		all[row.entry()] = row
	}
	return all
}

// asked returns the rows that a command prints as CSV.
func asked(t testing.TB, args ...string) table {
	t.Helper()
	return ofCSV(t, answered(t, append(slices.Clone(args), "-o", "csv")...))
}

func ofCSV(t testing.TB, text string) table {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	cells, err := r.ReadAll()
	if err != nil || len(cells) == 0 {
		t.Fatalf("no CSV: %v\n%.300s", err, text)
	}
	of := table{columns: cells[0]}
	for _, row := range cells[1:] {
		values := line{}
		for i, cell := range row {
			values[cells[0][i]] = cell
		}
		of.rows = append(of.rows, values)
	}
	return of
}

// ofJSON returns the rows of an array of objects as CSV would have them: what null is has no text,
// and each of the variables or the terms of a row is a column of its own.
func ofJSON(t testing.TB, text string) (of table) {
	t.Helper()
	var list []map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v\n%.300s", err, text)
	}
	for _, object := range list {
		values := line{}
		for _, of := range []any{object, object["vars"], object["terms"]} {
			flatten(values, of)
		}
		of.rows = append(of.rows, values)
	}
	return of
}

// flatten adds the values of an object.
func flatten(into line, of any) {
	object, _ := of.(map[string]any)
	for name, value := range object {
		switch value := value.(type) {
		case nil:
			into[name] = ""
		case string:
			into[name] = value
		default:
			text, _ := report.Marshal(value)
			into[name] = string(text)
		}
	}
	delete(into, "vars")
	delete(into, "terms")
}
