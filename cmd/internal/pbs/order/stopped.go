package order

import (
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// Stopped warns of queues in which jobs wait and that are not started, or take no others. How many wait is what the queues count
// (state_count), or a list has, which may be nil: either may be of another moment, or lack jobs.
func Stopped(site *pbs.Site, l *joblist.List) (remarks []diag.Remark) {
	listed := waiting(l)
	for _, q := range site.Queues {
		counted, _ := q.Waiting()
		n := max(counted, listed[q.Name])
		if n == 0 || q.Deleted || q.Routes {
			continue
		}
		waits := "1 job waits"
		if n > 1 {
			waits = report.Count(n, "job") + " wait"
		}
		switch state := strings.ReplaceAll(q.State(), ", ", " and "); {
		case q.Stopped:
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: none of them starts until it is (set queue %s started = True)", q.Name, state, waits, q.Name).At("queue "+q.Name, 0))
		case state != "":
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: they start, and it takes no others (set queue %s enabled = True)", q.Name, state, waits, q.Name).At("queue "+q.Name, 0))
		}
	}
	return remarks
}

// waiting returns how many jobs of a list wait in each queue, nil for no list.
func waiting(l *joblist.List) map[string]int {
	if l == nil {
		return nil
	}
	in := map[string]int{}
	for row := range l.Len() {
		if j := l.Job(row); j.State == 'Q' || j.State == 'B' && j.Subjobs > 0 {
			in[l.Queues.List[j.Queue]] += int(max(j.Subjobs, 1))
		}
	}
	return in
}
