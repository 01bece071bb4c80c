package sched

import "cmp"

// count is how many jobs a cycle has tested.
type count struct {
	byAccount, byPartition []int
	byUser                 map[[2]int]int // and partition; nil where no limit is of those
}

func newCount(b *Backfilling, accounts, partitions int) count {
	c := count{byAccount: make([]int, accounts), byPartition: make([]int, partitions)}
	if b.MaxPerUserPartition > 0 {
		c.byUser = map[[2]int]int{}
	}
	return c
}

// add counts a job that is tested.
func (c *count) add(l *Ledger, j *Job) {
	c.byAccount[j.Association]++
	c.byPartition[j.Partition]++
	if c.byUser != nil {
		c.byUser[[2]int{l.accounts[j.Association].User, j.Partition}]++
	}
}

// isFull reports whether so many jobs of a job's association, partition or user were tested that no other one is
// (Slurm's backfill.c, _job_exceeds_max_bf_param).
func (c *cycle) isFull(j *Job) bool {
	isAt := func(count, most int) bool { return most > 0 && count >= most }
	ofAccount := cmp.Or(c.MaxPerAssociation, c.MaxPerUser) // both are of associations, and the first one counts alone
	return isAt(c.count.byAccount[j.Association], ofAccount) || isAt(c.count.byPartition[j.Partition], c.MaxPerPartition) ||
		c.count.byUser != nil && isAt(c.count.byUser[[2]int{c.ledger.accounts[j.Association].User, j.Partition}], c.MaxPerUserPartition)
}

// isHeld reports whether a cycle does nothing with a job, nor with any other one of its class.
func (c *cycle) isHeld(j *Job) bool { return c.isFull(j) || c.ledger.isOutOfJobs(j) }

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
