package history_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/pbs/cluster"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// sheet returns the report of some logs of a site with 256 cpus.
func sheet(t *testing.T, zone string, q history.Question, logs ...string) *history.Sheet {
	t.Helper()
	var err error
	q.Zone = workshop.Zone(t, zone)
	if q.From == 0 {
		q.From = trace.Unknown
	}
	if q.To == 0 {
		q.To = trace.Unknown
	}
	from, _, err := pbssite.FindLogs(logs, zone, site.NewInput(strings.NewReader(""), sacct.Format()))
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
	s, _, err := ledger.Sheet(recorded, pbssite.CapacityOf(nodes), from.Continuity())
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
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			audited(t, python, c.zone, []history.Step{history.Day, history.Week, history.Month}, c.logs...)
		})
	}
	// Logs of all that may happen to a job, around the ends of months and changes of the clocks.
	dir := t.TempDir()
	for i := range uint64(workshop.Part(40)) {
		zone := []string{"Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe"}[i%4]
		location := workshop.Zone(t, zone)
		log := filepath.Join(dir, strconv.FormatUint(i, 10))
		if err := os.WriteFile(log, []byte(newRandomLog(i, location).text()), 0o600); err != nil {
			t.Fatal(err)
		}
		step := []history.Step{history.Day, history.Week, history.Month}[i%3]
		t.Run("random log "+strconv.FormatUint(i, 10)+" by "+string(step), func(t *testing.T) {
			t.Parallel()
			audited(t, python, zone, []history.Step{step}, log)
		})
	}
}

// audited holds reports of logs, one for each step, to what the script finds in them.
func audited(t *testing.T, python, zone string, steps []history.Step, logs ...string) {
	t.Helper()
	var names []string
	for _, step := range steps {
		names = append(names, string(step))
	}
	out, err := exec.Command(python, append([]string{"testdata/audit.py", zone, strings.Join(names, ","), "256"}, logs...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var tables [][][]string
	for _, row := range rows {
		if row[0] == "begin" {
			tables = append(tables, nil)
		}
		tables[len(tables)-1] = append(tables[len(tables)-1], row)
	}
	if len(tables) != len(steps) {
		t.Fatalf("%d tables, not %d", len(tables), len(steps))
	}
	for i, step := range steps {
		t.Run("by "+names[i], func(t *testing.T) { equal(t, sheet(t, zone, history.Question{Step: step}, logs...), tables[i]) })
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

// What is occupied beside a target is of all that was occupied in the period, and whole periods on a
// side are counted while somebody stays there.
func TestAim(t *testing.T) {
	s := sheet(t, "UTC", history.Question{Step: history.Day, Kind: "user"}, "../../../testdata/replay/L1/snapshot")
	hours := func(line *history.Line, name string) float64 {
		for _, column := range s.Columns {
			if column.Name == name {
				return column.Of(line)
			}
		}
		t.Fatal(name)
		return 0
	}
	s.Aim(map[string]float64{"alice": 2. / 11, "bob": 1.5 / 11, "dora": .5 / 11})
	all := map[int64]float64{}
	for _, line := range s.Lines {
		all[line.Begin] += hours(line, "cpu_hours")
	}
	sides := map[string][]float64{}
	for _, line := range s.Lines {
		share, target := hours(line, "share"), hours(line, "target")
		if want := hours(line, "cpu_hours") / all[line.Begin]; math.Abs(share-want) > 1e-12 {
			t.Errorf("%s has %v, not %v", line.Name, share, want)
		}
		if math.IsNaN(target) != math.IsNaN(hours(line, "distance")) {
			t.Errorf("%s has the target %v", line.Name, target)
		}
		sides[line.Name] = append(sides[line.Name], hours(line, "periods_on_that_side"))
	}
	// bob occupied 16.0, 21.4, 9.5 and 4.2 % of what was occupied on the four days; his target is 13.6 %.
	// The logs lack a part of the first and of the last one.
	want := map[string]string{"bob": "[NaN 1 -1 NaN]", "dora": "[NaN 1 2 NaN]", "carl": "[NaN 0 0]"}
	for name, periods := range want {
		if got := fmt.Sprint(sides[name]); got != periods {
			t.Errorf("%s: %s periods, not %s", name, got, periods)
		}
	}
	if parts := s.Parts(); !slices.Contains(parts, history.OfFairness) || len(parts) != 4 {
		t.Error(parts)
	}
}

// The sentence of a report has the figures of all its time, whatever its rows, but for what was in use
// in periods that the logs have in part.
func TestSummary(t *testing.T) {
	const log = "../../../testdata/replay/L1/snapshot"
	// 5534.5 and 5670.9 of twice 6144 cpu hours, 14877.3 of 256 cpus for 65:16:07 hours; the waits are those of "history -o csv", as Python's statistics has their median and inclusive quantiles.
	const ended = "672 jobs ended after 14\u202f466 core hours, and of 683 jobs that started half waited no longer than 0:08:18 and one in ten longer than 7:15:35, beside 29 jobs still waiting at the end, whose waits are not in these."
	const days = "From 2026-03-02 07:43:54 UTC to 2026-03-05 01:00:00 UTC, 91.2% of the cpus were in use (in the 2 of 4 periods that the logs have in full), " + ended
	const week = "From 2026-03-02 07:43:54 UTC to 2026-03-05 01:00:00 UTC, 89.0% of the cpus were in use in the time that the logs cover, " + ended
	for _, c := range []struct {
		step history.Step
		kind string
		want string
	}{{history.Day, "", days}, {history.Day, "user", days}, {history.Week, "", week}, {history.Week, "user", week}} {
		if got := sheet(t, "UTC", history.Question{Step: c.step, Kind: c.kind}, log).Summary(); got != c.want {
			t.Errorf("by %v and %q: %s", c.step, c.kind, got)
		}
	}
	if got := sheet(t, "UTC", history.Question{Choice: history.Choice{Users: []string{"bob"}}}, log).Summary(); !strings.HasSuffix(got, " (only those of bob).") {
		t.Error(got)
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
