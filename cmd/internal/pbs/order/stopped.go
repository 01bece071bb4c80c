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
	for _, q := range site.Queues {
		waiting, _ := q.Waiting()
		if l != nil {
			waiting = max(waiting, waitingIn(l, q.Name))
		}
		if waiting == 0 || q.Deleted || q.Routes {
			continue
		}
		n := waits(report.Count(waiting, "job"), waiting)
		switch state := strings.ReplaceAll(q.State(), ", ", " and "); {
		case q.Stopped:
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: none of them starts until it is (set queue %s started = True)", q.Name, state, n, q.Name).At("queue "+q.Name, 0))
		case state != "":
			remarks = append(remarks, diag.Warningf("queue %s is %s, and %s in it: they start, and it takes no others (set queue %s enabled = True)", q.Name, state, n, q.Name).At("queue "+q.Name, 0))
		}
	}
	return remarks
}

// waitingIn returns how many jobs of a list wait in a queue.
func waitingIn(l *joblist.List, queue string) (n int) {
	at, isThere := l.Queues.Find(queue)
	for row := range l.Len() {
		if j := l.Job(row); isThere && j.Queue == at && (j.State == 'Q' || j.State == 'B' && j.Subjobs > 0) {
			n += int(max(j.Subjobs, 1))
		}
	}
	return n
}

// waits returns a count of jobs with a verb.
func waits(count string, n int) string {
	if n == 1 {
		return count + " waits"
	}
	return count + " wait"
}
