package trace

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// runs keeps up to when a row tells that a job runs, which is when it was printed, or that it runs no more.
func (r *Entries) runs(i int32, j *Job, e Entry) {
	switch {
	case j.State != Running || j.Start == Unknown:
		delete(r.ranUpTo, i)
	case e.State == Running && e.Start == j.Start && e.Elapsed >= 0:
		r.ranUpTo[i] = max(r.ranUpTo[i], e.Start+e.Elapsed+max(0, e.Suspended))
	}
}

// endOlder ends the runs that last in an older print, and of which no later one tells, with that print: what became of them is not known.
// The state of the jobs stays, so that nothing of them counts as work that has ended.
func (r *Entries) endOlder() {
	const slack = 60 // seconds that rows of one print may lie apart
	var ids []string
	for i, upTo := range r.ranUpTo {
		if j := r.Jobs[i]; j != nil && j.State == Running && upTo+slack < r.RunsUpTo() {
			j.End = upTo
			ids = append(ids, j.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	const most = 3 // jobs that are named
	slices.Sort(ids)
	them := "them"
	if len(ids) == 1 {
		them = "it"
	}
	r.Remarks = append(r.Remarks, diag.Warningf("an older print has %s running (%s) and no later one tells of %s: counted up to the time of that print, and not further",
		report.Count(len(ids), "job"), report.Some(ids, most), them))
}

// RanUpTo returns up to when the logs tell that a job ran which has not ended.
func (t *Trace) RanUpTo(j *Job) int64 {
	if j.End != Unknown {
		return j.End
	}
	return t.RunsUpTo()
}
