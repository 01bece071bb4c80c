package slurm

import (
	"strconv"
	"strings"
)

// Dependency is what a job waits for of others, as sbatch --dependency takes it and scontrol show job prints it.
type Dependency struct {
	Any        bool // whether one of the conditions is enough (those with ? between them)
	Conditions []DependencyCondition
}

// DependencyCondition is one thing that has to come about.
type DependencyCondition struct {
	Kind    string // after, afterany, afterok, afternotok, aftercorr, singleton and others
	Job     string // 103, of a task 194_5, of all tasks of an array 194_*; "" of a singleton
	Minutes int64  // how long after the start of the job (after:103+10)
	State   string // as Slurm prints it: unfulfilled, failed or fulfilled; "" where it does not
}

// ParseDependency reads afterok:103:104,after:105+10 as sbatch takes it, and afterok:103(unfulfilled),singleton(unfulfilled) as
// scontrol prints it. ok is whether all of it can be read; of nothing it is not.
func ParseDependency(text string) (d Dependency, ok bool) {
	between := ","
	if d.Any = strings.Contains(text, "?"); d.Any {
		between = "?"
	}
	for part := range strings.SplitSeq(text, between) {
		kind, jobs, hasJobs := strings.Cut(part, ":")
		kind, state := statedOf(strings.ToLower(kind))
		if !hasJobs {
			if kind != "singleton" {
				return Dependency{}, false
			}
			d.Conditions = append(d.Conditions, DependencyCondition{Kind: kind, State: state})
			continue
		}
		for job := range strings.SplitSeq(jobs, ":") {
			c := DependencyCondition{Kind: kind}
			c.Job, c.State = statedOf(job)
			if id, minutes, isLater := strings.Cut(c.Job, "+"); isLater {
				n, err := strconv.ParseInt(minutes, 10, 32)
				if err != nil || n < 0 {
					return Dependency{}, false
				}
				c.Job, c.Minutes = id, n
			}
			number, task, isTask := strings.Cut(c.Job, "_")
			if !isNumber(number) || isTask && task != "*" && !isNumber(task) {
				return Dependency{}, false
			}
			d.Conditions = append(d.Conditions, c)
		}
	}
	return d, true
}

// dependencyKinds are the kinds that slurmctld takes, of a job by the number behind a colon.
var dependencyKinds = []string{"after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer", "expand"}

// SubmittedDependency returns a dependency as it is submitted, and whether slurmctld takes it (its update_job_dependency): none at all
// (0), the number of one job, as with afterany, or conditions with , or ? between them, each of a kind that there is on jobs by their
// numbers, which need not be there.
func SubmittedDependency(text string) (d Dependency, ok bool) {
	switch {
	case text == "" || text == "0":
		return d, true
	case isNumber(text):
		return Dependency{Conditions: []DependencyCondition{{Kind: "afterany", Job: text}}}, true
	}
	d, ok = ParseDependency(text)
	for i := range d.Conditions {
		c := &d.Conditions[i]
		number, _, _ := strings.Cut(c.Job, "_")
		isOfJobs := IsIn(dependencyKinds, c.Kind) && number != "0" && c.State == ""
		ok = ok && (isOfJobs || c.Kind == "singleton" && c.Job == "")
	}
	return d, ok
}

// statedOf returns what stands before a state in brackets, and the state.
func statedOf(text string) (of, state string) {
	of, state, _ = strings.Cut(text, "(")
	return of, strings.TrimSuffix(state, ")")
}

// isNumber reports whether a text is the number of a job or a task.
func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 32)
	return err == nil
}

// HasFailed reports whether Slurm says of a dependency that it can never be met: of all conditions, or where one is enough of each.
func (d *Dependency) HasFailed() bool {
	for i := range d.Conditions {
		if hasFailed := d.Conditions[i].State == "failed"; hasFailed != d.Any {
			return hasFailed
		}
	}
	return d.Any && len(d.Conditions) > 0
}
