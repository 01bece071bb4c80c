package cycle

import (
	"cmp"
	"slices"
)

// stream is jobs that are considered one after another: all jobs, or those of
// one queue. They fall into groups that tie in all that is fixed; within a
// group, fairshare picks the next job anew each time.
type stream struct {
	o     *orderer
	jobs  []int32 // by what is fixed, then by what decides last
	at    int     // the first job of the current group that is left, without fairshare
	end   int     // of the current group
	group *fairGroup
	left  map[int32]int32 // subjobs of arrays that have begun
}

// sortable is a job with the keys that are fixed, side by side.
type sortable struct {
	value   float32
	preempt int32
	job     int32
}

func (o *orderer) sortable(i int32) sortable {
	return sortable{o.jobs[i].Value, o.preempt[i], i}
}

// compareFixed compares what does not change while jobs start, before
// fairshare has its say.
func compareFixed(a, b sortable) int {
	if a.preempt != b.preempt {
		return cmp.Compare(a.preempt, b.preempt)
	}
	return compareValues(a.value, b.value)
}

func (o *orderer) newStream(jobs []int32) *stream {
	keyed := make([]sortable, len(jobs))
	for k, i := range jobs {
		keyed[k] = o.sortable(i)
	}
	slices.SortFunc(keyed, func(a, b sortable) int {
		if c := compareFixed(a, b); c != 0 {
			return c
		}
		c, _ := o.compareRest(a.job, b.job)
		return c
	})
	st := &stream{o: o, jobs: make([]int32, len(jobs)), left: map[int32]int32{}}
	for k := range keyed {
		st.jobs[k] = keyed[k].job
	}
	st.advance()
	return st
}

// advance finds the next group.
func (st *stream) advance() {
	st.at = st.end
	delete(st.o.groups, st.group)
	st.group = nil
	if st.at == len(st.jobs) {
		return
	}
	first := st.o.sortable(st.jobs[st.at])
	for st.end++; st.end < len(st.jobs) && compareFixed(first, st.o.sortable(st.jobs[st.end])) == 0; st.end++ {
	}
	if st.o.s.Policy.FairShare && st.end-st.at > 1 {
		st.group = newFairGroup(st.o, st.jobs[st.at:st.end])
		st.o.groups[st.group] = true
	}
}

func (st *stream) empty() bool { return st.at == len(st.jobs) }

// dynamic tells whether starting a job can change which comes next.
func (st *stream) dynamic() bool { return st.group != nil }

// total is how many subjobs a job begins with.
func (st *stream) total(i int32) int32 { return max(1, st.o.jobs[i].Subjobs) }

func (st *stream) next() int32 {
	if st.group != nil {
		return st.group.best()
	}
	return st.jobs[st.at]
}

// remaining is how many subjobs of a job are left.
func (st *stream) remaining(i int32) int32 {
	if left, begun := st.left[i]; begun {
		return left
	}
	return st.total(i)
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
