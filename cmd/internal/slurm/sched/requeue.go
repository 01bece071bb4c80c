package sched

import (
	"cmp"
	"container/heap"
	"slices"

	"fairshare/cmd/internal/slurm"
)

// Jobs that are taken off their nodes before they are over: they wait again, or are over.

// requeueDelay returns how long after that a job becomes eligible again.
func (s *Setup) requeueDelay() int64 { return slurm.RequeueDelay(s.CredentialLife) }

// WaitsAgain reports whether a job that is taken off its nodes waits again.
func (s *Setup) WaitsAgain(j *Job) bool { return !s.NoRequeue && !j.NoRequeue || j.Requeue }

// leaveSoon lets a running job go at a time, now or after its grace time, at whose end plans expect it to be over (Slurm's
// preempt.c, slurm_job_check_grace).
func (e *engine) leaveSoon(j *Job, at int64) {
	j.isLeaving = true
	if at <= e.now {
		e.giveWay(j)
		return
	}
	j.leavesAt = at
	place, _ := slices.BinarySearchFunc(e.leaving, at+1, func(x *Job, later int64) int { return cmp.Compare(x.leavesAt, later) })
	e.leaving = slices.Insert(e.leaving, place, j)
	i := slices.IndexFunc(e.running, func(b runningJob) bool { return b.job == j })
	e.running[i].end = j.expectedEnd()
	slices.SortStableFunc(e.running, runningJob.compare)
	e.timelines.reset()
	e.change()
}

// letLeave lets those go whose grace time is over.
func (e *engine) letLeave() {
	for ; len(e.leaving) > 0 && e.leaving[0].leavesAt <= e.now; e.leaving = e.leaving[1:] {
		if j := e.leaving[0]; j.isLeaving && j.End == 0 && j.Start > 0 && j.leavesAt > 0 {
			e.giveWay(j)
		}
	}
}

// giveWay takes a running job off its nodes for another one.
func (e *engine) giveWay(j *Job) {
	before, isRequeued, ran := e.result.Evicted, e.fateOf(j) == ModeRequeue, j.ran(e.now)
	cpus := int32(0)
	for _, s := range j.Shares {
		cpus += s.CPUs
	}
	e.evict(j, isRequeued)
	if e.result.Evicted == before {
		return
	}
	e.result.Preempted++
	e.result.Lost += float64(ran) * float64(cpus)
	if isRequeued {
		e.result.Requeued++
	}
}

// evict takes a running job off its nodes: it is over or, if it is requeued, it waits again after its delay.
func (e *engine) evict(j *Job, isRequeued bool) {
	switch at := slices.Index(e.ending, j); {
	case at >= 0:
		heap.Remove(&e.ending, at)
	case j.haltedAt == 0:
		return // it has just ended
	}
	e.result.Evicted++
	if !isRequeued {
		e.end(j)
		return
	}
	before := *j // which holds the nodes until they are clean
	before.End = e.now
	if e.work.Requeued != nil {
		e.work.Requeued(e.numbers[j], &before)
	}
	e.charge(j)
	e.vacate(j)
	for _, s := range j.Shares {
		e.unclean[s.Node]++
	}
	e.cleaning = append(e.cleaning, &before)
	j.Start, j.Shares, j.Has, j.cores, j.halted, j.haltedAt, j.IsBackfilled, j.isLeaving, j.leavesAt, j.preempting = 0, nil, nil, nil, 0, 0, false, false, 0, 0
	eligible := e.now + e.requeueDelay()
	j.Submitted, j.Submit, j.Eligible = e.now, eligible, eligible
	j.constant, j.Priority, j.isRanked = constant{}, 0, false
	e.again = append(e.again, j) // all come back after the same time
	e.why.waitsFor(j, WaitsForRequeue, e.now)
	e.change()
}

// comeAgain lets those wait that were requeued and are eligible again.
func (e *engine) comeAgain() {
	for ; len(e.again) > 0 && e.again[0].Submit <= e.now; e.again = e.again[1:] {
		j := e.again[0]
		for _, x := range e.entries(j) {
			x.Priority = e.priorities.of(x, e.now)
			e.insert(x)
		}
		e.why.waitsFor(j, WaitsForPass, e.now)
		if j.CancelAt > 0 && j.CancelAt <= e.now {
			e.cancel(j)
			continue
		}
		e.change()
		e.wantPass()
	}
}
