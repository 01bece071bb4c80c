package record

import (
	"encoding/json"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// recordOf returns the record that a text is.
func recordOf(t *testing.T, setup *sched.Setup, text string) *Record {
	t.Helper()
	record, err := Read(setup, []file.Source{{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// saidOf returns what is said of a record.
func saidOf(r *Record) string {
	var said []string
	for _, x := range r.Remarks {
		said = append(said, x.Text)
	}
	return strings.Join(said, "\n")
}

// The JSON of sacct, made of a recorded table, is the same record.
func TestRecordOfJSON(t *testing.T) {
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		setup, _, err := setup.Open(dumptest.Replays + run + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		text, err := file.ReadText(dumptest.Replays+run+"/sacct.txt.gz", 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		want := recordOf(t, setup, text)
		rows, odd := dump.ReadTable(text)
		if odd > 0 {
			t.Fatalf("%s: %d rows cannot be told apart by pipes alone", run, odd)
		}
		var jobs []any
		number := func(text string) any {
			n, err := strconv.ParseFloat(text, 64)
			return map[string]any{"set": err == nil, "infinite": false, "number": n}
		}
		at := func(text string) int64 {
			x, err := time.Parse(dump.TimeLayout, text)
			if err != nil {
				return 0
			}
			return x.Unix()
		}
		tres := func(text string) []any {
			list := []any{}
			for part := range strings.SplitSeq(text, ",") {
				name, amount, _ := strings.Cut(part, "=")
				kind, of, _ := strings.Cut(name, "/")
				for unit, factor := range map[string]float64{"M": 1, "G": 1024} {
					if n, isOf := strings.CutSuffix(amount, unit); isOf {
						x, _ := strconv.ParseFloat(n, 64)
						amount = strconv.FormatFloat(x*factor, 'f', -1, 64)
					}
				}
				if x, err := strconv.ParseFloat(amount, 64); err == nil {
					list = append(list, map[string]any{"type": kind, "name": of, "count": x})
				}
			}
			return append(list, map[string]any{"type": "energy", "count": json.Number("18446744073709551614")})
		}
		for _, row := range rows {
			if strings.Contains(row["jobid"], ".") {
				continue
			}
			array, task, isTask := strings.Cut(row["jobid"], "_")
			inArray := map[string]any{"job_id": 0, "task_id": map[string]any{"set": false}}
			if n, _ := strconv.Atoi(array); isTask {
				inArray["job_id"], inArray["task"] = n, strings.Trim(task, "[]")
				if _, err := strconv.Atoi(task); err == nil {
					inArray["task_id"] = number(task)
				}
			}
			raw, _ := strconv.Atoi(row["jobidraw"])
			jobs = append(jobs, map[string]any{
				"job_id": raw, "array": inArray, "allocation_nodes": 1, "association": map[string]any{"user": row["user"], "account": row["account"]}, "account": row["account"], "user": row["user"],
				"name": row["jobname"], "cluster": row["cluster"], "partition": row["partition"], "qos": row["qos"], "nodes": row["nodelist"], "constraints": row["constraints"], "submit_line": row["submitline"], "reservation": map[string]any{"id": 0, "name": row["reservation"]},
				"state": map[string]any{"current": []string{strings.Fields(row["state"])[0]}}, "required": map[string]any{"CPUs": number(row["reqcpus"])},
				"time": map[string]any{"submission": at(row["submit"]), "eligible": at(row["eligible"]), "start": at(row["start"]), "end": at(row["end"]), "limit": number(row["timelimitraw"])},
				"tres": map[string]any{"requested": tres(row["reqtres"]), "allocated": tres(row["alloctres"])},
			})
		}
		printed, err := json.Marshal(map[string]any{"meta": map[string]any{"plugin": "x"}, "jobs": jobs, "errors": []string{}})
		if err != nil {
			t.Fatal(err)
		}
		got := recordOf(t, setup, string(printed))
		if len(got.Jobs) != len(want.Jobs) || got.Last != want.Last || got.Swept != want.Swept || saidOf(got) != saidOf(want) {
			t.Errorf("%s: %d jobs until %d, want %d until %d\n%s\n%s", run, len(got.Jobs), got.Last, len(want.Jobs), want.Last, saidOf(got), saidOf(want))
			continue
		}
		for i, x := range want.Jobs {
			a, b := *got.Jobs[i], *x
			delete(a.TRES, "energy")
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: job %s is\n%+v %+v, want\n%+v %+v", run, x.ID, a, *a.Job, b, *b.Job)
			}
		}
		// What is cut off is read as far as it goes, and said.
		cut := recordOf(t, setup, string(printed[:len(printed)/2]))
		if n := len(cut.Jobs); n == 0 || n >= len(want.Jobs) || !strings.Contains(saidOf(cut), "its rest is lost") {
			t.Errorf("%s: %d jobs of a half, %s", run, n, saidOf(cut))
		}
	}
}

// Rows that say the same of a run as others count once, and are told from jobs that were requeued;
// what is left out does not say when a record ends.
func TestRecordRows(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES\n"
	row := func(id, partition, submit, start, end string) string {
		for _, at := range []*string{&submit, &start, &end} {
			if *at != "Unknown" {
				*at = "2026-03-02T" + *at + ":00"
			}
		}
		return strings.Join([]string{id, "bob", "hep", partition, "normal", submit, submit, start, end, "02:00:00", "1", "cpu=1,mem=100M,node=1"}, "|") + "\n"
	}
	first, again := row("7", "main", "09:00", "09:10", "09:20"), row("7", "main", "09:20", "09:30", "09:40")
	const doubled, requeued = "of runs that other rows tell of", "ran more than once"
	for _, c := range []struct {
		name, rows string
		has, lacks string
		start, end string // of job 7
	}{
		{"one row", first, "", doubled, "09:10", "09:20"},
		{"the same row twice", first + first, "1 row " + doubled, requeued, "09:10", "09:20"},
		{"requeued", first + again, "1 job " + requeued, doubled, "09:30", "09:40"},
		{"requeued, as a table that has each run comes behind one that has the last", again + first + again, "1 job " + requeued, "2 rows", "09:30", "09:40"},
		{"requeued, printed while it ran", again + first + row("7", "main", "09:00", "09:10", "Unknown"), "1 job " + requeued, "2 rows", "09:30", "09:40"},
		{"requeued, all of it twice", first + again + first + again, "2 rows " + doubled, "2 jobs ran", "09:30", "09:40"},
		{"printed while it waited, while it ran and when it was over", row("7", "main", "09:00", "Unknown", "Unknown") + row("7", "main", "09:00", "09:10", "Unknown") + first, "2 rows " + doubled, requeued, "09:10", "09:20"},
		{"printed in the other order", first + row("7", "main", "09:00", "09:10", "Unknown"), "1 row " + doubled, requeued, "09:10", "09:20"},
	} {
		r := recordOf(t, setup, header+c.rows+row("8", "elsewhere,nowhere", "11:00", "12:00", "13:00"))
		said := saidOf(r)
		if len(r.Jobs) != 1 || !strings.Contains(said, c.has) || strings.Contains(said, c.lacks) {
			t.Errorf("%s: %d jobs, %s", c.name, len(r.Jobs), said)
			continue
		}
		at := func(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("15:04") }
		if x := r.Jobs[0]; at(x.Start) != c.start || at(x.End) != c.end || at(r.Last) != c.end {
			t.Errorf("%s: it ran from %s to %s, the record ends at %s", c.name, at(x.Start), at(x.End), at(r.Last))
		}
		if strings.Contains(said, "several partitions") || !strings.Contains(said, "1 job left out with 1 core hours: of a partition that the site does not have") {
			t.Errorf("%s: a job that is left out counts otherwise: %s", c.name, said)
		}
	}
}

// A job that started and does not tell what it was given is said, and so is a table without that column.
func TestNothingGiven(t *testing.T) {
	site, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const cell, column = "1 job with 0 core hours: have no AllocTRES that can be read", "has no column alloctres: what jobs were given"
	const header = "JobID|User|Account|Partition|QOS|Timelimit|ReqCPUS|ReqTRES|Submit|Eligible|Start|End|NodeList"
	const row = "7|bob|hep|main|normal|02:00:00|1|cpu=1,mem=100M,node=1|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|n01"
	for text, want := range map[string]string{
		header + "\n" + row + "\n": column, header + "|AllocTRES\n" + row + "|\n": cell, header + "|AllocTRES\n" + row + "|cpu=x\n": cell,
		header + "|AllocTRES\n" + row + "|billing=1,cpu=1,mem=100M,node=1\n": "",
	} {
		said := saidOf(recordOf(t, site, text))
		for _, x := range []string{cell, column} {
			if strings.Contains(said, x) != (x == want) {
				t.Errorf("%s: %s", text, said)
			}
		}
	}
	billed := strings.Replace(row, "7|", "8|", 1) + "|billing=5,cpu=1,mem=100M,node=1\n"
	if r := recordOf(t, site, header+"|AllocTRES\n"+row+"|\n"+billed); r.Jobs[0].IsFree || r.Jobs[0].Billing > 0 {
		t.Error("a job of which it is not known what it was given is free")
	}
}

// Rows that a replay cannot follow, or has to put right, are said, and none of the recorded ones is such.
func TestDoubtsOfRecord(t *testing.T) {
	site, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const unready = "1 job with 0 core hours: have no Eligible, and are taken to have been able to run as soon as they came"
	const early, never = "1 job with 0 core hours: started before they could run", "1 job left out with 0 core hours: that never became eligible to run"
	const paused, lost, other = "1 job with 0 core hours: suspended for some time", "1 job with 0 core hours: ran on nodes that the site does not have", "1 job left out with 0 core hours: of another cluster"
	for _, c := range []struct {
		submit, eligible, start, end, suspended, nodes, cluster, limit string
		jobs                                                           int
		said                                                           string
	}{
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n01", "refs3a", "02:00:00", 1, ""},
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n[01-03],g01", "RefS3a", "02:00:00", 1, ""},
		{"09:00", "09:00", "08:50", "09:05", "00:00:00", "n01", "refs3a", "02:00:00", 1, early},
		{"09:00", "09:15", "09:10", "09:20", "00:00:00", "n01", "refs3a", "02:00:00", 1, early},
		{"09:00", "Unknown", "09:10", "09:20", "00:00:00", "n01", "refs3a", "02:00:00", 1, unready},
		{"09:00", "", "09:10", "09:20", "00:00:00", "n01", "refs3a", "02:00:00", 1, unready},
		{"09:00", "Unknown", "Unknown", "Unknown", "00:00:00", "None assigned", "refs3a", "02:00:00", 0, never},
		{"09:00", "Unknown", "None", "09:20", "00:00:00", "None assigned", "refs3a", "02:00:00", 0, never},
		{"09:00", "09:00", "Unknown", "Unknown", "00:00:00", "None assigned", "refs3a", "02:00:00", 1, "1 job had not ended"},
		{"09:00", "09:00", "09:10", "09:20", "00:00:05", "n01", "refs3a", "02:00:00", 1, paused},
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n99", "refs3a", "02:00:00", 1, lost},
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n[01-99]", "refs3a", "02:00:00", 1, lost},
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n01", "elsewhere", "02:00:00", 0, other},
		{"09:00", "09:00", "09:10", "09:20", "00:00:00", "n01", "", "00:00:00", 1, ""}, // -t 0 is no limit
	} {
		at := func(text string) string {
			if strings.Contains(text, ":") {
				return "2026-03-02T" + text + ":00"
			}
			return text
		}
		const header = "JobID|User|Account|Partition|QOS|Timelimit|ReqCPUS|ReqTRES|Submit|Eligible|Start|End|Suspended|NodeList|Cluster\n"
		r := recordOf(t, site, header+strings.Join([]string{"7|bob|hep|main|normal", c.limit, "1|cpu=1,mem=100M,node=1", at(c.submit), at(c.eligible), at(c.start), at(c.end), c.suspended, c.nodes, c.cluster}, "|")+"\n")
		var said []string // but what columns alone cannot tell, and what the site has
		for line := range strings.Lines(saidOf(r)) {
			if text, ok := strings.CutPrefix(line, "sacct: "); ok && !strings.Contains(text, "by ReqCPUS") {
				said = append(said, text)
			}
		}
		if got := strings.Join(said, ""); len(r.Jobs) != c.jobs || c.said == "" && got != "" || !strings.HasPrefix(got, c.said) {
			t.Errorf("%+v: %d jobs, said %q", c, len(r.Jobs), got)
		}
		for _, x := range r.Jobs {
			if x.Start > 0 && x.Submit > x.Start || x.Limit < 7200 {
				t.Errorf("%+v: submitted %d, started %d, limit %d s", c, x.Submit, x.Start, x.Limit)
			}
		}
	}
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		setup, _, err := setup.Open(dumptest.Replays + run + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		record, err := Read(setup, []file.Source{file.At(dumptest.Replays + run + "/sacct.txt.gz")}, time.UTC)
		if said := saidOf(record); err != nil || len(record.Jobs) != 257 || strings.Contains(said, "left out") || strings.Contains(said, "core hours:") {
			t.Errorf("%s: %v: %s", run, err, said)
		}
	}
}

// A job that is over where and when it began has never started, as one that asks for what limits never allow.
func TestFailedAtOnce(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|State"
	for _, c := range []struct {
		columns, state, end, nodes string
		hasStarted                 bool
	}{
		{"|NodeList", "FAILED", "09:10:00", "|None assigned", false},
		{"|NodeList", "FAILED", "09:10:00", "|", false},
		{"|NodeList", "FAILED", "09:10:00", "|c01", true},
		{"|NodeList", "FAILED", "09:10:01", "|None assigned", true},
		{"", "FAILED", "09:10:00", "", true},
		{"", "CANCELLED by 6001", "09:10:00", "", false},
	} {
		const day = "2026-03-02T"
		text := header + c.columns + "\n7|bob|hep|main|normal|" + day + "09:00:00|" + day + "09:10:00|" + day + c.end + "|02:00:00|1|cpu=1,mem=100M,node=1|" + c.state + c.nodes + "\n"
		jobs := recordOf(t, setup, text).Jobs
		if len(jobs) != 1 || (jobs[0].Start > 0) != c.hasStarted || (jobs[0].CancelAt > 0) == c.hasStarted {
			t.Errorf("%+v: %+v", c, jobs)
		}
	}
}

// What is wrong with some of several tables is not said of the first one.
func TestSeveralDamagedTables(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const head = "JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|State\n"
	const row = "|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:01|2026-03-02T09:30:00|02:00:00|1|cpu=1,mem=100M,node=1|COMPLETED\n"
	record, err := Read(setup, inMemory(head+"1"+row, head+strings.Repeat("broken\n", 20)+"2"+strings.Replace(row, "hep", "none", 1)), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sacct1:2: ", "sacct0 and 1 more: 10 more rows like these are left out", "sacct0 and 1 more: 1 job left out with"} {
		if said := saidOf(record); !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if _, err := Read(setup, inMemory(head, head), time.UTC); err == nil || err.Error() != "sacct0 and 1 more has no job" {
		t.Error(err)
	}
}

// A table is read to where it is damaged; what it is not is said.
func TestDamagedTable(t *testing.T) {
	setup, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(dumptest.Replays + "S3a/sacct.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	const head = "JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|State\n"
	const row = "|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:01|2026-03-02T09:30:00|02:00:00|1|cpu=1,mem=100M,node=1|COMPLETED\n"
	for _, c := range []struct {
		name, text string
		jobs       int
		said, err  string
	}{
		{"cut off", string(packed[:len(packed)/2]), 100, "sacct:249: the file cannot be read from here on: unexpected EOF", ""},
		{"a line too long", head + "1" + row + "2|" + strings.Repeat("x", 3<<20) + "\n3" + row, 2, "sacct:3: the line has more than 1048576 bytes", ""},
		{"a mark before it", "\ufeff" + head + "1" + row, 1, "", ""},
		{"lines of Windows", strings.ReplaceAll(head+"1"+row, "\n", "\r\n"), 1, "", ""},
		{"no end of the last line", head + strings.TrimSuffix("1"+row, "\n"), 1, "", ""},
		{"no text", "\x7fELF\x00\x00", 0, "", "sacct: this is not text"},
		{"zeros", strings.Repeat("\x00", 1000), 0, "", "sacct: this is not text"},
		{"nothing", "", 0, "", "sacct has no job"},
		{"another table", "a|b\n1|2\n", 0, "", "sacct has no column jobid"},
	} {
		record, err := Read(setup, []file.Source{{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.text)), nil }}}, time.UTC)
		if c.err != "" || err != nil {
			if c.err == "" || err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if said := saidOf(record); len(record.Jobs) < c.jobs || !strings.Contains(said, c.said) {
			t.Errorf("%s: %d jobs, said\n%s", c.name, len(record.Jobs), said)
		}
	}
}
