package sched

import (
	"cmp"
	"math"
)

// count is how many jobs a cycle has tested.
type count struct {
	byAccount, byPartition []int
	byUser                 map[[2]int]int // and partition; nil where no limit is of those
}

// newCount returns a count of none, in the memory of one that nobody needs.
func newCount(in count, b *Backfilling, accounts, partitions int) count {
	c := count{byAccount: append(in.byAccount[:0], make([]int, accounts)...), byPartition: append(in.byPartition[:0], make([]int, partitions)...)}
	if b.MaxPerUserPartition > 0 {
		c.byUser = map[[2]int]int{}
	}
	return c
}

// add counts some jobs like one that is tested.
func (c *count) add(l *Ledger, j *Job, n int) {
	c.byAccount[j.Association] += n
	c.byPartition[j.Partition] += n
	if c.byUser != nil {
		c.byUser[[2]int{l.accounts[j.Association].User, j.Partition}] += n
	}
}

// isFull reports whether so many jobs of a job's association, partition or user were tested that no other one is
// (Slurm's backfill.c, _job_exceeds_max_bf_param).
func (c *cycle) isFull(j *Job) bool { return c.mostBeside(j) <= 0 }

// mostBeside returns how many more jobs like one are tested at most.
func (c *cycle) mostBeside(j *Job) int {
	most := math.MaxInt
	of := func(limit, count int) {
		if limit > 0 {
			most = min(most, limit-count)
		}
	}
	of(cmp.Or(c.MaxPerAssociation, c.MaxPerUser), c.count.byAccount[j.Association]) // both are of associations, and the first one counts alone
	of(c.MaxPerPartition, c.count.byPartition[j.Partition])
	if c.count.byUser != nil {
		of(c.MaxPerUserPartition, c.count.byUser[[2]int{c.ledger.accounts[j.Association].User, j.Partition}])
	}
	return most
}

// isHeld reports whether a cycle does nothing with a job, nor with any other one of its class.
func (c *cycle) isHeld(j *Job) bool { return c.isFull(j) || !c.isJudged && c.ledger.isOutOfJobs(j) }

// tasks are those tasks of an array that are in the queue for one partition and QOS.
type tasks struct {
	array, reservation int32
	place              Place
}

// tasksOf returns the tasks of which a job is one; those of the array 0 for a job that is none.
func tasksOf(j *Job) tasks { return tasks{j.Array, j.Reservation, j.place()} }

// isPlanned counts a task of an array that got a plan, and reports whether those of its array that wait get no other one:
// since 24.11 no more than may run at a time do (Slurm's backfill.c, by max_run_tasks; 22.05 was recorded to plan more).
func (c *cycle) isPlanned(j *Job) bool {
	if j.Array == 0 {
		return false
	}
	if c.array != j.Array {
		c.array, c.plans = j.Array, 0
	}
	c.plans++
	return c.plans >= c.MaxPerArray || c.IsBySpan && j.Throttle > 0 && c.plans >= int(j.Throttle)
}
