package forecast

import (
	"cmp"
	"context"

	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/work"
)

// Standing is what one cycle of the scheduler makes of a job right now.
type Standing struct {
	ID     string
	Starts bool
	Reason string // what it waits for if it does not start
}

// Now returns what one cycle of the scheduler would make of each job that waits, held ones too.
func Now(ctx context.Context, s *Site) ([]Standing, error) {
	f := newForecaster(s, Options{})
	return f.judge(ctx)
}

// judge goes through one cycle on the state now.
func (f *forecaster) judge(ctx context.Context) ([]Standing, error) {
	o := f.options
	o.Judge = true
	r, err := replay.Run(ctx, f.draftNow(), f.Plan, f.Cluster, o)
	if err != nil {
		return nil, err
	}
	reasons := make([]string, f.waiting)
	starts := make([]bool, f.waiting)
	for _, v := range r.Verdicts {
		if int(v.Job) < f.waiting {
			starts[v.Job] = v.Starts
			reasons[v.Job] = v.Reason
		}
	}
	misfits := map[string]string{}
	for _, impossible := range r.Impossible {
		misfits[impossible.ID] = replay.Never + impossible.Detail
	}
	var list []Standing
	for i, j := range f.jobs {
		switch {
		case j.standing == held:
			list = append(list, Standing{j.ID, false, j.why})
		case i < f.waiting && starts[i]:
			list = append(list, Standing{j.ID, true, replay.StartsNow})
		case i < f.waiting:
			list = append(list, Standing{j.ID, false, cmp.Or(misfits[j.ID], reasons[i], replay.NotLookedAt)})
		}
	}
	return list, nil
}

// draftNow returns the jobs as they are, for what nobody asks how long they run.
func (f *forecaster) draftNow() *work.Work {
	var all []*work.Job
	for _, j := range f.jobs {
		if j.standing != held {
			all = append(all, j.WithRun(j.elapsed+1))
		}
	}
	return f.base.Draft(f.At, all)
}

// place gives each job of a forecast its place in the order of the scheduler now, and says what
// keeps it from starting.
func (f *forecaster) place(ctx context.Context, jobs []*Job) error {
	list, err := f.judge(ctx)
	if err != nil {
		return err
	}
	of := map[int32]*Job{}
	for i, job := range f.awaited {
		jobs[i].Reason = list[job].Reason
		of[job] = jobs[i]
	}
	o := f.options
	o.Until = float64(f.At)
	r, err := replay.Run(ctx, f.draftNow(), f.Plan, f.Cluster, o)
	if err != nil {
		return err
	}
	for i, w := range r.Waiting {
		if j := of[w.Job.Number]; j != nil {
			j.Place = i + 1
		}
	}
	return nil
}
