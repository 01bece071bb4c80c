package work

import "fairshare/cmd/internal/trace"

// rare is what few jobs have.
type rare struct {
	reran      []trace.Run // of one of whose runs some are forgotten, those before the last that are not
	forgets    bool        // whether some are
	hasStopped bool        // whether it was suspended when the record begins
	stopped    int64       // for how many seconds it had run before
	listed     int32       // as ListFacts.Eligible
}

// setRare changes what few jobs have.
func (j *Job) setRare(change func(r *rare)) {
	own := j.rarely()
	change(&own)
	j.rare = &own
}

func (j *Job) rarely() rare {
	if j.rare == nil {
		return rare{}
	}
	return *j.rare
}

// Forget forgets runs before the last of their jobs, and returns how many.
func (w *Work) Forget(isForgotten func(j *Job, run trace.Run) bool) (forgotten int) {
	for _, j := range w.Jobs {
		var runs []int64
		var reran []trace.Run
		before := j.Reran()
		for k, run := range before {
			if isForgotten(j, run) {
				forgotten++
				continue
			}
			runs, reran = append(runs, j.Runs[k]), append(reran, run)
		}
		if len(reran) < len(before) {
			j.Runs = append(runs, j.Runs[len(j.Runs)-1])
			j.setRare(func(r *rare) { r.reran, r.forgets = reran, true })
		}
	}
	return forgotten
}

// Reran returns the runs before the last that a replay has as well: those of Earlier that were not forgotten.
func (j *Job) Reran() []trace.Run {
	if of := j.rarely(); of.forgets {
		return of.reran
	}
	return j.Earlier()[:len(j.Runs)-1] // none of a job that was made to run once
}
