// Package cycle puts jobs into the order in which PBS's scheduler considers
// them within one cycle.
package cycle

import (
	"cmp"
	"math"
	"slices"

	"fairshare/fstree"
)

// Job is what the order needs to know of a job.
type Job struct {
	Value   float32 // the formula's, 0 without one
	Entity  fstree.ID
	Queue   int32 // an index into Settings.Queues
	Subjobs int32 // how many start, 1 for a job that is no array
	Rank    float64
}

// Queue is a queue in the order of qstat -Q.
type Queue struct {
	Name     string
	Priority int
	Stopped  bool
}

// Settings are the scheduler's.
type Settings struct {
	Policy           fstree.Policy
	Tree             *fstree.Tree // its usage grows while jobs start
	Queues           []Queue
	PreemptQueuePrio int  // from which priority on queues are express queues
	PreemptFairshare bool // entities over their share come last
	Static           bool // no job starts

	Keys  []float64 // per job its amounts for Policy.SortKeys
	Costs []float64 // per job what starting it, or one subjob, adds to its entity's usage; nil is nothing
}

// Order returns the indexes of the jobs, given by index, in the order in
// which the scheduler considers them. Ties that nothing decides keep the order
// given. The keys, of which a later one only counts where all before it tie:
// queue, preemption priority, value (highest first, NaN last), fairshare path,
// sort keys, queue rank.
func Order(jobs []Job, considered []int32, s Settings) []int32 {
	o := &orderer{jobs: jobs, s: s, paths: map[fstree.ID][]fstree.ID{}, groups: map[*fairGroup]bool{}}
	o.preempt = make([]int32, len(jobs))
	for _, i := range considered {
		o.preempt[i] = o.preemptClass(&jobs[i])
	}
	switch {
	case s.Policy.RoundRobin:
		return o.roundRobin(considered)
	case s.Policy.ByQueue:
		return o.byQueue(considered)
	}
	return o.drain(o.newStream(considered))
}

// Key is what decided between two jobs.
type Key string

// The keys, in the order in which they are compared.
const (
	ByQueue      Key = "queue"
	ByPreemption Key = "preemption"
	ByValue      Key = "formula"
	ByFairshare  Key = "fairshare"
	BySortKey    Key = "job_sort_key"
	ByRank       Key = "queue_rank"
	ByPlace      Key = "list"
)

// First tells which of two jobs comes first when the cycle begins, before any
// job starts, and what decides: negative for a, positive for b. Queues that
// give jobs in turn (round_robin) do not decide.
func First(jobs []Job, a, b int32, s Settings) (int, Key) {
	o := &orderer{jobs: jobs, s: s}
	ja, jb := &jobs[a], &jobs[b]
	if qa, qb := s.Queues[ja.Queue], s.Queues[jb.Queue]; (s.Policy.ByQueue || s.Policy.RoundRobin) && ja.Queue != jb.Queue {
		if c := cmp.Compare(qb.Priority, qa.Priority); c != 0 {
			return c, ByQueue
		}
		if !s.Policy.RoundRobin {
			return cmp.Compare(ja.Queue, jb.Queue), ByQueue
		}
	}
	if c := cmp.Compare(o.preemptClass(ja), o.preemptClass(jb)); c != 0 {
		return c, ByPreemption
	}
	if c := compareValues(ja.Value, jb.Value); c != 0 {
		return c, ByValue
	}
	if s.Policy.FairShare {
		if c := s.Tree.Compare(ja.Entity, jb.Entity); c != 0 {
			return c, ByFairshare
		}
	}
	return o.compareRest(a, b)
}

type orderer struct {
	jobs    []Job
	s       Settings
	preempt []int32 // a job's class, the lowest first
	paths   map[fstree.ID][]fstree.ID
	groups  map[*fairGroup]bool // that choose by fairshare at present
}

// preemptClass is PBS's preemption priority, negated: jobs of express queues
// by their queue's priority, ordinary jobs, jobs of entities over their share.
func (o *orderer) preemptClass(j *Job) int32 {
	const ordinary, overShare = 0, 1
	switch q := o.s.Queues[j.Queue].Priority; {
	case !o.s.Policy.Preemptive:
		return ordinary
	case q >= o.s.PreemptQueuePrio:
		return int32(-1 - max(q, 0))
	case o.s.PreemptFairshare && o.s.Tree != nil && o.s.Tree.OverShare(j.Entity):
		return overShare
	}
	return ordinary
}

// compareValues puts the highest first and NaN last; 0 and -0 tie.
func compareValues(a, b float32) int {
	na, nb := math.IsNaN(float64(a)), math.IsNaN(float64(b))
	switch {
	case na && nb:
		return 0
	case na:
		return 1
	case nb:
		return -1
	}
	return cmp.Compare(b, a)
}

// compareRest compares what decides after fairshare.
func (o *orderer) compareRest(a, b int32) (int, Key) {
	keys := o.s.Policy.SortKeys
	for k, key := range keys {
		c := cmp.Compare(o.s.Keys[int(a)*len(keys)+k], o.s.Keys[int(b)*len(keys)+k])
		if key.High {
			c = -c
		}
		if c != 0 {
			return c, BySortKey
		}
	}
	if c := cmp.Compare(o.jobs[a].Rank, o.jobs[b].Rank); c != 0 {
		return c, ByRank
	}
	return cmp.Compare(a, b), ByPlace
}

// drain takes all of a stream's jobs.
func (o *orderer) drain(st *stream) []int32 {
	order := make([]int32, 0, len(st.jobs))
	for !st.empty() {
		order = o.start(order, st, math.MaxInt32)
	}
	return order
}

// start takes the next job of a stream, or up to most of its subjobs.
func (o *orderer) start(order []int32, st *stream, most int32) []int32 {
	i := st.next()
	left := st.remaining(i)
	if left == st.total(i) {
		order = append(order, i)
	}
	// Every subjob that starts competes anew, unless nothing can come between
	// them. When the first does not start, the array is done.
	switch {
	case o.s.Static:
		most = left
	case st.dynamic():
		most = 1
	default:
		most = min(most, left)
	}
	if left == most {
		st.remove()
	} else {
		st.left[i] = left - most
	}
	if o.s.Policy.FairShare && !o.s.Static && o.s.Costs != nil {
		entity := o.jobs[i].Entity
		for range most {
			o.s.Tree.Charge(entity, o.s.Costs[i])
		}
		for g := range o.groups {
			g.moved(entity)
		}
	}
	return order
}

// queueOrder groups jobs by queue, queues of the highest priority first and
// those of one priority in their given order.
func (o *orderer) queueOrder(considered []int32) (queues []int32, jobs map[int32][]int32) {
	jobs = map[int32][]int32{}
	for _, i := range considered {
		q := o.jobs[i].Queue
		if jobs[q] == nil {
			queues = append(queues, q)
		}
		jobs[q] = append(jobs[q], i)
	}
	slices.SortFunc(queues, func(a, b int32) int {
		if c := cmp.Compare(o.s.Queues[b].Priority, o.s.Queues[a].Priority); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return queues, jobs
}

// byQueue finishes one queue before the next.
func (o *orderer) byQueue(considered []int32) []int32 {
	var order []int32
	queues, jobs := o.queueOrder(considered)
	for _, q := range queues {
		order = append(order, o.drain(o.newStream(jobs[q]))...)
	}
	return order
}

// roundRobin takes one job, or subjob, of each queue in turn, the queues of
// one priority before those of the next.
func (o *orderer) roundRobin(considered []int32) []int32 {
	order := make([]int32, 0, len(considered))
	queues, jobs := o.queueOrder(considered)
	for len(queues) > 0 {
		level := 1
		for level < len(queues) && o.s.Queues[queues[level]].Priority == o.s.Queues[queues[0]].Priority {
			level++
		}
		var streams []*stream
		for _, q := range queues[:level] {
			streams = append(streams, o.newStream(jobs[q]))
		}
		queues = queues[level:]
		for len(streams) > 0 {
			for _, st := range streams {
				order = o.start(order, st, 1)
			}
			streams = slices.DeleteFunc(streams, (*stream).empty)
		}
	}
	return order
}
