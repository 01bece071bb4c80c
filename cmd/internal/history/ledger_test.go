package history

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// logOf returns a log.
func logOf(text string) []file.Source {
	return []file.Source{{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

// A job that is run again has waited from its first end on, starts twice, and has the slowdown of its last run.
func TestRerun(t *testing.T) {
	log := ""
	for _, line := range []string{
		"2 08:00 Q;%s queue=q", "2 12:00 S;%s start=1772452800 Resource_List.ncpus=2", "3 20:00 R;%s start=1772452800 end=1772568000 Resource_List.ncpus=2",
		"5 08:00 S;%s start=1772697600 Resource_List.ncpus=2", "5 18:00 E;%s start=1772697600 end=1772733600 Resource_List.ncpus=2 Exit_status=0",
	} {
		var day int
		var clock, rest string
		fmt.Sscan(line, &day, &clock, &rest)
		_, rest, _ = strings.Cut(line, clock+" ")
		log += fmt.Sprintf("03/%02d/2026 %s:00;", day, clock) + strings.Replace(rest, "%s", "1.s;user=ann ctime=1772438400 qtime=1772438400 etime=1772438400", 1) + "\n"
	}
	l := NewLedger(Question{Step: Day, Kind: "user", From: trace.Unknown, To: trace.Unknown, Zone: time.UTC})
	if _, err := trace.Read(logOf(log), time.UTC, l.Keep()); err != nil || l.err != nil {
		t.Fatal(err, l.err)
	}
	var got []string
	for _, p := range l.calendar.periods {
		c := l.in(l.calendar.at(p.Begin), "ann")
		got = append(got, fmt.Sprintf("%s: %d start, %d slowed, %d wait, %d end, %d again, %g h", time.Unix(p.Begin, 0).UTC().Format("Jan 2"), c.started, c.slowed, c.waiting, c.ended, c.rerun, c.occupied[0]/3600))
	}
	want := "Mar 2: 1 start, 0 slowed, 0 wait, 0 end, 0 again, 24 h\nMar 3: 0 start, 0 slowed, 1 wait, 0 end, 1 again, 40 h\n" +
		"Mar 4: 0 start, 0 slowed, 1 wait, 0 end, 0 again, 0 h\nMar 5: 1 start, 1 slowed, 0 wait, 1 end, 0 again, 20 h"
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("%s\nwant\n%s", all, want)
	}
}
