// Package study compares policies by replays: it replays the same recorded work under each of
// them, several times with small changes by chance if that is asked for, and says what each
// policy comes to, who gains and who loses, and how much of that is noise.
package study

import (
	"context"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/work"
)

// Study is policies and what they are replayed on.
type Study struct {
	Work     *work.Work
	Wanted   outcome.Ask // of each run
	Policies []*Policy   // the others are compared with the first one

	Site string   // what it calls itself, such as "PBS server pbs1"; "" where nothing tells it
	From []string // what it and its record were read from, nil where nobody says it

	On    string  // the cluster of the site as it is, such as 2 vnodes with 8 cpus
	Nodes int     // that it has
	CPUs  float64 // likewise
	How   string  // a clause that says how the replays are made
	Words Words

	Runs  int    // of each policy, 1 or more; the first one is on the work as it was recorded
	Seed  uint64 // of the chance in the other runs
	Shake int64  // by how many seconds at most arrivals and run times differ in the other runs

	NoFigures bool // whether nobody looks at figures, waits and who gains, so that none are found
	NeedsAll  bool // whether a policy that is interrupted is of no use, as to a search

	Preempted *outcome.Preemptions // as the record tells them, nil where it does not

	// Unsure is what all replays rest on and the record does not tell exactly, such as "usage at the begin that is rebuilt", so that
	// differences between policies may be otherwise by it; "" for nothing that is known.
	Unsure string

	Judged *witness.Summary // how far the rules of the first policy hold; nil where nobody has asked

	Standard []figure.Figure         // that every comparison shows
	Figures  []figure.Figure         // to compute; Standard if there are none
	Progress func(part, all float64) // called now and then by several goroutines; may be nil

	Stop *Stop // once it has run; nil where the first run of each policy is whole

	counted []bool // by job
	end     outcome.End
	kinds   []trace.Kind
}

// Words are what a site's scheduler calls things.
type Words struct {
	Queue string   // queue or partition
	Kinds []string // by which lists tell jobs apart, the queue first
	Nodes string   // exec_vnode or nodes: where a job runs
	Since string   // from when on it is known what jobs wait for
}

// New returns a study of some work, without policies, with one run of each.
func New(w *work.Work) Study {
	return Study{Work: w, Wanted: outcome.Ask{Watch: -1}, Runs: 1, Seed: 1, Shake: work.DefaultShake(w), Standard: figure.Standard}
}

// Run returns what was observed and then what each policy comes to in its replays, of which
// as many are made at a time as there are processors. If the context is done before all are
// made, it returns what there is by then, up to the same time of all: see Stop.
func (s *Study) Run(ctx context.Context) ([]*Measured, error) {
	if len(s.Figures) == 0 && !s.NoFigures {
		s.Figures = slices.Clone(s.Standard)
	}
	s.Stop = nil
	s.findCounted()
	s.kinds = s.Work.Trace.TellingKinds(s.Work.TraceJobs())
	all := make([]*Measured, len(s.Policies)+1)
	for i := range all {
		var p *Policy // none as observed
		if i > 0 {
			p = s.Policies[i-1]
		}
		all[i] = s.nothing(p)
	}
	if err := s.replayAll(ctx, all[1:]); err != nil {
		return nil, err
	}
	if all[1].First == nil {
		return all, nil // interrupted, and nobody looks at it
	}
	if !s.NeedsAll {
		all = s.cut(all)
	}
	observed := s.observed()
	observed.course = all[1].First.course // the record does not tell how fast usage grows
	all[0].add(s, s.measure(observed, true))
	return all, nil
}

// CheckNames returns a *diag.RequestError if a figure chooses jobs by a name that none of the
// study's jobs has: it would be a figure of nothing. The remarks say which accounts count with one that they are below.
func (s *Study) CheckNames(figures []figure.Figure) (remarks []diag.Remark, err error) {
	parents := s.Work.Trace.Parents
	for _, f := range figures {
		for _, filter := range f.Filters {
			kinds := s.Work.Trace.Kinds()
			at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == filter.Kind })
			if at < 0 {
				var names []string
				for _, k := range kinds {
					names = append(names, k.Name)
				}
				return nil, diag.Requestf("jobs of this site are chosen by %s, not by %s", strings.Join(names, ", "), filter.Kind)
			}
			groups := kinds[at].Groups(s.Work.TraceJobs())
			var below []string
			if filter.Kind == trace.OfAccounts {
				for name := range groups {
					if name != filter.Name && parents.Has(name, filter.Name) {
						below = append(below, name)
					}
				}
			}
			switch {
			case below != nil:
				remarks = append(remarks, trace.CountBelow(filter.Name, below))
			case groups[filter.Name] == nil:
				return nil, diag.Requestf("no job has it: %s", report.NoSuch(filter.Kind, filter.QuotedName(), slices.Collect(maps.Keys(groups))))
			}
		}
	}
	return remarks, nil
}
