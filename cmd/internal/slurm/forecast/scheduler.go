package forecast

import (
	"context"
	"math"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/work"
)

// jobs returns the jobs of work as Slurm's scheduler sees them.
func (s *Site) jobs(w *work.Work) []*sched.Job {
	list, all := make([]*sched.Job, len(w.Jobs)), make([]sched.Job, len(w.Jobs))
	for i, j := range w.Jobs {
		own := &all[i]
		if listed, is := s.listed[j.ID]; is {
			*own = *listed.Job
		} else {
			*own = *s.kinds[j.Job.Request]
			came := int64(j.Came)
			own.Submit, own.Submitted, own.Eligible, own.Start, own.CancelAt = came, came, came, 0, 0
			own.ID = len(s.listed) + 1 + i
		}
		own.Run = j.Runs[len(j.Runs)-1]
		list[i] = own
	}
	return list
}

// Starts implements forecast.Scheduler.
func (s *Site) Starts(ctx context.Context, w *work.Work, asked forecast.Target) (forecast.Starts, error) {
	jobs := s.jobs(w)
	stop := &sched.Stop{Until: int64(asked.Until)}
	for _, number := range asked.Jobs {
		stop.Jobs = append(stop.Jobs, jobs[number])
	}
	result, err := sched.Run(ctx, s.Setup, jobs, sched.Options{Swept: s.Swept, Begin: s.At, Stop: stop})
	if err != nil {
		return forecast.Starts{}, err
	}
	started := forecast.Starts{At: make([]float64, len(stop.Jobs))}
	if asked.Nodes {
		started.Nodes = make([][]string, len(stop.Jobs))
	}
	for i, j := range stop.Jobs {
		first, isStarted := result.First[j]
		if !isStarted {
			if started.At[i] = math.Inf(1); result.IsCut {
				started.Late++
			}
			continue
		}
		started.At[i] = float64(first.At)
		if len(j.Partitions) > 0 {
			if started.Queues == nil {
				started.Queues = make([]string, len(stop.Jobs))
			}
			started.Queues[i] = s.Setup.Partitions[first.Partition].Name
		}
		if !asked.Nodes {
			continue
		}
		for _, share := range first.Shares {
			started.Nodes[i] = append(started.Nodes[i], s.Setup.Nodes[share.Node].Name)
		}
	}
	return started, nil
}

// Openings implements forecast.Opener.
func (s *Site) Openings(w *work.Work) (func(job int32, at float64) float64, error) {
	openings := s.Setup.Openings()
	if openings == nil {
		return nil, nil
	}
	jobs := s.jobs(w)
	return func(job int32, at float64) float64 { return openings.Next(jobs[job], at) }, nil
}

// rankOf returns the rank of a job that waits: of its rows the first in which it may start, or where it may in none the first.
func (s *Site) rankOf(p listedJob) int {
	ranks := s.Ranks[p.row]
	for _, r := range ranks {
		if at := s.maker.Place(p.Job, r.Partition, r.QOS); at.Partition >= 0 && at.QOS >= 0 && s.tells().In(s.Setup.EntryOf(p.Job, at)) == nil {
			return r.Place
		}
	}
	if len(ranks) > 0 {
		return ranks[0].Place
	}
	return 0
}

// Place implements forecast.Scheduler. Places are the ranks of the order of the jobs that is told, and else those in the
// queue before the first pass.
func (s *Site) Place(ctx context.Context, w *work.Work, awaited []int32) (places []int, becomes []forecast.CycleResult, err error) {
	at := map[int]int{}
	if s.Ranks == nil {
		const before = 1 // second, so that no pass has begun
		_, result, err := s.until(ctx, w, s.At-before)
		if err != nil {
			return nil, nil, err
		}
		for i, x := range result.Queue {
			if !x.ForJobs {
				at[x.ID] = i + 1
			}
		}
	}
	now, err := s.firstPass(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	for _, number := range awaited {
		place := at[now.jobs[number].ID]
		if s.Ranks != nil {
			place = s.rankOf(s.listed[w.Jobs[number].ID])
		}
		places, becomes = append(places, place), append(becomes, s.becomes(&now, w, number))
	}
	return places, becomes, nil
}
