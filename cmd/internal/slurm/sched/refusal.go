package sched

// Refuses returns why slurmctld does not take a job that is submitted, nil where it does, if only to let it wait for ever: most
// rules of a partition have it refuse jobs under EnforcePartLimits alone, and limits under DenyOnLimit of a QOS (Slurm's
// manuals of slurm.conf and of sacctmgr, and job_mgr.c, _valid_job_part).
func (b *Barrier) Refuses(j *Job) (limit *Limit) { return b.refuses(j, b.refusesIn) }

// RefusesLike returns why slurmctld takes no job that asks for as much, by the rules of ClosedTo; nil where it does.
func (b *Barrier) RefusesLike(j *Job, isQOSKnown bool) *Limit {
	return b.refuses(j, func(in *Job) *Limit {
		if rule := b.setup.brokenBy(in, func(a *admission) bool { return b.setup.refusesBy(a) && b.setup.isTold(a, in, isQOSKnown) }); rule != nil {
			return rule.limit(b.setup, in)
		}
		return nil
	})
}

// refuses returns why slurmctld does not take a job, where a function tells it of each of its entries.
func (b *Barrier) refuses(j *Job, refusesIn func(in *Job) *Limit) (limit *Limit) {
	s := b.setup
	if !s.IsLicensed(j) {
		return tooManyLicences()
	}
	for _, at := range j.places() {
		of := refusesIn(s.EntryOf(j, at))
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
	if rule := s.brokenBy(j, s.refusesBy); rule != nil {
		return rule.limit(s, j)
	}
	if s.QOS[j.QOS].IsDenying || s.PartitionQOS != nil && s.PartitionQOS[j.Partition] >= 0 && s.QOS[s.PartitionQOS[j.Partition]].IsDenying {
		return b.over(j)
	}
	return nil
}

// refusesBy reports whether slurmctld refuses the jobs that a rule keeps out.
func (s *Setup) refusesBy(a *admission) bool {
	return a.isRefused || a.isEnforced && s.enforces()
}

// enforces reports whether EnforcePartLimits has slurmctld refuse jobs.
func (s *Setup) enforces() bool { return s.Enforces == enforcesAll || s.Enforces == enforcesAny }
