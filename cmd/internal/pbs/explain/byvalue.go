package explain

import (
	"fmt"

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
	e.evaluate(o, row)
	if e.Unplaced == "" {
		return e
	}
	e.Surely = &Surely{}
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

// PlaceByValue says where a job is in its queue by its value, or between which places, "" where that is not known.
func (e *Explanation) PlaceByValue() string {
	if e.Unplaced == "" || e.Value == nil || e.Surely == nil {
		return ""
	}
	first, last, of := e.Surely.Ahead+1, e.WaitingInQueue-e.Surely.Behind, " in queue "+e.Queue
	if e.Waiting == e.WaitingInQueue {
		of = ", all in queue " + e.Queue + ","
	}
	if first == last {
		return fmt.Sprintf("number %d of %d%s by the formula", first, e.WaitingInQueue, of)
	}
	return fmt.Sprintf("number %d to %d of %d%s by the formula (%d have its value)", first, last, e.WaitingInQueue, of, last-first+1)
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
		v.Why += ", unless preempt_prio of the scheduler has starving jobs, soft limits or fairshare"
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
