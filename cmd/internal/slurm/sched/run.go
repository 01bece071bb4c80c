package sched

import "context"

// Result is what became of the jobs of a run, and how much was done.
type Result struct {
	Jobs                   []*Job // of Run, nil of RunWorkload
	Passes, Cycles, Sweeps int
	Last                   int64 // the last moment
	IsCut                  bool  // whether what was awaited may still come about later

	First map[*Job]FirstStart // of the jobs of Options.Stop that started

	Suspended int     // times that a job was suspended for another one
	Evicted   int     // times that a job was taken off its nodes before it was over
	Preempted int     // of these, times that it was for another one
	Requeued  int     // of these, times that the job waited again
	Lost      float64 // CPU seconds that those which were preempted had run

	Refused []Refusal // of jobs that limits of submissions would have refused; they run nevertheless

	Waits  []Wait    // of the job that was watched
	Causes []Cause   // where they were asked for
	Queue  []Waiting // at Options.Until

	Evictions []Eviction // until Options.Until, in their order

	spared                         int // jobs that cycles passed over, being like others
	repeatedCycles, repeatedPasses int // those that were like the one before
	rows                           int // jobs that cycles counted without a look at them
	passed, skipped, alike         int // classes that cycles and passes passed over as a whole, and cycles and passes that were like one that did
	leapt                          int // searches that left moments out at which no node is free that the job can use by then
	recalled                       int // plans that cycles took from the one before without a search
	ahead                          int // cycles that ended since nobody could start to whom they still came
	cut                            int // jobs behind the last one that a cycle could start
}

// Options say what is not in the site.
type Options struct {
	// Swept is any moment at which priorities were computed, 0 for the first submission: they are
	// computed a whole number of periods from it.
	Swept int64

	Why   bool  // whether Result.Causes are wanted
	Last  int64 // up to when these are summed up, as when the record ends behind which nobody comes; 0 for the end
	Watch *Job  // of which Result.Waits are wanted, nil for none
	Until int64 // the time at which to stop, and for which Result.Queue is wanted; 0 for the end

	// Begin is the time at which the run begins where it does so with a site in full swing, 0 for the
	// first submission: jobs with a Start run since then on their Shares, and those that came before
	// Begin wait with the Priority that they have. The tree's usage is that of the last sweep.
	Begin int64
	Stop  *Stop // nil for the end of everything

	Progress func(done, jobs int) // called now and then; may be nil

	isPlain bool // for tests: nothing is left out that could not change anything
	isDeep  bool // for tests: each queue is put into its order only as far as that is asked for, however short it is
}

// Run runs the scheduler of a site over jobs, which it changes. If the context is done before the
// end, it returns what there is by then, and the context's error.
func Run(ctx context.Context, s *Setup, jobs []*Job, o Options) (*Result, error) {
	result, err := RunWorkload(ctx, s, workloadOf(jobs), o)
	result.Jobs = jobs
	return result, err
}

// RunWorkload is Run for jobs that are made as they come.
func RunWorkload(ctx context.Context, s *Setup, work Workload, o Options) (*Result, error) {
	if o.isPlain {
		of := *s
		of.isPlain, s = true, &of
	}
	e := newEngine(ctx, s, work)
	if o.isDeep {
		e.deep = 0
	}
	if o.Why || o.Watch != nil || o.Until > 0 {
		e.why = newWhy(o.Watch, o.Last)
	}
	if o.Begin > 0 {
		e.now = o.Begin
		e.fullAt, e.sweepAt = e.now+s.Interval, e.now+e.period()
	}
	e.sweepFrom(o.Swept)
	e.await(o.Stop)
	if o.Begin > 0 {
		e.begin()
	} else {
		e.bootAt(o.Swept)
	}
	for steps := 0; ; steps++ {
		if steps%256 == 0 {
			if o.Progress != nil {
				o.Progress(e.number, len(work.Submit))
			}
			if ctx.Err() != nil {
				e.finish(o)
				return &e.result, ctx.Err()
			}
		}
		next := e.next()
		if next == never {
			next = e.decays()
		}
		if next == never || o.Until > 0 && next > o.Until {
			break
		}
		if o.Stop != nil && (e.awaited == 0 || next > o.Stop.Until) {
			e.result.IsCut = e.awaited > 0
			break
		}
		e.now = next
		e.step()
	}
	if o.Until > e.now {
		e.now = o.Until
	}
	e.finish(o)
	return &e.result, nil
}
