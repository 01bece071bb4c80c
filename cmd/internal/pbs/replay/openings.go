package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
)

// Openings say when the rules let jobs start at all, whatever runs: by prime and non-prime time, dedicated time, and the
// reservations that they are in.
type Openings struct{ of []*engine }

// NewOpenings returns when the jobs of work may start under a site's policy. Its errors are those of Run.
func NewOpenings(w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*Openings, error) {
	all := &Openings{}
	err := o.eachScheduler(w, plan, c, func(plan *order.Plan, c *cluster.Cluster, o Options) error {
		e, err := newEngine(w, plan, c, o)
		all.of = append(all.of, e)
		return err
	})
	return all, err
}

// Next returns the first time from another one on at which a job may start; infinity for never.
func (o *Openings) Next(job int32, at float64) float64 {
	of := o.of[0]
	if at := slices.IndexFunc(o.of, func(e *engine) bool { return !e.isOthers(job) }); at > 0 {
		of = o.of[at]
	}
	if r := of.bookings.byQueue[of.terms[job].queue]; r != nil {
		at = r.next(at)
	}
	return of.hours.opens(of, job, at)
}

// next returns the first time from another one on at which a reservation has its vnodes, infinity for never.
func (r *reservation) next(at float64) float64 {
	first := math.Inf(1)
	for _, h := range r.Holds {
		if at < float64(h.End) && (h.Until == 0 || at < float64(h.Until)) {
			first = min(first, max(at, float64(h.Start)))
		}
	}
	return first
}

// opens returns the first time from another one on at which the time lets a job start, infinity where none of the changes
// that come next does.
func (h *hours) opens(e *engine, job int32, at float64) float64 {
	if h == nil || math.IsInf(at, 1) {
		return at
	}
	const most = 1000 // changes
	for range most {
		if e.least(job) <= h.length(h.kinds[e.terms[job].queue], at) {
			return at
		}
		change := h.NextChange(int64(math.Floor(at)))
		if change == world.Never {
			break
		}
		at = float64(change)
	}
	return math.Inf(1)
}
