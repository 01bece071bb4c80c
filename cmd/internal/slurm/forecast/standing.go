package forecast

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Judge returns what a main pass and a cycle of backfill right now would make of the jobs of a site that wait, by the IDs
// of its list, under some settings in place of those that the site has. The remarks are on those settings on which no order
// depends.
func Judge(ctx context.Context, now *setup.Site, settings []string, zone *time.Location) (map[string]forecast.CycleResult, []diag.Remark, error) {
	s := newSite(now, zone)
	remarks, err := s.enter(trace.OfSlurm())
	if err == nil && len(settings) > 0 {
		var said []diag.Remark
		s, said, err = s.under(settings, set.Change.IsOfStartsAlone)
		remarks = append(remarks, said...)
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
	for i, j := range now.jobs {
		reason := now.reason(int32(i))
		of := forecast.CycleResult{ID: w.Jobs[i].ID, Starts: reason == outcome.StartsNow, Reason: reason}
		if of.Starts {
			of.Number = 1
			if len(j.Partitions) > 0 {
				of.Queue = s.Setup.Partitions[j.Partition].Name
			}
		}
		list[i] = of
	}
	return list, nil
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
	at    int64
	jobs  []*sched.Job
	waits map[int]string // by sched.Job.ID, what those wait for that have not started
}

// firstPass goes through a first main pass and a first cycle of backfill.
func (s *Site) firstPass(ctx context.Context, w *work.Work) (firstPass, error) {
	const over = 2 // seconds later, both are over
	jobs, queue, err := s.until(ctx, w, s.At+over)
	waits := map[int]string{}
	for _, x := range queue {
		waits[x.ID] = x.Reason
	}
	return firstPass{s.At, jobs, waits}, err
}

// reason returns what a job waits for, outcome.StartsNow for one that has started.
func (p *firstPass) reason(number int32) string {
	switch j := p.jobs[number]; {
	case j.Start > 0:
		return outcome.StartsNow
	case j.Submit > p.at:
		return outcome.HeldUntil
	default:
		return p.waits[j.ID]
	}
}

// until runs the scheduler from now on until a moment, and returns the jobs of work and those that wait then, in their order.
func (s *Site) until(ctx context.Context, w *work.Work, moment int64) ([]*sched.Job, []sched.Waiting, error) {
	jobs := s.jobs(w)
	for _, j := range jobs {
		j.Run += max(0, moment-s.At) + 2 // nobody ends meanwhile
	}
	result, err := sched.Run(ctx, s.Setup, jobs, sched.Options{Swept: s.Swept, Begin: s.At, Until: moment})
	if err != nil {
		return nil, nil, err
	}
	return jobs, result.Queue, nil
}
