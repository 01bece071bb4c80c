// Package study decides by replays: it runs policies over the same recorded work, again
// with small changes by chance where that is asked for, and says what each comes to, who
// gains and who loses, and how much of that is noise.
package study

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Study is policies and what they are replayed on.
type Study struct {
	Inputs   *Inputs // what it was made of
	Work     *replay.Work
	Cluster  *cluster.Cluster // that of the site as it is
	Options  replay.Options   // what does not depend on the policy
	Policies []*Policy        // as Use has set them; the others are compared with the first one

	Runs  int    // of each policy, 1 or more; the first one is on the work as it was recorded
	Seed  uint64 // of the others
	Shake int64  // by how many seconds arrivals and run times differ in them

	Figures  []figure.Figure         // to compute; Standard if there are none
	Progress func(part, all float64) // called now and then by several goroutines; may be nil

	setups  []*setup // by policy
	counted []bool   // by job
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
	observed.course = all[1].First.course // the record does not tell rates
	all[0].add(s, s.measure(observed, true))
	return all, nil
}

// task is a run of a policy.
type task struct{ policy, run int }

// crew replays tasks, several at a time.
type crew struct {
	*Study
	works []func() *replay.Work // by run, nil once nobody needs it
	left  []int                 // by run, tasks that have not ended
	stop  func()                // ends what is being replayed

	mutex    sync.Mutex
	next     int
	first    error
	done     []float64 // by task, the part of it that is
	outcomes map[task]*measure
}

// replayAll replays what is to be, several runs at a time, and adds them in their order.
func (s *Study) replayAll(ctx context.Context, measured []*Measured) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	runs := max(1, s.Runs)
	c := &crew{Study: s, stop: stop, works: make([]func() *replay.Work, runs), left: make([]int, runs), done: make([]float64, runs*len(s.Policies)), outcomes: map[task]*measure{}}
	for run := range runs {
		c.works[run] = sync.OnceValue(func() *replay.Work { return s.shaken(run) })
		c.left[run] = len(s.Policies)
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), runs*len(s.Policies)) {
		group.Go(func() {
			for c.one(ctx, measured) {
			}
		})
	}
	group.Wait()
	for _, m := range measured {
		m.IsCut = c.first == nil && (m.Runs < runs || m.First.Result.IsCut)
	}
	return c.first
}

// one replays the next task. It reports whether there may be another.
func (c *crew) one(ctx context.Context, measured []*Measured) bool {
	c.mutex.Lock()
	t := task{c.next % len(c.Policies), c.next / len(c.Policies)}
	c.next++
	// A first run that is interrupted tells how far it came, others nothing.
	isOver := t.run >= len(c.works) || c.first != nil || ctx.Err() != nil && t.run > 0
	c.mutex.Unlock()
	if isOver {
		return false
	}
	m, err := c.measured(ctx, t)
	c.progress(t, 1)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err != nil && c.first == nil {
		c.first = err
		c.stop() // nobody would see what the others come to
	}
	if c.left[t.run]--; c.left[t.run] == 0 {
		c.works[t.run] = nil
	}
	c.outcomes[t] = m
	for next := (task{t.policy, measured[t.policy].Runs}); ; next.run++ {
		m := c.outcomes[next]
		if m == nil || m.isCut && next.run > 0 {
			break
		}
		delete(c.outcomes, next)
		measured[t.policy].add(c.Study, m)
	}
	return err == nil
}

// FaultError is a replay that has panicked, which is a fault of the program.
type FaultError struct {
	What  any
	Stack []byte
}

func (e *FaultError) Error() string { return fmt.Sprintf("this is a fault of the program: %v", e.What) }

// measured replays a task and measures what it comes to. The error is a *FaultError if
// that panics, since it does so where nobody else could catch it.
func (c *crew) measured(ctx context.Context, t task) (m *measure, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = &FaultError{what, debug.Stack()}
		}
	}()
	o, err := c.replay(ctx, t, c.works[t.run](), func(part float64) { c.progress(t, part) })
	if err != nil {
		return nil, err
	}
	return c.measure(o, t.run == 0), nil
}

// progress tells how much of all tasks is done.
func (c *crew) progress(t task, part float64) {
	if c.Progress == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done[t.run*len(c.Policies)+t.policy] = part
	sum := 0.
	for _, x := range c.done {
		sum += x
	}
	c.Progress(sum, float64(len(c.done)))
}

// shaken returns the work of a run.
func (s *Study) shaken(run int) *replay.Work {
	if run == 0 {
		return s.Work
	}
	return s.Work.Shaken(rand.New(rand.NewPCG(s.Seed, uint64(run))), s.Shake)
}

// replay replays a task on its work.
func (s *Study) replay(ctx context.Context, t task, work *replay.Work, progress func(part float64)) (*Outcome, error) {
	own := s.setups[t.policy]
	o := s.options(own, work)
	o.Progress = func(done, jobs int) { progress(float64(done) / float64(max(1, jobs))) }
	r, err := replay.Run(ctx, work, own.Plan, own.cluster, o)
	if err != nil {
		return nil, err
	}
	return s.outcome(r, own.cluster), nil
}

// measure is what is kept of a run.
type measure struct {
	first   *Outcome // nil but for the first run
	figures []float64
	waits   []float64            // by job
	means   []map[string]float64 // by kind and name
	isCut   bool
}

// measure measures an outcome.
func (s *Study) measure(o *Outcome, isFirst bool) *measure {
	m := &measure{waits: make([]float64, len(o.Jobs)), isCut: o.Result != nil && o.Result.IsCut}
	if isFirst {
		m.first = o
	}
	for _, f := range s.Figures {
		m.figures = append(m.figures, o.figure(f))
	}
	for i, j := range o.Jobs {
		if s.counted[i] {
			m.waits[i] = float64(max(0, o.leftAt(i)-j.Arrival))
		}
	}
	for _, kind := range s.kinds {
		sums, counts := map[string]float64{}, map[string]int{}
		for _, j := range o.Counted {
			if wait, ok := j.Wait(); ok {
				name := kind.Of(j)
				sums[name] += float64(wait)
				counts[name]++
			}
		}
		for name, n := range counts {
			sums[name] /= float64(n)
		}
		m.means = append(m.means, sums)
	}
	return m
}

// add adds what a run has come to.
func (m *Measured) add(s *Study, run *measure) {
	for i, x := range run.figures {
		m.Figures[i] = append(m.Figures[i], x)
	}
	for i, wait := range run.waits {
		m.waits[i] += wait
	}
	for k, means := range run.means {
		for name, mean := range means {
			m.means[k][name] = append(m.means[k][name], mean)
		}
	}
	if m.Runs == 0 {
		m.First = run.first
	}
	m.Runs++
}

// CheckNames returns a *RequestError if a figure chooses jobs by a name that none of
// them has: it would be a figure of nothing.
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
