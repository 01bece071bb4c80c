package sched

// Threshold is what a job needs to hold up others where it does not fit: below that, a main pass goes on behind it,
// and a cycle plans nothing for it, so that it starts where and when there is room.
type Threshold struct {
	Priority int64 // bf_min_prio_reserve
	Age      int64 // bf_min_age_reserve: for how many seconds it could have run
}

// reserves reports whether a job that does not fit holds up others. Its priority is that of the partition that
// it is tried in. MinPrioThres of its QOS, or else of its association, counts in place of the site's setting
// (Slurm's acct_policy.c, acct_policy_get_prio_thresh).
func (l *Ledger) reserves(j *Job, now int64) bool {
	if l.threshold.Age > 0 && now-j.Submit < l.threshold.Age {
		return false
	}
	least := l.threshold.Priority
	if l.hasThreshold {
		for _, v := range l.of(j) {
			if x := v.limits.LeastPriority; x != None && x != 0 {
				least = x
				break
			}
		}
	}
	return int64(j.Priority) >= least
}
