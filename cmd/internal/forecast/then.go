package forecast

import (
	"errors"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// then returns a site as it was at a time of its past, as far as its logs up to then tell: the
// settings, the shares and the vnodes are those of today, and no vnode was away. begin is the
// usage at the begin of the logs; without it everybody begins with none.
func (s *Site) then(past *trace.Trace, at int64, begin *usagefile.Database) (*Site, error) {
	of := *s
	of.At, of.Past, of.Away, of.Now = at, past, nil, past.Unended()
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

// fate is what became of a job that waited at a time.
type fate struct {
	start float64 // when it started
	ended bool    // whether it did; else it had not by start, or was deleted
}

// outcomes says what had become at a time of the jobs that waited before.
type outcomes map[string][]*trace.Job // by ID, which numbers may have again one day

func newOutcomes(t *trace.Trace) outcomes {
	o := outcomes{}
	for _, j := range t.Jobs {
		o[j.ID] = append(o[j.ID], j)
	}
	return o
}

// of returns what had become by a time of a job that waited at another time before.
func (o outcomes) of(id string, waited, by int64) fate {
	for _, j := range o[id] {
		if j.State == trace.Deleted && j.End != trace.Unknown && j.End < waited {
			continue // of another job with its number
		}
		starts := []int64{}
		for _, run := range j.Earlier() {
			starts = append(starts, run.Start)
		}
		if j.Start != trace.Unknown {
			starts = append(starts, j.Start)
		}
		slices.Sort(starts)
		for _, start := range starts {
			if start > waited && start <= by {
				return fate{float64(start), true}
			}
		}
		if j.State == trace.Deleted && j.End != trace.Unknown && j.End <= by {
			return fate{float64(j.End), false}
		}
	}
	return fate{float64(by), false}
}
