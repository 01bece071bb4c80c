package sched

import (
	"cmp"
	"slices"
	"strings"
)

// PreemptMode is what becomes of a job that is taken off its nodes for another one.
type PreemptMode byte

// The modes that PreemptMode of slurm.conf, of partitions and of QOS knows.
const (
	ModeUnset PreemptMode = iota // of a partition or a QOS: that of the cluster
	ModeOff
	ModeCancel
	ModeRequeue
	ModeSuspend // it goes on later where it was, see gang: under preempt/partition_prio alone
)

var modeNames = []string{"", "OFF", "CANCEL", "REQUEUE", "SUSPEND"}

func (m PreemptMode) String() string { return modeNames[m] }

// ParsePreemptMode reads PreemptMode of slurm.conf, such as REQUEUE or SUSPEND,GANG, ok is false for what is none. GANG
// alone preempts nobody.
func ParsePreemptMode(text string) (m PreemptMode, ok bool) {
	for word := range strings.SplitSeq(strings.ToUpper(text), ",") {
		switch at := slices.Index(modeNames, word); {
		case word == "GANG" || word == "WITHIN" || word == "CLUSTER" || word == "(NULL)" || word == "":
		case word == "DISABLED":
			m = ModeOff
		case at < 0:
			return ModeUnset, false
		default:
			m = PreemptMode(at)
		}
	}
	return m, true
}

// IsWithin reports whether a PreemptMode lets jobs of a QOS preempt others of the same one, which is not modelled.
func IsWithin(mode string) bool {
	return slices.Contains(strings.Split(strings.ToUpper(mode), ","), "WITHIN")
}

// Preemption is how jobs are taken off their nodes for others. Whose jobs they are, the Precedence says.
type Preemption struct {
	Mode       PreemptMode   // PreemptMode of slurm.conf
	Partitions []PreemptMode // by partition, its own; nil where none has one
	Exempt     int64         // PreemptExemptTime of slurm.conf: seconds for which a job that has started is left alone
	Grace      []int64       // GraceTime by partition: seconds for which a job goes on that is to go; nil where none has one

	IsYoungest bool // preempt_youngest_first
	IsStrict   bool // preempt_strict_order
	Reorder    int  // preempt_reorder_count
}

// Preempts reports whether jobs are taken off their nodes for others at a site, as far as that is modelled.
func (s *Setup) Preempts() bool {
	p := s.Precedence()
	if !p.byTier && p.over == nil {
		return false
	}
	return s.hasMode(ModeCancel) || s.hasMode(ModeRequeue)
}

// Requeues reports whether jobs that are taken off their nodes for others may wait again.
func (s *Setup) Requeues() bool { return s.Preempts() && s.hasMode(ModeRequeue) }

// hasMode reports whether a mode is that of the cluster, of a partition or of a QOS.
func (s *Setup) hasMode(m PreemptMode) bool {
	return s.Preemption.Mode == m || slices.Contains(s.Preemption.Partitions, m) || slices.ContainsFunc(s.QOS, func(q QOS) bool { return q.PreemptMode == m })
}

// IsPreempted reports whether jobs of another QOS may preempt those of one.
func (s *Setup) IsPreempted(qos int) bool {
	p := s.Precedence()
	return slices.ContainsFunc(p.over, func(over []bool) bool { return over != nil && over[qos] })
}

// modeOf returns what becomes of a running job that is preempted (Slurm's preempt.c, slurm_job_preempt_mode): the mode of
// its partition counts under preempt/partition_prio, that of its QOS under preempt/qos, where these have one.
func (e *engine) modeOf(j *Job) PreemptMode {
	own, x := ModeUnset, &e.Preemption
	if e.precedence.byTier {
		if x.Partitions != nil {
			own = x.Partitions[j.Partition]
		}
	} else if own = e.QOS[j.QOS].PreemptMode; own == ModeOff { // which is none of a QOS
		own = ModeUnset
	}
	return cmp.Or(own, x.Mode)
}

// mayPreempt reports whether a job that waits may take a running one off its nodes.
func (e *engine) mayPreempt(j, other *Job) bool {
	if e.precedence.byTier {
		return e.Partitions[j.Partition].Tier > e.Partitions[other.Partition].Tier
	}
	return e.precedence.over != nil && e.precedence.over[j.QOS] != nil && e.precedence.over[j.QOS][other.QOS]
}

// isExempt reports whether a running job has started so recently that it is left alone.
func (e *engine) isExempt(j *Job) bool {
	exempt := cmp.Or(e.QOS[j.QOS].PreemptExempt, e.Preemption.Exempt)
	return exempt > 0 && j.Start+exempt > e.now
}

// graceOf returns for how long a job that is to go still runs.
func (e *engine) graceOf(j *Job) int64 {
	switch {
	case !e.precedence.byTier:
		return e.QOS[j.QOS].Grace
	case e.Preemption.Grace != nil:
		return e.Preemption.Grace[j.Partition]
	}
	return 0
}

// candidates returns the running jobs that may be taken off nodes for one that waits, in the order in which they are
// (Slurm's preempt.c, slurm_find_preemptable_jobs, and its plugins' _job_prio): those of the QOS with least priority, or
// of the partition of the lowest tier, first, and of those the youngest, or those of fewest nodes. isExempt is whether others would be among them later.
func (e *engine) candidates(j *Job, among Set) (list []*Job, isExempt bool) {
	for i := range e.running {
		b := &e.running[i]
		if mode := e.modeOf(b.job); mode != ModeCancel && mode != ModeRequeue || b.job.isLeaving || !b.nodes.Meets(among) || !e.mayPreempt(j, b.job) {
			continue
		}
		if e.isExempt(b.job) {
			isExempt = true
			continue
		}
		list = append(list, b.job)
	}
	rank := func(j *Job) float64 {
		if e.precedence.byTier {
			return e.Partitions[j.Partition].Tier
		}
		return e.QOS[j.QOS].Priority
	}
	slices.SortStableFunc(list, func(a, b *Job) int {
		if order := cmp.Compare(rank(a), rank(b)); order != 0 {
			return order
		}
		if e.Preemption.IsYoungest {
			return cmp.Or(cmp.Compare(b.Start, a.Start), cmp.Compare(b.born, a.born))
		}
		return cmp.Or(cmp.Compare(len(a.Shares), len(b.Shares)), cmp.Compare(a.born, b.born))
	})
	return list, isExempt
}

// victims returns the running jobs that are to go so that a job fits on some nodes, nil where that does not help (Slurm's
// select/cons_tres, job_test.c, _run_now): they are taken away in their order until it fits, then those that were taken
// last and have most of its nodes go first, preempt_reorder_count times; of those, the ones that have any of its nodes go.
// The shares are what it has then.
func (e *engine) victims(p *placer, r *Request, among Set, list []*Job) (gone []*Job, shares []Share) {
	var nodes Set
	for round := 0; ; round++ {
		e.spare.copyFrom(e.settled)
		taken, fits := 0, false
		for !fits && taken < len(list) {
			x := list[taken]
			e.spare.release(x)
			taken++
			if nodesOf(x.Shares, len(e.Nodes)).Meets(among) {
				shares = p.place(&e.spare, r, among)
				if fits = shares != nil; fits {
					nodes = nodesOf(shares, len(e.Nodes))
				}
			}
		}
		if !fits {
			return nil, nil
		}
		if round >= max(e.Preemption.Reorder, 0) || len(list) <= round+1 {
			for _, x := range list[:taken] {
				if nodesOf(x.Shares, len(e.Nodes)).Meets(nodes) {
					gone = append(gone, x)
				}
			}
			return gone, shares
		}
		last := list[taken-1]
		if e.Preemption.IsStrict {
			list = slices.Insert(slices.Delete(list, taken-1, taken), 0, last)
			continue
		}
		overlap := func(x *Job) int {
			of := nodesOf(x.Shares, len(e.Nodes))
			of.intersect(nodes)
			return of.count()
		}
		weight := map[*Job]int{last: 1 << 30}
		for _, x := range list[:taken-1] {
			weight[x] = overlap(x)
		}
		slices.SortStableFunc(list, func(a, b *Job) int { return weight[b] - weight[a] })
	}
}

// preempt takes running jobs off some nodes for one that does not fit, and reports whether any go: it starts in a later pass or
// cycle. While jobs go for it, no others do. None go where what it would have then is over a limit. isLater is whether others
// might go later.
func (e *engine) preempt(j *Job, among Set) (isAny bool, over breach, isLater bool) {
	if j.whole().preempting > e.now {
		return true, over, true
	}
	list, isExempt := e.candidates(j, among)
	if len(list) == 0 {
		return false, over, isExempt
	}
	gone, shares := e.victims(&e.place, j.Request, among, list)
	if len(gone) == 0 {
		return false, over, isExempt
	}
	if over = e.ledger.exceedsAtStart(j, shares); over.kind != noLimit {
		return false, over, isExempt
	}
	wait := e.KillWait
	for _, x := range gone {
		grace := e.graceOf(x)
		wait = max(wait, grace)
		e.why.goes(Eviction{j, x, e.fateOf(x), grace, shares})
		e.leaveSoon(x, e.now+grace)
	}
	j.whole().preempting = e.now + wait
	return true, over, isExempt
}
