package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
)

// ByValue explains the job of a row of a site that lacks its sched_config, for the reason why: all that the formula tells of its place
// is where it is within its queue, but for jobs of its value.
func ByValue(o *order.Order, row int, why string) Explanation {
	if len(o.Rows) == 1 {
		return Explain(o, row) // whatever sched_config has
	}
	e := Describe(o, row, why)
	e.Line = o.Line(row)
	e.evaluate(o, row)
	if e.Unplaced == "" {
		return e
	}
	e.Surely = &Surely{Unless: unlessPreempted(o)}
	for _, other := range o.Rows {
		if o.List.Job(int(other)).Queue != o.List.Job(row).Queue {
			continue
		}
		switch d := cycle.CompareValues(o.Value(int(other)), o.Value(row)); {
		case d < 0:
			e.Surely.Ahead++
		case d > 0:
			e.Surely.Behind++
		}
	}
	return e
}

// unlessPreempted says by what jobs of a queue may go that comes before their values and that nothing tells, "" for nothing.
func unlessPreempted(o *order.Order) string {
	sched := o.Plan.Site.Sched
	levels := []string{"starving_jobs", "server_softlimits", "queue_softlimits", "fairshare"}
	isOne := func(level string) bool {
		return slices.ContainsFunc(strings.Fields(level), func(name string) bool { return slices.Contains(levels, name) })
	}
	switch {
	case !sched.OfSched:
		return "preempt_prio has starving jobs, soft limits or fairshare"
	case slices.ContainsFunc(sched.PreemptPrio, isOne):
		return "preempt_prio (" + strings.Join(sched.PreemptPrio, ", ") + ") puts others first"
	}
	return ""
}

// PlaceByValue says where a job is in its queue by its value, or between which places, "" where that is not known.
func (e *Explanation) PlaceByValue() string {
	if e.Unplaced == "" || e.Value == nil || e.Surely == nil {
		return ""
	}
	first, last := e.Surely.Ahead+1, e.WaitingInQueue-e.Surely.Behind
	text := strconv.Itoa(first)
	if first < last {
		text += fmt.Sprintf(" to %d", last)
	}
	text = fmt.Sprintf("by the formula number %s of %d in queue %s", text, e.WaitingInQueue, e.Queue)
	if first < last {
		text += fmt.Sprintf(" (%d have its value)", last-first+1)
	}
	if e.Surely.Unless != "" {
		text += ", unless " + e.Surely.Unless
	}
	return text
}

// CompareByValue says of two jobs of a site that lacks its sched_config, for the reason why, which goes first by the formula, where they
// are in one queue, and else what is known of both.
func CompareByValue(o *order.Order, a, b int, why string) Verdict {
	v := Compare(o, a, b)
	v.Ranks = [2]*int{} // of all jobs
	isOfQueue := o.List.Job(a).Queue == o.List.Job(b).Queue
	switch {
	case v.Key == ByConsidered, v.Key == cycle.ByReserve:
		return v
	case isOfQueue && v.Key == cycle.ByValue:
		if unless := unlessPreempted(o); unless != "" {
			v.Why += ", unless " + unless
		}
		return v
	}
	first, second := o.List.Job(a).ID, o.List.Job(b).ID
	v = Verdict{First: first, Second: second, Unplaced: why, Parts: append(parts(o, a, b), known(o, a, b)...), Turn: []compare.TurningPoint{}, Notes: []string{}}
	v.Notes = append(v.Notes, Installed(o, a, b)...)
	if v.Why = fmt.Sprintf("which of %s and %s goes first is not known: ", first, second); isOfQueue {
		v.Why += "the formula gives both the same value"
		return v
	}
	va, vb := ValuesApart(o, a, b)
	v.Why += fmt.Sprintf("by the formula their values are %s and %s, but they are in different queues", va, vb)
	return v
}

// InQueue returns the ID of the job that is just ahead of that of a row in its queue by the formula, or for "first" of the first one there.
func InQueue(o *order.Order, row int, which string) (id string, err error) {
	job := o.List.Job(row)
	if o.Place(row) == 0 {
		return "", diag.Requestf("%s is not considered (%s), so that no job is %s of it", job.ID, o.Reason(row), which)
	}
	for _, other := range o.Rows {
		of := o.List.Job(int(other))
		if of.Queue != job.Queue {
			continue
		}
		if int(other) == row {
			break
		}
		if id = of.ID; which == "first" {
			break
		}
	}
	if id == "" {
		return "", diag.Requestf("no job of queue %s is before %s by the formula", o.QueueOf(row).Name, job.ID)
	}
	return id, nil
}
