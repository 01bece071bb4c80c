package forecast

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Know takes what a list of jobs tells of those of the past that logs do not, as replays do.
func (s *Site) Know(list file.Source) ([]diag.Remark, error) {
	s.known = map[string]work.ListFacts{}
	remarks, err := joblist.ReadKnown(list, s.known)
	if err != nil {
		return remarks, fmt.Errorf("%s: %w", list.Name, err)
	}
	return remarks, nil
}

// facts returns what the list of now and others tell of jobs, by ID.
func (s *Site) facts() map[string]work.ListFacts {
	facts := map[string]work.ListFacts{}
	for _, n := range s.Now {
		k := work.ListFacts{Priority: n.Priority, MaxSubjobs: n.MaxSubjobs, NotPlanned: n.NotPlanned, IsKept: n.IsKept}
		if n.Eligible != trace.Unknown {
			k.Eligible = int32(min(max(0, n.Eligible), math.MaxInt32-1)) + 1
		}
		facts[n.ID] = k
	}
	maps.Copy(facts, s.known)
	return facts
}

// tell completes jobs of the past by what lists tell of them. Subjobs have what their arrays have.
func tell(jobs []trace.ListedJob, facts map[string]work.ListFacts) {
	for i := range jobs {
		n := &jobs[i]
		k, isKnown := facts[n.ID]
		if array, _, isSubjob := trace.Subjob(n.ID); isSubjob && !isKnown {
			k = facts[array]
		}
		n.Priority, n.MaxSubjobs, n.NotPlanned, n.IsKept = k.Priority, k.MaxSubjobs, k.NotPlanned, k.IsKept
	}
}

// then returns a site as it was at a time of its past, as far as its logs up to then tell: the
// settings, the shares and the vnodes are those of today, and no vnode was away, nor in use but by jobs of the logs. begin is the
// usage at the begin of the logs; without it everybody begins with none.
func (s *Site) then(past *trace.Trace, at int64, begin *usagefile.Database) (*Site, error) {
	of := *s
	of.ranks, of.wasOn = nil, true
	of.At, of.Past, of.Away, of.shown, of.Now = at, past, nil, nil, past.Unended()
	tell(of.Now, s.facts())
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
