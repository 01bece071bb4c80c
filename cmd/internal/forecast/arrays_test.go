package forecast

import (
	"fmt"
	"testing"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// taskOf returns a task of an array, in the words of PBS or of Slurm.
func taskOf(form string, array, index int) *work.Job {
	return &work.Job{Job: &trace.Job{ID: fmt.Sprintf(form, array, index), User: 1, Name: int32(array), Walltime: hour}}
}

// The tasks of an array run for one time where those of other arrays did: one that nobody knows before the first has ended, and then
// its own. Where those of other arrays ran for times of their own, so do they.
func TestTasksAreAlike(t *testing.T) {
	for _, form := range []string{"%d[%d].s", "%d_%d"} {
		for _, isAlike := range []bool{true, false} {
			var list []past
			add := func(array, index int, ran int64) {
				list = append(list, past{Job: taskOf(form, array, index), start: 0, end: ran, ran: ran, walltime: hour})
			}
			for array := range 20 {
				for task := range 5 {
					length := 100 * int64(array+1)
					if !isAlike {
						length = 100 * int64((array+4*task)%20+1)
					}
					add(array, task, length)
				}
			}
			add(100, 0, 1234)
			add(100, 1, 1234)
			l := newLengths(list)
			same, known := 0, 0
			const runs = 100
			for run := range runs {
				of := func(array, index int) int64 { return l.ofRun(1, run, &UnfinishedJob{Job: taskOf(form, array, index)}) }
				if of(200, 3) == of(200, 7) {
					same++
				}
				if of(100, 3) == 1234 {
					known++
				}
			}
			if isAlike != (same > runs*3/4) || isAlike && known < runs*9/10 {
				t.Errorf("%s, alike %v: two tasks run as long in %d of %d runs, and one as those that have ended in %d", form, isAlike, same, runs, known)
			}
		}
	}
}

// A task that waits runs longer than one of its array that still runs, where tasks are alike.
func TestTasksOutlast(t *testing.T) {
	var list []past
	for array := range 20 {
		for task := range 5 {
			ran := 100 * int64(array+1)
			list = append(list, past{Job: taskOf("%d_%d", array, task), start: 0, end: ran, ran: ran, walltime: hour})
		}
	}
	list = append(list, past{Job: taskOf("%d_%d", 50, 0), start: 0, end: trace.Unknown, ran: 1500, walltime: hour})
	l := newLengths(list)
	shorter := 0
	for run := range 100 {
		if l.ofRun(1, run, &UnfinishedJob{Job: taskOf("%d_%d", 50, 1)}) <= 1500 {
			shorter++
		}
	}
	if shorter > 20 {
		t.Errorf("a task that waits ends sooner than one that runs in %d of 100 runs", shorter)
	}
}

// An array of many tasks tells of other jobs as one job does where its tasks are alike, so that its time is not that of all who
// ask for as much.
func TestArrayIsOneJob(t *testing.T) {
	var list []past
	for array := range 20 {
		tasks := 2
		if array == 7 {
			tasks = 400
		}
		for task := range tasks {
			ran := 100 * int64(array+1)
			list = append(list, past{Job: taskOf("%d_%d", array, task), start: 0, end: ran, ran: ran, walltime: hour})
		}
	}
	l := newLengths(list)
	same := 0
	for run := range 400 {
		if l.ofRun(1, run, &UnfinishedJob{Job: taskOf("%d_%d", 100+run, 1)}) == 800 {
			same++
		}
	}
	if same > 80 {
		t.Errorf("another job runs as long as the tasks of the long array in %d of 400 runs", same)
	}
}
