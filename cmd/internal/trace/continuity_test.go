package trace

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
)

// cpusOf returns the cpus of a recorded site.
func cpusOf(t *testing.T, run string) int64 {
	t.Helper()
	names, err := filepath.Glob(recordings + run + "/snapshot/node/pbsnodes*")
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %v (%v)", run, names, err)
	}
	text, err := file.At(names[0]).Text(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	cpus := int64(0)
	for _, m := range cpusOfVnode.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		cpus += n
	}
	if cpus == 0 {
		t.Fatalf("%s has no vnodes", run)
	}
	return cpus
}

// cpusOfVnode finds the cpus of a vnode in what pbsnodes prints, as text or JSON.
var cpusOfVnode = regexp.MustCompile(`resources_available(?:\.ncpus = |":\s*\{[^}]*"ncpus":\s*)(\d+)`)

// continuityOf returns the continuity of logs.
func continuityOf(t *testing.T, logs []file.Source, cpus int64) Continuity {
	t.Helper()
	tr, err := Read(logs, time.UTC, Keep{})
	if err != nil {
		t.Fatal(err)
	}
	return tr.Continuity(cpus)
}

// The logs of all recordings are whole, and their jobs have occupied no more than there is.
func TestRecordingsAreContinuous(t *testing.T) {
	entries, err := os.ReadDir(recordings)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, e := range entries {
		run := e.Name()
		if _, err := os.Stat(recordings + run + "/snapshot"); err != nil {
			continue // it has the starts of others again
		}
		count++
		logs := logsOf(t, run)
		c := continuityOf(t, logs, cpusOf(t, run))
		if run == "V3" { // where PBS itself gave vnodes away twice
			if c.Most != 279 || c.CPUs != 256 || c.Days != len(logs) {
				t.Errorf("%s: %+v", run, c)
			}
			continue
		}
		if c.IsBroken() || len(c.Remarks()) > 0 {
			t.Errorf("%s is broken: %+v: %v", run, c, c.Remarks())
		}
		if c.Days != len(logs) || c.Most < 1 || c.CPUs < c.Most {
			t.Errorf("%s: %+v, of %d days", run, c, len(logs))
		}
	}
	if count < 13 {
		t.Errorf("there are %d recordings", count)
	}
}

// Without any day between the first and the last one a recording is broken: by the day that
// is missing, and where there is an empty file of it, by the jobs that it had.
func TestMissingDay(t *testing.T) {
	const run = "L1"
	cpus := cpusOf(t, run)
	logs := logsOf(t, run)
	slices.SortFunc(logs, func(a, b file.Source) int { return strings.Compare(a.Name, b.Name) })
	if len(logs) < 4 {
		t.Fatalf("%d days are recorded", len(logs))
	}
	for i := 1; i < len(logs)-1; i++ {
		day := strings.TrimSuffix(path.Base(logs[i].Name), ".gz")
		at, err := time.Parse("20060102", day)
		if err != nil {
			t.Fatal(err)
		}
		c := continuityOf(t, slices.Delete(slices.Clone(logs), i, i+1), cpus)
		if diff := cmp.Diff([]string{at.Format(time.DateOnly)}, c.Missing); diff != "" || !c.IsBroken() || c.Days != len(logs)-1 {
			t.Errorf("without %s: %+v (-want +got):\n%s", day, c, diff)
		}
		remarks := c.Remarks()
		if want := fmt.Sprintf("there is no log of %s, between others", at.Format(time.DateOnly)); len(remarks) == 0 || !remarks[0].IsDamage || !strings.HasPrefix(remarks[0].Text, want) {
			t.Errorf("without %s it says %v", day, remarks)
		}
		empty := slices.Clone(logs)
		empty[i] = text("")
		empty[i].Name = day
		if c := continuityOf(t, empty, cpus); len(c.Missing) > 0 || c.Days != len(logs) || c.Startless == 0 || !c.IsBroken() {
			t.Errorf("with an empty log of %s: %+v", day, c)
		}
	}
	for _, some := range [][]file.Source{logs[1:], logs[:len(logs)-1], logs[2:3]} { // a recording may begin and end when it likes
		if c := continuityOf(t, some, cpus); len(c.Missing) > 0 || c.Days != len(some) {
			t.Errorf("from %s on, %d days: %+v", path.Base(some[0].Name), len(some), c)
		}
	}
}

// Logs are broken by each thing that is missing alone, and by nothing else.
func TestContinuity(t *testing.T) {
	const whole = "03/02/2026 08:00:00;S;1.s;user=a ctime=1772438400 qtime=1772438400 etime=1772438400 start=1772438400 Resource_List.ncpus=4 Resource_List.walltime=01:00:00 Resource_List.select=1:ncpus=4\n" +
		"03/02/2026 09:00:00;E;1.s;user=a ctime=1772438400 qtime=1772438400 etime=1772438400 start=1772438400 end=1772442000 Resource_List.ncpus=4 Resource_List.walltime=01:00:00 Resource_List.select=1:ncpus=4\n"
	start, end, _ := strings.Cut(whole, "\n")
	later := func(time string) string { return "03/02/2026 " + time + ";Q;2.s;user=a queue=q\n" }
	for _, row := range []struct {
		name, log string
		cpus      int64
		want      Continuity
		isBroken  bool
	}{
		{"nothing", "", 0, Continuity{}, false},
		{"a job", whole, 0, Continuity{Days: 1, Most: 4}, false},
		{"as many cpus as there are", whole, 4, Continuity{Days: 1, Most: 4, CPUs: 4}, false},
		{"one cpu more than there is", whole, 3, Continuity{Days: 1, Most: 4, CPUs: 3, Excess: Excess{4, 3, 3600, 3600, []string{"1.s"}}}, true},
		{"one cpu more, and a start in the second of an end", whole + strings.ReplaceAll(strings.ReplaceAll(whole, "1.s", "2.s"), "start=1772438400", "start=1772441999"), 3, Continuity{Days: 1, Most: 4, CPUs: 3, Excess: Excess{4, 3, 3600, 3600, []string{"1.s"}}}, true},
		{"a start in the second of an end", whole + strings.ReplaceAll(strings.ReplaceAll(whole, "1.s", "2.s"), "start=1772438400", "start=1772441999"), 0, Continuity{Days: 1, Most: 4}, false},
		{"a start a second before", whole + strings.ReplaceAll(strings.ReplaceAll(whole, "1.s", "2.s"), "start=1772438400", "start=1772441998"), 0, Continuity{Days: 1, Most: 8}, false},
		{"the next day", whole + "03/03/2026 08:00:00;Q;2.s;user=a queue=q\n", 0, Continuity{Days: 2, Most: 4}, false},
		{"the day after", whole + "03/04/2026 08:00:00;Q;2.s;user=a queue=q\n", 0, Continuity{Days: 2, Most: 4, Missing: []string{"2026-03-03"}}, true},
		{"two months", "02/28/2026 08:00:00;Q;2.s;user=a queue=q\n" + whole, 0, Continuity{Days: 2, Most: 4, Missing: []string{"2026-03-01"}}, true},
		{"an end without a start", "03/02/2026 07:00:00;Q;2.s;user=a queue=q\n" + end, 0, Continuity{Days: 1, Most: 4, Startless: 1}, true},
		{"a start before the logs", end, 0, Continuity{Days: 1, Most: 4}, false},
		{"a job that runs", start + "\n" + later("08:30:00"), 0, Continuity{Days: 1, Most: 4}, false},
		{"a job that is killed late", start + "\n" + later("10:00:00"), 0, Continuity{Days: 1, Most: 4}, false},
		{"a job that ought to have ended", start + "\n" + later("10:00:01"), 0, Continuity{Days: 1, Most: 4, Endless: 1}, true},
	} {
		got := continuityOf(t, []file.Source{text(row.log)}, row.cpus)
		if diff := cmp.Diff(row.want, got); diff != "" || got.IsBroken() != row.isBroken || (len(got.Remarks()) > 0) != row.isBroken {
			t.Errorf("%s: broken %v: %v (-want +got):\n%s", row.name, got.IsBroken(), got.Remarks(), diff)
		}
	}
}

// A little more in use than there is may be the scheduler's own doing, and is no damage; much more is.
func TestExcess(t *testing.T) {
	for _, e := range []Excess{{Most: 125, CPUs: 100}, {Most: 126, CPUs: 100}} {
		if got := e.Remark().IsDamage; got != (e.Most > 125) {
			t.Errorf("%d of %d: damage %v", e.Most, e.CPUs, got)
		}
	}
}

// Logs end too early for a time if lines that there must have been until then are missing.
func TestEndsBefore(t *testing.T) {
	const last, hour = 1772438400, 3600 // 08:00
	for _, row := range []struct {
		log   string
		after int64
		want  bool
	}{
		{"08:00:00;L;license;x", 2 * hour, false},
		{"08:00:00;L;license;x", 2*hour + 1, true},
		{"08:00:00;Q;1.s;queue=q", 24 * hour, false},
		{"08:00:00;Q;1.s;queue=q", 24*hour + 1, true},
	} {
		tr, err := Read([]file.Source{text("03/02/2026 " + row.log + "\n")}, time.UTC, Keep{})
		if err != nil || tr.EndsBefore(last+row.after) != row.want {
			t.Errorf("%s, %d seconds later: %v, want %v (%v)", row.log, row.after, !row.want, row.want, err)
		}
	}
	if tr, err := Read([]file.Source{text("")}, time.UTC, Keep{}); err != nil || tr.EndsBefore(last) {
		t.Errorf("empty logs end before something (%v)", err)
	}
}

// What was in use at most is the same whether jobs are kept or handed over.
func TestMostInUse(t *testing.T) {
	runs, err := filepath.Glob("../../../testdata/replay/*/snapshot/server_priv/accounting")
	if err != nil || len(runs) < 10 {
		t.Fatal(runs, err)
	}
	for _, run := range runs {
		names, err := filepath.Glob(run + "/*")
		if err != nil {
			t.Fatal(err)
		}
		var logs []file.Source
		for _, name := range names {
			logs = append(logs, file.At(name))
		}
		most := func(keep Keep) int64 {
			read, err := Read(logs, time.UTC, keep)
			if err != nil {
				t.Fatal(err)
			}
			return read.Continuity(1).Most
		}
		if kept, handed := most(Keep{}), most(Keep{Done: func(*Trace, *Job, int) {}}); kept != handed || kept == 0 {
			t.Errorf("%s: %d cpus are in use at most where jobs are kept, %d where they are handed over", run, kept, handed)
		}
	}
}

// One job is told of as one.
func TestContinuityWords(t *testing.T) {
	for _, c := range []struct {
		of   Continuity
		want string
	}{
		{Continuity{Startless: 1}, "1 job ended without a record of its start, while the logs last"},
		{Continuity{Startless: 2}, "2 jobs ended without a record of their start, while the logs last"},
		{Continuity{Endless: 1}, "1 job started and did not end, although its walltime is over: it is taken to end with it"},
		{Continuity{Endless: 2}, "2 jobs started and did not end, although their walltime is over: they are taken to end with it"},
	} {
		if remarks := c.of.Remarks(); len(remarks) != 1 || remarks[0].Text != c.want {
			t.Errorf("%+v: %v", c.of, remarks)
		}
	}
}
