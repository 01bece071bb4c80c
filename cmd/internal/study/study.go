// Package study compares policies by replays: it replays the same recorded work under each of
// them, several times with small changes by chance if that is asked for, and says what each
// policy comes to, who gains and who loses, and how much of that is noise.
package study

import (
	"context"
	"maps"
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Study is policies and what they are replayed on.
type Study struct {
	Inputs   *Inputs // what it was made of
	Work     *work.Work
	Cluster  *cluster.Cluster // that of the site as it is
	Options  replay.Options   // what does not depend on the policy
	Policies []*Policy        // as Use has set them; the others are compared with the first one

	Runs  int    // of each policy, 1 or more; the first one is on the work as it was recorded
	Seed  uint64 // of the chance in the other runs
	Shake int64  // by how many seconds at most arrivals and run times differ in the other runs

	Figures  []figure.Figure         // to compute; Standard if there are none
	Progress func(part, all float64) // called now and then by several goroutines; may be nil

	setups  []*setup // by policy
	counted []bool   // by job
	kinds   []trace.Kind
}

// Run returns what was observed and then what each policy comes to in its replays, of which
// as many are made at a time as there are processors. If the context is done before all are
// made, it returns what there is by then.
func (s *Study) Run(ctx context.Context) ([]*Measured, error) {
	if len(s.Figures) == 0 {
		s.Figures = slices.Clone(figure.Standard)
	}
	s.findCounted()
	s.kinds = s.Work.Trace.TellingKinds(s.Work.TraceJobs())
	all := make([]*Measured, len(s.Policies)+1)
	for i := range all {
		all[i] = &Measured{Figures: make([][]float64, len(s.Figures)), waits: make([]float64, len(s.Work.Jobs)), means: make([]map[string][]float64, len(s.kinds))}
		for k := range all[i].means {
			all[i].means[k] = map[string][]float64{}
		}
		if i > 0 {
			all[i].Policy = s.Policies[i-1]
		}
	}
	if err := s.replayAll(ctx, all[1:]); err != nil {
		return nil, err
	}
	observed := s.observed()
	observed.course = all[1].First.course // the record does not tell how fast usage grows
	all[0].add(s, s.measure(observed, true))
	return all, nil
}

// CheckNames returns a *RequestError if a figure chooses jobs by a name that none of the
// study's jobs has: it would be a figure of nothing.
func (s *Study) CheckNames(figures []figure.Figure) error {
	for _, f := range figures {
		for _, filter := range f.Filters {
			kinds := s.Work.Trace.Kinds()
			at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == filter.Kind })
			groups := kinds[at].Groups(s.Work.TraceJobs())
			if groups[filter.Name] != nil {
				continue
			}
			return &RequestError{"no job has it: " + report.NoSuch(filter.Kind, filter.QuotedName(), slices.Collect(maps.Keys(groups)))}
		}
	}
	return nil
}
