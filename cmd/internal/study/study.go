// Package study decides by replays: it runs policies over the same recorded work, again
// with small changes by chance where that is asked for, and says what each comes to, who
// gains and who loses, and how much of that is noise.
package study

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
)

// Study is policies and what they are replayed on.
type Study struct {
	Work     *replay.Work
	Cluster  *cluster.Cluster
	Options  replay.Options
	Policies []*Policy // the first one is what the others are compared with

	Runs  int    // of each policy, 1 or more; the first one is on the work as it was recorded
	Seed  uint64 // of the others
	Shake int64  // by how many seconds arrivals and run times differ in them

	Figures  []Figure                // to compute; Standard if there are none
	Progress func(part, all float64) // called now and then by several goroutines; may be nil

	counted []bool // by job
	kinds   []trace.Kind
}

// Measured is what the runs of a policy, or what was observed, come to.
type Measured struct {
	Policy  *Policy     // nil for what was observed
	First   *Outcome    // of the work as it was recorded
	Figures [][]float64 // by figure and run
	Runs    int         // that are complete
	IsCut   bool        // whether runs are missing since somebody interrupted

	waits []float64              // by job, the sum of the waits of all runs
	means []map[string][]float64 // by kind and name, the mean wait of each run
}

// Run replays all policies, as many at a time as there are processors, and returns what
// was observed and what each comes to. If the context is done before, it is what there
// is so far.
func (s *Study) Run(ctx context.Context) ([]*Measured, error) {
	if len(s.Figures) == 0 {
		s.Figures = Standard
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
	observed.accruing = all[1].First.accruing // the record does not tell rates
	all[0].add(s, observed)
	return all, nil
}

// task is a run of a policy.
type task struct{ policy, run int }

// replayAll replays what is to be, several runs at a time, and adds them in their order.
func (s *Study) replayAll(ctx context.Context, measured []*Measured) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	runs := max(1, s.Runs)
	works := make([]func() *replay.Work, runs)
	for run := range works {
		works[run] = sync.OnceValue(func() *replay.Work { return s.shaken(run) })
	}
	var mutex sync.Mutex
	var first error
	next := 0
	outcomes := map[task]*Outcome{}
	worker := func() {
		for {
			mutex.Lock()
			t := task{next % len(s.Policies), next / len(s.Policies)}
			next++
			mutex.Unlock()
			if t.run >= runs || ctx.Err() != nil && t.run > 0 {
				return
			}
			o, err := s.replay(ctx, t, works[t.run]())
			mutex.Lock()
			if err != nil && first == nil {
				first = err
				stop()
			}
			outcomes[t] = o
			s.settle(measured, outcomes)
			if s.isOver(measured, t.run) {
				works[t.run] = nil // it is not needed any more
			}
			mutex.Unlock()
			if err != nil {
				return
			}
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), runs*len(s.Policies)) {
		group.Go(worker)
	}
	group.Wait()
	for _, m := range measured {
		m.IsCut = first == nil && (m.Runs < runs || m.First.Result.IsCut)
	}
	return first
}

// settle adds the outcomes that are next for their policies, and forgets them.
func (s *Study) settle(measured []*Measured, outcomes map[task]*Outcome) {
	for policy, m := range measured {
		for {
			t := task{policy, m.Runs}
			o := outcomes[t]
			if o == nil || o.Result.IsCut && t.run > 0 {
				break
			}
			delete(outcomes, t)
			m.add(s, o)
		}
	}
}

// isOver reports whether all policies have been replayed on the work of a run.
func (s *Study) isOver(measured []*Measured, run int) bool {
	return !slices.ContainsFunc(measured, func(m *Measured) bool { return m.Runs <= run })
}

// shaken returns the work of a run.
func (s *Study) shaken(run int) *replay.Work {
	if run == 0 {
		return s.Work
	}
	return s.Work.Shaken(rand.New(rand.NewPCG(s.Seed, uint64(run))), s.Shake)
}

func (s *Study) replay(ctx context.Context, t task, work *replay.Work) (*Outcome, error) {
	p := s.Policies[t.policy]
	on, err := p.cluster(s.Cluster)
	if err != nil {
		return nil, err
	}
	o := s.Options
	o.Begin = p.begin(o.Begin)
	o.KeepUsage = slices.ContainsFunc(s.Figures, Figure.needsShares)
	if o.Own != nil {
		o.Own = make([]float64, len(work.Jobs))
		for i := range o.Own {
			o.Own[i] = s.Options.Own[work.Origin(i)]
		}
	}
	if o.Progress = nil; s.Progress != nil {
		all := max(1, s.Runs) * len(s.Policies)
		before := t.run*len(s.Policies) + t.policy
		o.Progress = func(done, jobs int) { s.Progress(float64(before)+float64(done)/float64(jobs), float64(all)) }
	}
	r, err := replay.Run(ctx, work, p.Plan, on, o)
	if err != nil {
		return nil, err
	}
	return s.outcome(r, on), nil
}

// add measures an outcome and keeps no more of it than is needed.
func (m *Measured) add(s *Study, o *Outcome) {
	for i, f := range s.Figures {
		m.Figures[i] = append(m.Figures[i], f.of(o))
	}
	for i, j := range o.Jobs {
		if s.counted[i] {
			m.waits[i] += float64(max(0, o.startOf(j)-j.Arrival))
		}
	}
	for k, kind := range s.kinds {
		for name, jobs := range kind.Groups(o.Counted) {
			m.means[k][name] = append(m.means[k][name], trace.FiguresOf(jobs).WaitMean)
		}
	}
	if m.Runs == 0 {
		m.First = o
	}
	m.Runs++
}

// startOf returns when a job started, or to when it has waited.
func (o *Outcome) startOf(j *trace.Job) int64 {
	switch {
	case j.Start != trace.Unknown:
		return j.Start
	case o.Result != nil:
		return int64(o.Result.Until)
	}
	return j.Arrival
}

// CheckNames returns a *RequestError if a figure chooses jobs by a name that none of
// them has: it would be a figure of nothing.
func (s *Study) CheckNames(figures []Figure) error {
	for _, f := range figures {
		for _, filter := range f.Filters {
			kinds := s.Work.Trace.Kinds()
			at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == filter.Kind })
			groups := kinds[at].Groups(s.Work.TraceJobs())
			if groups[filter.Name] != nil {
				continue
			}
			var names []string
			for name := range groups {
				names = append(names, name)
			}
			slices.Sort(names)
			const most = 10
			if len(names) > most {
				names = append(names[:most], "…")
			}
			return &RequestError{"no job has " + filter.Kind + " " + filter.quoted() + "; there are " + strings.Join(names, ", ")}
		}
	}
	return nil
}
