package trace

import "iter"

// ListedJob is a job of a list as it stood when the list was taken.
type ListedJob struct {
	*Job             // with its start and its vnodes if it runs
	Letter     byte  // job_state
	Eligible   int64 // eligible_time in seconds, 0 where a list does not say it, Unknown where logs do not
	Used       int64 // resources_used.walltime, likewise
	Priority   int32
	NotPlanned bool   // topjob_ineligible
	MaxSubjobs int32  // how many subjobs of the array may run at a time, 0 for any number
	IsKept     bool   // whether it never goes back to its queue: it is not to run twice
	Left       string // of an array, the indices that still wait; "" where the list does not say it
	Comment    string // what the scheduler itself has written of a job that it can never start, or that a limit keeps from it; "" of another one
	Says       string // all that the scheduler itself has written of a job that waits
	Lacks      string // the resource of which the scheduler itself has written that the job lacks it, "" for none
	Estimated  int64  // when the scheduler itself expects to start it, 0 where it does not say
	Otherwise  int64  // likewise, of a job that is tried with another request: as it is
	IsStopped  bool   // whether somebody has suspended it, and not the scheduler
	Holds      string // Hold_Types
	HasDepend  bool   // whether it waits for other jobs
	Execution  int64  // until when it is held, Unknown where its user gave no time
	Unreadable string // an amount that the scheduler cannot read, so that it leaves the job out; "" for none
}

// Submission is a job as it is submitted.
type Submission struct {
	ID, User, Queue      string
	Group, Project, Name string // "" for none
	At                   int64
	Requested            iter.Seq2[[]byte, []byte] // resources and how much of each
}

// Submitted returns a job that waits since it was submitted, and is in no list yet. Its names have the
// numbers of the trace, which otherwise stays as it is.
func (t *Trace) Submitted(s Submission) ListedJob {
	list := t.NewList()
	j, _ := list.newJob([]byte(s.ID))
	for _, of := range []struct {
		into *int32
		name string
	}{{&j.User, s.User}, {&j.Group, s.Group}, {&j.Project, s.Project}, {&j.Queue, s.Queue}, {&j.Name, s.Name}} {
		if of.name != "" {
			*of.into = list.Names.number([]byte(of.name))
		}
	}
	j.Queued, j.Arrival, j.State = s.At, s.At, Waiting
	list.setRequested(j, s.Requested)
	t.Takes(list)
	return ListedJob{Job: j, Letter: 'Q', Eligible: Unknown, Used: Unknown, Execution: Unknown}
}

// Requesting returns the job with the queue and the requests of another one.
func (j *Job) Requesting(as *Job) *Job {
	changed := *j
	changed.Queue, changed.Request = as.Queue, as.Request
	changed.NCPUs, changed.Nodes, changed.Mem, changed.Walltime = known(as.NCPUs, j.NCPUs), known(as.Nodes, j.Nodes), known(as.Mem, j.Mem), known(as.Walltime, j.Walltime)
	return &changed
}

// Again returns a job that asks for what this one did, and comes anew at a time.
func (j *Job) Again(id string, arrival int64) Job {
	again := j.As(Unknown, Unknown, nil, nil)
	again.ID, again.Arrival, again.Queued, again.State, again.Exit = id, arrival, arrival, Waiting, Unknown
	return again
}

// Unended returns the jobs that had not ended by Keep.Until, up to which the trace was read, as far
// as its records tell: those that could run, those that ran and on which vnodes, and those that were
// suspended. The subjobs of arrays come one by one. Priorities, holds and how many subjobs may run
// at a time are in no record.
func (t *Trace) Unended() []ListedJob {
	var list []ListedJob
	known := map[string]bool{}
	for _, j := range t.Jobs {
		known[j.ID] = true
	}
	for place, j := range t.Jobs {
		isOver := j.State == Ended || j.State == Deleted
		if isOver || j.State == Waiting && j.Arrival == Unknown {
			continue
		}
		if !j.IsArray {
			list = append(list, t.unended(*j, t.placed[int32(place)]))
			continue
		}
		indices, _ := ParseIndices(j.Indices())
		count := 0
		for index := range indices.All() {
			const most = 1 << 20 // subjobs of an array
			if count++; count > most {
				break
			}
			subjob := *j
			subjob.ID, subjob.IsArray = SubjobID(j.ID, index), false
			subjob.Start, subjob.State, subjob.rare = Unknown, Waiting, nil
			if !known[subjob.ID] {
				list = append(list, t.unended(subjob, ""))
			}
		}
	}
	return list
}

func (t *Trace) unended(j Job, vnodes string) ListedJob {
	now := ListedJob{Job: &j, Letter: 'Q', Eligible: Unknown, Used: Unknown, Execution: Unknown}
	if since := j.EligibleSince(); since != Unknown {
		now.Eligible = max(0, t.until-since)
	}
	if j.State == Running {
		now.Letter = 'R'
		pauses := j.Pauses()
		if n := len(pauses); n > 0 && pauses[n-1].End > t.Last {
			now.Letter = 'S'
		}
		kept := rare{suspendedAt: Unknown, eligible: Unknown}
		if j.rare != nil {
			kept = *j.rare
		}
		kept.vnodes = vnodes
		j.rare = &kept
	}
	return now
}
