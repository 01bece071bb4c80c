package sacct

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// Tables of the same jobs tell the same in any order, be they handed over or kept: one that has each run of the jobs that were
// queued again (sacct -D), one that has the last, and one that was printed before; with the column Restarts and without it.
func TestOrderOfTables(t *testing.T) {
	const header = "JobID|User|Account|Partition|State|Submit|Eligible|Start|End|Elapsed|AllocCPUS|ExitCode"
	random := rand.New(rand.NewPCG(5, 6))
	at := func(minutes int) string {
		return time.Date(2026, 3, 2, 8, minutes, 0, 0, time.UTC).Format("2006-01-02T15:04:05")
	}
	for trial := range workshop.Part(200) {
		hasRestarts := trial%2 == 0
		var all, last, before []string // rows of three tables
		for id := range 12 {
			row := func(state string, submit, start, end, elapsed, restarts int) string {
				from, to := "Unknown", "Unknown"
				if start >= 0 {
					from = at(start)
				}
				if end >= 0 {
					to = at(end)
				}
				text := fmt.Sprintf("%d|u%d|a|p|%s|%s|%s|%s|%s|00:%02d:00|4|0:0", id+1, id%3, state, at(submit), at(submit), from, to, elapsed)
				if hasRestarts {
					text += fmt.Sprintf("|%d", restarts)
				}
				return text
			}
			submit, runs := 1+id, 1+random.IntN(4)
			for run := range runs {
				start := submit + random.IntN(20)
				end := start + 5 + random.IntN(20)
				paused := random.IntN(2) * 3
				state := "COMPLETED"
				if run < runs-1 {
					state = [...]string{"PREEMPTED", "NODE_FAIL", "REQUEUED"}[random.IntN(3)]
				}
				text := row(state, submit, start, end, end-start-paused, run)
				if run == runs-1 && id%3 == 0 {
					text = row("PENDING", submit, -1, -1, 0, run)
				}
				all = append(all, text)
				if run == 0 && runs > 1 && id%4 == 0 {
					before = append(before, row("RUNNING", submit, start, -1, 1, run))
				}
				if run == runs-1 {
					last = append(last, text)
				}
				submit = end
			}
		}
		tables := [][]string{all, last}
		title := header
		if hasRestarts {
			title += "|Restarts"
		}
		random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		read := func(tables [][]string, isKept bool) (jobs []string, unseen trace.Unseen) {
			var from []file.Source
			for i, rows := range tables {
				text := title + "\n" + strings.Join(rows, "\n") + "\n"
				from = append(from, file.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
			}
			keep := trace.Keep{}
			say := func(tr *trace.Trace, j *trace.Job) {
				text := sayJob(tr, j)
				for run := range len(j.Earlier()) + 1 {
					text += fmt.Sprint(" ", j.CameFor(run))
				}
				jobs = append(jobs, text)
			}
			if !isKept {
				keep.Done = func(tr *trace.Trace, j *trace.Job, _ int) { say(tr, j) }
			}
			tr, err := trace.Read(from, time.UTC, keep, Format())
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range tr.Jobs {
				say(tr, j)
			}
			slices.Sort(jobs)
			return jobs, tr.Unseen
		}
		sorted := slices.Clone(all)
		slices.SortFunc(sorted, func(a, b string) int {
			return strings.Compare(a[strings.Index(a, "2026"):], b[strings.Index(b, "2026"):])
		})
		want, unseen := read([][]string{sorted}, true)
		if len(want) != 12 || unseen.Runs != 0 {
			t.Fatalf("trial %d: %d jobs, %+v unseen", trial, len(want), unseen)
		}
		for _, order := range [][][]string{tables, {last, all}, {all}, {last, all, last}, {all, before}, {before, sorted}, {last, all, before}, {last, before, all}, {before, last, all}} {
			for _, isKept := range []bool{true, false} {
				if len(order) == 1 && !isKept && !hasRestarts {
					continue // a single table without the column has its rows in order
				}
				if got, lost := read(order, isKept); !slices.Equal(got, want) || lost.Runs != 0 {
					t.Fatalf("trial %d, kept %v: %d unseen, got\n%s\nwant\n%s", trial, isKept, lost.Runs, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}
