package order

import (
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// Stopped warns of queues in which jobs wait and that are not started, or take no others.
func Stopped(site *pbs.Site, l *joblist.List) (remarks []diag.Remark) {
	waiting := make([]int, len(l.Queues.List))
	for row := range l.Len() {
		if j := l.Job(row); j.State == 'Q' || j.State == 'B' && j.Subjobs > 0 {
			waiting[j.Queue] += int(max(j.Subjobs, 1))
		}
	}
	for _, q := range site.Queues {
		at, isThere := l.Queues.Find(q.Name)
		if !isThere || waiting[at] == 0 || q.Deleted {
			continue
		}
		n := report.Count(waiting[at], "job")
		switch state := strings.ReplaceAll(q.State(), ", ", " and "); {
		case q.Stopped:
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: none of them starts until it is (set queue %s started = True)", q.Name, state, waits(n, waiting[at]), q.Name).At("queue "+q.Name, 0))
		case state != "":
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: they start, and it takes no others (set queue %s enabled = True)", q.Name, state, waits(n, waiting[at]), q.Name).At("queue "+q.Name, 0))
		}
	}
	return remarks
}

// waits returns a count of jobs with a verb.
func waits(count string, n int) string {
	if n == 1 {
		return count + " waits"
	}
	return count + " wait"
}
