package sacct

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// Whatever columns somebody asks for, a table with pipes in names has the same jobs for them, and the same cells where both ask.
func TestSameRowsForAll(t *testing.T) {
	const table = `JobID|JobName|User|Account|Partition|QOS|Comment|State|Submit|Eligible|Start|End|Elapsed|Suspended|NCPUS|Constraints|Licenses|SubmitLine|NodeList
1|a|ann|x|p|normal||COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|||sbatch a|c1
2|a|ann|x|p|normal||COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|amd|intel||sbatch a|c1
3|a|ann|x|p|normal||COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|amd|intel|lic|sbatch -C "amd|intel" -t 1:00 b|c1
4|b|c|ann|x|p|normal|why|not|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|||sbatch -J "b|c" a|c1
5|b|ann|x|p|normal|a|low|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|||sbatch -t 00:10:00 a|00:20:00|c1
6|b|ann|x|p|normal|a|low|high|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|||sbatch a|
7|n|m|ann|x|p|normal||COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:01:00|2026-03-02T10:11:00|00:10:00|00:00:00|4|||sbatch a|
`
	read := func(columns []Column) (ids []string, cells map[string]string, left int) {
		cells = map[string]string{}
		r := Reader{Zone: time.UTC, Columns: columns, MostTasks: 1, Header: func(string, int, *Header) error { return nil }, Damaged: func(string, int, string) { left++ },
			Row: func(row *Row) error {
				ids = append(ids, string(row.ID))
				for _, c := range columns {
					cells[string(row.ID)+" "+c.String()] = string(row.Text(c))
				}
				return nil
			}}
		if err := r.Read(file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }}); err != nil {
			t.Fatal(err)
		}
		return ids, cells, left
	}
	all := []Column{JobID, JobName, User, Account, Partition, QOS, State, Submit, Eligible, Start, End, Elapsed, Suspended, AllocCPUS, Constraints, Licenses, SubmitLine, NodeList}
	ids, cells, left := read(all)
	if got := strings.Join(ids, " "); !strings.HasPrefix(got, "1 2 3") || len(ids)+left != 7 {
		t.Errorf("%s, %d left out", got, left)
	}
	for _, columns := range [][]Column{{JobID, State, Submit, Start, End}, {JobID, JobName, User, State, Submit, Eligible, Start, End}, {JobID, Constraints, State, Submit, Start, End, QOS}} {
		of, got, without := read(columns)
		if !slices.Equal(of, ids) || without != left {
			t.Errorf("%v: jobs %v and %d left out, want %v and %d", columns, of, without, ids, left)
		}
		for name, cell := range got {
			if cell != cells[name] {
				t.Errorf("%s is %q, and %q for another who asks", name, cell, cells[name])
			}
		}
	}
	if cells["3 constraints"] != "amd|intel" || cells["2 constraints"] != "" {
		t.Errorf("%q %q", cells["3 constraints"], cells["2 constraints"])
	}
}
