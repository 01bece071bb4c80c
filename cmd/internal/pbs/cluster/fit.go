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
	excess := w.Trace.ExcessOf(fitting, int64(c.Total("ncpus")))
	switch {
	case excess.Longest > 1 && !excess.IsOdd():
		r := excess.Remark()
		r.Text += leftOut(c)
		return []diag.Remark{r}, nil
	case excess.Longest > 1:
		return nil, &work.ImpossibleError{Detail: fmt.Sprintf("the cluster has %d cpus, but the jobs have occupied %d at a time%s", excess.CPUs, excess.Most, leftOut(c))}
	case excess.Longest > 0:
		return []diag.Remark{diag.Notef("for a second the jobs have occupied %d of %d cpus: some ends and starts share one", excess.Most, excess.CPUs)}, nil
	}
	return nil, nil
}

func leftOut(c *Cluster) string {
	if len(c.LeftOut) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d vnodes are down or offline and do not count)", len(c.LeftOut))
}
