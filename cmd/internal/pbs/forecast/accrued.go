package forecast

import (
	"context"

	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// accrue gives the jobs that wait at a time of the past the eligible_time that they had. Logs do not tell it of jobs that wait, and it
// is less than since when they are eligible where a limit of their own or the threshold kept them: so the record is gone along.
func (h *history) accrue(ctx context.Context, then *Site) error {
	if !h.isAlong {
		along, err := h.goAlong()
		if err != nil {
			return err
		}
		h.along, h.isAlong = along, true
	}
	if h.along == nil {
		return nil
	}
	seconds, err := h.along.Eligible(ctx, then.At)
	if err != nil {
		return err
	}
	for i := range then.Now {
		n := &then.Now[i]
		if eligible, isKnown := seconds[n.ID]; isKnown && n.Letter == 'Q' {
			n.Eligible = eligible
		}
	}
	return nil
}

// goAlong returns what goes along the logs, as far as they tell: no vnode was away, and reservations are not known.
func (h *history) goAlong() (*replay.Along, error) {
	of := *h.site
	of.Away, of.shown, of.changes, of.Reservations = nil, nil, nil, nil
	if of.Usage = h.begin; of.Usage == nil {
		of.Usage = &usagefile.Database{}
	}
	past := work.New(of.Past, of.facts())
	o := newPBS(&of, past).options
	o.Latency = work.EstimateLatency(past)
	return replay.NewAlong(past, of.Plan, of.Cluster, o)
}
