package replay

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/trace"
)

// DefaultLag returns how old reports of use are taken to be, in seconds: 30, as measured
// with one mom; two fifths of a typical run where that is less, since mom would report
// hardly any of them otherwise.
func DefaultLag(w *Work, measured float64) float64 {
	var runs []float64
	for _, j := range w.Jobs {
		if seconds, ok := j.Run(); ok {
			runs = append(runs, float64(seconds))
		}
	}
	if len(runs) == 0 {
		return measured
	}
	slices.Sort(runs)
	const part = .4
	return min(measured, part*trace.Quantile(runs, .5))
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

// Demand returns the cpu time that the jobs need which came in the time of the record,
// as a part of what the cluster has in that time: above 1 more comes than it can do.
func (w *Work) Demand(c *cluster.Cluster) float64 {
	total := 0.
	for _, j := range w.Jobs {
		for _, run := range j.Runs {
			total += float64(run) * float64(max(0, j.NCPUs))
		}
	}
	return total / (c.Total("ncpus") * float64(max(1, w.Last-w.First)))
}
