package forecast

import (
	"errors"

	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// then returns a site as it was at a time of its past, as far as its logs up to then tell: the
// settings, the shares and the vnodes are those of today, and no vnode was away, nor in use but by jobs of the logs. begin is the
// usage at the begin of the logs; without it everybody begins with none.
func (s *Site) then(past *trace.Trace, at int64, begin *usagefile.Database) (*Site, error) {
	of := *s
	of.ranks, of.wasOn = nil, true
	of.At, of.Past, of.Away, of.shown, of.Now = at, past, nil, nil, past.Unended()
	of.Usage = &usagefile.Database{}
	if priv := s.Site.SchedPriv; priv != nil && s.Site.Policy().FairShare {
		o := accrual.Options{Config: priv.Config, Begin: begin, Lag: accrual.DefaultLag, Interval: accrual.DefaultInterval, Until: at}
		if begin != nil {
			o.LastDecay = begin.LastDecay
		}
		used, err := accrual.Compute(past, o)
		switch {
		case errors.Is(err, accrual.ErrEntity): // the logs do not tell: nobody has used anything
		case err != nil:
			return nil, err
		default:
			of.Usage.LastDecay = used.LastDecay
			for _, e := range used.Entities {
				of.Usage.Records = append(of.Usage.Records, usagefile.Record{Name: e.Name, Usage: e.Usage})
			}
		}
	}
	return &of, nil
}
