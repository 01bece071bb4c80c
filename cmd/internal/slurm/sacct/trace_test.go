package sacct

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

func readSacct(t *testing.T, text string) *trace.Trace {
	t.Helper()
	from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	tr, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Requests: true}, Format())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestSacctRecorded holds the jobs of a recorded run of Slurm 22.05.8 to what became of each, as it
// was recorded apart, and the core hours to sacct's own CPUTimeRAW.
func TestSacctRecorded(t *testing.T) {
	const dir = "../../../../testdata/slurm-site/"
	f, err := os.Open(dir + "sacct-all.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	tr := readSacct(t, string(text))
	if len(tr.Problems) > 0 {
		t.Error(tr.Problems)
	}
	s, err := os.Open(dir + "starts.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(s).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	number := func(text string) int64 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return trace.Unknown
	}
	places := map[string]int{}
	for i, j := range tr.Jobs {
		places[j.ID] = i
	}
	started := 0
	for _, row := range rows[1:] {
		id := row[at["job"]]
		i, ok := places[id]
		if strings.HasSuffix(id, "]") { // whose tasks are jobs here
			continue
		}
		if !ok {
			t.Errorf("job %s is missing", id)
			continue
		}
		j := tr.Jobs[i]
		if strings.Contains(row[at["key"]], "name with spaces") || row[at["nodelist"]] == "None assigned" {
			continue // the one is cut at a pipe there, the others have not started
		}
		recorded := trace.Run{Start: number(row[at["start"]]), End: number(row[at["end"]])}
		isRun := recorded == (trace.Run{Start: j.Start, End: j.End}) || slices.Contains(j.Earlier(), recorded) // one run of those requeued is recorded
		if !isRun || j.NCPUs != number(row[at["alloccpus"]]) || len(j.Earlier()) == 0 && j.Arrival != number(row[at["eligible"]]) {
			t.Errorf("job %s: %+v, earlier %v, recorded is %v", id, *j, j.Earlier(), row)
		}
		started++
	}
	const fewest = 380
	if started < fewest {
		t.Errorf("%d jobs started", started)
	}
	sum := int64(0)
	for _, j := range tr.Jobs {
		if run, ok := j.Run(); ok {
			sum += run * j.NCPUs
		}
		for _, run := range j.Earlier() {
			sum += (run.End - run.Start) * j.NCPUs
		}
	}
	if want := cpuSeconds(string(text)); sum != want {
		t.Errorf("the jobs that ended have %d cpu seconds, sacct's CPUTimeRAW is %d", sum, want)
	}
}

// cpuSeconds adds up CPUTimeRAW of the jobs that ended. The columns before a job's name and behind
// the last name have no pipes, so that awk would find the same.
func cpuSeconds(text string) (sum int64) {
	header := strings.Split(strings.SplitN(text, "\n", 2)[0], "|")
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		n, err := strconv.ParseInt(cells[at["CPUTimeRAW"]], 10, 64)
		if shift := strings.Contains(line, "|intel&avx2|amd|"); err != nil && shift {
			n, _ = strconv.ParseInt(cells[at["CPUTimeRAW"]+1], 10, 64)
			cells = append(cells[:at["Constraints"]], cells[at["Constraints"]+1:]...)
		}
		if len(cells) > at["JobID"] && !strings.Contains(cells[at["JobID"]], ".") && !strings.Contains(line, "|RUNNING|") {
			sum += n
		}
	}
	return sum
}

func TestSacctRows(t *testing.T) {
	const header = "JobID|JobName|User|Partition|State|Submit|Eligible|Start|End|Elapsed|AllocCPUS|ReqMem|Timelimit|ExitCode|NodeList\n"
	for _, c := range []struct {
		name, rows string
		ids        string
		check      func(*trace.Trace) bool
	}{
		{"a step is left out", "7|a|u|p|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4|2Gn|1-00:00:00|0:0|c1\n7.batch|batch||||COMPLETED|||||1||||c1\n", "7", func(tr *trace.Trace) bool {
			return tr.Jobs[0].Walltime == secondsOfDay && tr.Jobs[0].Mem == 2<<20
		}},
		{"a pipe in a name", "7|a|b|u|p|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4|2000Mc|01:00:00|0:9|c1\n", "7", func(tr *trace.Trace) bool {
			return tr.Names.List[tr.Jobs[0].Name] == "a|b" && tr.Jobs[0].Mem == 8000<<10 && tr.Jobs[0].Exit == 265
		}},
		{"the waiting rest of an array", "20_[5-9:2,12%3]|a|u|p|PENDING|2026-03-02T10:00:00|Unknown|Unknown|Unknown|00:00:00|4||UNLIMITED|0:0|None assigned\n", "20_5 20_7 20_9 20_12", func(tr *trace.Trace) bool {
			return tr.Jobs[0].State == trace.Waiting && tr.Jobs[0].Arrival == trace.Unknown && tr.Jobs[0].Walltime == trace.Unknown
		}},
		{"requeued", "7|a|u|p|NODE_FAIL|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4||01:00:00|0:0|c1\n7|a|u|p|COMPLETED|2026-03-02T10:02:00|2026-03-02T10:04:00|2026-03-02T10:05:00|2026-03-02T10:06:00|00:00:40|4||01:00:00|0:0|c1\n", "7", func(tr *trace.Trace) bool {
			j := tr.Jobs[0]
			return len(j.Earlier()) == 1 && j.Earlier()[0].End-j.Earlier()[0].Start == 60 && j.Suspended() == 20
		}},
		{"the same row twice", "7|a|u|p|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4||01:00:00|0:0|c1\n7|a|u|p|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4||01:00:00|0:0|c1\n", "7", func(tr *trace.Trace) bool {
			return tr.Doubled == 1 && len(tr.Jobs[0].Earlier()) == 0
		}},
		{"more cpus than there are", "7|a|u|p|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|100000001||01:00:00|0:0|c1\n", "", func(tr *trace.Trace) bool {
			return len(tr.Problems) == 1 && strings.Contains(tr.Problems[0].Detail, "100000001 cpus are more than any machine has")
		}},
		{"cut", "7|a|u|p|COMPLETED|2026\n", "", func(tr *trace.Trace) bool { return len(tr.Problems) == 1 }},
		{"the row of another tool", "7|a|u|p|DONE|2026-03-02T10:00:00||||00:00:00|4||01:00:00|0:0|c1\n", "", func(tr *trace.Trace) bool { return len(tr.Problems) == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := readSacct(t, header+c.rows)
			var ids []string
			for _, j := range tr.Jobs {
				ids = append(ids, j.ID)
			}
			if strings.Join(ids, " ") != c.ids || !c.check(tr) {
				t.Errorf("%v %v", ids, tr.Problems)
				for _, j := range tr.Jobs {
					t.Logf("%+v %v %v", *j, j.Earlier(), j.Pauses())
				}
			}
		})
	}
}

// Times of the hour that comes twice are told apart by their order, and by how long the job ran.
func TestSacctHourThatComesTwice(t *testing.T) {
	zone := workshop.Zone(t, "Europe/Zurich") // on 2025-10-26, 3:00 of summer is 2:00 of winter
	const second = 1761440400                 // 2:00 of winter
	for _, test := range []struct {
		submit, start, end, elapsed string
		want                        [3]int64
	}{
		{"02:40:00", "02:10:00", "02:20:00", "00:10:00", [3]int64{second - 1200, second + 600, second + 1200}},
		{"01:50:00", "02:10:00", "02:20:00", "00:10:00", [3]int64{second - 4200, second - 3000, second - 2400}},
		{"01:50:00", "02:10:00", "02:20:00", "01:10:00", [3]int64{second - 4200, second - 3000, second + 1200}},
		{"01:50:00", "02:10:00", "03:10:00", "01:00:00", [3]int64{second - 4200, second + 600, second + 4200}},
		{"00:10:00", "01:10:00", "04:10:00", "04:00:00", [3]int64{second - 10200, second - 6600, second + 7800}},
	} {
		const day = "2025-10-26T"
		from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("JobID|User|State|Submit|Start|End|Elapsed|AllocCPUS\n7|u|COMPLETED|" + day + test.submit + "|" + day + test.start + "|" + day + test.end + "|" + test.elapsed + "|1\n")), nil
		}}
		tr, err := ReadTrace([]file.Source{from}, zone, trace.Keep{})
		if err != nil || len(tr.Jobs) != 1 {
			t.Fatal(err, tr.Problems)
		}
		if j := tr.Jobs[0]; [3]int64{j.Arrival, j.Start, j.End} != test.want {
			t.Errorf("%+v: %d, %d, %d", test, j.Arrival, j.Start, j.End)
		}
	}
}

// The row before tells as well, but for jobs that were queued again; of rows of which nothing tells, the number is said.
func TestSacctHourThatComesTwiceInOrder(t *testing.T) {
	zone := workshop.Zone(t, "Europe/Zurich")
	const second = 1761440400 // 2:00 of winter
	for _, test := range []struct {
		name, rows string
		want       []int64 // when the jobs came, as seconds after that
		said       string
	}{
		{"the clock steps back", "7|02:50:00|03:30:00|0\n8|02:05:00|03:30:00|0\n9|02:20:00|03:30:00|0\n", []int64{-600, 300, 1200}, "sacct:2: the clock has an hour twice, and nothing tells which one times of 1 row from here on are of"},
		{"nothing tells it", "6|01:50:00|03:30:00|0\n7|02:05:00|03:30:00|0\n8|02:50:00|03:30:00|0\n9|03:10:00|03:30:00|0\n", []int64{-4200, -3300, -600, 4200}, "sacct:3: the clock has an hour twice, and nothing tells which one times of 2 rows from here on are of"},
		{"one was queued again", "7|02:50:00|03:30:00|1\n8|02:05:00|02:07:00|0\n", []int64{-600, -3300}, "times of 2 rows"},
		{"whether one was is not told", "7|02:50:00|03:30:00|\n8|02:05:00|02:07:00|\n", []int64{-600, -3300}, "times of 2 rows"},
		{"rows in no order", "8|02:50:00|03:30:00|0\n7|02:05:00|02:07:00|0\n", []int64{-600, -3300}, "times of 2 rows"},
		{"two clusters", "a:7|02:50:00|03:30:00|0\nb:8|02:05:00|03:30:00|0\na:9|02:20:00|03:30:00|0\n", []int64{-600, -3300, 1200}, "times of 2 rows"},
		{"an ordinary hour", "7|03:50:00|04:30:00|0\n8|03:05:00|04:30:00|0\n", []int64{6600, 3900}, ""},
		{"seconds since 1970", "7|1761439800|1761442200|0\n8|1761440700|1761442200|0\n", []int64{-600, 300}, ""},
	} {
		rows := regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(test.rows, "2025-10-26T$0")
		rows = regexp.MustCompile(`(?m)^(?:(\w):)?`).ReplaceAllString(strings.TrimSuffix(rows, "\n"), "$1|") // the cluster
		tr, err := ReadTrace(source("Cluster|JobID|Submit|Start|Restarts|State|End|AllocCPUS\n"+strings.ReplaceAll(rows, "\n", "|PENDING|Unknown|1\n")+"|PENDING|Unknown|1\n"), zone, trace.Keep{})
		if err != nil {
			t.Fatal(test.name, err)
		}
		var came []int64
		for _, j := range tr.Jobs {
			came = append(came, j.Queued-second)
		}
		var said []string
		for _, p := range tr.Problems {
			said = append(said, p.Error())
		}
		if text := strings.Join(said, "\n"); !slices.Equal(came, test.want) || !strings.Contains(text, test.said) || test.said == "" && text != "" {
			t.Errorf("%s: %v, %s", test.name, came, text)
		}
	}
}

// source returns a text as a file of sacct.
func source(text string) []file.Source {
	return []file.Source{{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

// A cell of a job that is blank, or a column that lacks, changes no figure without a word.
func TestSacctBlankCells(t *testing.T) {
	columns := strings.Split("JobID|User|State|Submit|Eligible|Start|End|Elapsed|AllocCPUS|AllocTRES|ExitCode|TotalCPU", "|")
	row := strings.Split("7|u|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:02:00|00:01:00|4|cpu=4|0:0|00:00:10", "|")
	mayLack := []string{"Submit", "Elapsed"} // which other columns tell
	for i, column := range columns {
		if tr, err := ReadTrace(source(strings.Join(slices.Delete(slices.Clone(columns), i, i+1), "|")+"\n"+strings.Join(slices.Delete(slices.Clone(row), i, i+1), "|")+"\n"), time.UTC, trace.Keep{Asked: []string{"mem"}}); err == nil {
			if said := fmt.Sprint(tr.Remarks, tr.Problems); !strings.Contains(said, "no column "+strings.ToLower(column)+" (") && !slices.Contains(mayLack, column) {
				t.Errorf("without %s: %s", column, said)
			}
		}
		cells := slices.Clone(row)
		cells[i] = ""
		tr := readSacct(t, strings.Join(columns, "|")+"\n"+strings.Join(cells, "|")+"\n")
		if len(tr.Problems)+len(tr.Untold()) == 0 && !slices.Contains(mayLack, column) {
			t.Errorf("%s: nothing is said", column)
		}
	}
	if tr := readSacct(t, strings.Join(columns, "|")+"\n"+strings.Join(row, "|")+"\n"); len(tr.Problems)+len(tr.Untold()) > 0 {
		t.Errorf("of a whole row: %v %v", tr.Problems, tr.Untold())
	}
}

// What a table without a column means.
func TestSacctColumnsThatLack(t *testing.T) {
	for _, test := range []struct {
		name, table string
		check       func(tr *trace.Trace) bool
	}{
		{"CPUs", "JobID|State|Submit|Start|End\n7|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00\n", func(tr *trace.Trace) bool {
			return len(tr.Problems) == 1 && tr.Problems[0].Line == 1 && strings.Contains(tr.Problems[0].Detail, "no column says how many CPUs a job had")
		}},
		{"but AllocTRES", "JobID|State|Submit|Start|End|AllocTRES\n7|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|cpu=4,gres/gpu=2,mem=8G,node=2\n", func(tr *trace.Trace) bool {
			return len(tr.Problems) == 0 && tr.Jobs[0].NCPUs == 4 && tr.Jobs[0].Nodes == 2 && tr.Jobs[0].Mem == 8<<20
		}},
		{"nodes, of one cancelled while it waited", "JobID|State|Submit|Start|End|Elapsed|NCPUS\n7|CANCELLED by 7|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:01:00|00:00:00|4\n", func(tr *trace.Trace) bool {
			return tr.Jobs[0].State == trace.Deleted && tr.Jobs[0].Start == trace.Unknown
		}},
		{"nodes, of one that failed at its start", "JobID|State|Submit|Start|End|Elapsed|NCPUS\n7|FAILED|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:01:00|00:00:00|4\n", func(tr *trace.Trace) bool {
			return tr.Jobs[0].State == trace.Ended && tr.Jobs[0].Start != trace.Unknown
		}},
	} {
		if tr := readSacct(t, test.table); !test.check(tr) {
			t.Errorf("%s: %+v, %v", test.name, tr.Jobs[0], tr.Problems)
		}
	}
}

func TestSacctJSON(t *testing.T) {
	const job = `{"account": "a", "allocation_nodes": 1, "association": {"user": "u"}, "array": {"job_id": %ARRAY%}, "exit_code": {"return_code": 0}, "job_id": 7, "name": "a|b",
 "partition": "p", "required": {"CPUs": 2}, "state": {"current": %STATE%}, "time": {"submission": 100, "eligible": 110, "start": %START%, "end": 200, "elapsed": 60, "limit": {"set": true, "infinite": false, "number": 5}},
 "tres": {"allocated": [{"type": "cpu", "name": null, "count": 4}], "requested": [{"type": "mem", "count": 10}]}}`
	ended := strings.NewReplacer("%ARRAY%", `0, "task": null, "task_id": null`, "%STATE%", `"COMPLETED"`, "%START%", "140").Replace(job)
	waiting := strings.NewReplacer("%ARRAY%", `20, "task": "0xA", "task_id": null`, "%STATE%", `["PENDING"]`, "%START%", "0").Replace(job)
	tr := readSacct(t, `{"meta": {"jobs": 1}, "errors": [], "jobs": [`+ended+", "+waiting+"]}")
	if len(tr.Problems) > 0 || len(tr.Jobs) != 3 {
		t.Fatal(len(tr.Jobs), tr.Problems)
	}
	if j := tr.Jobs[0]; j.Start != 140 || j.End != 200 || j.Arrival != 110 || j.NCPUs != 4 || j.Mem != 10240 || j.Walltime != 300 || tr.Names.List[j.Name] != "a|b" {
		t.Errorf("%+v", *j)
	}
	if tr.Jobs[1].ID != "20_1" || tr.Jobs[2].ID != "20_3" || tr.Jobs[1].State != trace.Waiting {
		t.Errorf("%+v", *tr.Jobs[1])
	}
	for _, unset := range []string{"-1", "-2", "18446744073709551614", "18446744073709551615", `{"set": false, "infinite": false, "number": 0}`} { // of energy that nobody measures
		with := strings.Replace(ended, `"count": 4}]`, `"count": 4}, {"type": "energy", "name": "", "count": `+unset+`}, {"type": "gres", "name": "gpu", "count": 2}, {"type": "billing", "name": "", "count": 9}]`, 1)
		var row string
		if err := EachCells(`{"jobs": [`+with+`]}`, func(cells [][]byte) { row = string(cells[AllocTRES]) }); err != nil || row != "cpu=4,gres/gpu=2,billing=9" {
			t.Errorf("%s: %q, %v", unset, row, err)
		}
	}
	cut := readSacct(t, `{"jobs": [`+ended+`, {"allocation`)
	if len(cut.Jobs) != 1 || len(cut.Problems) != 1 || !cut.Problems[0].IsCut() {
		t.Error(len(cut.Jobs), cut.Problems)
	}
}

func FuzzSacctJSON(f *testing.F) {
	f.Add(`{"jobs": [{"allocation_nodes": 1, "job_id": 7, "state": {"current": "RUNNING"}, "time": {"start": 5}}]}`)
	f.Fuzz(func(_ *testing.T, text string) {
		from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		ReadTrace([]file.Source{from}, time.UTC, trace.Keep{Requests: true})
	})
}

func FuzzSacct(f *testing.F) {
	f.Add("JobID|JobName|State|Submit|Start|End\n1_[1-3]|a|b|PENDING|2026-03-02T10:00:00|trace.Unknown|Unknown\n")
	f.Add("JobID|State|Start|End|TotalCPU|Timelimit\n1|RUNNING|1772434800|Unknown|00:00.1|1-2:3:4\n")
	f.Fuzz(func(_ *testing.T, text string) {
		from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		ReadTrace([]file.Source{from}, time.UTC, trace.Keep{Requests: true})
	})
}
