package slurm

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// RequeueDelay returns how many seconds after a job is taken off its nodes to wait again it becomes eligible again (Slurm's job_mgr.c,
// _job_requeue_op): once its credential has expired, for which cred_expire of AuthInfo says how long that takes, 0 for the default, and a
// second.
func RequeueDelay(expire int64) int64 {
	const usual = 120
	return cmp.Or(expire, usual) + 1
}

// HeldUntil says until when a job is held that is not eligible before a time (BeginTime), and by what, where Slurm has set that time
// itself, or may have; "" for the time that its user gave. expire is as RequeueDelay has it.
func (n *ListedJob) HeldUntil(expire int64) string {
	delay := time.Duration(RequeueDelay(expire)) * time.Second
	switch {
	case n.Restarts > 0 && n.Eligible.Sub(n.Submitted) == delay: // a job that is requeued counts as submitted then
		return fmt.Sprintf("held until %s: it was requeued at %s, and Slurm lets it start from then", clockOf(n.Eligible, n.Submitted), clockOf(n.Submitted, n.Eligible))
	case n.TellsRestarts && n.Restarts == 0:
		return ""
	}
	return "held until a time that its user gave (--begin), or Slurm, if it was requeued"
}

// clockOf returns the time of day of a time, with its day where another one is of another day.
func clockOf(at, other time.Time) string {
	if at.Format(time.DateOnly) == other.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// Means says what it is that Slurm says a job waits for, and what ends that, where it is of this job and runs are the tasks that run with
// it; "" where that is not known. expire is as RequeueDelay has it.
func (n *ListedJob) Means(runs RunningTasks, expire int64) string {
	means := ReasonNamed(n.Reason).Means
	if strings.ReplaceAll(n.Reason, " ", "") == "BeginTime" {
		return cmp.Or(n.HeldUntil(expire), "its user has it start after a time (--begin)")
	}
	return cmp.Or(runs.Refute(n), means)
}
