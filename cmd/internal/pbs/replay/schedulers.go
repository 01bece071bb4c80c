package replay

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Each scheduler of a site has cycles of its own, for events of its own queues alone, sees the vnodes of its own
// partitions alone, and has a tree, usage and settings of its own: it is replayed by itself.

// Further is what Options say of another scheduler of a site, in the order of order.Plan.Others.
type Further struct {
	World     *world.World // that the replay of the default one has, where it is nil
	Begin     *usagefile.Database
	LastDecay int64
}

// Run replays work under the policies of a plan's site on a cluster: that of its scheduler, or those of all that it
// has. If the context is done before the replay is, the result is what there is so far.
func Run(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*outcome.Result, error) {
	var all *outcome.Result
	err := o.eachScheduler(w, plan, c, func(plan *order.Plan, c *cluster.Cluster, o Options) error {
		r, err := runOne(ctx, w, plan, c, o)
		if err != nil {
			return err
		}
		if all == nil {
			all = r
		} else {
			join(all, r, othersOf(w, plan.Site))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// eachScheduler calls f for each scheduler of a plan's site, with its own plan, vnodes and options.
func (o Options) eachScheduler(w *work.Work, plan *order.Plan, c *cluster.Cluster, f func(plan *order.Plan, c *cluster.Cluster, o Options) error) error {
	own := o
	if plan.Others != nil {
		own = o.of(w, plan.Site)
	}
	if err := f(plan, c.Of(&plan.Site.Scheduler), own); err != nil {
		return err
	}
	for i, other := range plan.Others {
		own := o.of(w, other.Site)
		own.Begin, own.LastDecay = nil, 0
		if i < len(o.Further) {
			f := o.Further[i]
			own.World, own.Begin, own.LastDecay = cmp.Or(f.World, own.World), f.Begin, f.LastDecay
		}
		if err := f(other, c.Of(&other.Site.Scheduler), own); err != nil {
			return err
		}
	}
	return nil
}

// of returns the options of the replay of one of several schedulers.
func (o Options) of(w *work.Work, site *pbs.Site) Options {
	isOthers := func(job int32) bool { return !site.Places(w.Trace.Names.List[w.Jobs[job].Queue]) }
	if o.Stop != nil {
		stop := *o.Stop
		stop.Jobs = slices.DeleteFunc(slices.Clone(stop.Jobs), isOthers)
		o.Stop = &stop
	}
	if o.Watch >= 0 && isOthers(o.Watch) {
		o.Watch = -1
	}
	return o
}

// othersOf returns which jobs another scheduler places than that of a site, nil for none.
func othersOf(w *work.Work, site *pbs.Site) []bool {
	var others []bool
	known := map[int32]bool{}
	for i, j := range w.Jobs {
		is, isKnown := known[j.Queue]
		if !isKnown {
			is = !site.Places(w.Trace.Names.List[j.Queue])
			known[j.Queue] = is
		}
		if is && others == nil {
			others = make([]bool, len(w.Jobs))
		}
		if is {
			others[i] = true
		}
	}
	return others
}

// isOthers reports whether another scheduler places a job.
func (e *engine) isOthers(job int32) bool { return e.others != nil && e.others[job] }

// leave leaves a job to another scheduler.
func (e *engine) leave(job int32) {
	e.jobs[job].state = done
	if e.awaits != nil && e.awaits[job] {
		e.awaited--
	}
}

// join adds to a result what a replay of another scheduler comes to: all of its own jobs, which are not others.
func join(all, r *outcome.Result, others []bool) {
	vnodes, more := all.Vnodes, r.Vnodes
	for i := range all.Start {
		if others != nil && others[i] {
			continue
		}
		all.Start[i], all.End[i] = r.Start[i], r.End[i]
		if all.First != nil && r.First != nil {
			all.First[i] = r.First[i]
		}
		if all.Came != nil && r.Came != nil {
			all.Came[i] = r.Came[i]
		}
	}
	if vnodes != nil {
		all.Vnodes = func(i int) string {
			if others != nil && others[i] {
				return vnodes(i)
			}
			return more(i)
		}
	}
	all.Awaited += r.Awaited
	all.Until = math.Max(all.Until, r.Until)
	all.Cycles, all.Passes = all.Cycles+r.Cycles, all.Passes+r.Passes
	all.Preempt.Add(r.Preempt)
	all.Steps, all.Waiting, all.Verdicts = append(all.Steps, r.Steps...), append(all.Waiting, r.Waiting...), append(all.Verdicts, r.Verdicts...)
	all.IsCut = all.IsCut || r.IsCut
	all.Causes = append(all.Causes, r.Causes...)
	slices.SortStableFunc(all.Causes, func(a, b outcome.Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	all.Refused, all.Impossible = append(all.Refused, r.Refused...), append(all.Impossible, r.Impossible...)
	all.Exceeding, all.Kept = append(all.Exceeding, r.Exceeding...), append(all.Kept, r.Kept...)
	all.Denied = with(all.Denied, r.Denied)
	all.Earlier, all.Pauses, all.Cut, all.Errors = with(all.Earlier, r.Earlier), with(all.Pauses, r.Pauses), with(all.Cut, r.Cut), with(all.Errors, r.Errors)
}

// with returns what two maps have.
func with[K comparable, V any](a, b map[K]V) map[K]V {
	if len(b) == 0 {
		return a
	}
	all := maps.Clone(a)
	if all == nil {
		all = map[K]V{}
	}
	maps.Copy(all, b)
	return all
}
