package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
)

// seeTask counts a task of an array of which only some may run at a time: sacct --starttime leaves out those that wait
// for others of it.
func (r *reader) seeTask(x *Job, options []sched.Option) {
	if x.Throttle == 0 {
		return
	}
	if _, isKnown := r.sizes[x.Array]; !isKnown {
		tasks, _ := sacct.ArrayTasks(optionOf(options, "a", "array"))
		r.sizes[x.Array] = len(tasks)
	}
	r.sizes[x.Array]--
}

// orderTasks gives the tasks of each array their numbers in the order of their places in it, which is Slurm's: sacct
// has the numbers that they got when they were started. It returns how many come before sacct has them Eligible.
func orderTasks(jobs []*Job) (early int) {
	arrays := map[int32][]*Job{}
	for _, x := range jobs {
		if x.Array != 0 {
			arrays[x.Array] = append(arrays[x.Array], x)
		}
	}
	place := func(x *Job) int {
		_, task, _ := strings.Cut(x.ID, "_")
		n, _ := strconv.Atoi(task)
		return n
	}
	for _, tasks := range arrays {
		var numbers []int
		for _, x := range tasks {
			numbers = append(numbers, x.Job.ID)
		}
		slices.Sort(numbers)
		for i := 1; i < len(numbers); i++ { // those that wait have the number of the array
			numbers[i] = max(numbers[i], numbers[i-1]+1)
		}
		slices.SortStableFunc(tasks, func(a, b *Job) int { return cmp.Compare(place(a), place(b)) })
		for i, x := range tasks {
			x.Job.ID = numbers[i]
		}
		if tasks[0].Throttle > 0 {
			early += comeTogether(tasks)
		}
	}
	return early
}

// comeTogether lets the tasks of an array of which only some may run at a time come when the first of them could run, and
// returns how many come earlier by that. What sacct calls Eligible of the others is when one before them had ended, and their
// age counts from the first.
func comeTogether(tasks []*Job) (early int) {
	first := map[int64]*Job{} // by submission
	for _, x := range tasks {
		if of := first[x.printed]; of == nil || x.Submit < of.Submit {
			first[x.printed] = x
		}
	}
	for _, x := range tasks {
		of := first[x.printed]
		if x.Submit > of.Submit {
			early++
		}
		x.Submit, x.Eligible = of.Submit, of.Eligible
	}
	return early
}
