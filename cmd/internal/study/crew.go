package study

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/work"
)

// task is a run of a policy.
type task struct{ policy, run int }

// crew makes the runs of a study, several at a time.
type crew struct {
	*Study
	works []func() *work.Work // what is replayed in each run, nil once no task needs it
	left  []int               // how many tasks of each run have not ended
	stop  func()              // ends what is being replayed

	mutex    sync.Mutex
	next     int
	first    error             // that a task came to
	done     []float64         // which part of each task is done
	outcomes map[task]*measure // that are not added, since an earlier run is not done
}

// replayAll makes all runs, and adds to what each policy comes to its runs in their order.
func (s *Study) replayAll(ctx context.Context, measured []*Measured) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	runs := max(1, s.Runs)
	c := &crew{Study: s, stop: stop, works: make([]func() *work.Work, runs), left: make([]int, runs), done: make([]float64, runs*len(s.Policies)), outcomes: map[task]*measure{}}
	for run := range runs {
		c.works[run] = sync.OnceValue(func() *work.Work { return s.shaken(run) })
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

// one makes the next run and reports whether there may be another to make.
func (c *crew) one(ctx context.Context, measured []*Measured) bool {
	c.mutex.Lock()
	t := task{c.next % len(c.Policies), c.next / len(c.Policies)}
	c.next++
	// When interrupted, a first run that has barely begun still tells how far it came; of other
	// runs there is nothing to tell.
	isOver := t.run >= len(c.works) || c.first != nil || c.isUseless(ctx, t)
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

// isUseless reports whether nobody would look at what a task comes to, since the study was
// interrupted.
func (c *crew) isUseless(ctx context.Context, t task) bool {
	return ctx.Err() != nil && (t.run > 0 || c.NeedsAll)
}

// measured returns what a run comes to, nil for one that is useless. The error is a *diag.FaultError if it
// panics.
func (c *crew) measured(ctx context.Context, t task) (m *measure, err error) {
	defer diag.Catch(&err)
	o, err := c.replay(ctx, t, c.works[t.run](), func(part float64) { c.progress(t, part) })
	if err != nil || c.isUseless(ctx, t) {
		return nil, err
	}
	return c.measure(o, t.run == 0), nil
}

// progress notes which part of a task is done, and tells how much of all tasks is.
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

// shaken returns the work that is replayed in a run.
func (s *Study) shaken(run int) *work.Work {
	if run == 0 {
		return s.Work
	}
	return s.Work.Shaken(rand.New(rand.NewPCG(s.Seed, uint64(run))), s.Shake)
}

// replay returns how a run goes on its work.
func (s *Study) replay(ctx context.Context, t task, work *work.Work, progress func(part float64)) (*Outcome, error) {
	p := s.Policies[t.policy]
	ask := s.Wanted
	ask.KeepUsage = slices.ContainsFunc(s.Figures, figure.Figure.NeedsShares)
	r, err := p.Run(ctx, work, ask, progress)
	if err != nil {
		return nil, err
	}
	return s.outcome(r, p.CPUs()), nil
}
