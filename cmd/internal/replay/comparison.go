package replay

import (
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/trace"
)

// Row is the jobs as they were observed, or as a policy would have had them.
type Row struct {
	Name   string
	Jobs   []*trace.Job
	Paired []*trace.Job // those that start in all rows, whose waits can be compared
}

// Rows returns the jobs as they were observed, and as each of some replays of the same
// work has them, named from 1 on.
func Rows(w *Work, names []string, results []*Result) []Row {
	rows := []Row{{Name: "observed", Jobs: w.TraceJobs()}}
	for i, r := range results {
		rows = append(rows, Row{Name: names[i], Jobs: r.Jobs()})
	}
	for i := range w.Jobs {
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Jobs[i].Start == trace.Unknown }) {
			continue
		}
		for k := range rows {
			rows[k].Paired = append(rows[k].Paired, rows[k].Jobs[i])
		}
	}
	return rows
}

// Started counts the jobs that have started up to a time.
func (r *Row) Started(until int64) int {
	n := 0
	for _, j := range r.Jobs {
		if j.Start != trace.Unknown && j.Start <= until {
			n++
		}
	}
	return n
}

// Utilisation returns the part of a cluster that jobs occupy, without the first and the
// last tenth of the time.
func (w *Work) Utilisation(jobs []*trace.Job, c *cluster.Cluster) float64 {
	tenth := (w.Last - w.First) / 10
	return trace.Mean(w.Trace.Occupations(jobs), w.First+tenth, w.Last-tenth) / c.Total("ncpus")
}

// Left counts the jobs that never started, and those that started only after the last
// time of the record, when nobody else comes.
func (r *Result) Left() (never, late int) {
	for i, j := range r.Work.Jobs {
		switch start := r.Start[i]; {
		case start == 0 && !j.WasRunning && j.Deleted == trace.Unknown:
			never++
		case start > float64(r.Work.Last):
			late++
		}
	}
	return never, late
}

// Kind is a way to tell jobs apart.
type Kind struct {
	Name string
	Of   func(*trace.Job) string
}

// Kinds returns the ways to tell the jobs of a trace apart: by queue, user, group and
// size.
func Kinds(t *trace.Trace) []Kind {
	names := t.Names.List
	return []Kind{
		{"queue", func(j *trace.Job) string { return names[j.Queue] }},
		{"user", func(j *trace.Job) string { return names[j.User] }},
		{"group", func(j *trace.Job) string { return names[j.Group] }},
		{"size", trace.SizeOf},
	}
}

// Groups returns jobs by their names of a kind.
func (k Kind) Groups(jobs []*trace.Job) map[string][]*trace.Job {
	groups := map[string][]*trace.Job{}
	for _, j := range jobs {
		groups[k.Of(j)] = append(groups[k.Of(j)], j)
	}
	return groups
}
