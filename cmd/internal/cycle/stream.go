package cycle

import (
	"slices"

	"fairshare/fstree"
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
	left  map[int32]int32 // subjobs of arrays that have begun, and of the next job
}

func (o *orderer) newStream(jobs []int32) *stream {
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b int32) int {
		if c := o.compareFixed(a, b); c != 0 {
			return c
		}
		return o.compareRest(a, b)
	})
	st := &stream{o: o, jobs: jobs, left: map[int32]int32{}}
	st.advance()
	return st
}

// advance finds the next group.
func (st *stream) advance() {
	st.at = st.end
	st.group = nil
	if st.at == len(st.jobs) {
		return
	}
	for st.end++; st.end < len(st.jobs) && st.o.compareFixed(st.jobs[st.at], st.jobs[st.end]) == 0; st.end++ {
	}
	if st.o.s.Policy.FairShare && st.end-st.at > 1 {
		st.group = newFairGroup(st.o, st.jobs[st.at:st.end])
	}
}

func (st *stream) empty() bool { return st.at == len(st.jobs) }

// dynamic tells whether starting a job can change which comes next.
func (st *stream) dynamic() bool { return st.group != nil }

// total is how many subjobs a job begins with.
func (st *stream) total(i int32) int32 { return max(1, st.o.jobs[i].Subjobs) }

func (st *stream) next() int32 {
	i := st.jobs[st.at]
	if st.group != nil {
		i = st.group.best()
	}
	if st.left[i] == 0 {
		st.left[i] = st.total(i)
	}
	return i
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

// moved tells that an entity's usage, and that of the groups above, has
// changed.
func (st *stream) moved(id fstree.ID) {
	if st.group != nil {
		st.group.moved(id)
	}
}
