package calibrate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/study/studytest"
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
		for _, fit := range calibrate.FindLimits(recordOf(t, test.jobs...), 2, limitScheme) {
			if fit.Setting == "server.max_run=[u:ann=1]" && fit.Explains == 1 {
				waited = fit.Jobs
			}
		}
		if waited != test.want {
			t.Errorf("%s: %d have waited at it, want %d", test.name, waited, test.want)
		}
	}
}

// A limit for all is one as long as no more names have passed it than come up to any.
func TestTerms(t *testing.T) {
	for _, test := range []struct {
		past map[string]int64
		want string
	}{
		{nil, "server.max_run=[u:PBS_GENERIC=4] true"}, {map[string]int64{"cid": 7}, "server.max_run=[u:PBS_GENERIC=4],[u:cid=7] true"},
		{map[string]int64{"cid": 7, "dan": 7}, "server.max_run=[u:PBS_GENERIC=4],[u:cid=7],[u:dan=7] true"},
		{map[string]int64{"cid": 7, "dan": 7, "eve": 7}, " false"},
	} {
		text, ok := setting(calibrate.Limit{Kind: "u", All: 4, Past: test.past, Names: 2, Most: 7})
		if got := fmt.Sprint(text, " ", ok); got != test.want {
			t.Errorf("%d have passed it: %q, want %q", len(test.past), got, test.want)
		}
	}
}
