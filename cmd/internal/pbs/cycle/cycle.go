// Package cycle steps through one cycle of PBS's scheduler: it yields the jobs
// in the order in which the scheduler considers them. Which of them start is
// up to the caller, and with fairshare it decides who comes next.
package cycle

import (
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/fstree"
)

// Job is what the order needs to know of a job.
type Job struct {
	Value   float32 // the formula's, 0 without one
	Entity  fstree.ID
	Queue   int32 // an index into Settings.Queues
	Subjobs int32 // how many can start, 1 for a job that is no array
	Rank    float64

	Status    Status  // besides that of its queue
	Preempted float64 // when it was preempted, 0 for one that was not or has run since
	Reserved  bool    // whether it is of a reservation that has begun, whose jobs go before all others
}

// Settings are the scheduler's.
type Settings struct {
	Policy fstree.Policy
	Tree   *fstree.Tree // whose usage grows while jobs start
	Queues []pbs.Queue  // in the order of qstat -Q
	Levels *Levels      // of preemption; nil for none

	SortKeys []float64 // a job's amounts for Policy.SortKeys, job by job
	Costs    []float64 // what starting a job, or a subjob, adds to its entity's usage; nil for nothing
}

// Cycle is a cycle of the scheduler. One that is over may Begin again, and then needs hardly any new
// memory.
type Cycle struct {
	jobs   []Job
	s      Settings
	packed []front // by job

	later   [][][]int32 // jobs by level and queue, of levels that have not begun
	streams []*stream   // one for each queue of the current level that has jobs left
	turn    int         // whose turn it is
	asked   *stream     // the one that the last job came from, nil when that is settled
	job     int32       // the last job

	paths   [][]fstree.ID // by node, from the root; nil where they are not known
	pathsOf *fstree.Tree
	order   []int32    // memory of jobs that are considered
	sorted  []sortable // likewise of newStream
	times   []float64  // likewise of pack
	all     []*stream  // likewise of streams, those that are in use first
	used    int        // of all, how many are in use

	turns bool // whether it has depended so far on who starts which job comes next
}

// New begins a cycle over the jobs that are considered, given by index. Jobs
// whose order nothing decides keep the order given.
func New(jobs []Job, considered []int32, s Settings) *Cycle {
	c := &Cycle{}
	c.Begin(jobs, considered, s)
	return c
}

// Begin makes a cycle that is over a new one, as New.
func (c *Cycle) Begin(jobs []Job, considered []int32, s Settings) {
	c.jobs, c.s = jobs, s
	c.streams, c.turn, c.asked, c.job = c.streams[:0], 0, nil, 0
	c.used, c.turns = 0, false
	if c.pathsOf != s.Tree {
		c.paths, c.pathsOf = nil, s.Tree
	}
	c.packed = slices.Grow(c.packed[:0], len(jobs))[:len(jobs)]
	c.pack(considered)
	c.order = append(c.order[:0], considered...)
	c.later = c.levels(c.order)
}

// levels groups jobs by the levels that are finished one before the other, and
// within a level by the queues that give a job each in turn.
func (c *Cycle) levels(considered []int32) [][][]int32 {
	policy := c.s.Policy
	levels, considered := c.reserved(considered)
	if !policy.ByQueue && !policy.RoundRobin {
		return append(levels, [][]int32{considered})
	}
	queues, jobs := c.byQueue(considered)
	for i, q := range queues {
		if i > 0 && policy.RoundRobin && c.s.Queues[q].Priority == c.s.Queues[queues[i-1]].Priority {
			levels[len(levels)-1] = append(levels[len(levels)-1], jobs[q])
		} else {
			levels = append(levels, [][]int32{jobs[q]})
		}
	}
	return levels
}

// reserved returns the levels of the jobs of reservations, one reservation before the other,
// and the jobs that are left.
func (c *Cycle) reserved(considered []int32) (levels [][][]int32, others []int32) {
	jobs := map[int32][]int32{}
	var queues []int32
	others = slices.DeleteFunc(considered, func(i int32) bool {
		if q := c.jobs[i].Queue; c.jobs[i].Reserved {
			if jobs[q] == nil {
				queues = append(queues, q)
			}
			jobs[q] = append(jobs[q], i)
		}
		return c.jobs[i].Reserved
	})
	slices.Sort(queues)
	for _, q := range queues {
		levels = append(levels, [][]int32{jobs[q]})
	}
	return levels, others
}

// Next returns the job that the scheduler considers next, or the next subjob of
// an array. ok is false at the end of the cycle. A job that was not Started
// before the call is done with, and so is an array all of whose subjobs must
// wait for the one that did not start.
func (c *Cycle) Next() (job int32, ok bool) {
	c.settle()
	for {
		if len(c.streams) == 0 {
			if len(c.later) == 0 {
				return 0, false
			}
			for _, jobs := range c.later[0] {
				c.streams = append(c.streams, c.newStream(jobs))
			}
			c.later, c.turn = c.later[1:], 0
		}
		if c.turn == len(c.streams) {
			c.turn = 0
		}
		st := c.streams[c.turn]
		if st.empty() {
			c.streams = append(c.streams[:c.turn], c.streams[c.turn+1:]...)
			continue
		}
		c.asked, c.job = st, st.next()
		c.turn++
		return c.job, true
	}
}

// settle drops the job that Next returned last, if it was not started.
func (c *Cycle) settle() {
	if c.asked != nil {
		c.asked.remove()
		c.asked = nil
	}
}

// Started says that the job which Next returned last has started. What it costs
// is added to its entity's usage, as PBS's update_usage_on_run does, which with
// fair_share moves the jobs that are left.
func (c *Cycle) Started() {
	if c.asked == nil {
		return
	}
	c.asked.start(c.job)
	c.asked = nil
	c.charge(c.job)
}

// Charge adds a job's cost to its entity's usage without starting it, as PBS does for a
// job that it plans. The job is done with.
func (c *Cycle) Charge(job int32) {
	c.settle() // while the heaps still are in the order in which it was the best one
	c.charge(job)
}

func (c *Cycle) charge(job int32) {
	if !c.s.Policy.FairShare || c.s.Costs == nil {
		return
	}
	entity := c.jobs[job].Entity
	c.s.Tree.Charge(entity, c.s.Costs[job])
	for _, st := range c.streams {
		if st.group != nil {
			st.group.moved(entity)
		}
	}
}
