package sched

import "slices"

// timelines hold what requests could use of the nodes now, and when one running job after the other is over. It is the
// same whichever nodes a job may run on, so that it is found once for all jobs that ask for the same.
type timelines struct {
	of     map[*Request]*timeline
	spare  []*timeline // to be used again
	states []Machine   // what is free when 0, chunk, 2*chunk … running jobs are over
	known  int         // how many of them are of what runs now
	next   Machine
	suits  map[*Request]Set // the nodes that suit, whatever runs there
	usable []int32          // by node, see outlook.placeAfter
}

// timeline is what one request could use.
type timeline struct {
	request *Request
	first   []int32 // CPUs by node, now; unknown until somebody asks
	last    []int32 // by node, its last step and one more, 0 for none
	steps   []step
	opens   []int32 // the steps with which the request can use some of a node, where it could not before
	jobs    int     // how many of the running jobs are in it
	seen    []glance
}

// step is what a request could use of a node when a running job is over as well.
type step struct {
	job, node, cpus int32
	before          int32 // the step before it of the same node and one more, 0 for none
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
	l.known = 0
}

// get returns the timeline of a request on a machine.
func (l *timelines) get(m *Machine, r *Request) *timeline {
	if x := l.of[r]; x != nil {
		return x
	}
	if l.of == nil {
		l.of = map[*Request]*timeline{}
	}
	x := &timeline{}
	if last := len(l.spare) - 1; last >= 0 {
		x, l.spare = l.spare[last], l.spare[:last]
	}
	n := len(m.Nodes)
	*x = timeline{request: r, first: filled(x.first, n, unknown), last: filled(x.last, n, 0), steps: x.steps[:0], opens: x.opens[:0], seen: x.seen[:0]}
	l.of[r] = x
	if l.known == 0 {
		l.keep(m)
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

// keep keeps a state of the machine, behind those that are known.
func (l *timelines) keep(m *Machine) {
	if l.known == len(l.states) {
		l.states = append(l.states, Machine{})
	}
	l.states[l.known].copyFrom(m)
	l.known++
}

// extend takes running jobs into a timeline, until there are some more than n in it, or all.
func (l *timelines) extend(x *timeline, n int, running []runningJob) {
	for x.jobs < n {
		at := x.jobs / chunk
		m := &l.next
		m.copyFrom(&l.states[at])
		for _, b := range running[x.jobs:min(x.jobs+chunk, len(running))] {
			m.free(b.job.Request, b.job.Shares)
			for _, s := range b.job.Shares {
				cpus, before := m.usable(x.request, int(s.Node)), x.last[s.Node]
				if cpus > 0 && (before == 0 || x.steps[before-1].cpus == 0) {
					x.opens = append(x.opens, int32(len(x.steps)))
				}
				x.steps = append(x.steps, step{int32(x.jobs), s.Node, cpus, before})
				x.last[s.Node] = int32(len(x.steps))
			}
			x.jobs++
		}
		if at+1 == l.known {
			l.keep(m)
		}
	}
}

// now returns on how many CPUs of a node of a machine the request could run now.
func (x *timeline) now(m *Machine, node int) int32 {
	if x.first[node] == unknown {
		x.first[node] = m.usable(x.request, node)
	}
	return x.first[node]
}

// open returns how many of some nodes the request can use now; not more than it needs at least.
func (x *timeline) open(m *Machine, among Set) (n int32) {
	among.all(func(i int) bool {
		if x.now(m, i) > 0 {
			n++
		}
		return n < x.request.leastNodes()
	})
	return n
}

// opening returns how many running jobs have to be over until the request can use as many of some nodes as it needs at
// least, of which it can use some now. If nobody knows yet, there are more than there are in the timeline.
func (x *timeline) opening(m *Machine, among Set, open int32) int {
	if open >= x.request.leastNodes() {
		return 0
	}
	for _, at := range x.opens {
		if s := &x.steps[at]; among.Has(int(s.node)) && x.now(m, int(s.node)) == 0 {
			if open++; open >= x.request.leastNodes() {
				return int(s.job) + 1
			}
		}
	}
	return x.jobs + 1
}

// suiting returns the nodes that suit a request, whatever runs on them (as Slurm's job_req_node_filter).
func (l *timelines) suiting(m *Machine, r *Request) Set {
	of, isKnown := l.suits[r]
	if isKnown {
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
	l.suits[r] = of
	return of
}

// keep keeps what first has said of the request on some nodes.
func (x *timeline) keep(g glance, among Set, shares []Share) {
	const most = 8
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

// after puts on how many CPUs of some nodes the request could run when n running jobs are over into usable, and
// returns how much that is.
func (x *timeline) after(m *Machine, among Set, n int, usable []int32) (s space) {
	among.all(func(i int) bool {
		at := x.last[i]
		for at > 0 && int(x.steps[at-1].job) >= n {
			at = x.steps[at-1].before
		}
		if at > 0 {
			usable[i] = x.steps[at-1].cpus
		} else {
			usable[i] = x.now(m, i)
		}
		s.add(usable[i])
		return true
	})
	return s
}
