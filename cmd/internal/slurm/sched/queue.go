package sched

import (
	"cmp"
	"slices"
)

// The queue holds the entries of the jobs that wait, in Slurm's order.

// standing returns what the place of an entry depends on. Which others it may preempt, says the QOS under which its job
// was tried last (job_ptr->qos_ptr).
func (e *engine) standing(j *Job) Standing {
	qos := j.QOS
	if n := len(j.AnyQOS); n > 0 {
		qos = j.AnyQOS[n-1]
	}
	return Standing{
		QOS: qos, IsReserved: j.Reservation != 0, Tier: e.Partitions[j.Partition].Tier, Priority: float64(j.Priority),
		Submitted: j.Submitted, Number: int64(j.number()),
	}
}

// compare is Slurm's order of the entries of the queue, and that of the partitions and QOS of a job where it does not tell two
// of its entries apart.
func (e *engine) compare(a, b *Job) int {
	if a.Priority != b.Priority && (a.Partition == b.Partition || e.Partitions[a.Partition].Tier == e.Partitions[b.Partition].Tier) &&
		(a.Reservation == 0) == (b.Reservation == 0) && !e.precedence.IsCircular() {
		return cmp.Compare(b.Priority, a.Priority) // nothing that is asked before tells them apart
	}
	x, y := e.standing(a), e.standing(b)
	return e.compareStanding(a, b, &x, &y)
}

func (e *engine) compareStanding(a, b *Job, x, y *Standing) int {
	if order, _ := e.precedence.Compare(x, y); order != 0 {
		return order
	}
	if a.whole() != b.whole() && (a.Array == 0 || a.Array != b.Array) {
		return a.ID - b.ID
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

// queueKey is an entry of the queue with what ranks it.
type queueKey struct {
	Standing
	job *Job
}

// sort puts the queue into Slurm's order.
func (e *engine) sort() {
	if !e.isPlain && !e.precedence.IsCircular() {
		e.mend(nil)
		return
	}
	e.keys = e.keys[:0]
	for _, j := range e.queue {
		e.keys = append(e.keys, queueKey{e.standing(j), j})
	}
	compare := func(a, b *queueKey) int { return e.compareStanding(a.job, b.job, &a.Standing, &b.Standing) }
	if e.precedence.IsCircular() {
		e.sortRecords(compare)
		return
	}
	slices.SortStableFunc(e.keys, func(a, b queueKey) int { return compare(&a, &b) })
	for i := range e.keys {
		e.queue[i] = e.keys[i].job
	}
}

// mend sorts a queue that is nearly in its order, as new priorities leave it: of each two neighbours that are not, both
// are taken out, and what is taken out is sorted and merged with the rest. turned are, by place, whether an entry may not be
// in its order behind the one before it; nil where nobody knows.
func (e *engine) mend(turned []bool) {
	kept, taken := e.queue[:0], e.taken[:0]
	isNext := false // whether the last one that is kept is the one before
	for i, j := range e.queue {
		if last := len(kept) - 1; last >= 0 && (!isNext || turned == nil || turned[i]) && e.compare(j, kept[last]) < 0 {
			taken = append(taken, kept[last], j)
			kept, isNext = kept[:last], false
		} else {
			kept, isNext = append(kept, j), true
		}
	}
	e.taken = taken
	slices.SortStableFunc(taken, e.compare)
	for last := len(e.queue) - 1; len(taken) > 0; last-- { // from the end, where there is room
		from := &taken
		if k := len(kept) - 1; k >= 0 && e.compare(taken[len(taken)-1], kept[k]) < 0 {
			from = &kept
		}
		e.queue[last] = (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
	}
}

// recordKey is a key of the queue by the record of its job.
type recordKey struct {
	record int
	at     int32 // in engine.keys
}

// sortRecords puts the queue into Slurm's order where that of two entries may depend on others: from the order of
// slurmctld's records of jobs (build_job_queue), of which the tasks of an array that wait have one. Places of keys are sorted, which
// are larger.
func (e *engine) sortRecords(compare func(a, b *queueKey) int) {
	e.byRecord = e.byRecord[:0]
	for i := range e.keys {
		e.byRecord = append(e.byRecord, recordKey{e.record(e.keys[i].job), int32(i)})
	}
	slices.SortStableFunc(e.byRecord, func(a, b recordKey) int {
		if a.record != b.record {
			return a.record - b.record
		}
		x, y := e.keys[a.at].job, e.keys[b.at].job
		return cmp.Or(byPlace(x, y), x.ID-y.ID)
	})
	of := map[*Job][]*Job{} // the other tasks of a record, by its first one
	var first *Job
	e.places = e.places[:0]
	firstRecord := 0
	for _, k := range e.byRecord {
		j := e.keys[k.at].job
		if first != nil && j.Array != 0 && tasksOf(j) == tasksOf(first) && k.record == firstRecord {
			of[first] = append(of[first], j)
		} else {
			first, firstRecord, e.places = j, k.record, append(e.places, k.at)
		}
	}
	Arrange(e.places, func(a, b int32) int { return compare(&e.keys[a], &e.keys[b]) })
	e.queue = e.queue[:0]
	for _, at := range e.places {
		j := e.keys[at].job
		e.queue = append(append(e.queue, j), of[j]...)
	}
}

// record returns the place among slurmctld's records of jobs of that which an entry is of.
func (e *engine) record(j *Job) int {
	if j.Array != 0 && !j.isSplit && e.arrays[j.Array] != 0 {
		return e.arrays[j.Array]
	}
	return j.whole().born
}

// insert puts an entry into its place in the queue.
func (e *engine) insert(j *Job) {
	if e.stock++; e.rest != nil {
		e.add(j)
		return
	}
	e.insertInFront(j)
}

func (e *engine) insertInFront(j *Job) {
	at, _ := slices.BinarySearchFunc(e.queue, j, e.compare)
	e.queue = slices.Insert(e.queue, at, j)
}

// arrange puts the queue into its order before a pass or a cycle, where that of two entries may depend on others.
func (e *engine) arrange() {
	if e.precedence.IsCircular() {
		e.sort()
	}
}

// leave makes the entries that a pass or a cycle has not started the queue. isSeveral is whether it has started
// a job of which other entries may be among them.
func (e *engine) leave(left []*Job, isSeveral bool) {
	if isSeveral {
		left = dropGone(left)
		e.dropRest((*Job).isGone)
	}
	clear(e.queue[len(left):])
	e.queue = left
}
