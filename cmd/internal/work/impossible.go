package work

import "fairshare/cmd/internal/trace"

// ImpossibleError is a job that the cluster can never run, or jobs that together need
// more than it has.
type ImpossibleError struct{ ID, Detail string }

func (e *ImpossibleError) Error() string {
	if e.ID == "" {
		return e.Detail
	}
	return "job " + e.ID + ": " + e.Detail
}

// TraceJobs returns the jobs as they were recorded.
func (w *Work) TraceJobs() []*trace.Job {
	jobs := make([]*trace.Job, len(w.Jobs))
	for i, j := range w.Jobs {
		jobs[i] = j.Job
	}
	return jobs
}
