package sacct

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// The same jobs in two tables count once, whichever columns one of them lacks, and a job that was requeued keeps each of its runs.
func TestCopyLacksColumns(t *testing.T) {
	tables := []string{"slurm-site/sacct-all.txt.gz", "slurm-replay/K1c/sacct.txt.gz"}
	if workshop.TestsAll() {
		tables = append(tables, "slurm-replay/K5c/sacct.txt.gz", "slurm-replay/S7a/sacct.txt.gz")
	}
	for at, name := range tables {
		text := workshop.Unpacked(t, "../../../../testdata/"+name)
		var rows [][]string
		for line := range strings.Lines(string(text)) {
			if cells := strings.Split(strings.TrimRight(line, "\n"), "|"); len(rows) == 0 || len(cells) == len(rows[0]) {
				rows = append(rows, cells)
			}
		}
		without := func(columns ...Column) string {
			var b strings.Builder
			var kept []int
			for i, name := range rows[0] {
				if !slices.ContainsFunc(columns, func(c Column) bool { return slices.Contains(names[c], strings.ToLower(name)) }) {
					kept = append(kept, i)
				}
			}
			for _, cells := range rows {
				for k, i := range kept {
					if k > 0 {
						b.WriteByte('|')
					}
					b.WriteString(cells[i])
				}
				b.WriteByte('\n')
			}
			return b.String()
		}
		count := func(isStreamed bool, texts ...string) string {
			var from []file.Source
			for i, text := range texts {
				from = append(from, file.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
			}
			jobs, runs, ran := 0, 0, int64(0)
			see := func(j *trace.Job) {
				jobs, runs = jobs+1, runs+len(j.Earlier())
				for _, r := range j.Earlier() {
					ran += r.End - r.Start
				}
				if run, ok := j.Run(); ok {
					ran += run
				}
			}
			keep := trace.Keep{}
			if isStreamed {
				keep.Done = func(_ *trace.Trace, j *trace.Job, _ int) { see(j) }
			}
			tr, err := trace.Read(from, time.UTC, keep, Format())
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range tr.Jobs {
				see(j)
			}
			if len(texts) > 1 && !isJoined(tr) {
				t.Error(name, "no run is said to be joined")
			}
			return fmt.Sprintf("%d jobs with %d earlier runs, %d s", jobs, runs, ran)
		}
		whole := without()
		var lacking [][]Column
		for _, c := range traceColumns {
			if !slices.Contains([]Column{JobID, State, Start, End, Cluster}, c) {
				lacking = append(lacking, []Column{c})
			}
		}
		lacking = append(lacking, []Column{Submit, Eligible}, []Column{Submit, Eligible, Elapsed, ElapsedRaw, Restarts})
		for s, isStreamed := range []bool{false, true} {
			want := count(isStreamed, whole)
			for i, columns := range lacking {
				cut := without(columns...)
				for k, texts := range [][]string{{whole, cut}, {cut, whole}} {
					if cut == whole || !workshop.TestsAll() && 2*s+k != (i+2*at)%4 {
						continue // one of four ways of each table, another one of the next
					}
					if got := count(isStreamed, texts...); got != want {
						t.Errorf("%s, streamed %v, the copy without %v as number %d: %s, want %s", name, isStreamed, columns, 2-k, got, want)
					}
				}
			}
		}
	}
}

// A job that was queued again has other runs, also where a table does not tell when it came.
func TestCopyOfRuns(t *testing.T) {
	const whole = "JobID|State|Submit|Start|End\n" +
		"7|REQUEUED|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00\n" +
		"7|COMPLETED|2026-03-02T09:20:00|2026-03-02T09:30:00|2026-03-02T09:50:00\n" +
		"8|CANCELLED|2026-03-02T09:21:00|Unknown|2026-03-02T09:31:00\n"
	var cut strings.Builder
	for line := range strings.Lines(whole) {
		cells := strings.Split(line, "|")
		cut.WriteString(strings.Join(slices.Delete(cells, 2, 3), "|"))
	}
	for _, texts := range [][]string{{whole}, {whole, whole}, {whole, cut.String()}, {cut.String(), whole}, {cut.String(), cut.String()}} {
		var from []file.Source
		for i, text := range texts {
			from = append(from, file.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		}
		tr, err := trace.Read(from, time.UTC, trace.Keep{}, Format())
		if err != nil || len(tr.Jobs) != 2 || len(texts) > 1 && tr.Doubled != 3 && !isJoined(tr) {
			t.Fatalf("%v: %d jobs, of which %d rows stand there twice and are not joined, of\n%s", err, len(tr.Jobs), tr.Doubled, strings.Join(texts, "\n"))
		}
		j := tr.Jobs[0]
		if earlier := j.Earlier(); len(earlier) != 1 || earlier[0].End-earlier[0].Start != 600 || j.End-j.Start != 1200 {
			t.Errorf("earlier runs %v, and one from %d to %d, of\n%s", earlier, j.Start, j.End, strings.Join(texts, "\n"))
		}
	}
}

// isJoined reports whether runs are said to be joined from tables with different columns.
func isJoined(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Remarks, func(r diag.Remark) bool { return strings.Contains(r.Text, "is joined from all of them") })
}
