package replay

import (
	"context"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/work"
)

// Along goes along a record, in which happens what did, and tells with how much eligible_time jobs waited: logs have that of jobs
// that have ended alone.
type Along struct{ witnesses []*witness }

// NewAlong returns what goes along a record that is kept with its places; nil where no order goes by eligible_time, or it stands still
// for nobody.
func NewAlong(w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options) (*Along, error) {
	o.Watch = -1
	a := &Along{}
	err := o.eachScheduler(w, plan, c, func(plan *order.Plan, c *cluster.Cluster, o Options) error {
		g, err := newWitness(w, plan, c, o, placesOf(w.Trace))
		if err != nil || !g.accruals.isOn {
			return err
		}
		g.yield = func(*Decision) {}
		g.begin()
		a.witnesses = append(a.witnesses, g)
		return nil
	})
	if err != nil || a.witnesses == nil {
		return nil, err
	}
	return a, nil
}

// Eligible returns the eligible_time in seconds, by their IDs, of the jobs that wait at a time, which is none before that of the last call.
func (a *Along) Eligible(ctx context.Context, at int64) (map[string]int64, error) {
	seconds := map[string]int64{}
	for _, g := range a.witnesses {
		if err := g.through(ctx, at+1, nil); err != nil {
			return nil, err
		}
		for i, j := range g.work.Jobs {
			if g.jobs[i].state == waiting && !g.isOthers(int32(i)) {
				seconds[j.ID] = int64(max(0, g.clocks.of[i].at(float64(at))))
			}
		}
	}
	return seconds, nil
}
