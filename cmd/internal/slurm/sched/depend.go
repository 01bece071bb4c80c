package sched

import "cmp"

// What jobs wait for of others (sbatch --dependency, Slurm's job_scheduler.c, test_job_dependency).

// Dependency is what others have to do before a job is in the queue. It belongs to runs that begin with a site in full swing: jobs of
// a record come when they became eligible.
type Dependency struct {
	Any        bool // whether one of the conditions is enough
	Conditions []Condition
	Reason     string // what the job waits for, in words
}

// Condition is what some jobs have to do, each of them.
type Condition struct {
	Kind  DependencyKind
	Jobs  []int // by Job.ID
	Delay int64 // how many seconds later, with AfterStart
}

// DependencyKind is what has to become of a job.
type DependencyKind byte

// The kinds of conditions.
const (
	AfterStart DependencyKind = iota // it has begun, or was cancelled
	AfterEnd                         // it is over
	AfterOK                          // it has run to its end
)

// fate is what has become of a job that others wait for.
type fate struct {
	start, end int64 // 0 for not yet
	hasFailed  bool  // whether it was cancelled, or killed before its end
}

// parentsOf returns the jobs that others wait for, by Job.ID; nil for none.
func parentsOf(jobs []*Job) (parents map[int]bool) {
	for _, j := range jobs {
		if j.Depends == nil {
			continue
		}
		for _, c := range j.Depends.Conditions {
			for _, id := range c.Jobs {
				if parents == nil {
					parents = map[int]bool{}
				}
				parents[id] = true
			}
		}
	}
	return parents
}

// tell notes that a job has started or is over, for those that wait for it.
func (e *engine) tell(j *Job, hasFailed bool) {
	if !e.work.Parents[j.ID] {
		return
	}
	if e.fates == nil {
		e.fates = map[int]fate{}
	}
	e.fates[j.ID] = fate{j.Start, j.End, hasFailed}
	if len(e.dependents) > 0 {
		e.dependAt = e.now
	}
}

// depends reports whether a job that comes has to wait for others, and lets it do so.
func (e *engine) depends(j *Job) bool {
	if j.Depends == nil || e.judge != nil {
		return false
	}
	at := e.metAt(j.Depends)
	if at <= e.now {
		return false
	}
	e.dependents = append(e.dependents, j)
	if at < never && (e.dependAt == 0 || at < e.dependAt) {
		e.dependAt = at
	}
	e.why.waitsFor(j, j.Depends.Reason, e.now)
	return true
}

// letDepend lets those come that wait for others no longer: their age counts from now on.
func (e *engine) letDepend() {
	if e.dependAt == 0 || e.dependAt > e.now {
		return
	}
	e.dependAt = 0
	waiting := e.dependents
	e.dependents = nil
	for _, j := range waiting {
		if e.depends(j) {
			continue
		}
		if j.IsAgeless = false; !e.Conf.AccrueAlways {
			j.Eligible = e.now
		}
		e.submit(j)
	}
}

// metAt returns from when on what a job waits for is met, never where nothing tells.
func (e *engine) metAt(d *Dependency) int64 {
	met := int64(0)
	if d.Any {
		met = never
	}
	for i := range d.Conditions {
		at := e.conditionAt(&d.Conditions[i])
		if d.Any {
			met = min(met, at)
		} else {
			met = max(met, at)
		}
	}
	return met
}

// conditionAt is metAt of one condition.
func (e *engine) conditionAt(c *Condition) (met int64) {
	for _, id := range c.Jobs {
		at := never
		switch f := e.fates[id]; {
		case c.Kind == AfterStart && f.start+f.end > 0:
			at = cmp.Or(f.start, f.end) + c.Delay
		case f.end > 0 && (c.Kind != AfterOK || !f.hasFailed):
			at = f.end
		}
		met = max(met, at)
	}
	return met
}
