package cycle

import "slices"

// stream is jobs that are considered one after another: all jobs, or those of
// one queue. They fall into groups that tie in the keys before fairshare;
// within a group, fairshare picks the next job anew each time.
type stream struct {
	c     *Cycle
	jobs  []int32    // by the keys before fairshare, then by those after it
	at    int        // the first job of the current group that is left, where fairshare does not choose
	end   int        // of the current group
	group *fairGroup // nil where fairshare does not choose, else fair
	fair  fairGroup
	left  map[int32]int32 // by array, the subjobs that have not started; an array is absent until one has, and the map too
}

// sortable is a job with its packed keys beside it.
type sortable struct {
	packed front
	job    int32
}

// newStream returns a stream of jobs, whose list it keeps and puts in order.
func (c *Cycle) newStream(jobs []int32) *stream {
	sorted := slices.Grow(c.sorted[:0], len(jobs))[:len(jobs)]
	c.sorted = sorted
	for k, i := range jobs {
		sorted[k] = sortable{c.packed[i], i}
	}
	slices.SortFunc(sorted, func(a, b sortable) int {
		if d := a.packed.compare(b.packed); d != 0 {
			return d
		}
		d, _ := c.compareFrom(afterFairshare, a.job, b.job)
		return d
	})
	for k := range sorted {
		jobs[k] = sorted[k].job
	}
	if c.used == len(c.all) {
		c.all = append(c.all, &stream{})
	}
	st := c.all[c.used]
	c.used++
	*st = stream{c: c, jobs: jobs, fair: st.fair}
	st.advance()
	return st
}

// advance begins the next group.
func (st *stream) advance() {
	st.at = st.end
	st.group = nil
	if st.empty() {
		return
	}
	first := st.c.packed[st.jobs[st.at]]
	for st.end++; st.end < len(st.jobs) && st.c.packed[st.jobs[st.end]] == first; st.end++ {
	}
	if st.c.s.Policy.FairShare && st.end-st.at > 1 {
		st.group = &st.fair
		st.group.begin(st.c, st.jobs[st.at:st.end])
		st.c.turns = st.c.turns || st.c.s.Costs != nil && st.c.hasSeveral(st.jobs[st.at:st.end])
	}
}

// hasSeveral reports whether jobs are of several entities.
func (c *Cycle) hasSeveral(jobs []int32) bool {
	first := c.jobs[jobs[0]].Entity
	return slices.ContainsFunc(jobs, func(i int32) bool { return c.jobs[i].Entity != first })
}

func (st *stream) empty() bool { return st.at == len(st.jobs) }

func (st *stream) next() int32 {
	if st.group != nil {
		return st.group.best()
	}
	return st.jobs[st.at]
}

// start counts a job that starts, or a subjob of an array, which competes anew
// with the rest of its array.
func (st *stream) start(i int32) {
	left, begun := st.left[i]
	if !begun {
		left = st.c.jobs[i].Subjobs
	}
	if left <= 1 {
		st.remove()
		return
	}
	if st.left == nil {
		st.left = map[int32]int32{}
	}
	st.left[i] = left - 1
}

// remove takes away the job that next returned.
func (st *stream) remove() {
	if st.group == nil {
		if st.at++; st.at == st.end {
			st.advance()
		}
		return
	}
	if st.group.remove(); st.group.empty() {
		st.advance()
	}
}
