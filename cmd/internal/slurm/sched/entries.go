package sched

import (
	"cmp"
	"slices"
)

// A job of several partitions or QOS stands in the queue once for each pair of them, with the tier and the priority that it
// has there, and runs where and under which it can first (Slurm's job_scheduler.c, build_job_queue). The first of these
// entries is the job itself, the others are copies of it that point to it.

// whole returns the job that an entry of the queue stands for.
func (j *Job) whole() *Job {
	if j.of != nil {
		return j.of
	}
	return j
}

// hasPlaces reports whether a job names several partitions or QOS.
func (j *Job) hasPlaces() bool { return len(j.Partitions) > 0 || len(j.AnyQOS) > 0 }

// isSeveral reports whether a job has several entries in the queue.
func (j *Job) isSeveral() bool { return j.isAttracted || j.hasPlaces() }

// isGone reports whether an entry of the queue is of a job that has started under another one.
func (j *Job) isGone() bool { return j.isSeveral() && j.whole().Start > 0 }

// Place is that of an entry of a job: one of its partitions, and one of its QOS.
type Place struct{ Partition, QOS int }

// place returns that of an entry.
func (j *Job) place() Place { return Place{j.Partition, j.QOS} }

// places returns all pairs of the partitions and QOS of a job that waits, those of the first partition first.
func (j *Job) places() (list []Place) {
	partitions, qos := j.Partitions, j.AnyQOS
	if len(partitions) == 0 {
		partitions = []int{j.Partition}
	}
	if len(qos) == 0 {
		qos = []int{j.QOS}
	}
	for _, p := range partitions {
		for _, q := range qos {
			list = append(list, Place{p, q})
		}
	}
	return list
}

// Entries returns a job that waits as each of the partitions and QOS has it for which it is in the queue (Slurm's
// job_limits_check), or all of them where none is. Each asks for what it gets there, see requestIn.
func (s *Setup) Entries(j *Job) []*Job {
	if !j.hasPlaces() {
		if s.requestIn(j.Request, j.Partition) == j.Request {
			return []*Job{j}
		}
		return []*Job{s.EntryOf(j, j.place())}
	}
	var all, queued []*Job
	for _, at := range j.places() {
		in := s.EntryOf(j, at)
		if all = append(all, in); s.isQueued(in) {
			queued = append(queued, in)
		}
	}
	if len(queued) == 0 {
		return all
	}
	return queued
}

// enter has an entry wait in another partition or under another QOS, where its priority is another one and other rules hold.
func (j *Job) enter(at Place) {
	j.Partition, j.QOS, j.constant, j.barred = at.Partition, at.QOS, constant{}, barred{}
}

// rankedQOS returns the QOS that tells the priority of an entry: its own, or where the job is of one partition, so that
// slurmctld has but one priority for it, the QOS under which it was tried last when priorities were computed. That is the
// first as it comes, and then the last (recorded from 25.05).
func (j *Job) rankedQOS() int {
	switch {
	case len(j.AnyQOS) == 0 || len(j.Partitions) > 0:
		return j.QOS
	case j.isRanked:
		return j.AnyQOS[len(j.AnyQOS)-1]
	}
	return j.AnyQOS[0]
}

// entries returns the entries of a job that comes.
func (e *engine) entries(j *Job) []*Job {
	j.isAttracted = false
	e.hasArrays = e.hasArrays || j.Array != 0
	if len(j.AnyQOS) > 0 {
		e.hasAnyQOS = true
		e.gather()
	}
	list := e.entriesAt(j)
	for _, x := range list {
		for i := range e.reservations {
			if of := e.attract(x, &e.reservations[i]); of != nil {
				list = append(list, of)
			}
		}
	}
	return list
}

// entriesAt returns the entries of a job that comes for each of its partitions and QOS.
func (e *engine) entriesAt(j *Job) []*Job {
	if !j.hasPlaces() {
		j.Request = e.requestIn(j.Request, j.Partition)
		e.limitIn(j, j.Partition)
		j.kind, j.barred = e.kindOf(j), barred{}
		return []*Job{j}
	}
	asked := j.Request
	if len(j.Partitions) > 0 && e.WholeNodes != nil && e.WholeNodes[j.Partitions[0]] { // where it is tried first, after which it asks for whole nodes everywhere
		asked = e.wholly(asked)
	}
	var list []*Job
	for i, in := range e.Entries(j) {
		x := j
		if i > 0 {
			of := *j
			of.of, x = j, &of
		}
		if at := in.place(); x.place() != at {
			x.enter(at)
		}
		x.Request = e.requestIn(asked, x.Partition)
		e.limitIn(x, x.Partition)
		x.kind, x.barred = e.kindOf(x), barred{}
		list = append(list, x)
	}
	return list
}

// Endless is the time limit of a job that has none, where its partition has none either, in seconds.
const Endless = 365 * 24 * 3600

// LongestIn returns the time limit of a job that asks for none, in seconds: the MaxTime of its partition, or else a year.
func (s *Setup) LongestIn(partition int) int64 {
	return cmp.Or(s.Partitions[partition].MaxTime, Endless)
}

// limitIn gives a job that asks for no time limit that of a partition.
func (s *Setup) limitIn(j *Job, partition int) {
	if j.NoLimit {
		j.Limit = s.LongestIn(partition)
	}
}

// requestIn returns what a job asks for in a partition: whole nodes, where all jobs get them, and no more nodes than
// MaxNodes.
func (s *Setup) requestIn(r *Request, partition int) *Request {
	isWhole := s.WholeNodes != nil && s.WholeNodes[partition] && !r.Exclusive
	most := s.Partitions[partition].MaxNodes
	isCut := r.MinNodes <= most && (r.MaxNodes == 0 || r.MaxNodes > most)
	if !isWhole && !isCut {
		return r
	}
	of := *r
	if isWhole {
		of.Exclusive = true
	}
	if isCut {
		of.MaxNodes, of.NoRange = most, r.MaxNodes == 0 // Slurm's node_scheduler.c, get_node_cnts
	}
	return &of
}

// requestIn returns what a job asks for in a partition, the same for all that ask for the same.
func (e *engine) requestIn(r *Request, partition int) *Request {
	of := e.Setup.requestIn(r, partition)
	if of == r {
		return r
	}
	key := requestKey{r, partition}
	if e.requests[key] == nil {
		e.requests[key] = of
	}
	return e.requests[key]
}

// EntryOf returns a job that waits as it would run in one of its partitions and under one of its QOS.
func (s *Setup) EntryOf(j *Job, at Place) *Job {
	of := *j
	of.Partition, of.QOS, of.Request, of.barred = at.Partition, at.QOS, s.requestIn(j.Request, at.Partition), barred{}
	s.limitIn(&of, at.Partition)
	return &of
}

// wholly returns what a job asks for, with whole nodes.
func (e *engine) wholly(r *Request) *Request {
	key := requestKey{r, -1}
	if e.requests[key] == nil {
		of := *r
		of.Exclusive = true
		e.requests[key] = &of
	}
	return e.requests[key]
}

// requestKey is what a job asks for, and the partition in which it does.
type requestKey struct {
	request   *Request
	partition int
}

// byPlace compares two entries of one job: the first named partition comes first, and in it the QOS of the highest priority, and
// those of reservations before that of none.
func byPlace(a, b *Job) int {
	return cmp.Or(cmp.Compare(slices.Index(a.Partitions, a.Partition), slices.Index(b.Partitions, b.Partition)),
		cmp.Compare(slices.Index(a.AnyQOS, a.QOS), slices.Index(b.AnyQOS, b.QOS)), cmp.Compare(b.Reservation, a.Reservation))
}

// dropGone takes the other entries of a job that has started under one of several out of the queue.
func dropGone(queue []*Job) []*Job { return slices.DeleteFunc(queue, (*Job).isGone) }
