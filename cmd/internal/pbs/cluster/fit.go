package cluster

import (
	"cmp"
	"fmt"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Impossible reports for each job of work whether the cluster can never run it, and why it cannot
// run the first one.
func (c *Cluster) Impossible(w *work.Work) (is []bool, first error) {
	r := NewRequests(w, c, nil)
	is = make([]bool, len(w.Jobs))
	for i, j := range w.Jobs {
		queue, request := j.Queue, j.Request
		if stages := j.Stages(); len(stages) > 0 {
			queue, request = stages[0].Queue, w.RequestOf(stages[0].Request, j.Job)
		}
		if _, err := r.Try(request, w.Trace.Names.List[queue]); err != nil {
			is[i] = true
			first = cmp.Or[error](first, &work.ImpossibleError{ID: j.ID, Detail: err.Error()})
		}
	}
	return is, first
}

// Check returns a *work.ImpossibleError if no job of work fits on the cluster, or if it is smaller than
// what those that do have occupied at a time. Where that lasts a second, an end and a start
// that the log has in one, it is a remark; so it is where a little more was in use, since
// PBS itself gives vnodes away twice at times.
func (c *Cluster) Check(w *work.Work) ([]diag.Remark, error) {
	var fitting []*trace.Job
	is, first := c.Impossible(w)
	for i, isImpossible := range is {
		if !isImpossible {
			fitting = append(fitting, w.Jobs[i].Job)
		}
	}
	if len(fitting) == 0 {
		return nil, first
	}
	has := c.Total("ncpus")
	var seconds, longest, most int64
	var before trace.Occupation
	for now := range w.Trace.OccupancyOf(fitting).All() {
		if float64(before.CPUs) > has {
			seconds += now.From - before.From
			longest, most = max(longest, seconds), max(most, before.CPUs)
		} else {
			seconds = 0
		}
		before = now
	}
	const twice = 1.25 // times the cluster, up to which the scheduler may have been wrong and not the cluster
	switch {
	case longest > 1 && float64(most) <= twice*has:
		return []diag.Remark{diag.Warningf("the jobs have occupied up to %d of %.0f cpus: the record has more in use than there is%s", most, has, leftOut(c))}, nil
	case longest > 1:
		return nil, &work.ImpossibleError{Detail: fmt.Sprintf("the cluster has %.0f cpus, but the jobs have occupied %d at a time%s", has, most, leftOut(c))}
	case longest > 0:
		return []diag.Remark{diag.Notef("for a second the jobs have occupied %d of %.0f cpus: some ends and starts share one", most, has)}, nil
	}
	return nil, nil
}

func leftOut(c *Cluster) string {
	if len(c.LeftOut) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d vnodes are down or offline and do not count)", len(c.LeftOut))
}
