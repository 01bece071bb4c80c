package sched

import (
	"cmp"
	"slices"
)

// The queue holds the entries of the jobs that wait, in Slurm's order.

// compare is Slurm's order (job_scheduler.c, sort_job_queue2): jobs of reservations first, then the tier of the
// partition, the priority and the number, which is one for all tasks of an array.
func (e *engine) compare(a, b *Job) int {
	if isIn := a.Reservation != 0; isIn != (b.Reservation != 0) {
		if isIn {
			return -1
		}
		return 1
	}
	if a.Partition != b.Partition {
		if c := cmp.Compare(e.Partitions[b.Partition].Tier, e.Partitions[a.Partition].Tier); c != 0 {
			return c
		}
	}
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	if a.whole() != b.whole() && (a.Array == 0 || a.Array != b.Array) {
		return cmp.Or(cmp.Compare(a.number(), b.number()), a.ID-b.ID)
	}
	return cmp.Or(byPlace(a, b), a.ID-b.ID)
}

// number returns the number of a job, or of the array that it is a task of.
func (j *Job) number() int {
	if j.Array != 0 {
		return int(j.Array)
	}
	return j.ID
}

// queueKey is an entry of the queue with what ranks it first.
type queueKey struct {
	tier     float64
	priority uint32
	job      *Job
}

// sort puts the queue into Slurm's order.
func (e *engine) sort() {
	e.keys = e.keys[:0]
	for _, j := range e.queue {
		e.keys = append(e.keys, queueKey{e.Partitions[j.Partition].Tier, j.Priority, j})
	}
	slices.SortFunc(e.keys, func(a, b queueKey) int {
		if a.tier == b.tier && (a.job.Reservation == 0) == (b.job.Reservation == 0) && a.priority != b.priority {
			return cmp.Compare(b.priority, a.priority)
		}
		return e.compare(a.job, b.job)
	})
	for i := range e.keys {
		e.queue[i] = e.keys[i].job
	}
}

// leave makes the entries that a pass or a cycle has not started the queue. isSeveral is whether it has started
// a job of which other entries may be among them.
func (e *engine) leave(left []*Job, isSeveral bool) {
	if isSeveral {
		left = dropGone(left)
	}
	clear(e.queue[len(left):])
	e.queue = left
}
