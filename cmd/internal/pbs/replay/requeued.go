package replay

import (
	"cmp"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// ForgetPreempted takes away the runs that ended since another job was started
// in their place, under the policy in force: a replay makes its own. It returns how many
// there are. The log has them as it has qrerun; they are told by a job that starts at once, of an express queue
// of a higher level, or, where levels also depend on soft limits, on shares or on how long jobs wait, by any
// other one that is not of a lower level by its queue.
func ForgetPreempted(w *work.Work, inForce *pbs.Site) int {
	policy := inForce.Policy()
	if !policy.Preemptive || !slices.ContainsFunc(inForce.Sched.PreemptOrder(), func(o pbs.PreemptOrder) bool { return strings.ContainsAny(o.Methods, "CR") }) {
		return 0
	}
	levels := cycle.NewLevels(&inForce.Sched, inForce.Queues)
	levelOf := func(j *work.Job) int32 {
		at := slices.IndexFunc(inForce.Queues, func(q pbs.Queue) bool { return q.Name == w.Trace.Names.List[j.Queue] })
		if at < 0 {
			return levels.Class(0, 0)
		}
		return levels.Class(0, inForce.Queues[at].Priority)
	}
	soft, _ := inForce.Limits(true)
	mayChange := len(soft) > 0 && levels.Asks(cycle.OverServerLimit|cycle.OverQueueLimit) || policy.HelpStarving && levels.Asks(cycle.Starving) || levels.Asks(cycle.OverShare)
	type start struct {
		at    int64
		level int32
		job   *work.Job
	}
	ordinary := levels.Class(0, levels.Least-1)
	var starts []start
	for _, j := range w.Jobs {
		level := levelOf(j)
		if level >= ordinary && !mayChange {
			continue
		}
		for _, run := range j.Earlier() {
			starts = append(starts, start{run.Start, level, j})
		}
		if j.Start != trace.Unknown {
			starts = append(starts, start{j.Start, level, j})
		}
	}
	slices.SortFunc(starts, func(a, b start) int { return cmp.Compare(a.at, b.at) })
	const soon = 30 // seconds
	return w.Forget(func(j *work.Job, run trace.Run) bool {
		level := levelOf(j)
		from, _ := slices.BinarySearchFunc(starts, run.End-1, func(s start, at int64) int { return cmp.Compare(s.at, at) })
		for _, s := range starts[from:] {
			if s.at > run.End+soon {
				break
			}
			if s.level < level || mayChange && s.level == level && s.job != j {
				w.Preempted = append(w.Preempted, run)
				return true
			}
		}
		return false
	})
}

// ForgetFailures forgets the runs that ended since a vnode had failed: under another policy
// they need not come, and where they do they follow from the vnode's events. It returns how
// many there were.
func ForgetFailures(w *work.Work, events []world.VnodeEvent) int {
	return w.Forget(func(_ *work.Job, run trace.Run) bool { return isLost(run.End, events) })
}

// isLost reports whether a run ended since a vnode had failed.
func isLost(end int64, events []world.VnodeEvent) bool {
	const early, late = 10, 60 // seconds by which a run may end otherwise than is usual
	return slices.ContainsFunc(events, func(ev world.VnodeEvent) bool {
		after := end - ev.At
		byFirst := after >= defaultRequeue-early && after <= defaultRequeue+late
		bySister := after >= sisterLost-late && after <= sisterLost+late
		return ev.Kind == world.Down && (byFirst || bySister)
	})
}
