package sacct

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// A row whose times cannot be those of a job is left out as damage, and moves no period; seconds between clocks are none such.
func TestPossible(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|Elapsed|NCPUS\n"
	const whole = "1|COMPLETED|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T10:10:00|01:00:00|4\n"
	for _, test := range []struct {
		state, submit, start, end, elapsed string
		why                                string // "" for a row that counts
	}{
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "01:00:00", ""},
		{"COMPLETED", "2026-03-02T09:10:01", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "01:00:00", ""},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T12:10:00", "01:00:00", ""}, // suspended, which no column tells
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "", ""},
		{"RUNNING", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "Unknown", "01:00:00", ""},
		{"PENDING", "2026-03-02T09:00:00", "Unknown", "Unknown", "", ""},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "9999-12-31T10:10:00", "01:00:00", "is no time"},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "9999-12-31T10:10:00Z", "01:00:00", "is no time"},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "90000000000", "01:00:00", "is no time"},
		{"PENDING", "9999-12-31T10:10:00", "Unknown", "Unknown", "", "is no time"},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2028-04-02T10:10:00", "", "ran for years"},
		{"COMPLETED", "2023-03-02T09:00:00", "2023-03-02T09:10:00", "2026-03-01T09:10:00", "1095-00:00:00", ""},
		{"NODE_FAIL", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:09:59", "00:00:00", ""},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:05:00", "00:00:00", "ended before it started"},
		{"COMPLETED", "2026-03-02T12:00:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "01:00:00", "before it was submitted"},
		{"RUNNING", "2026-03-02T12:00:00", "2026-03-02T09:10:00", "Unknown", "01:00:00", "before it was submitted"},
		{"COMPLETED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "05:00:00", "as Elapsed says"},
		{"RUNNING", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:05:00", "01:00:00", "ended before it started"},
		{"SUSPENDED", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:05:00", "", "ended before it started"},
		{"RUNNING", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T12:00:00", "01:00:00", ""}, // of sacct -T, at the end of its time
	} {
		row := strings.Join([]string{"2", test.state, test.submit, test.start, test.end, test.elapsed, "4"}, "|") + "\n"
		got := readSacct(t, header+whole+row)
		isLeft := len(got.Jobs) == 1 && len(got.Problems) == 1 && strings.Contains(got.Problems[0].Detail, test.why)
		if isLeft != (test.why != "") || !isLeft && (len(got.Jobs) != 2 || len(got.Problems) > 0) {
			t.Errorf("%s%v", row, got.Problems)
		}
	}
}

// Where Suspended tells for how long a job was suspended, that and Elapsed come to the time from its start to its end, and it
// is not longer than that, whoever asks.
func TestPossibleSuspended(t *testing.T) {
	for _, test := range []struct {
		state, end, elapsed, suspended string
		rows                           int
	}{
		{"COMPLETED", "2026-03-02T12:10:00", "01:00:00", "02:00:00", 1},
		{"COMPLETED", "2026-03-03T12:10:00", "01:00:00", "1-02:00:00", 1},
		{"COMPLETED", "2026-03-03T12:10:00", "01:00:00", "00:00:00", 0},
		{"COMPLETED", "2026-03-03T12:10:00", "01:00:00", "", 1},
		{"COMPLETED", "2026-03-02T12:10:00", "", "02:00:00", 1},
		{"COMPLETED", "2026-03-02T12:10:00", "", "20000-00:00:00", 0},
		{"COMPLETED", "2026-03-02T12:10:00", "01:00:00", "20000-00:00:00", 0},
		{"RUNNING", "Unknown", "01:00:00", "20000-00:00:00", 0},
		{"RUNNING", "Unknown", "01:00:00", "02:00:00", 1},
	} {
		text := "JobID|State|Submit|Start|End|Elapsed|Suspended\n2|" + strings.Join([]string{test.state, "2026-03-02T09:00:00", "2026-03-02T09:10:00", test.end, test.elapsed, test.suspended}, "|") + "\n"
		rows, left := 0, 0
		r := Reader{Zone: time.UTC, Columns: traceColumns, MostTasks: 1,
			Header: func(string, int, *Header) error { return nil }, Row: func(*Row) error { rows++; return nil }, Damaged: func(string, int, string) { left++ }}
		err := r.Read(file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		if err != nil || rows != test.rows || left != 1-test.rows {
			t.Errorf("%v: %d rows, %d left out, %v", test, rows, left, err)
		}
	}
}

// A job that comes years before or after all others is named, since the period goes over both.
func TestGaps(t *testing.T) {
	const header, row = "JobID|State|Submit|Start|End|NCPUS\n", "%d|PENDING|%s|Unknown|Unknown|4\n"
	for submit, has := range map[string]bool{"2026-03-03T09:00:00": false, "2027-03-02T09:00:00": false, "2031-03-02T09:00:00": true, "1971-03-02T09:00:00": true} {
		got := readSacct(t, header+fmt.Sprintf(row, 1, "2026-03-02T09:00:00")+fmt.Sprintf(row, 2, submit)+fmt.Sprintf(row, 3, "2026-03-02T09:30:00"))
		if said := fmt.Sprint(got.Remarks); strings.Contains(said, "no row tells of the time between") != has || has && !strings.Contains(said, "(job 2)") {
			t.Errorf("%s: %s", submit, said)
		}
	}
}
