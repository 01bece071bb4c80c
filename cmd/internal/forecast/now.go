package forecast

import (
	"cmp"
	"context"

	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/work"
)

// place gives each job of a forecast its place in the order of the scheduler now, and says what
// keeps it from starting.
func (f *forecaster) place(ctx context.Context, jobs []*Job) error {
	var all []*work.Job
	for _, j := range f.jobs {
		if j.standing != held {
			all = append(all, j.WithRun(j.elapsed+1))
		}
	}
	o := f.options
	o.Until = float64(f.At)
	r, err := replay.Run(ctx, f.base.Draft(f.At, all), f.Plan, f.Cluster, o)
	if err != nil {
		return err
	}
	for i, w := range r.Waiting {
		if int(w.Job.Number) < f.waiting {
			j := jobs[w.Job.Number]
			j.Place, j.Reason = i+1, cmp.Or(w.Reason, "its cycle")
		}
	}
	for _, impossible := range r.Impossible {
		for _, j := range jobs {
			if j.ID == impossible.ID {
				j.Reason = "never: " + impossible.Detail
			}
		}
	}
	for _, j := range jobs {
		j.Reason = cmp.Or(j.Reason, "the scheduler does not look at it")
	}
	return nil
}
