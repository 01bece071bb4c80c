package record

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// aTable is a recorded table of sacct with a site that it may be replayed on.
type aTable struct{ site, table string }

// recordedTables are all tables of sacct that were recorded.
func recordedTables(t *testing.T) (list []aTable) {
	t.Helper()
	runs, err := filepath.Glob(dumptest.Replays + "*/sacct.txt.gz")
	if err != nil || len(runs) == 0 {
		t.Fatal("there are no runs: ", err)
	}
	for _, name := range runs {
		list = append(list, aTable{filepath.Join(filepath.Dir(name), "site.tgz"), name})
	}
	const sites = "../../../../testdata/slurm-site/"
	moments, err := filepath.Glob(sites + "*.tgz")
	if err != nil || len(moments) == 0 {
		t.Fatal("there are no sites: ", err)
	}
	for _, name := range moments {
		list = append(list, aTable{name, ""}, aTable{name, sites + "sacct-all.txt.gz"})
	}
	return list
}

// tablesOf returns the tables of one that was recorded, those within the site where it names none.
func (a aTable) tables(t *testing.T) []file.Source {
	t.Helper()
	if a.table != "" {
		return []file.Source{file.At(a.table)}
	}
	at, err := file.OpenTree(a.site)
	if err != nil {
		t.Fatal(err)
	}
	tables, _, err := dump.Accounting(at)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func (a aTable) setup(t *testing.T) *sched.Setup {
	t.Helper()
	setup, _, err := setup.Open(a.site)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// sayTraced returns what a report makes of the jobs of some tables, by their IDs.
func sayTraced(t *testing.T, tables []file.Source) (said map[string]string, of *trace.Trace) {
	t.Helper()
	tr, err := trace.Read(tables, time.UTC, trace.Keep{}, sacct.Format())
	if err != nil {
		t.Fatal(err)
	}
	said = map[string]string{}
	for _, j := range tr.Jobs {
		said[j.ID] = sayJob(j)
	}
	return said, tr
}

func sayJob(j *trace.Job) string {
	return fmt.Sprintf("%c submit %d start %d end %d", j.State, j.Queued, max(j.Start, 0), max(j.End, 0))
}

// sayRecorded returns what a replay makes of the jobs of some tables, by their IDs.
func sayRecorded(t *testing.T, setup *sched.Setup, tables []file.Source) (map[string]string, *Record) {
	t.Helper()
	r, err := Read(setup, tables, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, x := range r.Jobs {
		state, end := trace.Waiting, x.End
		switch {
		case x.CancelAt > 0:
			state, end = trace.Deleted, x.CancelAt
		case x.Start > 0 && x.End > 0:
			state = trace.Ended
		case x.Start > 0:
			state = trace.Running
		}
		said[x.ID] = fmt.Sprintf("%c submit %d start %d end %d", state, x.printed, x.Start, end)
	}
	return said, r
}

// What a report counts is what a replay reads: the same jobs with the same times, states and CPUs, but for those of which
// the replay says why it leaves them out.
func TestHistoryCountsWhatReplayReads(t *testing.T) {
	leftOut := regexp.MustCompile(`: (\d+) jobs? left out with`)
	for _, a := range recordedTables(t) {
		t.Run(filepath.Base(filepath.Dir(a.site))+filepath.Base(a.site)+filepath.Base(a.table), func(t *testing.T) {
			traced, of := sayTraced(t, a.tables(t))
			recorded, r := sayRecorded(t, a.setup(t), a.tables(t))
			lacking, byID := 0, map[string]*trace.Job{}
			for _, j := range of.Jobs {
				byID[j.ID] = j
				if recorded[j.ID] == "" {
					lacking++
				}
			}
			said, damaged := 0, 0
			for _, remark := range r.Remarks {
				if m := leftOut.FindStringSubmatch(remark.Text); m != nil {
					n, _ := strconv.Atoi(m[1])
					said += n
				}
				if remark.IsDamage {
					damaged++
				}
			}
			if lacking > said+damaged {
				t.Errorf("%d jobs of a report are not replayed, and it is said of %d, and of %d rows: %s", lacking, said, damaged, saidOf(r))
			}
			for _, x := range r.Jobs {
				j := byID[x.ID]
				if x.CancelAt > 0 { // not before they come: those of the future are cancelled when they could run
					j.End = max(j.End, x.Submit)
					traced[x.ID] = sayJob(j)
				}
				if traced[x.ID] != recorded[x.ID] {
					t.Errorf("job %s: a report has %q, a replay %q", x.ID, traced[x.ID], recorded[x.ID])
					continue
				}
				if x.Start > 0 && x.Throttle == 0 && len(x.Notes) == 0 && j.Arrival != cmp.Or(x.Again, x.Eligible) {
					t.Errorf("job %s: eligible at %d in a report, at %d in a replay", x.ID, j.Arrival, x.Eligible)
				}
				if asked := int64(x.Request.CPUs); asked > j.NCPUs || asked < j.NCPUs && x.Start == 0 { // it is given whole cores, or nodes
					t.Errorf("job %s: %d CPUs in a report, %d are asked for in a replay", x.ID, j.NCPUs, asked)
				}
			}
		})
	}
}

// inMemory returns texts as files of sacct.
func inMemory(texts ...string) (list []file.Source) {
	for i, text := range texts {
		list = append(list, file.Source{Name: fmt.Sprint("sacct", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	return list
}

// The same jobs come out of a table however it is printed, and in whatever pieces: with zones, as seconds since 1970, with a
// second header, and as tables of two months that overlap, in any order.
func TestWaysToPrintOneTable(t *testing.T) {
	twice := regexp.MustCompile(`: (\d+) rows? of runs that other rows tell of`)
	moment := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)
	for at, a := range recordedTables(t) {
		if a.table == "" || strings.HasSuffix(a.table, "sacct-all.txt.gz") {
			continue // which has rows that came later between others
		}
		text, err := file.ReadText(a.table, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		header, rest, _ := strings.Cut(text, "\n")
		header += "\n"
		rows := slices.Collect(strings.Lines(rest))
		half, overlap := len(rows)/2, len(rows)/10
		first, second := header+strings.Join(rows[:half+overlap], ""), header+strings.Join(rows[half:], "")
		shift := func(layout string, zone *time.Location) string {
			return moment.ReplaceAllStringFunc(text, func(at string) string {
				when, err := time.Parse(dump.TimeLayout, at)
				if err != nil {
					t.Fatal(err)
				}
				if layout == "" {
					return strconv.FormatInt(when.Unix(), 10)
				}
				return when.In(zone).Format(layout)
			})
		}
		want, _ := sayTraced(t, inMemory(text))
		setup := a.setup(t)
		read, _ := sayRecorded(t, setup, inMemory(text))
		for i, way := range []struct {
			name   string
			tables func() []file.Source
		}{
			{"with zones", func() []file.Source { return inMemory(shift("2006-01-02T15:04:05-0700", time.FixedZone("", 5400))) }},
			{"with a Z", func() []file.Source { return inMemory(shift(time.RFC3339, time.UTC)) }},
			{"in seconds", func() []file.Source { return inMemory(shift("", nil)) }},
			{"with a second header", func() []file.Source { return inMemory(first + second) }},
			{"with a mark behind", func() []file.Source { return inMemory(first + "\ufeff" + strings.ReplaceAll(second, "\n", "\r\n")) }},
			{"in two files", func() []file.Source { return inMemory(first, second) }},
			{"the later file first", func() []file.Source { return inMemory(second, first) }},
			{"the same twice", func() []file.Source { return inMemory(text, text) }},
			{"no end of the last line", func() []file.Source { return inMemory(strings.TrimSuffix(first, "\n"), second) }},
		} {
			if !workshop.Among(i+at, 1) { // other ways of the next table
				continue
			}
			name, tables := way.name, way.tables()
			got, of := sayTraced(t, tables)
			if !sameTexts(got, want) {
				t.Errorf("%s, %s: a report has %d jobs, want %d", a.table, name, len(got), len(want))
			}
			got, r := sayRecorded(t, setup, tables)
			if !sameTexts(got, read) {
				t.Errorf("%s, %s: a replay has %d jobs, want %d: %s", a.table, name, len(got), len(read), saidOf(r))
			}
			n := 0
			if m := twice.FindStringSubmatch(saidOf(r)); m != nil {
				n, _ = strconv.Atoi(m[1])
			}
			if n != of.Doubled {
				t.Errorf("%s, %s: %d rows are of runs that others tell of as well in a report, %d in a replay", a.table, name, of.Doubled, n)
			}
		}
	}
}

func sameTexts(a, b map[string]string) bool {
	for id, text := range a {
		if b[id] != text {
			return false
		}
	}
	return len(a) == len(b)
}
