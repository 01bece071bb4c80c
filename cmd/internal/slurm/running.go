package slurm

// Runs returns since when a job runs that has started, as its time limit counts, and for how many seconds it may run in all,
// by what scontrol show job prints of it at a time. limit is what it asked for in seconds, for one without end a year.
//
// Slurm's EndTime decides, by which slurmctld plans itself (job_mgr.c, _suspend_job and job_time_limit): what a job was
// suspended for, or waited for its nodes to boot, puts it off, and counts neither as run nor against the limit; the
// GraceTime of a job that is preempted brings it forward. Where it tells nothing, as of jobs without end and of those that
// are suspended now, SuspendTime and SecsPreSuspend tell since when it has run.
func (n *ListedJob) Runs(at, limit int64) (since, length int64) {
	since, length = n.Started.Unix(), limit
	if n.Started.IsZero() || since > at || since <= 0 {
		return at, limit
	}
	switch isTold := !n.Ends.IsZero(); {
	case n.State == "SUSPENDED" && !n.Suspended.IsZero():
		since = at - n.RanBefore
	case isTold && n.Ends.Unix()-limit < since: // earlier than by the limit
		length = n.Ends.Unix() - since
	case isTold:
		since = n.Ends.Unix() - limit
	case !n.Suspended.IsZero(): // and has gone on then
		since = n.Suspended.Unix() - n.RanBefore
	}
	return min(max(since, n.Started.Unix()), at), max(1, length)
}

// IsPreempted reports whether a job that runs is being preempted, and has until EndTime.
func (n *ListedJob) IsPreempted() bool {
	return !n.Preempted.IsZero() && !n.Preempted.Before(n.Started)
}
