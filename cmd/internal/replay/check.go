package replay

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/trace"
)

// DefaultLag returns how old reports of use are taken to be, in seconds: accrual's, as
// measured with one mom; two fifths of a typical run where that is less, since mom would
// report hardly any of them otherwise.
func DefaultLag(w *Work) float64 {
	const part = .4
	return min(accrual.DefaultLag, part*typicalRun(w))
}

// typicalRun returns the median run time of jobs in seconds, infinity if none has ended.
func typicalRun(w *Work) float64 {
	var runs []float64
	for _, j := range w.Jobs {
		if seconds, ok := j.Length(); ok {
			runs = append(runs, float64(seconds))
		}
	}
	if len(runs) == 0 {
		return math.Inf(1)
	}
	slices.Sort(runs)
	return trace.Quantile(runs, .5)
}

// Check returns an *ImpossibleError if no job fits on a cluster, or if it is smaller than
// what those that do have occupied at a time. Where that lasts a second, an end and a start
// that the log has in one, it is a remark; so it is where a little more was in use, since
// PBS itself gives vnodes away twice at times.
func (w *Work) Check(c *cluster.Cluster) ([]diag.Remark, error) {
	var fitting []*trace.Job
	is, first := w.Impossible(c)
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
	list := w.Trace.Occupations(fitting)
	for i, o := range list {
		if float64(o.CPUs) <= has || i+1 == len(list) {
			seconds = 0
			continue
		}
		seconds += list[i+1].From - o.From
		longest, most = max(longest, seconds), max(most, o.CPUs)
	}
	const twice = 1.25 // times the cluster, up to which the scheduler may have been wrong and not the cluster
	switch {
	case longest > 1 && float64(most) <= twice*has:
		return []diag.Remark{diag.Warningf("the jobs have occupied up to %d of %.0f cpus: the record has more in use than there is%s", most, has, leftOut(c))}, nil
	case longest > 1:
		return nil, &ImpossibleError{Detail: fmt.Sprintf("the cluster has %.0f cpus, but the jobs have occupied %d at a time%s", has, most, leftOut(c))}
	case longest > 0:
		return []diag.Remark{diag.Notef("for a second the jobs have occupied %d of %.0f cpus: some ends and starts share one", most, has)}, nil
	}
	return nil, nil
}

func leftOut(c *cluster.Cluster) string {
	if len(c.LeftOut) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d vnodes are down or offline and do not count)", len(c.LeftOut))
}

// Occupations returns the cpus that the jobs have occupied over time.
func (w *Work) Occupations() []trace.Occupation { return w.Trace.Occupations(w.TraceJobs()) }

// TraceJobs returns the jobs as they were recorded.
func (w *Work) TraceJobs() []*trace.Job {
	jobs := make([]*trace.Job, len(w.Jobs))
	for i, j := range w.Jobs {
		jobs[i] = j.Job
	}
	return jobs
}

// Backlog returns how many jobs wait at a time of a replay.
func (r *Result) Backlog(at int64) int {
	n := 0
	for i, j := range r.Work.Jobs {
		hasCome := j.Arrival <= at && !j.WasRunning && (j.Deleted == trace.Unknown || j.Deleted > at)
		if hasCome && (r.Start[i] == 0 || r.Start[i] > float64(at)) {
			n++
		}
	}
	return n
}

// IsSaturated reports whether the backlog runs away: whether many more jobs wait at the
// end of the record than in its middle.
func (r *Result) IsSaturated() (middle, end int, is bool) {
	const many, times = 20, 2
	middle, end = r.Backlog((r.Work.First+r.Work.Last)/2), r.Backlog(r.Work.Last)
	return middle, end, end >= many && end >= times*middle
}
