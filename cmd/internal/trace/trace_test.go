package trace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
)

const recordings = "../../../testdata/replay/"

// text returns a text as a source.
func text(s string) file.Source {
	return file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

func logsOf(t testing.TB, run string) []file.Source {
	t.Helper()
	names, err := filepath.Glob(recordings + run + "/snapshot/server_priv/accounting/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no logs (%v)", run, err)
	}
	slices.Reverse(names) // the order of files does not matter
	var logs []file.Source
	for _, name := range names {
		logs = append(logs, file.At(name))
	}
	return logs
}

var runs = []string{"A", "P2", "P5", "P6"}

// The history of each recorded run has every start and every end as recorded.
func TestRecordedStarts(t *testing.T) {
	compared := 0
	for _, run := range runs {
		tr, err := Read(logsOf(t, run), time.UTC, Keep{})
		if err != nil || len(tr.Problems) > 0 {
			t.Fatal(err, tr.Problems)
		}
		jobs := map[string]*Job{}
		for _, j := range tr.Jobs {
			jobs[j.ID] = j
		}
		last := map[string]map[string]string{}
		for _, row := range readCSV(t, recordings+run+"/starts.csv.gz") {
			last[row["job"]] = row
		}
		for id, row := range last {
			j := jobs[id]
			if j == nil {
				t.Errorf("%s: no job %s", run, id)
				continue
			}
			for name, got := range map[string]int64{"start": j.Start, "end": j.End} {
				want, err := strconv.ParseFloat(row[name], 64)
				if j.IsArray || err != nil {
					continue
				}
				compared++
				if int64(want) != got {
					t.Errorf("%s: %s of %s is %d, recorded %s", run, name, id, got, row[name])
				}
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d times compared", compared)
	}
}

// readCSV reads a packed table.
func readCSV(t testing.TB, name string) []map[string]string {
	t.Helper()
	rows := workshop.Table(t, name)
	var list []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, cell := range row {
			m[rows[0][i]] = cell
		}
		list = append(list, m)
	}
	return list
}

// What may happen to a job.
func TestJobs(t *testing.T) {
	const log = `03/02/2026 08:00:00;Q;1.s;queue=old
03/02/2026 08:00:00;Q;2.s;user=a queue=route ctime=1772438400 qtime=1772438400 etime=0
03/02/2026 08:00:05;Q;2.s;user=a queue=workq ctime=1772438400 qtime=1772438405 etime=1772438406
03/02/2026 08:01:00;S;2.s;user=a queue=workq ctime=1772438400 qtime=1772438405 etime=1772438406 start=1772438460 Resource_List.ncpus=4
03/02/2026 08:02:00;R;2.s;user=a queue=workq start=1772438460 end=1772438520
this line is damaged
03/02/2026 08:03:00;S;2.s;user=a queue=workq start=1772438580 Resource_List.ncpus=4
03/02/2026 08:03:10;z;2.s;resources_used.walltime=00:00:10
03/02/2026 08:03:40;r;2.s;
03/02/2026 08:04:00;E;2.s;user=a queue=workq start=1772438580 end=1772438640 Exit_status=271 run_count=2
03/02/2026 08:04:00;Q;3.s;user=b queue=workq ctime=1772438640 qtime=1772438640 etime=1772438640
03/02/2026 08:05:00;D;3.s;requestor=b@h
03/02/2026 08:05:00;E;4.s;user=c queue=workq ctime=1772430000 qtime=1772430000 etime=1772430000 start=1772430010 end=1772438700 Exit_status=0
03/02/2026 08:05:00;S;5[].s;user=c queue=workq start=1772438700
03/02/2026 08:05:00;S;5[1].s;user=c queue=workq etime=1772438650 start=1772438700 Resource_List.ncpus=2
03/02/2026 08:06:00;L;license;x
03/02/2026 08:07:00;Q;4.s;user=d queue=workq ctime=1772438820 qtime=1772438820 etime=1772438820
`
	tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range tr.Jobs {
		wait, _ := j.Wait()
		run, _ := j.Run()
		got = append(got, fmt.Sprintf("%s %s %s %c wait %d run %d paused %d earlier %d", j.ID, tr.Names.List[j.User], tr.Names.List[j.Queue], j.State, wait, run, j.Suspended(), len(j.Earlier())))
	}
	want := []string{
		"1.s  old Q wait 0 run 0 paused 0 earlier 0", "2.s a workq E wait 174 run 30 paused 30 earlier 1", "3.s b workq D wait 0 run 0 paused 0 earlier 0",
		"4.s c workq E wait 10 run 8690 paused 0 earlier 0", "5[].s c workq R wait 0 run 0 paused 0 earlier 0", "5[1].s c workq R wait 50 run 0 paused 0 earlier 0",
		"4.s d workq Q wait 0 run 0 paused 0 earlier 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(tr.Problems) != 1 || tr.Problems[0].Line != 6 || tr.Types["L"] != 1 || tr.Last != 1772438820 {
		t.Errorf("%v %v %d", tr.Problems, tr.Types, tr.Last)
	}
	// 4 cpus are in use for two runs, but for the pause; 2 from the array's subjob on.
	if most := tr.Occupancy().Largest(); most != 4 {
		t.Errorf("at most %d cpus", most)
	}
}

// Before its first run a job waits from its etime on, and before a later one from the end of the run before, since PBS keeps the
// etime of a job that is requeued; where a record tells of another one for a later run, it holds for that one alone.
func TestWaitsOfRequeuedJobs(t *testing.T) {
	const log = `03/02/2026 08:00:00;Q;1.s;user=a queue=q etime=1772438400
03/02/2026 08:10:00;S;1.s;user=a queue=q etime=1772438400 start=1772439000 Resource_List.ncpus=4
03/02/2026 08:30:00;R;1.s;user=a queue=q etime=RETIME start=1772439000 end=1772440200
03/02/2026 08:31:00;S;1.s;user=a queue=q etime=SETIME start=1772440260
03/02/2026 08:41:00;S;1.s;user=a queue=q etime=SETIME start=1772440860
03/02/2026 08:50:00;R;1.s;user=a queue=q etime=SETIME start=1772440860 end=1772441400
`
	for _, test := range []struct {
		name, ofRequeue, ofStart string
		want                     []int64 // waits before each run, and since when it waits now, in seconds from 8:00
	}{
		{"etime stays", "1772438400", "1772438400", []int64{600, 60, 0, 3000}},
		{"the record of the requeue has another one", "1772440230", "1772440230", []int64{600, 30, 0, 3000}},
		{"the next start has", "1772438400", "1772440240", []int64{600, 20, 0, 3000}},
	} {
		tr, err := Read([]file.Source{text(strings.NewReplacer("RETIME", test.ofRequeue, "SETIME", test.ofStart).Replace(log))}, time.UTC, Keep{})
		if err != nil {
			t.Fatal(err)
		}
		j := tr.Jobs[0]
		var got []int64
		for i, r := range j.Earlier() {
			got = append(got, r.Start-j.CameFor(i))
		}
		if got = append(got, j.CameFor(len(got))-1772438400); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		var all Tally
		all.Add(j, func(int64) bool { return true })
		if f := all.Figures(); f.Jobs != 3 || f.WaitMean != float64(test.want[0]+test.want[1]+test.want[2])/3 {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
}

// A log of which no time can be is a log still, and each line says what is wrong with it; a mark that an
// editor has put before the first line is no part of it.
func TestOddBegin(t *testing.T) {
	const line = ";E;1.s;ctime=1772438400 qtime=1772438400 etime=1772438400 start=1772438400 end=1772442000 Resource_List.ncpus=4\n"
	tr, err := Read([]file.Source{text("03/02/2200 09:00:00" + line)}, time.UTC, Keep{})
	if err != nil || len(tr.Problems) != 1 || tr.Problems[0].Line != 1 || !strings.Contains(tr.Problems[0].Detail, "does not lie between 1990 and 2199") {
		t.Errorf("%v %v", tr, err)
	}
	if tr, err = Read([]file.Source{text("\xef\xbb\xbf03/02/2026 09:00:00" + line)}, time.UTC, Keep{}); err != nil || len(tr.Problems) > 0 || len(tr.Jobs) != 1 {
		t.Errorf("%v %v", tr, err)
	}
}

// A log that goes on after years is whole.
func TestYearsWithoutLines(t *testing.T) {
	log := ""
	for _, year := range []string{"2021", "2024", "2026"} {
		log += strings.Repeat("03/02/"+year+" 09:00:00;Q;1.s;queue=q\n", 5)
	}
	tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
	if err != nil || len(tr.Problems) > 0 {
		t.Error(tr.Problems, err)
	}
}

// What logs have that are damaged, begin late, come twice, or go on after a crash.
func TestOddJobs(t *testing.T) {
	const end = "ctime=1772438400 etime=1772438400 start=1772438400 end=1772442000"
	for _, c := range []struct{ name, log, want string }{
		{"aborted", "08:00:00;Q;1.s;etime=1772438400\n08:01:00;A;1.s;Job deleted", "D 0 0"},
		{"moved", "08:00:00;Q;1.s;etime=1772438400\n08:01:00;M;1.s;destination=q@t", "D 0 0"},
		{"deleted while it runs", "08:00:00;S;1.s;start=1772438400\n08:10:00;D;1.s;requestor=a@h\n08:20:00;L;license;", "R 1200 0"},
		{"never started", "09:00:00;E;1.s;ctime=1772438400 etime=1772438400 start=0 end=1772442000", "E 0 0"},
		{"suspended to the end", "08:00:00;S;1.s;start=1772438400\n08:10:00;z;1.s;\n09:00:00;L;license;", "R 600 0"},
		{"suspended in a run before", "08:00:00;S;1.s;start=1772438400\n08:10:00;z;1.s;\n08:20:00;R;1.s;end=1772439600\n" +
			"08:30:00;S;1.s;start=1772440200\n09:00:00;E;1.s;end=1772442000", "E 1800 600"},
		{"began before the log", "08:30:00;R;1.s;start=1772438400 end=1772440200\n", "Q 0 1800"},
		{"a crash", "08:00:00;S;1.s;start=1772438400\n08:30:00;S;1.s;start=1772440200\n09:00:00;E;1.s;end=1772442000", "E 1800 1800"},
		{"twice", "08:00:00;S;1.s;ctime=1772438000\n08:30:00;R;1.s;ctime=1772438000\n08:30:00;S;1.s;ctime=1772438000\n09:00:00;E;1.s;ctime=1772438000\n" +
			"08:00:00;S;1.s;ctime=1772438000\n08:30:00;R;1.s;ctime=1772438000\n08:30:00;S;1.s;ctime=1772438000\n09:00:00;E;1.s;ctime=1772438000", "E 1800 1800"},
		{"in no order", "09:00:00;E;1.s;" + end + "\n08:00:00;S;1.s;ctime=1772438400 start=1772438400", "E 3600 0"},
		{"a number again", "09:00:00;E;1.s;" + end + "\n10:00:00;S;1.s;ctime=1772442001 start=1772445600", "E 3600 0, R 0 0"},
		{"a number again, of old", "08:00:00;Q;1.s;queue=q\n09:00:00;E;1.s;start=1772438400 end=1772442000\n10:00:00;Q;1.s;queue=q", "E 3600 0, Q 0 0"},
	} {
		log := ""
		for line := range strings.Lines(c.log) {
			log += "03/02/2026 " + strings.TrimSuffix(line, "\n") + "\n"
		}
		tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
		if err != nil || len(tr.Problems) > 0 {
			t.Errorf("%s: %v %v", c.name, tr.Problems, err)
			continue
		}
		var got []string
		for _, j := range tr.Jobs {
			last, earlier := int64(0), int64(0)
			switch {
			case j.Start == Unknown:
			case j.State == Ended:
				last = j.Active(j.Start, j.End)
			case j.State == Running:
				last = j.Active(j.Start, tr.Last)
			}
			for _, r := range j.Earlier() {
				earlier += j.Active(r.Start, r.End)
			}
			got = append(got, fmt.Sprintf("%c %d %d", j.State, last, earlier))
		}
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%s: %s, want %s", c.name, all, c.want)
		}
	}
}

// A file that ends too early costs what it does not have, and says so.
func TestCutOff(t *testing.T) {
	packed, err := os.ReadFile(recordings + "P2/snapshot/server_priv/accounting/20260302.gz")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Read([]file.Source{text(string(packed[:len(packed)/2]))}, time.UTC, Keep{})
	if err != nil || len(tr.Jobs) < 100 || len(tr.Problems) == 0 || !strings.Contains(tr.Problems[len(tr.Problems)-1].Detail, "unexpected EOF") {
		t.Errorf("%v %v", tr.Problems, err)
	}
}

// The hour that occurs twice when daylight saving time ends, and the one that does not
// occur when it begins.
func TestClock(t *testing.T) {
	c := NewClock(berlin(t), false)
	for _, step := range []struct {
		stamp Stamp
		want  string
	}{
		{Stamp{2026, 10, 25, 1, 59, 0}, "2026-10-24T23:59:00Z"},
		{Stamp{2026, 10, 25, 2, 30, 0}, "2026-10-25T00:30:00Z"},
		{Stamp{2026, 10, 25, 2, 29, 0}, "2026-10-25T00:29:00Z"}, // a clock that steps back
		{Stamp{2026, 10, 25, 2, 59, 0}, "2026-10-25T00:59:00Z"},
		{Stamp{2026, 10, 25, 2, 10, 0}, "2026-10-25T01:10:00Z"},
		{Stamp{2026, 10, 25, 3, 0, 0}, "2026-10-25T02:00:00Z"},
		{Stamp{2026, 3, 29, 1, 59, 59}, "2026-03-29T00:59:59Z"},
		{Stamp{2026, 3, 29, 3, 0, 0}, "2026-03-29T01:00:00Z"},
	} {
		if got := time.Unix(c.Unix(Line{Stamp: step.stamp}), 0).UTC().Format(time.RFC3339); got != step.want {
			t.Errorf("%v: %s, want %s", step.stamp, got, step.want)
		}
	}
}

// Whatever a log or a trace is, reading it ends, and its figures can be computed.
func FuzzLog(f *testing.F) {
	f.Add("03/02/2026 08:00:00;Q;1.s;queue=old\n03/02/2026 08:03:10;z;1.s;\n03/02/2026 08:03:40;S;1.s;start=1772438580\n03/02/2026 08:04:00;E;1.s;end=5 Resource_List.ncpus=99999999999999999\n")
	f.Add("; UnixStartTime: 1e9\n; User: 1 a\n1 0 5 60 4 -1 -1 4 60 -1 1 1 1 -1 1 -1 -1 -1\n2 1e14 1e14 1e14 1e14 1 1 1 1 1 1\n")
	f.Fuzz(func(t *testing.T, log string) {
		tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{Used: []string{"ncpus", "walltime"}})
		if err != nil {
			return
		}
		figuresOf(tr.Jobs)
		tr.Occupancy().Mean(tr.First, tr.Last)
		if err := tr.WriteSWF(io.Discard, tr.Jobs); err != nil {
			t.Error(err)
		}
	})
}

// What jobs ask for is kept on request, and how that changes on their way.
func TestStages(t *testing.T) {
	log := `03/02/2026 07:00:00;Q;1.s;user=u group=g queue=a ctime=1772434800 qtime=1772434800 etime=1772434800 Resource_List.ncpus=2 Resource_List.select=1:ncpus=2 Resource_List.walltime=60
03/02/2026 07:00:10;a;1.s;Resource_List.walltime=120 Resource_List.ncpus=3
03/02/2026 07:00:20;a;1.s;Priority=7
03/02/2026 07:00:30;Q;1.s;user=u group=g queue=b ctime=1772434800 qtime=1772434830 etime=1772434800 Resource_List.ncpus=3 Resource_List.select=1:ncpus=2 Resource_List.walltime=120
03/02/2026 07:01:00;S;1.s;user=u group=g queue=b ctime=1772434800 qtime=1772434830 etime=1772434850 start=1772434860 Resource_List.ncpus=3 Resource_List.select=1:ncpus=2 Resource_List.walltime=120
03/02/2026 07:02:00;E;2.s;user=u group=g queue=b ctime=1772430000 qtime=1772430000 etime=1772430000 start=1772430000 exec_vnode=(n1:ncpus=2) Resource_List.ncpus=2 end=1772434920
`
	tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{Requests: true})
	if err != nil || len(tr.Jobs) != 2 {
		t.Fatal(err, len(tr.Jobs))
	}
	j := tr.Jobs[0]
	type stage struct {
		from, walltime, priority int64
		queue, request           string
	}
	var got []stage
	for _, s := range j.Stages() {
		got = append(got, stage{s.From, s.Walltime, s.Priority, tr.Names.List[s.Queue], strings.ReplaceAll(tr.Names.List[s.Request], "\x1f", " ")})
	}
	want := []stage{
		{Unknown, 60, Unknown, "a", "ncpus=2 select=1:ncpus=2 "}, {1772434810, 120, Unknown, "a", "ncpus=3 select=1:ncpus=2 "},
		{1772434820, 120, 7, "a", "ncpus=3 select=1:ncpus=2 "}, {1772434830, 120, 7, "b", "ncpus=3 select=1:ncpus=2 "},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if j.Queued != 1772434830 || j.Arrival != 1772434850 || j.EligibleSince() != 1772434800 {
		t.Errorf("queued %d, arrived %d, eligible since %d", j.Queued, j.Arrival, j.EligibleSince())
	}
	if other := tr.Jobs[1]; other.Vnodes() != "(n1:ncpus=2)" || other.Stages() != nil {
		t.Errorf("%q", other.Vnodes())
	}
}
