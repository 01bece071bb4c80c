package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// Files are read by the times of their lines, and those that begin in the same second in
// the order in which they are given.
func TestOrderOfFiles(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // the first lines, without what follows the job
		want  string   // the jobs in the order in which they come
	}{
		{"the order of time", []string{"03/02/2026 08:00:00;Q;1.s", "03/03/2026 08:00:00;Q;2.s"}, "1.s 2.s"},
		{"no order", []string{"03/03/2026 08:00:00;Q;1.s", "03/02/2026 08:00:00;Q;2.s", "03/02/2026 23:59:59;Q;3.s"}, "2.s 3.s 1.s"},
		{"another year", []string{"01/01/2026 00:00:00;Q;1.s", "12/31/2025 23:59:59;Q;2.s"}, "2.s 1.s"},
		{"the same second", []string{"03/02/2026 08:00:00;Q;2.s", "03/02/2026 08:00:00;Q;1.s", "03/02/2026 08:00:00;Q;3.s"}, "2.s 1.s 3.s"},
		{"a first line that is damaged", []string{"x\n03/03/2026 08:00:00;Q;1.s", "03/02/2026 08:00:00;Q;2.s"}, "2.s 1.s"},
		{"a file that begins before and ends behind the other", []string{"03/02/2026 09:00:00;Q;1.s", "03/02/2026 08:00:00;Q;2.s;\n03/02/2026 10:00:00;Q;3.s"}, "2.s 1.s 3.s"},
	} {
		var logs []file.Source
		for _, lines := range test.files {
			logs = append(logs, text(lines+";user=a\n"))
		}
		tr, err := Read(logs, time.UTC, Keep{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, j := range tr.Jobs {
			ids = append(ids, j.ID)
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// However many files begin in the same second, their order stays.
func TestManyFilesOfASecond(t *testing.T) {
	const count = 100
	var logs []file.Source
	var want [2][]string
	for i := range count {
		hour := i % 2
		id := fmt.Sprintf("%d.s", i)
		logs = append(logs, text(fmt.Sprintf("03/02/2026 %02d:00:00;Q;%s;user=a\n", 8+hour, id)))
		want[hour] = append(want[hour], id)
	}
	tr, err := Read(logs, time.UTC, Keep{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range tr.Jobs {
		got = append(got, j.ID)
	}
	if !slices.Equal(got, slices.Concat(want[0], want[1])) {
		t.Errorf("the jobs come as %v", got)
	}
}

// What the records of one second mean is decided by the order of the files that they are in.
func TestRecordsOfASecond(t *testing.T) {
	const begin, end = "03/02/2026 08:00:00;S;1.s;ctime=1772434800 start=1772438400\n", "03/02/2026 08:00:00;R;1.s;ctime=1772434800 start=1772438400 end=1772438400\n"
	for _, test := range []struct {
		name  string
		files []string
		want  State
		runs  int
	}{
		{"a start, and then its end", []string{begin, end}, Waiting, 1},
		{"an end, and then another start", []string{end, begin}, Running, 1},
		{"both in one file", []string{begin + end}, Waiting, 1},
	} {
		var logs []file.Source
		for _, lines := range test.files {
			logs = append(logs, text(lines))
		}
		tr, err := Read(logs, time.UTC, Keep{})
		if err != nil || len(tr.Jobs) != 1 {
			t.Fatal(len(tr.Jobs), err)
		}
		if j := tr.Jobs[0]; j.State != test.want || len(j.Earlier()) != test.runs {
			t.Errorf("%s: state %c after %d runs, want %c after %d", test.name, j.State, len(j.Earlier()), test.want, test.runs)
		}
	}
}

// A number is that of another job once the first one is over: where it came at another time,
// or, where that is not said, is submitted after the end.
func TestNumberUsedAgain(t *testing.T) {
	for _, test := range []struct {
		name, log string
		want      string // the states of the jobs
	}{
		{"another time of submission", "09:00:00;E;1.s;ctime=1772438400 start=1772438400 end=1772442000\n09:00:00;Q;1.s;ctime=1772442000", "EQ"},
		{"the same time of submission", "09:00:00;E;1.s;ctime=1772438400 start=1772438400 end=1772442000\n09:30:00;Q;1.s;ctime=1772438400", "E"},
		{"another time of submission while it runs", "08:00:00;S;1.s;ctime=1772438400 start=1772438400\n09:00:00;Q;1.s;ctime=1772442000", "R"},
		{"after a deletion", "08:00:00;Q;1.s;ctime=1772438400\n08:10:00;D;1.s;\n09:00:00;Q;1.s;ctime=1772442000", "DQ"},
		{"no time of submission, a second after the end", "09:00:00;E;1.s;start=1772438400 end=1772442000\n09:00:01;Q;1.s;queue=q", "EQ"},
		{"no time of submission, in the second of the end", "09:00:00;E;1.s;start=1772438400 end=1772442000\n09:00:00;Q;1.s;queue=q", "E"},
		{"no time of submission, and no submission", "09:00:00;E;1.s;start=1772438400 end=1772442000\n09:00:01;a;1.s;Priority=1", "E"},
		{"again and again", "08:00:00;D;1.s;\n08:10:00;Q;1.s;queue=q\n08:20:00;D;1.s;\n08:30:00;Q;1.s;queue=q", "DDQ"},
	} {
		log := ""
		for line := range strings.Lines(test.log) {
			log += "03/02/2026 " + strings.TrimSuffix(line, "\n") + "\n"
		}
		tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
		if err != nil || len(tr.Problems) > 0 {
			t.Fatal(tr.Problems, err)
		}
		got := ""
		for _, j := range tr.Jobs {
			got += string(rune(j.State))
		}
		if got != test.want {
			t.Errorf("%s: states %s, want %s", test.name, got, test.want)
		}
	}
}
