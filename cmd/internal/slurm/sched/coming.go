package sched

import (
	"cmp"
	"slices"
)

// Coming are the jobs of a run. Each is made when it comes, so that only those that wait or run are held.
type Coming struct {
	Submit []int64                  // when each job comes, the first one first
	Make   func(number int) *Job    // returns a job by its place in Submit
	Done   func(number int, j *Job) // gets each job that is over, and at the end those that are not; may be nil
	Asked  map[int32]bool           // the reservations that jobs ask for, by Kept.ID
}

// comingOf returns jobs that are all there already.
func comingOf(jobs []*Job) Coming {
	jobs = slices.SortedStableFunc(slices.Values(jobs), func(a, b *Job) int { return cmp.Or(cmp.Compare(a.comes(), b.comes()), a.ID-b.ID) })
	c := Coming{Submit: make([]int64, len(jobs)), Make: func(number int) *Job { return jobs[number] }, Asked: map[int32]bool{}}
	for i, j := range jobs {
		c.Submit[i], c.Asked[j.In] = j.comes(), true
	}
	return c
}

// comes is when a job comes, which one that runs already did before its start.
func (j *Job) comes() int64 {
	if j.Start > 0 {
		return min(j.Submit, j.Start)
	}
	return j.Submit
}

// hasMore reports whether more jobs come.
func (e *engine) hasMore() bool { return e.number < len(e.work.Submit) }

// comes is when the next job comes, of which there is one.
func (e *engine) comes() int64 { return e.work.Submit[e.number] }

// take returns the next job.
func (e *engine) take() *Job {
	j := e.work.Make(e.number)
	j.isCome, j.isAging = false, false
	e.births++
	if j.born = e.births; j.Array != 0 && e.arrays[j.Array] == 0 {
		e.arrays[j.Array] = j.born
	}
	if j.Gone > 0 {
		at, _ := slices.BinarySearchFunc(e.gone, j.Gone+1, func(x *Job, gone int64) int { return cmp.Compare(x.Gone, gone) })
		e.gone = slices.Insert(e.gone, at, j)
	}
	e.numbers[j] = e.number
	e.number++
	return j
}

// forget hands over a job that is over.
func (e *engine) forget(j *Job) {
	if e.work.Done != nil {
		e.work.Done(e.numbers[j], j)
	}
	delete(e.numbers, j)
}
