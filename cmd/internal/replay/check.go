package replay

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
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

// Check returns an *ImpossibleError if a cluster is smaller than what recorded work has
// occupied at a time.
func (w *Work) Check(c *cluster.Cluster) error {
	occupied := trace.Largest(w.Occupations())
	if has := c.Total("ncpus"); float64(occupied) > has {
		return &ImpossibleError{Detail: fmt.Sprintf("the cluster has %.0f cpus, but the jobs have occupied %d at a time%s", has, occupied, leftOut(c))}
	}
	return nil
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
