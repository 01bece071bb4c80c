package sched

import (
	"math/bits"
	"slices"
	"sort"
)

// timelines hold what requests could use of the nodes now, and when one running job after the other is over. It is the
// same whichever nodes a job may run on, so that it is found once for all jobs that ask for the same, until others run.
type timelines struct {
	of     map[*Request]*timeline
	spare  []*timeline // to be used again
	isOf   bool        // whether freed and ends are of what runs now
	freed  freed
	suits  map[*Request]Set // the nodes that suit, whatever runs there
	last   *timeline        // the one that was asked for last, nil for none
	suited suited           // what was asked for last
	ends   ends             // of what runs
	vacant Set              // see vacantNodes; empty until somebody asks
}

// ends are when one running job after the other is over, and on which nodes they run, side by side in memory.
type ends struct {
	at    []int64
	nodes []uint64 // the sets of one after the other
}

// keep makes them those of what runs.
func (x *ends) keep(running []runningJob) {
	x.at, x.nodes = x.at[:0], x.nodes[:0]
	for i := range running {
		x.at, x.nodes = append(x.at, running[i].end), append(x.nodes, running[i].nodes...)
	}
}

// meet returns the first job from one on and before another one that runs on one of some nodes; the other one if none does.
func (x *ends) meet(among Set, from, behind int) int {
	if len(among) == 1 {
		of := among[0]
		for i := from; i < behind; i++ {
			if x.nodes[i]&of != 0 {
				return i
			}
		}
		return behind
	}
	for i := from; i < behind; i++ {
		if x.meets(among, i) {
			return i
		}
	}
	return behind
}

// window returns how many jobs are over at the end of the window in which one of them is, and when the last of them is that runs on one of
// some nodes, as over comes to it from one window to the next: the first one of which the job behind the last one before that job that runs on
// one of the nodes is over, or with which that job comes at once.
func (x *ends) window(among Set, from, job, all int, to *sight) (n int, last int64) {
	w, gaps := window{}, noGaps
	first := x.meet(among, from, job)
	if w.take(x.at[first]); first < job {
		before := job - 1
		for !x.meets(among, before) {
			before--
		}
		gaps[0] = [2]int64{x.at[before], x.at[before+1]}
		for w.end < x.at[before+1] {
			w.length *= 2
			w.end = w.base + w.length
		}
	}
	behind := first + firstBehind(x.at[first:all], w.end)
	gaps[1] = [2]int64{x.at[behind-1], w.end}
	if i := x.meet(among, behind-1, all); i < all {
		to.note(max(w.end, x.at[i]), false, gaps)
		return i + 1, x.at[i]
	}
	for i := behind - 2; ; i-- {
		if x.meets(among, i) {
			to.note(max(w.end, x.at[i]), true, gaps)
			return all, x.at[i]
		}
	}
}

// meets reports whether a job runs on one of some nodes.
func (x *ends) meets(among Set, i int) bool {
	return among.Meets(x.nodes[i*len(among) : (i+1)*len(among)])
}

// timeline is what one request could use.
type timeline struct {
	request *Request
	first   []int32 // CPUs by node, now; unknown until somebody asks
	known   Set     // the nodes of which first is known
	free    Set     // those of them of which the request can use some now
	last    []int32 // by node, its last step and one more, 0 for none
	steps   []step
	opens   []opening
	openAt  []int64  // when one opening after the other comes
	opened  []uint64 // the sets of nodes that one opening after the other and all before it have
	jobs    int      // how many of the running jobs are in it
	seen    []glance
}

// step is what a request could use of a node when a running job is over as well.
type step struct {
	job, node, cpus int32
	before          int32 // the step before it of the same node and one more, 0 for none
}

// opening is a running job with the end of which a request can use some of a node, where it could not before.
type opening struct{ job, node int32 }

// suited are the nodes that suit a request.
type suited struct {
	request *Request
	nodes   Set
}

const (
	chunk   = 16
	unknown = -1
)

// reset forgets what depends on the jobs that run, since others do now.
func (l *timelines) reset() {
	for _, x := range l.of {
		l.spare = append(l.spare, x)
	}
	clear(l.of)
	l.isOf, l.last, l.vacant = false, nil, l.vacant[:0]
}

// vacantNodes returns the nodes of a machine of which some CPU is free: no job could use any other one now.
func (l *timelines) vacantNodes(m *Machine) Set {
	if len(l.vacant) == 0 {
		l.vacant = append(l.vacant, make([]uint64, (len(m.Nodes)+63)/64)...)
		for i, cpus := range m.cpus {
			if cpus > 0 {
				l.vacant.Add(i)
			}
		}
	}
	return l.vacant
}

// get returns the timeline of a request on a machine.
func (l *timelines) get(m *Machine, r *Request, running []runningJob) *timeline {
	if l.last != nil && l.last.request == r {
		return l.last
	}
	if l.last = l.of[r]; l.last != nil {
		return l.last
	}
	if l.of == nil {
		l.of = map[*Request]*timeline{}
	}
	x := &timeline{}
	if last := len(l.spare) - 1; last >= 0 {
		x, l.spare = l.spare[last], l.spare[:last]
	}
	n := len(m.Nodes)
	*x = timeline{request: r, first: filled(x.first, n, unknown), last: filled(x.last, n, 0), steps: x.steps[:0], opens: x.opens[:0], openAt: x.openAt[:0], opened: x.opened[:0], seen: x.seen[:0], known: x.known.none(n), free: x.free.none(n)}
	l.of[r], l.last = x, x
	if !l.isOf {
		l.isOf = true
		l.freed.keep(m)
		l.ends.keep(running)
	}
	return x
}

// filled returns n equal numbers, in the memory of others.
func filled(list []int32, n int, with int32) []int32 {
	list = list[:0]
	for range n {
		list = append(list, with)
	}
	return list
}

// freed is what is free of the nodes of one running job after the other when it is over as well, node by node.
type freed struct {
	machine *Machine // what is free now
	next    Machine  // when those jobs are over that are known
	jobs    int      // how many these are
	steps   []freedNode
	gres    []int32 // of one step after the other
}

type freedNode struct {
	job, node, cpus int32
	memory          int64
}

// keep makes it that of a machine.
func (f *freed) keep(m *Machine) {
	f.machine, f.jobs, f.steps, f.gres = m, 0, f.steps[:0], f.gres[:0]
	f.next.copyFrom(m)
}

// extend lets it know so many of the jobs that run.
func (f *freed) extend(n int, running []runningJob) {
	for m := &f.next; f.jobs < n; f.jobs++ {
		j := running[f.jobs].job
		m.release(j)
		for _, s := range j.Shares {
			f.steps = append(f.steps, freedNode{int32(f.jobs), s.Node, m.cpus[s.Node], m.memory[s.Node]})
			f.gres = append(f.gres, m.gresOf(int(s.Node))...)
		}
	}
}

// extend takes running jobs into a timeline, until there are n in it or some more.
func (l *timelines) extend(x *timeline, n int, running []runningJob) {
	if x.jobs >= n {
		return
	}
	n = min((n+chunk-1)/chunk*chunk, len(running))
	l.freed.extend(n, running)
	m, kinds := l.freed.machine, len(l.freed.machine.GRES)
	for i := len(x.steps); i < len(l.freed.steps) && int(l.freed.steps[i].job) < n; i++ {
		s := &l.freed.steps[i]
		cpus, before := m.usableOf(x.request, int(s.node), s.cpus, s.memory, l.freed.gres[i*kinds:(i+1)*kinds]), x.last[s.node]
		if cpus > 0 && (before == 0 || x.steps[before-1].cpus == 0) && x.now(m, int(s.node)) == 0 {
			x.open(opening{s.job, s.node}, l.ends.at[s.job])
		}
		x.steps = append(x.steps, step{s.job, s.node, cpus, before})
		x.last[s.node] = int32(len(x.steps))
	}
	x.jobs = n
}

// now returns on how many CPUs of a node of a machine the request could run now.
func (x *timeline) now(m *Machine, node int) int32 {
	if x.first[node] == unknown {
		x.first[node] = m.usable(x.request, node)
		if x.known.Add(node); x.first[node] > 0 {
			x.free.Add(node)
		}
	}
	return x.first[node]
}

// open takes an opening into a timeline, which comes at a time.
func (x *timeline) open(of opening, at int64) {
	n, words := len(x.opened), len(x.free)
	x.opens, x.openAt = append(x.opens, of), append(x.openAt, at)
	if n == 0 {
		x.opened = append(x.opened, x.free...)
		clear(x.opened)
	} else {
		x.opened = append(x.opened, x.opened[n-words:]...)
	}
	Set(x.opened[n:]).Add(int(of.node))
}

// firstOpening returns the first opening of one of some nodes, the number of openings if there is none.
func (x *timeline) firstOpening(among Set) int {
	from, to := 0, len(x.opens)
	if len(among) == 1 { // as of most sites
		of, opened := among[0], x.opened[:to]
		for from < to {
			if middle := int(uint(from+to) / 2); opened[middle]&of != 0 {
				to = middle
			} else {
				from = middle + 1
			}
		}
		return from
	}
	for from < to {
		if middle := int(uint(from+to) / 2); among.Meets(x.opened[middle*len(among) : (middle+1)*len(among)]) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return from
}

// usableNow returns how many of some nodes the request can use now; not more than it needs at least.
func (x *timeline) usableNow(m *Machine, among Set) (n int32) {
	least := x.request.leastNodes()
	for i, word := range among {
		n += int32(bits.OnesCount64(word & x.free[i]))
	}
	for i, word := range among {
		for word &^= x.known[i]; word != 0 && n < least; word &= word - 1 {
			if x.now(m, i*64+bits.TrailingZeros64(word)) > 0 {
				n++
			}
		}
	}
	return min(n, least)
}

// opening returns how many running jobs have to be over until the request can use as many of some nodes as it needs at
// least, of which it can use some now. If nobody knows yet, there are more than there are in the timeline.
func (x *timeline) opening(among Set, open int32) int {
	least := x.request.leastNodes()
	if open >= least {
		return 0
	}
	for _, s := range x.opens[x.firstOpening(among):] {
		if among.Has(int(s.node)) {
			if open++; open >= least {
				return int(s.job) + 1
			}
		}
	}
	return x.jobs + 1
}

// suiting returns the nodes that suit a request, whatever runs on them (as Slurm's job_req_node_filter).
func (l *timelines) suiting(m *Machine, r *Request) Set {
	if l.suited.request == r {
		return l.suited.nodes
	}
	of, isKnown := l.suits[r]
	if isKnown {
		l.suited = suited{r, of}
		return of
	}
	of = NewSet(len(m.Nodes))
	for i := range m.Nodes {
		if m.suits(r, i) {
			of.Add(i)
		}
	}
	if l.suits == nil {
		l.suits = map[*Request]Set{}
	}
	l.suits[r], l.suited = of, suited{r, of}
	return of
}

// keep keeps what first has said of the request on some nodes.
func (x *timeline) keep(g glance, among Set, shares []Share) {
	const most = 8
	if len(x.seen) > 0 && x.seen[0].now != g.now {
		x.seen = x.seen[:0]
	}
	n := len(x.seen)
	if n == most {
		return
	}
	x.seen = slices.Grow(x.seen, 1)[:n+1]
	was := &x.seen[n] // its memory is used again
	g.among = append(was.among[:0], among...)
	if shares != nil {
		g.shares = append(was.shares[:0], shares...)
	}
	*was = g
}

// after lets a placer have those of some nodes of which the request could use some when n running jobs are over, and
// returns how much that is.
func (x *timeline) after(m *Machine, among Set, n int, to *placer) (s space) {
	usable := to.usable[:0]
	behind := sort.Search(len(x.opens), func(i int) bool { return int(x.opens[i].job) >= n }) - 1
	for k, word := range among {
		able := x.free[k] | ^x.known[k] // the others can be used only where they have opened
		if behind >= 0 {
			able |= x.opened[behind*len(among)+k]
		}
		for word &= able; word != 0; word &= word - 1 {
			i := k*64 + bits.TrailingZeros64(word)
			at := x.last[i]
			for at > 0 && int(x.steps[at-1].job) >= n {
				at = x.steps[at-1].before
			}
			cpus := x.first[i]
			if at > 0 {
				cpus = x.steps[at-1].cpus
			} else if cpus == unknown {
				cpus = x.now(m, i)
			}
			if cpus > 0 {
				usable = append(usable, usableNode{int32(i), cpus})
				s.nodes++
				s.cpus += int64(cpus)
			}
		}
	}
	to.usable = usable
	return s
}
