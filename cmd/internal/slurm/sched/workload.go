package sched

import (
	"cmp"
	"slices"
)

// Workload is the jobs of a run. Each is made when it comes, so that only those that wait or run are held.
type Workload struct {
	Submit       []int64                    // when each job comes, the first one first
	Make         func(number int) *Job      // returns a job by its place in Submit
	Done         func(number int, j *Job)   // gets each job that is over, and at the end those that are not; may be nil
	Requeued     func(number int, run *Job) // gets each run after which a job waits again, as it was when it ended; may be nil
	Reservations map[int32]bool             // the reservations that jobs ask for, by Reservation.ID
	Parents      map[int]bool               // the jobs that others wait for, by Job.ID; nil for none
}

// workloadOf returns jobs that are all there already.
func workloadOf(jobs []*Job) Workload {
	jobs = slices.SortedStableFunc(slices.Values(jobs), func(a, b *Job) int { return cmp.Or(cmp.Compare(a.comes(), b.comes()), a.ID-b.ID) })
	c := Workload{Submit: make([]int64, len(jobs)), Make: func(number int) *Job { return jobs[number] }, Reservations: map[int32]bool{}, Parents: parentsOf(jobs)}
	for i, j := range jobs {
		c.Submit[i], c.Reservations[j.Reservation] = j.comes(), true
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
	j.isCome, j.isAging, j.isSplit = false, false, false
	if j.Submitted == 0 {
		j.Submitted = j.Submit
	}
	e.births++
	if j.born = e.births; j.Array != 0 && e.arrays[j.Array] == 0 {
		e.arrays[j.Array] = j.born
	}
	if j.CancelAt > 0 {
		at, _ := slices.BinarySearchFunc(e.toCancel, j.CancelAt+1, func(x *Job, later int64) int { return cmp.Compare(x.CancelAt, later) })
		e.toCancel = slices.Insert(e.toCancel, at, j)
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
