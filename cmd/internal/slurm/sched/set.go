package sched

import (
	"math"
	"slices"

	"fairshare/cmd/internal/slurm"
)

// Clone returns a setup that can be changed without changing this one.
func (s *Setup) Clone() *Setup {
	c := *s
	cluster := *s.Cluster
	cluster.Partitions = slices.Clone(cluster.Partitions)
	c.Conf, c.Cluster = s.Conf.Clone(), &cluster
	c.Accounts, c.Tree, c.QOS, c.Licences = slices.Clone(s.Accounts), slices.Clone(s.Tree), slices.Clone(s.QOS), slices.Clone(s.Licences)
	c.Preemption.Partitions = slices.Clone(s.Preemption.Partitions)
	if s.Backfill != nil {
		b := *s.Backfill
		c.Backfill = &b
	}
	return &c
}

// UseBackfill makes the scheduler sched/backfill, or sched/builtin.
func (s *Setup) UseBackfill(is bool) {
	switch {
	case !is:
		s.Backfill = nil
	case s.Backfill == nil:
		b := DefaultBackfill()
		b.IsBySpan = s.IsBySpan()
		s.Backfill = &b
	}
}

// Limit returns the limit that is set by amounts of resources, and the names of those that no limit
// here is of.
func (s *Setup) Limit(list []slurm.Amount) (limit Amounts, others []string) {
	limit = s.Unlimited().AllTRES
	for _, x := range list {
		if i := s.AmountOf(x.Name); i >= 0 {
			const most = math.MaxInt64 / 2 // so that what is in use can be added
			limit[i] = int64(min(x.Count, most))
		} else {
			others = append(others, x.Name)
		}
	}
	return limit, others
}
