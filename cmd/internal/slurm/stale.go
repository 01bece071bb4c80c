package slurm

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// arrayTaskLimit is the reason of a job of whose array as many tasks run as it allows.
const arrayTaskLimit = "JobArrayTaskLimit"

// RunningTasks are how many tasks of each array have nodes in a list of jobs, by the number of the array; nil for a list that tells of no
// job that it has, as that of jobs that wait alone.
type RunningTasks map[string]int

// RunningTasksOf returns those of a list.
func RunningTasksOf(jobs []ListedJob) (runs RunningTasks) {
	for i := range jobs {
		if n := &jobs[i]; StateNamed(n.State).Fate == Runs {
			if runs == nil {
				runs = RunningTasks{}
			}
			runs[n.array()]++
		}
	}
	return runs
}

// Refute says why a reason of Slurm's is one from before: it says that as many tasks of an array run as that allows, and the list has
// fewer; "" where the list does not tell that.
func (r RunningTasks) Refute(n *ListedJob) string {
	if r == nil || n.Reason != arrayTaskLimit || n.State != "PENDING" {
		return ""
	}
	const isOld = ": the reason is from before, and the next pass of Slurm looks at it anew"
	switch runs, allowed := r[n.array()], n.throttle(); {
	case runs == 0:
		return "no task of its array runs" + isOld
	case runs < allowed:
		return fmt.Sprintf("its array allows %s at a time, and has %d that run%s", report.Count(allowed, "task"), runs, isOld)
	}
	return ""
}

// array returns the number of a job's array, or its own.
func (n *ListedJob) array() string {
	if n.Array != "" {
		return n.Array
	}
	id, _, _ := strings.Cut(n.ID, "_")
	return id
}

// throttle returns how many tasks of its array may run at a time, 0 where that is not told.
func (n *ListedJob) throttle() int {
	if n.Throttle > 0 {
		return int(n.Throttle)
	}
	_, text, _ := strings.Cut(n.Indices, "%")
	most, _ := strconv.Atoi(text)
	return most
}
