package history_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// sheet returns the report of some logs of a site with 256 cpus.
func sheet(t *testing.T, zone string, q history.Question, logs ...string) *history.Sheet {
	t.Helper()
	var err error
	if q.Zone, err = time.LoadLocation(zone); err != nil {
		t.Fatal(err)
	}
	if q.From == 0 {
		q.From = trace.Unknown
	}
	if q.To == 0 {
		q.To = trace.Unknown
	}
	from, _, err := site.FindLogs(logs, zone, site.NewInput(strings.NewReader("")))
	if err != nil {
		t.Fatal(err)
	}
	ledger := history.NewLedger(q)
	recorded, _, err := from.Read(ledger.Keep())
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.ParseSpec("256", cluster.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := ledger.Sheet(recorded, history.CapacityOf(nodes), from.Continuity())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The figures are those that a script finds which has nothing in common with this program.
func TestAudit(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		workshop.Skip(t, err)
	}
	recorded := func(run string) []string {
		logs, err := filepath.Glob("../../../testdata/replay/" + run + "/snapshot/server_priv/accounting/*")
		if err != nil || len(logs) == 0 {
			t.Fatal(run, err)
		}
		return logs
	}
	for _, c := range []struct {
		name, zone string
		logs       []string
	}{
		{"reservations", "UTC", recorded("V1")},
		{"reservations of a maintenance", "UTC", recorded("V6")},
		{"reruns", "UTC", recorded("V4m")},
		{"requeued by preemption", "UTC", recorded("P6r")},
		{"suspended", "UTC", recorded("Q3y")},
		{"suspended by preemption", "UTC", recorded("P6")},
		{"arrays", "UTC", recorded("P5")},
		{"three days", "UTC", recorded("L1")},
		{"midnight, month, arrays and winter time", "Europe/Berlin", []string{"testdata/clocks"}},
	} {
		for _, step := range []history.Step{history.Day, history.Week, history.Month} {
			t.Run(c.name+" by "+string(step), func(t *testing.T) {
				out, err := exec.Command(python, append([]string{"testdata/audit.py", c.zone, string(step), "256"}, c.logs...)...).Output()
				if err != nil {
					t.Fatal(err)
				}
				rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				equal(t, sheet(t, c.zone, history.Question{Step: step}, c.logs...), rows)
			})
		}
	}
}

// equal compares a report with rows of the same columns.
func equal(t *testing.T, s *history.Sheet, rows [][]string) {
	t.Helper()
	if len(s.Lines) != len(rows)-1 {
		t.Fatalf("%d periods, not %d", len(s.Lines), len(rows)-1)
	}
	for i, line := range s.Lines {
		got := map[string]float64{"begin": float64(line.Begin), "end": float64(line.End)}
		for _, column := range s.Columns {
			got[column.Name] = column.Of(line)
		}
		for k, name := range rows[0] {
			want, err := strconv.ParseFloat(rows[i+1][k], 64)
			if err != nil {
				want = math.NaN()
			}
			if x, ok := got[name]; !ok || math.Abs(x-want) > 1e-9*max(1, math.Abs(want)) || math.IsNaN(x) != math.IsNaN(want) {
				t.Errorf("%s: %s is %v, not %v", s.Title(line), name, x, want)
			}
		}
	}
}

// A day has 25 hours when the clocks are put back, and a day without a log is said.
func TestPeriods(t *testing.T) {
	s := sheet(t, "Europe/Berlin", history.Question{Step: history.Day}, "testdata/clocks")
	if len(s.Lines) != 9 || s.Lines[1].End-s.Lines[1].Begin != 25*3600 {
		t.Fatalf("%d periods", len(s.Lines))
	}
	if !strings.Contains(s.Lines[3].Lacks, "there is no log of 2026-10-27") || s.Lines[1].Lacks != "" {
		t.Errorf("it lacks %q and %q", s.Lines[3].Lacks, s.Lines[1].Lacks)
	}
}

// What users have occupied, done and waited adds up to the whole, and so do parts of the time.
func TestSums(t *testing.T) {
	const log = "../../../testdata/replay/P5/snapshot"
	whole := sheet(t, "UTC", history.Question{}, log)
	middle := at(t, "2026-03-02T19:00:00").Unix()
	begin, end := whole.Lines[0].Begin, whole.Lines[0].End
	for name, parts := range map[string][]*history.Line{
		"users":  sheet(t, "UTC", history.Question{Kind: "user"}, log).Lines,
		"halves": append(sheet(t, "UTC", history.Question{From: begin, To: middle}, log).Lines, sheet(t, "UTC", history.Question{From: middle, To: end}, log).Lines...),
	} {
		for _, column := range whole.Columns {
			switch column.Name {
			case "jobs_started", "jobs_ended", "cpu_hours", "core_hours_ended", "reruns", "core_hours_rerun", "killed_at_walltime", "failed":
				sum, want := 0., column.Of(whole.Lines[0])
				for _, line := range parts {
					sum += column.Of(line)
				}
				if math.Abs(sum-want) > 1e-6 || want == 0 {
					t.Errorf("%s: %s add up to %v, not %v", name, column.Name, sum, want)
				}
			}
		}
	}
}

// The rows of sacct are in no order of time: a report is the same in whatever order they come.
func TestOrderOfSacct(t *testing.T) {
	const name = "../../../testdata/slurm-site/sacct-all.txt.gz"
	text, err := file.At(name).Text(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(rows[1:])
	for i, row := range rows { // those of the job that was requeued stay in their order
		if strings.Contains(row, "|NODE_FAIL|") {
			requeued := rows[i]
			rows = append(slices.Insert(slices.Delete(rows, i, i+1), 1, requeued), "")
			break
		}
	}
	reversed := filepath.Join(t.TempDir(), "reversed.txt")
	if err := os.WriteFile(reversed, []byte(strings.Join(rows, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range []history.Question{{Step: history.Day, Kind: "user"}, {Step: history.Whole}, {Step: history.Month, Kind: "account"}} {
		want, got := sheet(t, "UTC", q, name), sheet(t, "UTC", q, reversed)
		if len(got.Lines) != len(want.Lines) || len(got.Lines) == 0 {
			t.Fatalf("%d lines, want %d", len(got.Lines), len(want.Lines))
		}
		for i, line := range got.Lines {
			if line.Span != want.Lines[i].Span || line.Name != want.Lines[i].Name || line.Lacks != want.Lines[i].Lacks {
				t.Errorf("%v %s, want %v %s", line.Span, line.Name, want.Lines[i].Span, want.Lines[i].Name)
			}
			for _, c := range got.Columns {
				if a, b := c.Of(line), c.Of(want.Lines[i]); math.Abs(a-b) > 1e-9*math.Abs(b) || math.IsNaN(a) != math.IsNaN(b) {
					t.Errorf("%s of %s: %g, want %g", c.Name, line.Name, a, b)
				}
			}
		}
	}
}
