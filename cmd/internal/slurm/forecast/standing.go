package forecast

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Judge returns what a main pass and a cycle of backfill right now would make of the jobs of a site that wait, by the IDs
// of its list, under some settings in place of those that the site has. The remarks are those on the site, as they are then, and
// on those settings on which no order depends.
func Judge(ctx context.Context, now *setup.Site, settings []string, zone *time.Location, remarks []diag.Remark) (map[string]forecast.CycleResult, []diag.Remark, error) {
	s := newSite(now, zone)
	said, err := s.enter(trace.OfSlurm())
	remarks = append(remarks, said...)
	s.KeepUnknown()
	if err == nil && len(settings) > 0 {
		was := s
		if s, said, err = s.under(settings, set.Change.IsOfStartsAlone); err == nil {
			remarks = append(s.retold(remarks, was), said...)
		}
	}
	if err != nil {
		return nil, remarks, err
	}
	list, err := forecast.Now(ctx, s.state, s.judge)
	return forecast.ByRow(list, "task", s.arrayOf), remarks, err
}

// judge returns what the first main pass and the first cycle of backfill make of the jobs of work.
func (s *Site) judge(ctx context.Context, w *work.Work) ([]forecast.CycleResult, error) {
	now, err := s.firstPass(ctx, w)
	if err != nil {
		return nil, err
	}
	list := make([]forecast.CycleResult, len(w.Jobs))
	for i := range w.Jobs {
		list[i] = s.becomes(&now, w, int32(i))
	}
	return list, nil
}

// becomes returns what a first main pass and a first cycle of backfill have made of a job of work.
func (s *Site) becomes(now *firstPass, w *work.Work, number int32) forecast.CycleResult {
	j := now.jobs[number]
	of := s.becomesOf(j, now.evictions[j.ID], now.listed)
	if limit := s.unknownLimit(s.listed[w.Jobs[number].ID]); limit != "" && of.Starts {
		of = forecast.CycleResult{Reason: heldByUnknown(limit)}
	}
	switch of.ID = w.Jobs[number].ID; {
	case of.Reason != "":
	case j.Submit > now.at:
		of.Reason = cmp.Or(s.listed[of.ID].until, outcome.HeldUntil)
	default:
		of.Reason = now.waits[j.ID]
	}
	return of
}

// becomesOf returns what has become of a job for which some running ones go; nothing where none do and it has not started. listed has
// the IDs of those that go.
func (s *Site) becomesOf(j *sched.Job, gone []sched.Eviction, listed map[int]string) (of forecast.CycleResult) {
	switch {
	case j.Start > 0 || gone != nil && !hasGrace(gone):
		of.Starts, of.Preempts, of.Number = true, preempted(gone, listed), 1
		of.Reason = outcome.StartsNow + of.Preempting()
		if len(j.Partitions) > 0 {
			of.Queue = s.Setup.Partitions[j.Partition].Name
		}
	case gone != nil:
		of.Preempts = preempted(gone, listed)
		of.Reason = "the nodes of " + of.Preempts.String() + ", which it preempts"
	}
	return of
}

// hasGrace reports whether one of some running jobs goes only after its grace time.
func hasGrace(gone []sched.Eviction) bool {
	return slices.ContainsFunc(gone, func(x sched.Eviction) bool { return x.Grace > 0 })
}

// preempted returns the running jobs that go for another one, and what becomes of them.
func preempted(gone []sched.Eviction, listed map[int]string) (list forecast.PreemptedJobs) {
	fates := map[sched.PreemptMode]string{sched.ModeCancel: "cancelled", sched.ModeRequeue: "requeued", sched.ModeSuspend: "suspended"}
	for _, x := range gone {
		fate := fates[x.Mode]
		if x.Grace > 0 {
			fate += " after a grace time of " + report.Duration(float64(x.Grace))
		}
		list = append(list, forecast.Preempted{ID: listed[x.Job.ID], Becomes: fate})
	}
	slices.SortStableFunc(list, func(a, b forecast.Preempted) int { return cmp.Compare(a.Becomes, b.Becomes) })
	return list
}

// byNumber returns the IDs of the list by sched.Job.ID, nil where no job goes for another one.
func (s *Site) byNumber(gone []sched.Eviction) (listed map[int]string) {
	if len(gone) == 0 {
		return nil
	}
	listed = map[int]string{}
	for id, p := range s.listed {
		listed[p.Job.ID] = id
	}
	return listed
}

// arrayOf returns the ID that the list has for the array of a task, "" for another job.
func (s *Site) arrayOf(id string) string {
	if row := s.listed[id].row; row != id {
		return row
	}
	return ""
}

// firstPass is what a first main pass and a first cycle of backfill have made of the jobs of work.
type firstPass struct {
	at        int64
	jobs      []*sched.Job
	waits     map[int]string           // by sched.Job.ID, what those wait for that have not started
	evictions map[int][]sched.Eviction // by sched.Job.ID, the running jobs that go for one
	listed    map[int]string           // by sched.Job.ID, the IDs of those in the list
}

// firstPass goes through a first main pass and a first cycle of backfill.
func (s *Site) firstPass(ctx context.Context, w *work.Work) (firstPass, error) {
	jobs, result, err := s.until(ctx, w, s.At+sched.Soon)
	now := firstPass{s.At, jobs, map[int]string{}, map[int][]sched.Eviction{}, s.byNumber(result.Evictions)}
	for _, x := range result.Queue {
		now.waits[x.ID] = x.Reason
	}
	for _, x := range result.Evictions {
		now.evictions[x.For.ID] = append(now.evictions[x.For.ID], x)
	}
	return now, err
}

// until runs the scheduler from now on until a moment, and returns the jobs of work and what has become of them.
func (s *Site) until(ctx context.Context, w *work.Work, moment int64) ([]*sched.Job, *sched.Result, error) {
	jobs := s.jobs(w)
	for _, j := range jobs {
		j.Run += max(0, moment-s.At) + sched.Soon // nobody ends meanwhile
	}
	result, err := sched.Run(ctx, s.Setup, jobs, sched.Options{Swept: s.Swept, Begin: s.At, Until: moment})
	return jobs, result, err
}
