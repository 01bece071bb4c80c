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

// Rows of jobs that ran an hour longer than their times say were printed in a zone that put its clock back: they count for as long as they
// ran, and are said as one, wherever times are read in a zone that did not; in its own, and where times tell their zone, none is.
func TestPutBack(t *testing.T) {
	const rows = "JobID|State|Submit|Start|End|ElapsedRaw|NCPUS|Suspended\n" +
		"1|COMPLETED|2026-11-01T00:10:00|2026-11-01T00:10:00|2026-11-01T00:40:00|1800|4|00:00:00\n" +
		"2|COMPLETED|2026-11-01T00:10:00|2026-11-01T01:40:00|2026-11-01T01:10:00|1800|4|00:00:00\n" +
		"3|COMPLETED|2026-11-01T00:10:00|2026-11-01T00:40:00|2026-11-01T03:40:00|14400|4|00:00:00\n" +
		"4|COMPLETED|2026-11-01T00:10:00|2026-11-01T00:40:00|2026-11-01T03:40:00|10800|4|01:00:00\n" // suspended
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		zone *time.Location
		text string
		want string
		jobs int
	}{
		{time.UTC, rows, "sacct:3: jobs of 3 rows ran an hour longer, as Elapsed says, than from their start to their end: the site put its clock back meanwhile, and the times are read in another zone. --tz says which is the site's; without it, these jobs end as Elapsed says, and all times from then on are an hour too early", 4},
		{newYork, rows, "", 4},
		{time.UTC, strings.NewReplacer(":00|2026", ":00Z|2026", ":00|1", ":00Z|1").Replace(rows), "ended before it started", 3},
	} {
		from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(test.text)), nil }}
		var said []string
		jobs := 0
		r := Reader{Zone: test.zone, Columns: traceColumns, MostTasks: 1,
			Header: func(string, int, *Header) error { return nil },
			Row: func(row *Row) error {
				jobs++
				if isLocal := !strings.Contains(test.text, "Z|"); isLocal && row.End-row.Start != row.Elapsed+row.Suspended {
					t.Errorf("%v: job %s ran for %d s, and for %d from its start to its end", test.zone, row.ID, row.Elapsed+row.Suspended, row.End-row.Start)
				}
				return nil
			},
			Damaged: func(from string, line int, why string) {
				said = append(said, fmt.Sprintf("%s:%d: %s", from, line, why))
			}}
		if err := r.Read(from); err != nil {
			t.Fatal(err)
		}
		if jobs != test.jobs || len(said) > 1 || !strings.Contains(strings.Join(said, "\n"), test.want) || test.want == "" && said != nil {
			t.Errorf("%v: %d jobs, %q", test.zone, jobs, said)
		}
	}
}
