package replay

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
)

// ForgetPreempted takes away the runs that ended since a job of a higher level was started
// in their place, under the policy in force: a replay makes its own. It returns how many
// there are. The log has them as it has qrerun; they are told by a job of an express queue
// of a higher level that starts at once, so that those for soft limits, fairshare and
// starving jobs are not.
func (w *Work) ForgetPreempted(inForce *pbs.Site) int {
	if policy := inForce.Policy(); !policy.Preemptive || !slices.ContainsFunc(parsePreemptOrder(inForce.Sched.Scheduler["preempt_order"]), func(o preemptOrder) bool { return strings.ContainsAny(o.methods, "CR") }) {
		return 0
	}
	levels := cycle.NewLevels(&inForce.Sched, inForce.Queues)
	levelOf := func(j *Job) int32 {
		at := slices.IndexFunc(inForce.Queues, func(q pbs.Queue) bool { return q.Name == w.Trace.Names.List[j.Queue] })
		if at < 0 {
			return levels.Class(0, 0)
		}
		return levels.Class(0, inForce.Queues[at].Priority)
	}
	type start struct {
		at    int64
		level int32
	}
	ordinary := levels.Class(0, levels.Least-1)
	var starts []start
	for _, j := range w.Jobs {
		level := levelOf(j)
		if level >= ordinary {
			continue
		}
		for _, run := range j.Earlier() {
			starts = append(starts, start{run.Start, level})
		}
		if j.Start != trace.Unknown {
			starts = append(starts, start{j.Start, level})
		}
	}
	const soon = 30 // seconds
	return w.forget(func(j *Job, run trace.Run) bool {
		level := levelOf(j)
		return slices.ContainsFunc(starts, func(s start) bool { return s.level < level && s.at >= run.End-1 && s.at <= run.End+soon })
	})
}
