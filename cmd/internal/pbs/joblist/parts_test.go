package joblist_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/pbs/joblist"
)

// What is told of a job of a long list, which is read in parts, is what the list says of that one, wherever it stands.
func TestTextsOfLongLists(t *testing.T) {
	const jobs = 6000
	begin := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	clock := func(i, hours int) string {
		return begin.Add(time.Duration(i)*time.Second + time.Duration(hours)*time.Hour).Format(time.ANSIC)
	}
	var text strings.Builder
	for i := range jobs {
		fmt.Fprintf(&text, "Job Id: %d.s\n    Job_Owner = u@h\n    job_state = %c\n    queue = q\n    qtime = %s\n    mtime = %s\n    stime = %s\n    queue_rank = %d\n    comment = says %d\n    euser = u\n    egroup = g\n    Resource_List.ncpus = 1\n\n",
			i, "QR"[i%2], clock(i, 0), clock(i, 1), clock(i, 2), i, i)
	}
	l, err := joblist.Read(strings.NewReader(text.String()), joblist.Options{Comments: true, Groups: true})
	if err != nil || l.Len() != jobs {
		t.Fatal(err)
	}
	for row := range jobs {
		want := fmt.Sprintf("says %d, of %s, in its queue from %s", row, clock(row, 1), clock(row, 0))
		if got := fmt.Sprintf("%s, of %s, in its queue from %s", l.Comment(row), l.Changed(row), l.Queued(row)); got != want {
			t.Fatalf("of job %d: %s, want %s", row, got, want)
		}
		if row%2 == 1 {
			if got, want := l.Course(row, time.UTC).Start, begin.Unix()+int64(row)+2*3600; got != want {
				t.Fatalf("job %d started at %d, want %d", row, got, want)
			}
		}
	}
}
