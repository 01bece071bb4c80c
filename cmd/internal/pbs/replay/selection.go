package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs/cycle"
)

// someMayStart reports whether a class of waiting jobs fits right now, or may by
// preempting others.
func (s *selection) someMayStart() bool {
	if s.preempts = s.someMayPreempt(); !s.preempts && s.looksAtPeers() {
		isAny := false
		s.visitPeers(func(_ *peers, mayStart bool) bool {
			isAny = mayStart
			return !isAny
		})
		return isAny
	}
	return s.preempts || slices.ContainsFunc(s.backlog.active, func(c *class) bool { return c.waiting > 0 && s.room.fitsNow(c) })
}

// someMayPreempt reports whether jobs wait that may preempt others in a cycle. Where levels
// change while it goes on, that is not known before.
func (s *selection) someMayPreempt() bool {
	if s.at.policy.Preemptive && s.preemption.changes() {
		return s.backlog.waiting > 0
	}
	lowest, isAny := s.preemption.lowestRunning()
	if isAny && s.looksAtPeers() {
		return s.backlog.reaches(lowest)
	}
	return isAny && slices.ContainsFunc(s.backlog.active, func(c *class) bool {
		return c.waiting > 0 && c.level < lowest && s.room.hours.isOpen(c)
	})
}

// isLeftOut reports whether the scheduler does not look at a group's jobs: those in
// stopped queues, in queues that are closed at the time (as PBS's is_ok_to_run_queue; none of
// them is a top job), and those of entities without shares.
func (s *selection) isLeftOut(g *group) bool {
	if s.at.queues[g.queue].Stopped || !s.room.hours.isOpen(g.class) {
		return true
	}
	return s.enforces && s.at.policy.FairShare && s.usage.tree.Entity(s.usage.ids[g.entity]).TreePercentage == 0
}

// considered returns the candidates that the scheduler looks at, in the order in
// which their jobs came: not those at or below job_sort_formula_threshold.
func (s *selection) considered(all []candidate) []candidate {
	all = slices.DeleteFunc(all, func(c candidate) bool {
		isUnder := s.values.program != nil && float64(c.value) <= s.threshold
		s.waits = s.waits || isUnder // for its value to change
		return isUnder
	})
	s.sortByJob(all)
	return all
}

// isUnder reports whether the value of a job, which is of a group, is at or below job_sort_formula_threshold.
func (s *selection) isUnder(g *group, job int32) bool {
	watched := []candidate{{group: g, member: member{job: job}}}
	err := s.values.evaluate(watched)
	return err == nil && len(s.considered(watched)) == 0
}

// sortByJob puts candidates in the order in which their jobs came. They are large, and stay where they are until it is known.
func (s *selection) sortByJob(all []candidate) {
	const bits = 32
	keys := s.byJob[:0]
	for i := range all {
		keys = append(keys, int64(all[i].job)<<bits|int64(i))
	}
	s.byJob = keys
	if slices.IsSorted(keys) {
		return
	}
	slices.Sort(keys)
	s.unsorted = append(s.unsorted[:0], all...)
	for i, key := range keys {
		all[i] = s.unsorted[key&(1<<bits-1)]
	}
}

// order begins a cycle of the scheduler's order over candidates. The tree still has what was
// charged since an order before in the same cycle.
func (s *selection) order(all []candidate) *cycle.Cycle {
	s.at.state.BeginCycle()
	return s.orderPart(all)
}

// orderPart begins the order of the next candidates of a cycle.
func (s *selection) orderPart(all []candidate) *cycle.Cycle {
	m := &s.ordered
	if s.at.isPlain {
		m = &orderMemory{}
	}
	m.jobs, m.considered, m.keys, m.costs = m.jobs[:0], m.considered[:0], m.keys[:0], m.costs[:0]
	settings := cycle.Settings{
		Policy: s.at.policy, Tree: s.usage.tree, Queues: s.at.queues,
		Levels: s.preemption.Levels,
	}
	for i, c := range all {
		job := cycle.Job{Value: c.value, Entity: s.usage.ids[c.group.entity], Queue: c.group.queue, Subjobs: int32(1 + len(c.rest)), Rank: c.rank, Preempted: s.at.jobs[c.job].preempted}
		if s.at.policy.Preemptive {
			job.Status = s.preemption.statusOf(c.job)
		}
		m.jobs, m.considered = append(m.jobs, job), append(m.considered, int32(i))
		m.keys = append(m.keys, s.room.hours.keys(c.group.keys)...)
		if s.usage.costs != nil {
			m.costs = append(m.costs, s.usage.costs[c.job])
		}
	}
	settings.SortKeys = m.keys
	if s.usage.costs != nil {
		settings.Costs = m.costs
	}
	m.cycle.Begin(m.jobs, m.considered, settings)
	return &m.cycle
}

// orderMemory is the memory of a cycle's order, for the next one.
type orderMemory struct {
	cycle       cycle.Cycle
	jobs        []cycle.Job
	considered  []int32
	keys, costs []float64
}
