package sacct

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

// read returns what rows of all columns say, and why others are left out.
func read(t *testing.T, zone *time.Location, say func(*Row) string, texts ...string) (said []string, damaged []string) {
	t.Helper()
	var all []Column
	for column := range columns {
		all = append(all, column)
	}
	var files []file.Source
	for i, text := range texts {
		files = append(files, file.Source{Name: fmt.Sprint("sacct", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	r := Reader{Zone: zone, Columns: all, MostTasks: 100,
		Header: func(string, int, *Header) error { return nil },
		Row:    func(row *Row) error { said = append(said, say(row)); return nil },
		Damaged: func(name string, line int, why string) {
			damaged = append(damaged, fmt.Sprintf("%s:%d: %s", name, line, why))
		}}
	if err := r.Read(files...); err != nil {
		t.Fatal(err)
	}
	return said, damaged
}

func TestTimes(t *testing.T) {
	zone := workshop.Zone(t, "Europe/Zurich")
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"2026-03-02T10:00:00", 1772442000, true}, {"2026-07-02T10:00:01", 1782979201, true},
		{"2026-03-02T10:00:00+0200", 1772438400, true}, {"2026-03-02T08:00:00Z", 1772438400, true}, {"2026-03-02T10:00:00+02:00", 1772438400, true},
		{"1772438400", 1772438400, true}, {"0", Unknown, true}, {"Unknown", Unknown, true}, {"None", Unknown, true}, {"N/A", Unknown, true}, {"", Unknown, true},
		{"2026-02-30T10:00:00", Unknown, false}, {"2026-13-01T10:00:00", Unknown, false}, {"2026-03-02 10:00:00", Unknown, false}, {"-5", Unknown, false}, {"yesterday", Unknown, false},
	} {
		clock := clock{zone: zone, quarters: map[int64]int64{}, twice: map[int64]bool{}}
		if got, ok := clock.time([]byte(c.text)); ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %d %v, want %d %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

// What is over, runs and waits has the times that it may have, whatever sacct prints of the others.
func TestFates(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Elapsed|NodeList\n"
	row := func(state, start, end, elapsed, nodes string) string {
		return "7|" + state + "|1000|" + start + "|" + end + "|" + elapsed + "|" + nodes + "\n"
	}
	for _, c := range []struct{ row, want string }{
		{row("RESV_DEL_HOLD", "2000", "Unknown", "00:00:00", "None assigned"), fmt.Sprint(slurm.Waits, " none none")},
		{row("COMPLETING", "2000", "2060", "00:01:00", "c1"), fmt.Sprint(slurm.Runs, " 2000 none")},
		{row("CANCELLED by 7", "2000", "2000", "00:00:00", "None assigned"), fmt.Sprint(slurm.IsOver, " none 2000")},
		{row("CANCELLED+", "2000", "2060", "00:01:00", "c1"), fmt.Sprint(slurm.IsOver, " 2000 2060")},
	} {
		said, damaged := read(t, time.UTC, func(row *Row) string {
			at := func(n int64) string {
				if n == Unknown {
					return "none"
				}
				return fmt.Sprint(n)
			}
			return fmt.Sprint(row.Fate, " ", at(row.Start), " ", at(row.End))
		}, header+c.row)
		if len(said) != 1 || said[0] != c.want {
			t.Errorf("%s is %v, want %s: %v", c.row, said, c.want, damaged)
		}
	}
}

// Amounts, limits and numbers that mean none.
func TestAmounts(t *testing.T) {
	const header = "JobID|State|Submit|AllocCPUS|ReqCPUS|NNodes|ReqMem|ReqTRES|Timelimit|TimelimitRaw\n"
	say := func(row *Row) string {
		return strings.ReplaceAll(fmt.Sprint(row.CPUs, row.AskedCPUs, row.Nodes, row.Mem, row.Limit), fmt.Sprint(int64(Unknown)), "-")
	}
	for _, c := range []struct{ row, want string }{
		{"7|PENDING|1000|0|4|2|4Gn||1-00:00:00|", "4 4 2 8388608 86400"},
		{"7|PENDING|1000|8|4||2000Mc||UNLIMITED|", "8 4 - 16384000 -"},
		{"7|COMPLETED|1000||||2000Mc||01:00:00|", "- - - - 3600"}, // of how many CPUs is not told
		{"7|PENDING|1000||||62.50G|cpu=3,mem=1G,node=1|Partition_Limit|", "3 - 1 1048576 -"},
		{"7|PENDING|1000|1|1|1|||00:00:00|0", "1 1 1 - -"},
		{"7|PENDING|1000|1|1|1||||90", "1 1 1 - 5400"},
		{"7|PENDING|1000|1|1|1||||4294967295", "1 1 1 - -"},
	} {
		if said, damaged := read(t, time.UTC, say, header+c.row+"\n"); len(said) != 1 || said[0] != c.want {
			t.Errorf("%s is %q, want %q: %v", c.row, said, c.want, damaged)
		}
	}
	const job = `{"jobs": [{"allocation_nodes": 4294967294, "job_id": 7, "required": {"CPUs": 2}, "state": {"current": ["PENDING", "REQUEUED"]}, "time": {"submission": 1000, "limit": 4294967295}}]}`
	if said, damaged := read(t, time.UTC, say, job); len(said) != 1 || said[0] != "2 2 - - -" {
		t.Errorf("%q %v", said, damaged)
	}
}

// Files come in the order of their first jobs, those with different columns in that of the numbers of jobs, and the tasks of arrays are not
// more than are asked for.
func TestOrderOfFiles(t *testing.T) {
	const header = "JobID|State|Submit|Start|End\n"
	id := func(row *Row) string { return string(row.ID) }
	said, damaged := read(t, time.UTC, id, header+"9.batch|||3000|\n9|COMPLETED|3000|3000|3001\n", `{"jobs": [{"allocation_nodes": 1, "job_id": 8, "state": {"current": "PENDING"}, "time": {"submission": 2000}}]}`,
		header+"7|COMPLETED|1000|1000|1001\nState|JobID|Start|Submit\nPENDING|20_[1-2]|Unknown|4000\nPENDING|21_[1-200]|Unknown|4000\n")
	if got := strings.Join(said, " "); got != "7 8 9 20_1 20_2" || len(damaged) != 1 || !strings.Contains(damaged[0], "sacct2:5: the tasks of arrays that wait are more than 100") {
		t.Errorf("%s %v", got, damaged)
	}
	said, damaged = read(t, time.UTC, id, header+"8|COMPLETED|3000|3000|3001\n7|COMPLETED|3000|3000|3001\n", header+"9|COMPLETED|1000|1000|1001\n")
	if got := strings.Join(said, " "); got != "9 8 7" || damaged != nil {
		t.Errorf("%s %v", got, damaged)
	}
}
