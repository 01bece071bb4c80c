package sched

// Refuses returns why slurmctld does not take a job that is submitted, nil where it does, if only to let it wait for ever: most
// rules of a partition have it refuse jobs under EnforcePartLimits alone, and limits under DenyOnLimit of a QOS (Slurm's
// manuals of slurm.conf and of sacctmgr, and job_mgr.c, _valid_job_part).
func (b *Barrier) Refuses(j *Job) (limit *Limit) {
	s := b.setup
	if !s.IsLicensed(j) {
		return tooManyLicences()
	}
	for _, at := range j.places() {
		of := b.refusesIn(s.EntryOf(j, at))
		switch {
		case of == nil && s.Enforces != enforcesAll:
			return nil
		case limit == nil:
			limit = of
		}
	}
	return limit
}

// The values of EnforcePartLimits by which jobs are refused.
const (
	enforcesAll = "ALL"
	enforcesAny = "ANY"
)

// refusesIn returns why slurmctld does not take an entry of a job, nil where it does.
func (b *Barrier) refusesIn(j *Job) *Limit {
	s := b.setup
	isEnforced := s.Enforces == enforcesAll || s.Enforces == enforcesAny
	if rule := s.brokenBy(j, func(a *admission) bool { return a.isRefused || a.isEnforced && isEnforced }); rule != nil {
		return rule.limit(s, j)
	}
	if s.QOS[j.QOS].IsDenying || s.PartitionQOS != nil && s.PartitionQOS[j.Partition] >= 0 && s.QOS[s.PartitionQOS[j.Partition]].IsDenying {
		return b.over(j)
	}
	return nil
}
