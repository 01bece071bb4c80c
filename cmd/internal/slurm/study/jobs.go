package study

import (
	"cmp"
	"reflect"
	"slices"

	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/work"
)

// told is a job as it was recorded. Of many jobs, most are alike but for these numbers.
type told struct {
	kind             *sched.Job
	id               int
	submit, eligible int64
	limit, run, gone int64
}

// kind is what jobs have in common.
type kind struct {
	request                     *sched.Request
	partition, association, qos int
	array, together, in         int32
	nice, billing               float64
	priority                    uint32
	isFixed, isFree, noLimit    bool
	tres                        uintptr // where its TRES are, which are held once
}

// tell returns what is told of a job. kinds are those of the jobs before it.
func tell(j *sched.Job, kinds map[kind]*sched.Job) told {
	of := j
	if j.Partitions == nil && j.Licences == nil {
		key := kind{j.Request, j.Partition, j.Association, j.QOS, j.Array, j.Together, j.In, j.Nice, j.Billing, j.Priority, j.IsFixed, j.IsFree, j.NoLimit, reflect.ValueOf(j.TRES).Pointer()}
		if first, isKnown := kinds[key]; isKnown {
			of = first
		} else {
			kinds[key] = j
		}
	}
	return told{of, j.ID, j.Submit, j.Eligible, j.Limit, j.Run, j.Gone}
}

// job returns the job as it was recorded.
func (x *told) job() *sched.Job {
	j := *x.kind
	j.ID, j.Submit, j.Eligible, j.Limit, j.Run, j.Gone = x.id, x.submit, x.eligible, x.limit, x.run, x.gone
	return &j
}

// job returns a job of work as the scheduler sees it: as it was recorded, and as far earlier, later,
// shorter and longer as it is shaken.
func (r *runner) job(w *work.Work, i int32) *sched.Job {
	of := w.Origin(int(i))
	recorded, shaken, j := r.study.Work.Jobs[of], w.Jobs[i], r.study.jobs[of].job()
	later := shaken.Arrival - recorded.Arrival
	j.Submit, j.Eligible = j.Submit+later, j.Eligible+later
	j.Run += shaken.Runs[len(shaken.Runs)-1] - recorded.Runs[len(recorded.Runs)-1]
	return j
}

// coming returns the jobs of work as they come, their numbers in work, and the one that is watched, nil for
// none.
func (r *runner) coming(w *work.Work, watch int32) (c sched.Coming, order []int32, watched *sched.Job) {
	if watch >= 0 {
		watched = r.job(w, watch)
	}
	order = make([]int32, len(w.Jobs))
	submit := make([]int64, len(w.Jobs))
	c.Asked = map[int32]bool{}
	for i, j := range w.Jobs {
		of := w.Origin(i)
		x := &r.study.jobs[of]
		order[i], submit[i] = int32(i), x.submit+j.Arrival-r.study.Work.Jobs[of].Arrival
		c.Asked[x.kind.In] = true
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(submit[a], submit[b]), r.study.jobs[w.Origin(int(a))].id-r.study.jobs[w.Origin(int(b))].id)
	})
	for _, i := range order {
		c.Submit = append(c.Submit, submit[i])
	}
	c.Make = func(number int) *sched.Job {
		if order[number] == watch {
			return watched
		}
		return r.job(w, order[number])
	}
	return c, order, watched
}
