package cycle

import (
	"cmp"
	"math"
	"slices"
)

// Key is what decided between two jobs.
type Key string

// The keys by which two jobs are compared.
const (
	ByReserve    Key = "reservation"
	ByQueue      Key = "queue"
	ByPreemption Key = "preemption"
	ByMark       Key = "preempted"
	ByValue      Key = "formula"
	ByFairshare  Key = "fairshare"
	BySortKey    Key = "job_sort_key"
	ByRank       Key = "queue_rank"
	ByPlace      Key = "list"
)

type keyOrder struct {
	key     Key
	compare func(c *Cycle, a, b int32) int
}

// keys are the keys in their order: a later one only counts where all before
// it tie. A comparison is negative where a comes first, positive where b does.
var keys = []keyOrder{
	{ByReserve, (*Cycle).compareReserved},
	{ByQueue, (*Cycle).compareQueues},
	{ByPreemption, (*Cycle).comparePreemption},
	{ByMark, (*Cycle).compareMarks},
	{ByValue, (*Cycle).compareValues},
	{ByFairshare, (*Cycle).compareEntities},
	{BySortKey, (*Cycle).compareSortKeys},
	{ByRank, (*Cycle).compareRanks},
	{ByPlace, (*Cycle).comparePlaces},
}

// afterFairshare is the index of the first key that counts where fairshare has
// not decided.
var afterFairshare = 1 + slices.IndexFunc(keys, func(k keyOrder) bool { return k.key == ByFairshare })

// Compare reports which of two jobs comes first when the cycle begins, before
// any job starts, and what decides: the result is negative for a, positive for
// b. Between queues that give a job each in turn (round_robin) it says nothing
// of whose turn it is.
func (c *Cycle) Compare(a, b int32) (int, Key) { return c.compareFrom(0, a, b) }

// compareFrom compares by the keys from an index on. Two different jobs never
// tie.
func (c *Cycle) compareFrom(first int, a, b int32) (int, Key) {
	for _, k := range keys[first:] {
		if d := k.compare(c, a, b); d != 0 {
			return d, k.key
		}
	}
	return 0, ByPlace
}

// compareReserved puts the jobs of reservations that have begun first, one reservation before
// the other, as PBS's next_job.
func (c *Cycle) compareReserved(a, b int32) int {
	switch isReserved := c.jobs[b].Reserved; {
	case c.jobs[a].Reserved != isReserved && isReserved:
		return 1
	case c.jobs[a].Reserved != isReserved:
		return -1
	case isReserved:
		return cmp.Compare(c.jobs[a].Queue, c.jobs[b].Queue)
	}
	return 0
}

func (c *Cycle) compareQueues(a, b int32) int {
	policy, qa, qb := c.s.Policy, c.jobs[a].Queue, c.jobs[b].Queue
	if !policy.ByQueue && !policy.RoundRobin {
		return 0
	}
	if d := cmp.Compare(c.s.Queues[qb].Priority, c.s.Queues[qa].Priority); d != 0 || policy.RoundRobin {
		return d
	}
	return cmp.Compare(qa, qb)
}

// byQueue groups jobs by queue. The queues are in the order of compareQueues,
// those that tie in the order of qstat -Q.
func (c *Cycle) byQueue(considered []int32) (queues []int32, jobs map[int32][]int32) {
	jobs = map[int32][]int32{}
	for _, i := range considered {
		q := c.jobs[i].Queue
		if jobs[q] == nil {
			queues = append(queues, q)
		}
		jobs[q] = append(jobs[q], i)
	}
	slices.SortFunc(queues, func(a, b int32) int {
		if d := c.compareQueues(jobs[a][0], jobs[b][0]); d != 0 {
			return d
		}
		return cmp.Compare(a, b)
	})
	return queues, jobs
}

func (c *Cycle) comparePreemption(a, b int32) int {
	return cmp.Compare(c.preemptClass(a), c.preemptClass(b))
}

// compareMarks puts jobs that were preempted first, the earliest first, as PBS's
// cmp_job_preemption_time_asc.
func (c *Cycle) compareMarks(a, b int32) int {
	return CompareMarks(c.jobs[a].Preempted, c.jobs[b].Preempted)
}

// CompareMarks puts what was preempted at one time before what was later, and both before what
// was not, at 0.
func CompareMarks(a, b float64) int {
	switch {
	case a == b:
		return 0
	case a == 0:
		return 1
	case b == 0:
		return -1
	}
	return cmp.Compare(a, b)
}

// preemptClass returns PBS's preemption priority, negated.
func (c *Cycle) preemptClass(job int32) int32 {
	levels := c.s.Levels
	if !c.s.Policy.Preemptive || levels == nil {
		return 0
	}
	j := &c.jobs[job]
	return levels.Class(j.Status, c.s.Queues[j.Queue].Priority)
}

func (c *Cycle) compareValues(a, b int32) int {
	return CompareValues(c.jobs[a].Value, c.jobs[b].Value)
}

// CompareValues puts the highest value first and NaN last; 0 and -0 tie.
func CompareValues(a, b float32) int { return cmp.Compare(PackValue(a), PackValue(b)) }

// PackValue returns a number that is the lower, the earlier a value comes, and the same for values that tie.
func PackValue(value float32) uint32 {
	const sign = 1 << 31
	switch bits := math.Float32bits(value); {
	case value != value: // NaN
		return math.MaxUint32
	case value == 0:
		return sign - 1 // also for -0
	case bits&sign != 0:
		return bits
	default:
		return sign - 1 - bits
	}
}

// front is the keys that do not change during a cycle and come before fairshare, the
// lowest first: preemption, which of those that were preempted, and value.
type front struct {
	class int32
	mark  int32 // of all times at which jobs were preempted, from the first; the last for those that were not
	value uint32
}

func (f front) compare(g front) int {
	return cmp.Or(cmp.Compare(f.class, g.class), cmp.Compare(f.mark, g.mark), cmp.Compare(f.value, g.value))
}

// pack sets the front of each job that is considered.
func (c *Cycle) pack(considered []int32) {
	times := c.times[:0]
	for _, i := range considered {
		if at := c.jobs[i].Preempted; at != 0 {
			times = append(times, at)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	c.times = times
	for _, i := range considered {
		mark := len(times)
		if at := c.jobs[i].Preempted; at != 0 {
			mark, _ = slices.BinarySearch(times, at)
		}
		c.packed[i] = front{c.preemptClass(i), int32(mark), PackValue(c.jobs[i].Value)}
	}
}

func (c *Cycle) compareEntities(a, b int32) int {
	if !c.s.Policy.FairShare {
		return 0
	}
	return c.s.Tree.Compare(c.jobs[a].Entity, c.jobs[b].Entity)
}

func (c *Cycle) compareSortKeys(a, b int32) int {
	sortKeys := c.s.Policy.SortKeys
	for k, key := range sortKeys {
		d := cmp.Compare(c.s.SortKeys[int(a)*len(sortKeys)+k], c.s.SortKeys[int(b)*len(sortKeys)+k])
		if key.High {
			d = -d
		}
		if d != 0 {
			return d
		}
	}
	return 0
}

func (c *Cycle) compareRanks(a, b int32) int { return cmp.Compare(c.jobs[a].Rank, c.jobs[b].Rank) }

func (c *Cycle) comparePlaces(a, b int32) int { return cmp.Compare(a, b) }
