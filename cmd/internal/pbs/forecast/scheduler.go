// Package forecast makes what a PBS site prints the begin of a forecast, and runs the rules of its
// scheduler for it.
package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// scheduler is PBS's scheduler at a site.
type scheduler struct {
	site    *Site
	options replay.Options
}

func newPBS(s *Site, past *work.Work) *scheduler {
	away := replay.LastingAway(s.Away, s.At)
	away.Vnodes = world.Merge(world.Merge(away.Vnodes, s.shown), s.changes)
	away.Hours, away.Reservations, away.Zone = s.Hours, s.Reservations, s.Zone
	o := replay.Options{World: away, Ask: outcome.Ask{Watch: -1}, Latency: work.Latency{First: 2}}
	o.Lag, o.IsSampled = accrual.LagOf(past)
	if priv := s.Site.SchedPriv; priv != nil && priv.Usage != nil {
		o.LastDecay = priv.Usage.LastDecay
	}
	if s.Usage != nil {
		o.Begin, o.LastDecay = s.Usage, s.Usage.LastDecay
	}
	for _, plan := range s.Plan.Others {
		own := *away
		own.Hours = s.furtherHours[plan.Site.Scheduler.Name]
		further := replay.Further{World: &own}
		if priv := plan.Site.SchedPriv; priv != nil && priv.Usage != nil {
			further.LastDecay = priv.Usage.LastDecay
		}
		o.Further = append(o.Further, further)
	}
	return &scheduler{s, o}
}

// Starts implements Scheduler.
func (p *scheduler) Starts(ctx context.Context, w *work.Work, asked forecast.Target) (forecast.Starts, error) {
	o := p.options
	o.Stop, o.KeepVnodes = &replay.Stop{Jobs: asked.Jobs, Until: asked.Until}, asked.Nodes
	r, err := replay.Run(ctx, w, p.site.Plan, p.site.Cluster, o)
	if err != nil {
		return forecast.Starts{}, err
	}
	if r.IsCut {
		return forecast.Starts{}, ctx.Err()
	}
	s := forecast.Starts{At: make([]float64, len(asked.Jobs)), Late: r.Awaited}
	if asked.Nodes {
		s.Nodes = make([][]string, len(asked.Jobs))
	}
	for i, job := range asked.Jobs {
		at := r.First[job]
		if p.isOff(w, job) {
			s.At[i] = math.Inf(1)
			continue
		}
		if at == 0 || at > asked.Until {
			if s.At[i] = math.Inf(1); at > 0 {
				s.Late++
			}
			continue
		}
		if s.At[i] = at; asked.Nodes {
			s.Nodes[i] = vnodesOf(r.Vnodes(int(job)))
		}
	}
	return s, nil
}

// isOff reports whether the scheduler that places a job is off, so that none starts until somebody lets it go on. In the past it is
// taken to have been on.
func (p *scheduler) isOff(w *work.Work, job int32) bool {
	return !p.site.wasOn && p.site.Site.IsOff(w.Trace.Names.List[w.Jobs[job].Queue])
}

// Openings implements Opener.
func (p *scheduler) Openings(w *work.Work) (func(job int32, at float64) float64, error) {
	if p.site.Hours == nil && len(p.site.furtherHours) == 0 && len(p.site.Reservations) == 0 {
		return nil, nil
	}
	o, err := replay.NewOpenings(w, p.site.Plan, p.site.Cluster, p.options)
	if err != nil {
		return nil, err
	}
	return o.Next, nil
}

// vnodesOf returns the names of the vnodes of an exec_vnode, each once.
func vnodesOf(text string) (names []string) {
	for name := range cluster.Vnodes(text) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Place implements Scheduler. Places are the ranks of an order of the list where there is one, and else those in the
// first cycle.
func (p *scheduler) Place(ctx context.Context, w *work.Work, awaited []int32) (places []int, becomes []forecast.CycleResult, err error) {
	list, err := p.judge(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	for _, job := range awaited {
		array, _, _ := trace.Subjob(w.Jobs[job].ID)
		places = append(places, cmp.Or(p.site.ranks[w.Jobs[job].ID], p.site.ranks[array]))
		of := list[job]
		if of.IsRefuted() && !p.site.hasOwnVnodes && p.site.unordered() == "" {
			of.Kept = forecast.Kept{} // which vnodes are free is what somebody says
		}
		becomes = append(becomes, of.WithWhoever(replay.IsOfAnyOrder))
	}
	if p.site.ranks != nil {
		return places, becomes, nil
	}
	o := p.options
	o.Until = float64(p.site.At)
	r, err := replay.Run(ctx, w, p.site.Plan, p.site.Cluster, o)
	if err != nil {
		return nil, nil, err
	}
	at := map[int32]int{}
	for i, w := range r.Waiting {
		at[w.Job.Number] = i + 1
	}
	for i, job := range awaited {
		places[i] = at[job]
	}
	return places, becomes, nil
}

// judge goes through one cycle on work that begins now, and returns what becomes of its jobs.
func (p *scheduler) judge(ctx context.Context, w *work.Work) ([]forecast.CycleResult, error) {
	o := p.options
	o.Judge, o.KeepVnodes, o.AnyOrder = true, true, p.site.Plan.Site.SchedPriv == nil
	r, err := replay.Run(ctx, w, p.site.Plan, p.site.Cluster, o)
	if err != nil {
		return nil, err
	}
	misfits := map[string]string{}
	for _, impossible := range r.Impossible {
		misfits[impossible.ID] = outcome.Never + impossible.Detail
	}
	list, kept := make([]forecast.CycleResult, len(w.Jobs)), p.site.keptSoLong()
	for i, j := range w.Jobs {
		list[i] = forecast.CycleResult{ID: j.ID, Reason: cmp.Or(misfits[j.ID], outcome.NotLookedAt), Kept: kept(j.ID)}
	}
	for _, v := range r.Verdicts {
		of := &list[v.Job]
		of.Planned, of.Asks, of.Free, of.Begin = v.Planned, v.Asks, v.Free, v.Begin
		switch {
		case p.isOff(w, v.Job) && misfits[of.ID] == "":
			of.Reason = outcome.SchedulingOff
			if v.Starts { // which the order goes by
				of.Number = 1
			}
		case v.Starts:
			for _, gone := range v.Preempts {
				of.Preempts = append(of.Preempts, forecast.Preempted{ID: w.Jobs[gone.Job].ID, Becomes: gone.Becomes})
			}
			of.Starts, of.Reached, of.Number, of.Nodes = true, v.Reached, 1, vnodesOf(r.Vnodes(int(v.Job)))
			of.Reason = cmp.Or(v.Reason, outcome.StartsNow) + of.Preempting()
		case misfits[of.ID] == "" && v.Reason != "":
			of.Reason, of.Further = v.Reason, v.Further
		}
	}
	if p.site.Unseen.RunsMore() {
		for i := range list {
			list[i] = list[i].OfSomeJobs(false)
		}
	}
	return list, nil
}
