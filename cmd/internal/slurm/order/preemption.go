package order

import "fairshare/cmd/internal/slurm/sched"

// Preemption is on what it depends which job may preempt which, and so goes first whatever their priorities.
type Preemption struct {
	Type string      // PreemptType
	Mode string      // PreemptMode, on which no order depends
	QOS  []sched.QOS // with those that each names, and no limits; nil where they are not known
}

// Preemption returns the one by which the jobs of the site stand.
func (s *Site) Preemption() Preemption { return s.preemption }

// UsePreemption lets the jobs of the site stand by a preemption.
func (s *Site) UsePreemption(p Preemption) {
	s.preemption, s.precedence = p, sched.NewPrecedence(p.Type, p.QOS)
}

// IsAsListed reports whether nothing tells the priorities, so that jobs stand as squeue lists them, whatever is set.
func (s *Site) IsAsListed() bool { return s.isAsListed }
