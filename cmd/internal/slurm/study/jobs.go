package study

import (
	"cmp"
	"reflect"
	"slices"

	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/work"
)

// recordedJob is a job as it was recorded. Of many jobs, most are alike but for these numbers.
type recordedJob struct {
	kind             *sched.Job
	id               int
	submit, eligible int64
	submitted        int64
	limit, run       int64
	cancelAt         int64
}

// kind is what jobs have in common.
type kind struct {
	request                      *sched.Request
	partition, association, qos  int
	array, throttle, reservation int32
	nice, billing                float64
	priority                     uint32
	isFixed, isFree, noLimit     bool
	isLetIn, requeue, noRequeue  bool
	tres                         uintptr // where its TRES are, which are held once
}

// newRecordedJob returns what is held of a job. kinds are those of the jobs before it.
func newRecordedJob(j *sched.Job, kinds map[kind]*sched.Job) recordedJob {
	of := j
	if j.Partitions == nil && j.AnyQOS == nil && j.Licences == nil {
		key := kind{j.Request, j.Partition, j.Association, j.QOS, j.Array, j.Throttle, j.Reservation, j.Nice, j.Billing, j.Priority, j.IsFixed, j.IsFree, j.NoLimit, j.IsLetIn, j.Requeue, j.NoRequeue, reflect.ValueOf(j.TRES).Pointer()}
		if first, isKnown := kinds[key]; isKnown {
			of = first
		} else {
			kinds[key] = j
		}
	}
	return recordedJob{of, j.ID, j.Submit, j.Eligible, j.Submitted, j.Limit, j.Run, j.CancelAt}
}

// job returns the job as it was recorded.
func (x *recordedJob) job() *sched.Job {
	j := *x.kind
	j.ID, j.Submit, j.Eligible, j.Submitted, j.Limit, j.Run, j.CancelAt = x.id, x.submit, x.eligible, x.submitted, x.limit, x.run, x.cancelAt
	return &j
}

// job returns a job of work as the scheduler sees it: as it was recorded, and as far earlier, later,
// shorter and longer as it is shaken.
func (r *runner) job(w *work.Work, i int32) *sched.Job {
	of := w.Origin(int(i))
	recorded, shaken, j := r.study.Work.Jobs[of], w.Jobs[i], r.study.jobs[of].job()
	later := shaken.Arrival - recorded.Arrival
	j.Submit, j.Eligible = j.Submit+later, j.Eligible+later
	if j.Submitted != 0 {
		j.Submitted += later
	}
	j.Run += shaken.Runs[len(shaken.Runs)-1] - recorded.Runs[len(recorded.Runs)-1]
	return j
}

// workload returns the jobs of work as they come, their numbers in work, and the one that is watched, nil for
// none.
func (r *runner) workload(w *work.Work, watch int32) (c sched.Workload, order []int32, watched *sched.Job) {
	if watch >= 0 {
		watched = r.job(w, watch)
	}
	order = make([]int32, len(w.Jobs))
	submit := make([]int64, len(w.Jobs))
	c.Reservations = map[int32]bool{}
	for i, j := range w.Jobs {
		of := w.Origin(i)
		x := &r.study.jobs[of]
		order[i], submit[i] = int32(i), x.submit+j.Arrival-r.study.Work.Jobs[of].Arrival
		c.Reservations[x.kind.Reservation] = true
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
