package sched

import (
	"cmp"
	"slices"
)

// A job of several partitions stands in the queue once for each of them, with the tier and the priority that it
// has there, and runs where it can first (Slurm's job_scheduler.c, build_job_queue). The first of these entries
// is the job itself, the others are copies of it that point to it.

// whole returns the job that an entry of the queue stands for.
func (j *Job) whole() *Job {
	if j.of != nil {
		return j.of
	}
	return j
}

// isGone reports whether an entry of the queue is of a job that has started in another partition.
func (j *Job) isGone() bool { return j.Partitions != nil && j.whole().Start > 0 }

// Places returns the partitions of a job that waits for which it is in the queue (Slurm's job_limits_check), or all where
// none is.
func (s *Setup) Places(j *Job) []int {
	if len(j.Partitions) == 0 {
		return []int{j.Partition}
	}
	places := make([]int, 0, len(j.Partitions))
	for _, p := range j.Partitions {
		in := *j
		if in.Partition = p; s.isQueued(&in) {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return j.Partitions
	}
	return places
}

// enter has an entry wait in another partition, where its priority is another one.
func (j *Job) enter(partition int) { j.Partition, j.constant = partition, constant{} }

// entries returns the entries of a job that comes.
func (e *engine) entries(j *Job) []*Job {
	if len(j.Partitions) == 0 {
		j.Request = e.requestIn(j.Request, j.Partition)
		e.limitIn(j, j.Partition)
		j.kind = e.kindOf(j)
		return []*Job{j}
	}
	asked := j.Request
	if e.WholeNodes != nil && e.WholeNodes[j.Partitions[0]] { // where it is tried first, after which it asks for whole nodes everywhere
		asked = e.wholly(asked)
	}
	var list []*Job
	for i, p := range e.Places(j) {
		x := j
		if i > 0 {
			of := *j
			of.of, x = j, &of
		}
		if x.Partition != p {
			x.enter(p)
		}
		x.Request = e.requestIn(asked, p)
		e.limitIn(x, p)
		x.kind = e.kindOf(x)
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
		of.MaxNodes = most
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

// InPartition returns a job that waits as it would run in one of its partitions.
func (s *Setup) InPartition(j *Job, partition int) *Job {
	of := *j
	of.Partition, of.Request = partition, s.requestIn(j.Request, partition)
	s.limitIn(&of, partition)
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

// byPlace compares two entries of one job: the first named partition comes first.
func byPlace(a, b *Job) int {
	return cmp.Compare(slices.Index(a.Partitions, a.Partition), slices.Index(b.Partitions, b.Partition))
}

// dropGone takes the other entries of a job of several partitions that has started out of the queue.
func dropGone(queue []*Job) []*Job { return slices.DeleteFunc(queue, (*Job).isGone) }
