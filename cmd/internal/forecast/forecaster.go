package forecast

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/work"
)

// forecaster makes the runs of a forecast.
type forecaster struct {
	*State
	Options
	scheduler Scheduler
	lengths   *lengths
	arrivals  *arrivals
	until     float64
	levels    []float64  // of how busy users are, by run
	awaited   []int32    // the jobs that the runs are for
	load      float64    // of those who come, if all come as they did
	nodes     nodeCounts // of all runs
	kept      keptJobs
	isRefuted bool // whether jobs do not start that would by the order which is known

	keptOthers string // that something which is not told keeps jobs that nobody asks about, "" for nothing

	// span is for how many seconds others come in a run at first: as long as any run has needed so
	// far. No answer depends on it.
	span atomic.Int64
}

// forecasterOf returns what makes forecasts of a state.
func forecasterOf(st *State, scheduler Scheduler, o Options) *forecaster {
	f := &forecaster{State: st, scheduler: scheduler, Options: o}
	f.settle()
	for i, j := range f.jobs[:f.waiting] {
		if f.wants(j) {
			f.awaited = append(f.awaited, int32(i))
		}
	}
	f.levels, f.nodes = levels(o.Seed, o.Runs), make(nodeCounts, len(f.awaited))
	f.lengths, f.arrivals = newLengths(f.past), newArrivals(f.State)
	f.arrivals.part = 1
	if len(f.arrivals.users) > 0 {
		f.load = f.arrivals.measure(f.State, f.lengths)
		f.arrivals.part = min(1, f.arrivals.mostLoad()/f.load)
	}
	f.until = float64(f.At + o.Horizon)
	return f
}

// wants reports whether a job is asked about.
func (f *forecaster) wants(j *UnfinishedJob) bool {
	return f.Wants == nil || f.Wants(j.ID, f.base.Trace.Names.List[j.User])
}

// named returns a job of which nothing is forecast yet.
func (f *forecaster) named(j *UnfinishedJob) *Job {
	names := f.base.Trace.Names.List
	return &Job{ID: j.ID, Queue: names[j.Queue], User: names[j.User], Group: names[j.Group], Account: names[j.Account], Project: names[j.Project], Comment: j.Comment, First: j.First, Unmodelled: j.Unmodelled}
}

// unordered says why no time is told by which a job starts, "" where it is: who else will come is not learned either.
func (f *forecaster) unordered() string {
	switch {
	case f.Unordered == "" && f.isRefuted:
		return "jobs that would start right now by this order do not: something that is not told keeps them"
	case len(f.past) > 0 && f.OfSome == "" && f.IsOrderGiven:
		return ""
	}
	return f.Unordered
}

// make makes all runs.
func (f *forecaster) make(ctx context.Context) (out *Forecast, err error) {
	defer diag.Catch(&err)
	out = &Forecast{At: f.At, Asked: f.Runs, Load: f.load, Past: len(f.past), Horizon: f.Options.Horizon, Record: f.Record, Words: f.Words}
	if len(f.past) > 0 {
		out.Span, out.OfSome = f.At-f.past[0].arrival, f.OfSome
	} else if f.Begins > f.At {
		out.Begins = moment.Clock(f.Begins, f.Shown)
	}
	usual := newWaits(f.past)
	for _, i := range f.awaited {
		j := f.jobs[i]
		of := f.named(j)
		of.Came, of.Usual, of.Estimated = j.Arrival, usual.usual(j, f.At), j.estimatedStart(f.At)
		out.Jobs = append(out.Jobs, of)
	}
	requested, err := f.requested(ctx)
	if err != nil {
		return nil, err
	}
	for i, at := range requested {
		out.Jobs[i].Requested = at
	}
	if err := f.place(ctx, out.Jobs); err != nil {
		return nil, err
	}
	out.Unordered, out.Kept = f.unordered(), cmp.Or(f.kept.String(), f.keptOthers)
	drawn, err := f.draws(ctx)
	if err != nil {
		return nil, err
	}
	for number, starts := range drawn {
		if starts == nil {
			continue
		}
		out.Runs, out.numbers = out.Runs+1, append(out.numbers, number)
		for i, at := range starts.At {
			out.Jobs[i].Starts = append(out.Jobs[i].Starts, at)
		}
	}
	for i, queue := range usualQueues(drawn, len(out.Jobs)) {
		out.Jobs[i].Queue = cmp.Or(queue, out.Jobs[i].Queue)
	}
	if err := f.open(out.Jobs); err != nil {
		return nil, err
	}
	for i, j := range out.Jobs {
		j.Drawn = slices.Clone(j.Starts)
		slices.Sort(j.Starts)
		j.settle(float64(f.At))
		if out.Unordered != "" {
			switch known := f.jobs[f.awaited[i]].knownStart(f.At); {
			case math.IsInf(j.Low, 1): // it starts in no run
				j.Low = float64(f.At)
			case f.IsFreeUnknown || known <= j.Low: // which is when all runs last to their limits
				j.disprove(f.At)
			}
		}
		started, _ := slices.BinarySearch(j.Starts, math.Inf(1))
		j.Nodes = f.nodes.of(i, started)
	}
	stopped, err := f.stopped(ctx)
	if err != nil {
		return nil, err
	}
	for i, j := range f.jobs {
		why := stopped[int32(i)]
		if j.Phase == Held {
			why = j.Why
		}
		switch {
		case j.Phase != Waits && why == "":
		case !f.wants(j):
			out.Others = append(out.Others, f.named(j))
		case why != "":
			of, never := f.named(j), math.Inf(1)
			of.Held, of.Reason, of.Requested, of.Usual, of.Estimated, of.Low, of.Median, of.High = why, why, never, never, never, never, never, never
			out.Jobs = append(out.Jobs, of)
		}
	}
	out.sort()
	return out, nil
}

// draws makes all runs, and returns when and where the jobs start that they are made for, by run: nil for one that was
// not made since the context was done. It is an error if none was.
func (f *forecaster) draws(outer context.Context) ([]*Starts, error) {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	var group sync.WaitGroup
	var mutex sync.Mutex
	var first error
	drawn := make([]*Starts, f.Runs)
	next, done := 0, 0
	for range min(runtime.GOMAXPROCS(0), f.Runs) {
		group.Go(func() {
			for {
				mutex.Lock()
				run := next
				next++
				isOver := first != nil || run >= f.Runs || outer.Err() != nil
				mutex.Unlock()
				if isOver {
					return
				}
				started, err := f.run(ctx, run)
				mutex.Lock()
				switch {
				case outer.Err() != nil: // it may have ended early
				case err != nil:
					first = cmp.Or(first, err)
					stop()
				default:
					f.nodes.add(started.Nodes)
					started.Nodes = nil // counted
					drawn[run] = &started
					if done++; f.Done != nil {
						f.Done(done, f.Runs)
					}
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	if done == 0 && first == nil && f.Runs > 0 {
		first = outer.Err()
	}
	return drawn, first
}

// open lets jobs that are forecast know when the rules let them start.
func (f *forecaster) open(jobs []*Job) error {
	scheduler, knows := f.scheduler.(Opener)
	if !knows {
		return nil
	}
	now, numbers := f.now()
	next, err := scheduler.Openings(now)
	if next == nil || err != nil {
		return err
	}
	for i, j := range jobs {
		job := numbers[f.awaited[i]]
		j.opens = func(at float64) float64 { return next(job, at) }
	}
	return nil
}

// usualQueues returns in which queue each job starts in most runs, "" for one that names one queue alone or
// starts in none.
func usualQueues(drawn []*Starts, jobs int) (most []string) {
	for i := range jobs {
		counts, best := map[string]int{}, ""
		for _, run := range drawn {
			if run == nil || run.Queues == nil || run.Queues[i] == "" {
				continue
			}
			queue := run.Queues[i]
			if counts[queue]++; counts[queue] > counts[best] {
				best = queue
			}
		}
		most = append(most, best)
	}
	return most
}

// requested returns when each job starts if all last as long as they asked for and nobody
// comes.
func (f *forecaster) requested(ctx context.Context) ([]float64, error) {
	started, err := f.replay(ctx, Target{Until: f.until}, func(j *UnfinishedJob) int64 {
		length := int64(f.lengths.longest)
		if j.Walltime > 0 {
			length = j.Walltime
		}
		return max(j.Elapsed+1, length)
	}, nil)
	return started.At, err
}

// run returns when each job starts in a run.
func (f *forecaster) run(ctx context.Context, number int) (started Starts, err error) {
	defer diag.Catch(&err)
	const shortest, factor = 2 * day, 3 // of the times for which others come
	for span := max(shortest, f.span.Load()); ; span *= factor {
		span = min(span, f.Horizon)
		if f.Plain {
			span = f.Horizon
		}
		if span > f.span.Load() {
			f.span.Store(span)
		}
		var others []*work.Job
		if !f.NoComer {
			others = f.arrivals.draw(randomOf(f.Seed, "those who come", number), f.levels[number], f.State, f.lengths, f.At+span, 1<<20)
		}
		started, err = f.replay(ctx, Target{Until: float64(f.At + span), Nodes: f.Nodes}, func(j *UnfinishedJob) int64 { return f.lengths.ofRun(f.Seed, number, j) }, others)
		if err != nil || span >= f.Horizon || started.Late == 0 {
			return started, err
		}
	}
}

// randomOf returns what is drawn from of a job in a run. It depends on the job's ID alone, so that it stays when other
// jobs change.
func randomOf(seed uint64, id string, run int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(id))
	return rand.New(rand.NewPCG(seed^h.Sum64(), uint64(run)))
}

// replay returns when each job starts that is asked about, if jobs run as long as a function says and
// some others come.
func (f *forecaster) replay(ctx context.Context, asked Target, length func(*UnfinishedJob) int64, others []*work.Job) (Starts, error) {
	work, numbers := f.draft(length, others)
	asked.Jobs = of(numbers, f.awaited)
	return f.scheduler.Starts(ctx, work, asked)
}
