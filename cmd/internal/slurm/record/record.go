// Package record makes what sacct tells of a Slurm site's jobs ready to be run again, with what happened to its nodes and
// what was reserved meanwhile.
package record

import (
	"fmt"
	"path"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/trace"
)

// Record is what sacct tells of a site's jobs.
type Record struct {
	Jobs    []*Job
	Remarks []diag.Remark
	Lacks   []diag.Remark // what its tables do not tell, which are among the remarks
	Last    int64         // the last time that it tells of
	Cluster string        // of the last job, "" where the table does not say it
	Swept   int64         // when slurmctld began and computed the first priorities; 0 where nothing tells it

	beside  []placed            // starts of the cluster's jobs that are left out
	besides []sched.RecordedUse // their runs, of those of which it is known whose they are

	OfSome     string   // what tells that it lacks the jobs of others, so that it cannot judge who went first; "" where nothing does
	Unmodelled []string // what of the reservations of the site is not modelled
}

// Work returns jobs to be run again, as they were before any run.
func (r *Record) Work() []*sched.Job {
	var list []*sched.Job
	for _, x := range r.Jobs {
		j := *x.Job
		list = append(list, &j)
	}
	return list
}

// Runs returns each run of the jobs as one of its own that came when it was eligible: those of a job that was requeued
// are several.
func (r *Record) Runs() (list []*Job) {
	for _, last := range r.Jobs {
		for _, x := range append(slices.Clone(last.Earlier), last) {
			if x.Again > 0 {
				of, job := *x, *x.Job
				job.Submit, job.Eligible, job.Submitted = x.Again, x.Again, x.printed
				of.Job, x = &job, &of
			}
			list = append(list, x)
		}
	}
	return list
}

// ofOneUser says that all jobs of a record are of one user, "" where they are of several, or nothing tells whose.
func (r *Record) ofOneUser(name string) string {
	if len(r.Jobs) == 0 || r.Jobs[0].User == "" || slices.ContainsFunc(r.Jobs, func(x *Job) bool { return x.User != r.Jobs[0].User }) {
		return ""
	}
	return trace.OfOneUser(path.Base(name), r.Jobs[0].User, sacct.PrintsAll)
}

// Beside keeps that a record lacks the jobs of users who ran some in its time, as a list of jobs tells.
func (r *Record) Beside(listed []slurm.ListedJob, name string) {
	first, users := r.Last, map[string]bool{}
	for _, x := range r.Jobs {
		first, users[x.User] = min(first, x.Submit), true
	}
	others := map[string]bool{}
	for i := range listed {
		n := &listed[i]
		if at := n.Started.Unix(); !users[n.User] && slurm.StateNamed(n.State).Fate == slurm.Runs && at >= first && at < r.Last {
			others[n.User] = true
		}
	}
	if len(others) > 0 && !users[""] {
		r.OfSome = fmt.Sprintf("%s lacks the jobs of %s with jobs that ran in its time (%s)", path.Base(name), report.Count(len(others), "user"), sacct.PrintsAll)
	}
}

// each tells of the jobs of a record, with what they have used.
func (r *Record) each(yield func(j *sched.Job, hours float64) bool) {
	for _, x := range r.Jobs {
		if !yield(x.Job, x.hours()) {
			return
		}
	}
}

// hours returns the core hours that a job has used, or is taken to use where it runs.
func (x *Job) hours() float64 {
	if x.Start == 0 {
		return 0
	}
	return float64(x.cpus()) * float64(x.Run) / 3600
}

// cpus returns how many CPUs a job was given or, where it has not started, asks for.
func (x *Job) cpus() int64 {
	if x.Start > 0 && x.got > 0 {
		return x.got
	}
	return int64(x.Request.CPUs)
}

// Lost returns the runs of a job after which it was queued again.
func (x *Job) Lost() (runs []trace.Run) {
	for _, old := range x.Earlier {
		if old.Start > 0 && old.End > old.Start {
			runs = append(runs, trace.Run{Start: old.Start, End: old.End - old.Suspended})
		}
	}
	return runs
}

// Preempted counts the runs that ended as another job took their nodes; nil where the record does not tell them: sacct has a
// run that was requeued only with -D, and tells of none for whom it was suspended.
func (r *Record) Preempted(s *sched.Setup) *outcome.Preemptions {
	of, hasEach, isPaused := outcome.Preemptions{}, false, false
	for _, last := range r.Jobs {
		hasEach = hasEach || len(last.Earlier) > 0
		for i, x := range append(slices.Clone(last.Earlier), last) {
			isPaused = isPaused || x.Suspended > 0
			switch {
			case !x.isPreempted:
				continue
			case i < len(last.Earlier):
				of.Requeued++
			default:
				of.Cancelled++
			}
			of.Lost += float64(max(0, x.End-x.Start-x.Suspended) * x.cpus())
		}
	}
	isTold := hasEach && !s.Suspends() || of.Count() > 0 && (hasEach || !s.Requeues())
	if isPaused || !isTold {
		return nil
	}
	return &of
}

// Trace returns the jobs of a record in its order.
func (r *Record) Trace() *trace.Trace {
	t := trace.OfSlurm()
	t.First, t.Last = r.Last, r.Last
	for _, x := range r.Jobs {
		t.First = min(t.First, x.Submit)
		j := &trace.Job{
			ID: x.ID, Name: t.Number(x.Name), User: t.Number(x.User), Account: t.Number(x.Account), Queue: t.Number(x.Partition), Project: t.Number(x.QOS),
			Arrival: x.Submit, Queued: x.Submit, Start: trace.Unknown, End: trace.Unknown, NCPUs: x.cpus(), Nodes: int64(x.Request.MinNodes),
			Mem: trace.Unknown, Walltime: x.Limit, UsedCput: trace.Unknown, Exit: trace.Unknown, State: trace.Waiting,
		}
		switch {
		case x.Start > 0 && x.End >= x.Start:
			j.Start, j.End, j.State = x.Start, x.End, trace.Ended
			if paused := min(x.Suspended, x.End-x.Start); paused > 0 { // it is not known when
				of := j.As(j.Start, j.End, nil, []trace.Run{{Start: x.End - paused, End: x.End}})
				j = &of
			}
		case x.Start > 0:
			j.Start, j.State = x.Start, trace.Running
		case x.CancelAt > 0:
			j.End, j.State = x.CancelAt, trace.Deleted
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// UpTo returns what was known of the jobs at a time: those that had come by then, with the starts and
// ends before it. Of a job that was requeued, the last run that it knew of then counts, behind those before it.
func (r *Record) UpTo(at int64) *Record {
	of := &Record{Last: min(r.Last, at), Cluster: r.Cluster, Swept: r.Swept, OfSome: r.OfSome, besides: r.besides}
	if of.Swept > at {
		of.Swept = 0
	}
	for _, last := range r.Jobs {
		runs := append(slices.Clone(last.Earlier), last)
		n := 0 // of which some are known
		for n < len(runs) && runs[n].Submit <= at && (n == 0 || runs[n-1].End > 0 && runs[n-1].End <= at) {
			n++
		}
		if n == 0 {
			continue
		}
		x := runs[n-1]
		known, job := *x, *x.Job
		known.Job, known.Earlier = &job, runs[:n-1]
		if x.CancelAt > at {
			job.CancelAt = 0
		}
		if x.End > at || x.Start > at {
			known.End, known.isOpen = 0, true
		}
		if x.Start > at {
			known.Start, known.NodeList, job.Billing = 0, "", 0
		}
		of.Jobs = append(of.Jobs, &known)
	}
	of.assume()
	return of
}
