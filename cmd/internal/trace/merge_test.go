package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// What cannot be read of logs that overlap is told by the file and the line where it stands, and a record that one of
// them has cut off is whole by the other.
func TestOverlap(t *testing.T) {
	line := func(minute int, rest string) string { return fmt.Sprintf("03/02/2026 08:%02d:00;%s\n", minute, rest) }
	start := line(1, "S;1.s;user=a ctime=1772438400 start=1772438460 Resource_List.ncpus=1")
	end := line(9, "E;1.s;user=a ctime=1772438400 start=1772438460 Resource_List.ncpus=1 end=1772438940 Exit_status=0")
	one := line(0, "Q;1.s;user=a ctime=1772438400") + start + "nonsense\n" + line(9, "E;1.s;user=a ctime=1772438400 start=17724")
	other := start + line(5, "Q;2.s;user=b ctime=1772438700") + "\n" + line(6, "E;2.s;start=x") + end
	named := func(name, lines string) file.Source {
		from := text(lines)
		from.Name = name
		return from
	}
	logs := []file.Source{named("other", other), named("one", strings.TrimSuffix(one, "\n"))}
	for range 2 { // in either order
		slices.Reverse(logs)
		tr, err := Read(logs, time.UTC, Keep{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, p := range tr.Problems {
			said = append(said, p.Error())
		}
		told := strings.Join(said, "\n")
		for _, want := range []string{"one:3: there is no semicolon", "one:4: " + cutRecord, "other:4: start is \"x\""} {
			if !strings.Contains(told, want) {
				t.Errorf("%s is not told:\n%s", want, told)
			}
		}
		if j := tr.Jobs[0]; len(tr.Jobs) != 2 || j.State != Ended || j.Start != 1772438460 || j.End != 1772438940 || tr.again != 1 {
			t.Errorf("%d jobs, %+v, %d again", len(tr.Jobs), j, tr.again)
		}
	}
}

// A line that stands in a log more than once stands so in what is read.
func TestTwiceInOneLog(t *testing.T) {
	log := strings.Repeat("03/02/2026 08:00:00;L;license;floating license hour:1\n", 3)
	l, err := Order([]file.Source{text(log), text(log[:len(log)/3])})
	if err != nil || len(l.Sources) != 1 {
		t.Fatal(len(l.Sources), err)
	}
	if got, err := l.Sources[0].Text(1000); got != log {
		t.Errorf("%q %v", got, err)
	}
}
