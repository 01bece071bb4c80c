package sched

import (
	"cmp"
	"slices"
	"sort"
)

// runningJob is a job that holds nodes, and until when.
type runningJob struct {
	job   *Job
	end   int64
	nodes Set
}

// newRunningJob returns a job that has started on some of n nodes, until its time limit.
func newRunningJob(j *Job, n int) runningJob {
	return runningJob{j, j.expectedEnd(), nodesOf(j.Shares, n)}
}

// outlook says when and where a job could run, from what runs now and from nothing else.
type outlook struct {
	machine   *Machine
	running   []runningJob // by end
	future    Machine
	place     *placer
	workspace *workspace // of cycles; nil for one of their own
	timelines *timelines // of what runs
	overrun   int64      // how long a job goes on that should be over, see Setup.KillWait
	isPlain   bool       // whether nothing is taken from there
	gang      *gang      // nil where no job is suspended for others
	partition int        // of the job that look looks at, where some are
	sight     sight
}

// span is a time in which a cycle looks for the start of a job. Zeros are for all time from now on, which Slurm before
// 24.11 always looks at.
type span struct {
	from  int64 // the job may start then at the earliest
	until int64 // no job that ends later is taken away; 0 for all
}

// split returns how many running jobs are over before a span begins, and how many within it or before. What begins
// at once takes no job for over beforehand.
func (o *outlook) split(now int64, within span) (before, all int) {
	if all = len(o.running); within.until > 0 {
		all = sort.Search(len(o.running), func(i int) bool { return o.running[i].end > within.until })
	}
	if within.from > now {
		before = sort.Search(all, func(i int) bool { return o.running[i].end >= within.from })
	}
	return before, all
}

// glance is what first says of a request on some nodes.
type glance struct {
	among  Set
	now    int64
	within span
	onFew  bool
	start  int64
	shares []Share
	sight  sight
}

// compare is the order in which running jobs are taken away: that of their ends, and of those that end at once, that of
// slurmctld's records (Slurm's _will_run_test).
func (b runningJob) compare(with runningJob) int {
	return cmp.Or(cmp.Compare(b.end, with.end), cmp.Compare(b.job.born, with.job.born))
}

// first returns the first moment at which a job could run on some of the nodes, and where. Running
// jobs are taken away in the order of their ends, those of a window at once. The windows end 30, 60,
// 120, 240 … seconds after the first multiple of 30 seconds that follows the first end (as in Slurm's
// _will_run_test). Whether the next job is within the window is asked only after a job that has one of
// the nodes. The shares are valid until the next call.
//
// Since 24.11 (_future_run_test), the start is looked for in a span: what is over before it begins is taken away
// first, and the job is tested at its begin; jobs that end after it are not taken away.
//
// A start after latest is of no interest, unless that is 0: then shares may be nil and start a time after latest, before which the
// job does not start.
func (o *outlook) first(r *Request, among Set, now int64, within span, latest int64) (start int64, shares []Share) {
	if r.Alike {
		return o.firstAlike(r, among, now, within)
	}
	if o.isPlain {
		return o.lookPlainly(r, among, now, within)
	}
	line := o.timelines.get(o.machine, r, o.running)
	if r.MaxNodes == 1 { // this is found sooner than what was kept
		return o.look(line, among, now, within, latest)
	}
	for i := range line.seen {
		if g := &line.seen[i]; g.now == now && g.within == within && g.onFew == o.place.onFew && slices.Equal(g.among, among) {
			o.sight.add(&g.sight)
			return g.start, g.shares
		}
	}
	was := o.sight
	o.sight = sight{}
	start, shares = o.look(line, among, now, within, latest)
	mine := o.sight
	o.sight = was
	o.sight.add(&mine)
	if start > 0 && shares == nil {
		return start, nil
	}
	line.keep(glance{now: now, within: within, onFew: o.place.onFew, start: start, sight: mine}, among, shares)
	return start, shares
}

// firstAlike is first of a job whose nodes are to have the same of some features: that with which it starts first.
func (o *outlook) firstAlike(r *Request, among Set, now int64, within span) (start int64, shares []Share) {
	for _, of := range o.place.choices(r) {
		on := among.clone()
		o.suited(of, on)
		at, there := o.first(of, on, now, within, 0)
		if there != nil && (shares == nil || at < start) {
			start, shares = at, slices.Clone(there)
		}
	}
	return start, shares
}

// suited takes the nodes that cannot suit a job, whatever runs on them, out of those that it may run
// on (as Slurm's job_req_node_filter).
func (o *outlook) suited(r *Request, among Set) {
	among.intersect(o.timelines.suiting(o.machine, r))
}

// look is first without what it has said before.
func (o *outlook) look(line *timeline, among Set, now int64, within span, latest int64) (start int64, shares []Share) {
	before, all := o.split(now, within)
	o.timelines.extend(line, before, o.running)
	open := line.usableNow(o.machine, among)
	opening := line.opening(among, open)
	if before >= opening {
		if shares = o.placeAfter(line, before, among); shares != nil {
			return max(now, within.from), shares
		}
	}
	if latest > 0 && 0 < opening && opening <= all && o.running[opening-1].end > latest {
		return o.running[opening-1].end, nil
	}
	if line.request.MaxNodes == 1 { // it fits as soon as it can use a node
		for opening > line.jobs && line.jobs < all {
			if latest > 0 && o.running[line.jobs].end > latest {
				return o.running[line.jobs].end, nil
			}
			o.timelines.extend(line, line.jobs+1, o.running)
			opening = line.opening(among, open)
		}
		if opening > all {
			return 0, nil
		}
		n, last := o.timelines.ends.window(among, before, opening-1, all, &o.sight)
		if latest > 0 && last > latest {
			return last, nil
		}
		o.timelines.extend(line, n, o.running)
		if shares = o.placeAfter(line, n, among); shares != nil {
			w := window{last: last}
			return w.start(now, o.overrun), shares
		}
	}
	w := window{}
	for i := before; i < all; {
		if i = o.over(&w, i, all, among); w.last == 0 {
			break
		}
		if i > line.jobs {
			o.timelines.extend(line, i, o.running)
			opening = line.opening(among, open)
		}
		if o.sight.noteAll(max(w.end, w.last)); latest > 0 && w.last > latest {
			return w.last, nil
		}
		if i < opening {
			// There is no room yet.
		} else if shares = o.placeAfter(line, i, among); shares != nil {
			return w.start(now, o.overrun), shares
		}
		if i < all {
			w.grow(o.running[i].end)
		}
	}
	o.sight.noteAll(w.end)
	return 0, nil
}

// over takes the running jobs of a window away, from one of them on and before another one, and returns the one behind them. It
// has taken none if the window has no last one.
func (o *outlook) over(w *window, from, all int, among Set) int {
	x := &o.timelines.ends
	if w.length == 0 {
		if from = x.meet(among, from, all); from == all {
			return all
		}
		w.take(x.at[from])
	}
	behind := from + firstBehind(x.at[from:all], w.end)
	if i := x.meet(among, max(from, behind-1), all); i < all {
		w.take(x.at[i])
		return i + 1
	}
	for i := behind - 2; i >= from; i-- {
		if x.meets(among, i) {
			w.take(x.at[i])
			break
		}
	}
	return all
}

// placeAfter returns where a job would run on some nodes when n running jobs are over, nil if it does not fit.
func (o *outlook) placeAfter(x *timeline, n int, among Set) []Share {
	if s := x.after(o.machine, among, n, o.place); !s.isEnough(x.request) {
		return nil
	}
	return o.place.find(o.machine.Cluster, x.request)
}

// lookPlainly is look without what is known of other jobs that ask for the same.
func (o *outlook) lookPlainly(r *Request, among Set, now int64, within span) (start int64, shares []Share) {
	before, all := o.split(now, within)
	o.future.copyFrom(o.machine)
	gang := o.gang.clone()
	free := func(j *Job) {
		o.future.release(j)
		gang.remove(j)
	}
	place := func() []Share { return gang.place(o.place, &o.future, r, among, o.partition) }
	for _, b := range o.running[:before] {
		free(b.job)
	}
	if shares = place(); shares != nil {
		return max(now, within.from), shares
	}
	w := window{}
	for i := before; i < all; {
		for i < all {
			b := &o.running[i]
			i++
			if !b.nodes.Meets(among) {
				continue
			}
			w.take(b.end)
			free(b.job)
			if i < all && o.running[i].end > w.end {
				break
			}
		}
		if w.last == 0 {
			break
		}
		if shares = place(); shares != nil {
			return w.start(now, o.overrun), shares
		}
		if i < all {
			w.grow(o.running[i].end)
		}
	}
	return 0, nil
}

// window is the time in which running jobs are taken away at once.
type window struct {
	length, base, end int64 // all 0 before the first end
	last              int64 // the end of the last job that is taken away in it, 0 for none
}

// take takes away a job that ends at some time.
func (w *window) take(end int64) {
	const shortest = 30
	if w.length == 0 {
		w.length, w.base = shortest, end-end%shortest+shortest
		w.end = w.base + w.length
	}
	w.last = end
}

// grow makes the window long enough for the next job, of which the end is given.
func (w *window) grow(end int64) {
	for w.last = 0; ; {
		w.length *= 2
		if w.end = w.base + w.length; end <= w.end {
			return
		}
	}
}

// start returns when a job starts that has room once the jobs of the window are over.
func (w *window) start(now, killWait int64) int64 {
	if w.last <= now { // a job that should be over (Slurm's _guess_job_end)
		return max(w.last+killWait, now+1)
	}
	return w.last
}

// space is how many nodes a job could use, and how many CPUs of them.
type space struct {
	nodes, cpus int64
}

// add adds a node of which a job could use some CPUs.
func (s *space) add(cpus int32) {
	if cpus > 0 {
		s.nodes++
		s.cpus += int64(cpus)
	}
}

// leastNodes returns on how many nodes a job runs at least.
func (r *Request) leastNodes() int32 { return max(1, r.MinNodes) }

// isEnough reports whether there might be room for a job. If not, it fits nowhere.
func (s space) isEnough(r *Request) bool {
	return s.nodes >= int64(r.leastNodes()) && s.cpus >= int64(r.CPUs)
}
