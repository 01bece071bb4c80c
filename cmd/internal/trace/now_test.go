package trace

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// What had not ended at a time, and of an array those subjobs alone of which nothing else is on record.
func TestUnended(t *testing.T) {
	const log = `03/02/2026 08:00:00;Q;1.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400
03/02/2026 08:00:00;Q;2.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400
03/02/2026 08:00:00;Q;3[].s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400 array_indices=1-4
03/02/2026 08:00:00;Q;4.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=0
03/02/2026 08:10:00;S;1.s;user=a queue=q ctime=1772438400 start=1772439000
03/02/2026 08:10:00;S;3[1].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000
03/02/2026 08:10:00;S;3[2].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000
03/02/2026 08:20:00;E;3[1].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000 end=1772439600
03/02/2026 08:30:00;D;2.s;requestor=a@h
03/02/2026 08:40:00;L;license;
03/02/2026 09:00:00;E;1.s;user=a queue=q ctime=1772438400 start=1772439000 end=1772442000
`
	read, err := Read([]file.Source{text(log)}, time.UTC, Keep{Requests: true, Until: time.Date(2026, 3, 2, 8, 45, 0, 0, time.UTC).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, now := range read.Unended() {
		got = append(got, fmt.Sprintf("%s %c %d", now.ID, now.Letter, now.Eligible))
	}
	slices.Sort(got)
	if want := []string{"1.s R 2700", "3[2].s R 2700", "3[3].s Q 2700", "3[4].s Q 2700"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
