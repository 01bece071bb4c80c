package sched

import (
	"cmp"
	"math"
	"slices"
)

// A deep queue is put into its order only as far as passes and cycles come. Jobs of one class differ by nothing that their
// priorities depend on but their age, so that one that came later never goes before one that came earlier: at new priorities,
// only the first job of each class is asked for its own, and the others when they are.

// deepFrom is how many entries a queue has at least that is put into its order only as far as that is asked for.
const deepFrom = 256

// rest is what of the queue is behind the entries that are in its order: engine.queue has those.
type rest struct {
	classes []*class
	open    map[classKey]*class // those to which jobs are added, by what is alike
	heads   []*class            // those with jobs, as a heap: the one whose first job goes before all others comes first
	count   int                 // of entries
	sweep   int32               // the number of the last computation of priorities
}

// classKey is all that jobs of a class have in common: what their priorities depend on but their age, and which limits hold them.
type classKey struct {
	kind               int32
	association, qos   int
	jobSize, part, own float64 // as constant has them, own is of the QOS
	tres               [4]float64
	nice, extra        float64
	fixed              uint32 // the priority that somebody has set, 0 for none
	isAgeless, isFixed bool
}

// class are jobs that wait, in the order of the queue.
type class struct {
	key   classKey
	jobs  []*Job
	first int        // before it there is room for those that are in the front of the queue
	least int64      // the shortest time limit of those that were added
	last  classPlace // of the job that was added last

	hopeless hopeless // what became of the last one in a cycle of which it made nothing
	passedIn int      // the pass or cycle that passed over it last, as engine.walks counts them
}

// classPlace is where a job stands in its class.
type classPlace struct {
	eligible, submitted, number int64
	array                       int32
	partition, id               int
}

func (j *Job) classPlace() classPlace {
	return classPlace{j.whole().Eligible, j.Submitted, int64(j.number()), j.Array, slices.Index(j.Partitions, j.Partition), j.ID}
}

func (p *classPlace) compare(o *classPlace) int {
	return cmp.Or(cmp.Compare(p.submitted, o.submitted), cmp.Compare(p.number, o.number), p.partition-o.partition, p.id-o.id)
}

// follows reports whether a job never goes before another one of its class.
func (p *classPlace) follows(o *classPlace) bool {
	return p.eligible >= o.eligible && p.compare(o) > 0 && (p.number != o.number || p.array == o.array)
}

// isEmpty reports whether no job of a class is behind the front of the queue.
func (c *class) isEmpty() bool { return c.first == len(c.jobs) }

// restCount returns how many entries of the queue are behind those that are in its order.
func (e *engine) restCount() int {
	if e.rest == nil {
		return 0
	}
	return e.rest.count
}

// waiting returns how many entries the queue has.
func (e *engine) waiting() int { return len(e.queue) + e.restCount() }

// mayDefer reports whether nobody asks for the whole queue in its order.
func (e *engine) mayDefer() bool {
	return !e.isPlain && e.judge == nil && e.why == nil && e.gang == nil && !e.preempts && !e.precedence.IsCircular() && !e.limitsAge() && !e.Conf.Basic && !e.hasAnyQOS && e.Conf.Weights.Age >= 0
}

// keyOf returns what a job has in common with those of its class; ok is false for one of too many resources that count.
func (e *engine) keyOf(j *Job) (k classKey, ok bool) {
	whole := j.whole()
	k = classKey{kind: j.kind, association: j.Association, qos: j.QOS}
	if j.IsFixed {
		k.isFixed, k.fixed = true, whole.Priority
		return k, true
	}
	if !j.constant.isKnown {
		j.constant = e.priorities.constantOf(j)
	}
	x := &j.constant
	k.jobSize, k.part, k.own, k.nice, k.extra, k.isAgeless = x.jobSize, x.partition, x.qos, j.Nice, whole.extra, whole.IsAgeless
	return k, copy(k.tres[:], x.tres) == len(x.tres)
}

// classify finds the class of a job and adds it there; isLevel is whether it is no older than any that came before it.
func (e *engine) classify(j *Job, isLevel bool) *class {
	r := e.rest
	key, ok := e.keyOf(j)
	c, place := r.open[key], j.classPlace()
	if c == nil || !ok || !isLevel || !place.follows(&c.last) {
		c = &class{key: key, least: math.MaxInt64}
		if r.classes = append(r.classes, c); ok {
			r.open[key] = c
		}
	}
	c.last, c.least, j.class = place, min(c.least, j.Limit), c
	return c
}

// deferOrder takes the queue apart into classes, or what of it is in the front back into these, now that priorities are computed
// anew.
func (e *engine) deferOrder() {
	r := e.rest
	if r == nil {
		r = &rest{open: map[classKey]*class{}}
		e.rest, e.lastCycle.until = r, 0
		places := make(map[*Job]classPlace, len(e.queue))
		for _, j := range e.queue {
			j.sweep, places[j] = 0, j.classPlace()
		}
		slices.SortFunc(e.queue, func(a, b *Job) int {
			x, y := places[a], places[b]
			return x.compare(&y)
		})
		for _, j := range e.queue {
			c := e.classify(j, true)
			c.jobs = append(c.jobs, j)
		}
		r.count = len(e.queue)
	} else {
		e.putBack(e.queue)
	}
	clear(e.queue)
	e.queue = e.queue[:0]
	r.sweep++
	kept := r.classes[:0]
	for _, c := range r.classes {
		if c.isEmpty() {
			if r.open[c.key] == c {
				delete(r.open, c.key)
			}
			continue
		}
		if c.first > len(c.jobs)/2 {
			n := copy(c.jobs, c.jobs[c.first:])
			clear(c.jobs[n:])
			c.jobs, c.first = c.jobs[:n], 0
		}
		e.rankOne(c.jobs[c.first])
		kept = append(kept, c)
	}
	clear(r.classes[len(kept):])
	r.classes = kept
	e.heap()
}

// putBack puts entries of the front of the queue back into their classes.
func (e *engine) putBack(entries []*Job) {
	for _, j := range slices.Backward(entries) {
		c := j.class
		if c.first == 0 {
			c.jobs = slices.Insert(c.jobs, 0, j)
			continue
		}
		c.first--
		c.jobs[c.first] = j
	}
	e.rest.count += len(entries)
}

// rankOne computes the priority of a job of a class, unless it came since priorities were computed last.
func (e *engine) rankOne(j *Job) {
	if j.sweep != e.rest.sweep {
		j.sweep, j.Priority = e.rest.sweep, e.priorities.of(j, e.priorities.swept)
	}
}

// heap makes the classes with jobs a heap.
func (e *engine) heap() {
	r := e.rest
	r.heads = r.heads[:0]
	for _, c := range r.classes {
		if !c.isEmpty() {
			r.heads = append(r.heads, c)
		}
	}
	for i := len(r.heads)/2 - 1; i >= 0; i-- {
		e.sink(i)
	}
}

// goesBefore reports whether the first job of one of the classes of the heap goes before that of another one.
func (e *engine) goesBefore(i, k int) bool {
	a, b := e.rest.heads[i], e.rest.heads[k]
	return e.compare(a.jobs[a.first], b.jobs[b.first]) < 0
}

// sink lets a class of the heap find its place among those below it.
func (e *engine) sink(i int) {
	heads := e.rest.heads
	for {
		best := 2*i + 1
		if best >= len(heads) {
			return
		}
		if other := best + 1; other < len(heads) && e.goesBefore(other, best) {
			best = other
		}
		if !e.goesBefore(best, i) {
			return
		}
		heads[i], heads[best] = heads[best], heads[i]
		i = best
	}
}

// reach puts the queue into its order as far as a place in it, and reports whether it has so many entries.
func (e *engine) reach(at int) bool {
	for r := e.rest; at >= len(e.queue) && r != nil && r.count > 0; {
		c := r.heads[0]
		e.queue = append(e.queue, c.jobs[c.first])
		r.count--
		if c.first++; c.isEmpty() {
			e.dropHead()
			continue
		}
		e.rankOne(c.jobs[c.first])
		e.sink(0)
	}
	return at < len(e.queue)
}

// gather puts the whole queue into its order.
func (e *engine) gather() {
	if e.rest != nil {
		e.reach(e.waiting() - 1)
		e.rest, e.lastCycle.until = nil, 0
	}
}

// add adds an entry to a queue of which only the front is in its order.
func (e *engine) add(j *Job) {
	r := e.rest
	c := e.classify(j, j.whole().Eligible >= e.now)
	j.sweep = r.sweep
	if n := len(e.queue); c.isEmpty() && n > 0 && e.compare(j, e.queue[n-1]) < 0 {
		e.insertInFront(j)
		return
	}
	isFirst := c.isEmpty()
	c.jobs = append(c.jobs, j)
	r.count++
	if !isFirst {
		return
	}
	r.heads = append(r.heads, c)
	for i := len(r.heads) - 1; i > 0 && e.goesBefore(i, (i-1)/2); i = (i - 1) / 2 {
		r.heads[i], r.heads[(i-1)/2] = r.heads[(i-1)/2], r.heads[i]
	}
}

// dropRest takes entries out of what is behind the front of the queue.
func (e *engine) dropRest(isOut func(j *Job) bool) {
	r := e.rest
	if r == nil {
		return
	}
	n := 0
	for _, c := range r.classes {
		left := slices.DeleteFunc(c.jobs[c.first:], isOut)
		c.jobs = c.jobs[:c.first+len(left)]
		n += len(left)
	}
	if n == r.count {
		return
	}
	r.count = n
	for _, c := range r.classes {
		if !c.isEmpty() {
			e.rankOne(c.jobs[c.first])
		}
	}
	e.heap()
}

// restWalk goes through what is behind the front of the queue, for an entry that matters.
type restWalk struct {
	rest    *rest
	left    int  // how many classes are to be looked at
	at      int  // how many jobs of the last one of them
	isFound bool // whether it is at an entry that has mattered
}

func newRestWalk(r *rest) (w restWalk) {
	if w.rest = r; r != nil {
		w.begin(len(r.classes))
	}
	return w
}

func (w *restWalk) begin(classes int) {
	if w.left = classes; classes > 0 {
		w.at = len(w.rest.classes[classes-1].jobs)
	}
}

// isAt reports whether the walk is at an entry that is still behind the front of the queue.
func (w *restWalk) isAt() bool {
	if w.left == 0 {
		return false
	}
	c := w.rest.classes[w.left-1]
	w.at = min(w.at, len(c.jobs)) // some may have been taken out
	return w.at > c.first
}

// job returns the entry at which the walk is.
func (w *restWalk) job() *Job { return w.rest.classes[w.left-1].jobs[w.at-1] }

// stop goes on from the entry at which the walk is to the next one that matters, and reports whether there is one. A class
// is asked first whether all of it does not, but for that of the entry that has mattered last, which mostly still does.
func (w *restWalk) stop(isOut func(c *class, j *Job) bool, matters func(j *Job) bool) bool {
	if w.isFound && w.isAt() && matters(w.job()) {
		return true
	}
	w.isFound = false
	for ; w.left > 0; w.begin(w.left - 1) {
		c := w.rest.classes[w.left-1]
		if !w.isAt() || isOut(c, c.jobs[w.at-1]) {
			continue
		}
		for ; w.isAt(); w.at-- {
			if matters(c.jobs[w.at-1]) {
				w.isFound = true
				return true
			}
		}
	}
	return false
}
