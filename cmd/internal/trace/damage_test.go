package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// twoJobs is what a server writes of a job that runs over midnight, and of one within the next day.
var twoJobs = []string{
	"03/02/2026 20:00:00;S;1.s;ctime=1772481600 start=1772481600 Resource_List.ncpus=64\n",
	"03/03/2026 08:00:00;S;2.s;ctime=1772524800 start=1772524800 Resource_List.ncpus=4\n",
	"03/03/2026 09:00:00;E;1.s;ctime=1772481600 start=1772481600 Resource_List.ncpus=64 end=1772528400 Exit_status=0 resources_used.walltime=13:00:00\n",
	"03/03/2026 10:00:00;S;3.s;ctime=1772532000 start=1772532000 Resource_List.ncpus=1\n",
	"03/03/2026 11:00:00;E;2.s;ctime=1772524800 start=1772524800 Resource_List.ncpus=4 end=1772535600 Exit_status=0\n",
}

// A log that is read twice, or a part of it, counts once, and it is said.
func TestLogsReadTwice(t *testing.T) {
	whole := strings.Join(twoJobs, "")
	for _, c := range []struct {
		name  string
		logs  []string
		again int
	}{
		{"once", []string{whole}, 0},
		{"two files", []string{whole, whole}, 3},
		{"one behind the other", []string{whole + whole}, 3},
		{"a part", []string{whole, strings.Join(twoJobs[1:4], "")}, 2},
		{"a job that still runs", []string{whole, twoJobs[3]}, 1},
	} {
		var logs []file.Source
		for _, log := range c.logs {
			logs = append(logs, text(log))
		}
		tr, err := Read(logs, time.UTC, Keep{})
		if err != nil || len(tr.Problems) > 0 || len(tr.Jobs) != 3 {
			t.Fatal(c.name, err, tr.Problems, len(tr.Jobs))
		}
		for _, j := range tr.Jobs {
			if len(j.Earlier()) > 0 {
				t.Errorf("%s: job %s has run before: %v", c.name, j.ID, j.Earlier())
			}
		}
		if got := tr.Continuity(0).Again; got != c.again {
			t.Errorf("%s: %d records come again, not %d", c.name, got, c.again)
		}
	}
}

// Wherever a log is cut off within its last record, no number that is cut counts, and it is said.
func TestCutRecord(t *testing.T) {
	for last := 2; last < len(twoJobs); last++ {
		before := strings.Join(twoJobs[:last], "")
		line := twoJobs[last]
		for n := len("03/03/2026 09:00:00;E;1.s;"); n < len(line); n++ {
			tr, err := Read([]file.Source{text(before + line[:n])}, time.UTC, Keep{})
			if err != nil || len(tr.Problems) != 1 {
				t.Fatal(line[:n], err, tr.Problems)
			}
			for _, j := range tr.Jobs {
				if ncpus := map[string]int64{"1.s": 64, "2.s": 4, "3.s": 1}[j.ID]; j.NCPUs != ncpus && (last != 3 || j.ID != "3.s" || j.NCPUs != Unknown) {
					t.Errorf("%q: job %s has %d cpus", line[:n], j.ID, j.NCPUs)
				}
			}
			if end := tr.Jobs[0].End; last == 2 && end != 1772528400 {
				t.Errorf("%q: the end is %d", line[:n], end)
			}
		}
	}
	// A record of an end that is cut off within a log has no end.
	cut := strings.Join(twoJobs[:2], "") + twoJobs[2][:len("03/03/2026 09:00:00;E;1.s;ctime=1772481600 start=1772481600 Resource_List.ncpus=6")] + "\n" + strings.Join(twoJobs[3:], "")
	tr, err := Read([]file.Source{text(cut)}, time.UTC, Keep{})
	if err != nil || len(tr.Problems) != 1 || tr.Jobs[0].NCPUs != 64 || tr.Jobs[0].State != Ended {
		t.Error(err, tr.Problems, tr.Jobs[0])
	}
}

// Times of which there is no line are found where PBS writes one each hour.
func TestHoles(t *testing.T) {
	hourly := func(missing func(hour int) bool, hasLicense bool) string {
		log := ""
		for hour := range 72 {
			kind := "L;license;floating license hour:0"
			if !hasLicense {
				kind = "Q;1.s;queue=q"
			}
			if !missing(hour) {
				log += fmt.Sprintf("03/%02d/2026 %02d:00:00;%s\n", 2+hour/24, hour%24, kind)
			}
		}
		return log
	}
	between := func(from, to int) func(int) bool {
		return func(hour int) bool { return hour >= from && hour < to }
	}
	for _, c := range []struct {
		name       string
		missing    func(int) bool
		hasLicense bool
		want       string
	}{
		{"none", between(0, 0), true, "[] []"},
		{"an hour, as that of spring", between(30, 31), true, "[] []"},
		{"two hours", between(30, 32), true, "[] [2026-03-03 06:00 to 2026-03-03 08:00]"},
		{"over midnight", between(40, 50), true, "[] [2026-03-03 16:00 to 2026-03-04 02:00]"},
		{"a day", between(24, 48), true, "[2026-03-03] []"},
		{"more than a day", between(20, 50), true, "[2026-03-03] []"},
		{"logs without such lines", between(30, 40), false, "[] []"},
	} {
		tr, err := Read([]file.Source{text(hourly(c.missing, c.hasLicense))}, time.UTC, Keep{})
		if err != nil {
			t.Fatal(err)
		}
		gaps := tr.Continuity(0)
		if got := fmt.Sprint(gaps.Missing, gaps.Holes); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if gaps.IsBroken() != (c.want != "[] []") {
			t.Errorf("%s: %v", c.name, gaps.Remarks())
		}
	}
}
