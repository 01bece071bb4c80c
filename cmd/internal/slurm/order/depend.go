package order

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// wishes are what a job may want of another one, by the kinds of dependencies.
var wishes = map[string]string{
	"after": "begin", "afterany": "end", "afterok": "end without an error", "afternotok": "end with an error", "aftercorr": "end without an error, task by task", "afterburstbuffer": "end and stage out",
}

// TakeListed adds what the list of a site has of a waiting job beside what orders it: on whom it depends, and when Slurm expects to start it.
func (e *Explanation) TakeListed(d *dump.Dump, job *slurm.Job, asked string) {
	e.takeTasks(job, asked)
	if job.State != "PENDING" {
		return
	}
	listed, _, _ := d.Jobs()
	at := slices.IndexFunc(listed, func(n slurm.ListedJob) bool { return n.ID == job.ID })
	if at < 0 {
		return
	}
	if started := listed[at].Started; !started.IsZero() {
		e.Expected = &started
	}
	for _, lack := range listed[at].Lacks {
		e.Unmodelled = append(e.Unmodelled, lack.String())
	}
	e.DependsOn = dependsOn(d, listed, listed[at].Dependency)
	if e.ReasonMeans != "" {
		expire, _ := d.CredentialLife()
		e.ReasonMeans = listed[at].Means(slurm.RunningTasksOf(listed), expire)
	}
}

// TakeListed adds that of both jobs.
func (v *Versus) TakeListed(d *dump.Dump, row, other Row, asked string) {
	v.Job.TakeListed(d, row.Job, asked)
	v.Other.TakeListed(d, other.Job, "")
}

// dependsOn says what a job of a dependency waits for of others, one sentence for each, with what has become of these as the list and the
// tables of sacct that the site has tell.
func dependsOn(d *dump.Dump, listed []slurm.ListedJob, dependency string) (list []string) {
	of, ok := slurm.ParseDependency(dependency)
	if !ok {
		return nil
	}
	for _, c := range of.Conditions {
		text := "no other job of its name and its user is to run (singleton)"
		if wish := wishes[c.Kind]; wish != "" {
			text = fmt.Sprintf("job %s is to %s (%s)", c.Job, wish, c.Kind)
		} else if c.Job != "" {
			text = fmt.Sprintf("%s of job %s", c.Kind, c.Job)
		}
		if c.Job != "" {
			text += ": " + becomeOf(d, listed, c.Job)
		}
		switch c.State {
		case "failed":
			text += ", so that this can no longer come about"
		case "fulfilled":
			text += ", so that this is met"
		}
		list = append(list, text)
	}
	return list
}

// becomeOf says in which states a job is, or how many of the tasks of an array are in each.
func becomeOf(d *dump.Dump, listed []slurm.ListedJob, job string) string {
	array, task, isTask := strings.Cut(job, "_")
	isIt := func(id string) bool {
		of, _, _ := strings.Cut(id, "_")
		return id == job || of == array && (!isTask || task == "*")
	}
	states := statesIn(d, isIt)
	for i := range listed {
		n := &listed[i]
		if name := nameOf(n); isIt(name) || isIt(n.ID) {
			states[name] = n.State
		}
	}
	counts := map[string]int{}
	for _, state := range states {
		counts[state]++
	}
	switch len(states) {
	case 0:
		return "nothing here tells what became of it (it is neither in the list of jobs nor in a table of sacct)"
	case 1:
		return "it is " + slices.Sorted(maps.Keys(counts))[0]
	}
	if len(counts) == 1 {
		return fmt.Sprintf("%d of its tasks are %s", len(states), slices.Sorted(maps.Keys(counts))[0])
	}
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d are %s", counts[state], state))
	}
	return fmt.Sprintf("of %d of its tasks %s", len(states), report.Listed(parts))
}

// statesIn returns the states of the jobs and tasks that are such as a function says, by their names, as the tables of sacct tell that a site has.
func statesIn(d *dump.Dump, isIt func(id string) bool) map[string]string {
	states := map[string]string{}
	for _, p := range d.All(dump.KindAccounting) {
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			if id := dump.TaskOf(row["jobid"]); isIt(id) && !strings.Contains(id, ".") {
				states[id], _, _ = strings.Cut(row["state"], " ") // CANCELLED by 1001
			}
		}
	}
	return states
}

// Recorded says in which state a job is, or in which the tasks of an array are, in the tables of sacct that a site has; "" where these do not
// have it.
func Recorded(d *dump.Dump, job string) string {
	if len(statesIn(d, func(id string) bool { return id == job || strings.HasPrefix(id, job+"_") })) == 0 {
		return ""
	}
	return becomeOf(d, nil, job)
}

// nameOf returns the name of a job by which others depend on it: ARRAY_TASK of a task.
func nameOf(n *slurm.ListedJob) string {
	if n.Task != "" {
		return n.Task
	}
	return n.ID
}
