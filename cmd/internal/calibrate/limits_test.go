package calibrate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/study/studytest"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// recordOf returns a record of jobs of a cpu each, given as USER ARRIVAL START END.
func recordOf(t *testing.T, jobs ...string) *work.Work {
	t.Helper()
	const zero = 1_772_434_800
	var log strings.Builder
	for i, text := range jobs {
		var user string
		var came, start, end int64
		if _, err := fmt.Sscan(text, &user, &came, &start, &end); err != nil {
			t.Fatal(text, err)
		}
		fmt.Fprintf(&log, "%s;E;%d.s;user=%s group=g queue=workq ctime=%[4]d qtime=%[4]d etime=%[4]d start=%[5]d end=%[6]d Exit_status=0 Resource_List.select=1:ncpus=1 Resource_List.ncpus=1 Resource_List.walltime=01:00:00\n",
			time.Unix(zero+end, 0).UTC().Format("01/02/2006 15:04:05"), i+1, user, zero+came, zero+start, zero+end)
	}
	read, err := trace.Read([]file.Source{studytest.Source(log.String())}, time.UTC, trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	return work.New(read, nil)
}

// Which limits a small record respects on two cpus.
func TestFindLimits(t *testing.T) {
	// Of each user a job a time runs, one after the other, though the other cpu is free.
	one := func(user string, jobs, from int) (list []string) {
		for i := range jobs {
			list = append(list, fmt.Sprintf("%s %d %d %d", user, from, from+100*i, from+100*(i+1)))
		}
		return list
	}
	for _, test := range []struct {
		name string
		jobs []string
		want int // how many have waited at a limit of one job, 0 where there is none
	}{
		{"three wait, and a cpu is free", one("ann", 4, 0), 3},
		{"two wait", one("ann", 3, 0), 0},
		{"one that starts when another one ends does not pass it", append(one("ann", 4, 0), "ann 1000 1000 1100", "ann 1100 1100 1200"), 3},
		{"one that starts a second before does", append(one("ann", 4, 0), "ann 1000 1000 1100", "ann 1099 1099 1200"), 0},
	} {
		waited := 0
		for _, fit := range FindLimits(recordOf(t, test.jobs...), 2, pbsLimits) {
			if fit.Setting == "server.max_run=[u:ann=1]" && fit.Explains == 1 {
				waited = fit.Jobs
			}
		}
		if waited != test.want {
			t.Errorf("%s: %d have waited at it, want %d", test.name, waited, test.want)
		}
	}
}

// The limit for all is the one that most names come up to, of several the least.
func TestGenericLimit(t *testing.T) {
	for _, test := range []struct {
		peaks []int64
		want  int64
	}{{nil, 0}, {[]int64{4}, 0}, {[]int64{4, 3}, 0}, {[]int64{4, 4}, 4}, {[]int64{4, 2, 4, 2}, 2}, {[]int64{2, 4, 4, 2, 4}, 4}} {
		names := map[int32]*pressed{}
		for i, peak := range test.peaks {
			names[int32(i)] = &pressed{peak: peak}
		}
		if got := genericLimit(names); got != test.want {
			t.Errorf("%v: %d, want %d", test.peaks, got, test.want)
		}
	}
}

// A limit for all is one as long as no more names have passed it than come up to any.
func TestTerms(t *testing.T) {
	w := recordOf(t, "ann 0 0 9", "bob 0 0 9", "cid 0 0 9", "dan 0 0 9", "eve 0 0 9")
	for above, want := range map[int]string{
		0: "server.max_run=[u:PBS_GENERIC=4] true", 1: "server.max_run=[u:PBS_GENERIC=4],[u:cid=7] true",
		2: "server.max_run=[u:PBS_GENERIC=4],[u:cid=7],[u:dan=7] true", 3: " false",
	} {
		f := &limitFinder{LimitScheme: pbsLimits, work: w, counts: map[countedFor]*pressed{}}
		names := map[int32]*pressed{}
		for i, j := range w.Jobs {
			p := &pressed{peak: 4}
			if i < 2 {
				names[j.User] = p
			} else if i < 2+above {
				p.peak = 7
			}
			f.counts[countedFor{scope: -1, name: j.User}] = p
		}
		setting, ok := f.Setting(f.limit(limitGroup{scope: -1}, names))
		if got := fmt.Sprint(setting, " ", ok); got != want {
			t.Errorf("%d have passed it: %q, want %q", above, got, want)
		}
	}
}
