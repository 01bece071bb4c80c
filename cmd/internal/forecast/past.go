package forecast

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// past is what is known at a time of a job that came before: nothing of what follows.
type past struct {
	*work.Job
	arrival  int64
	start    int64 // trace.Unknown if it had not started
	end      int64 // trace.Unknown if it had not ended
	ran      int64 // seconds, up to its end or so far
	walltime int64 // trace.Unknown for none
}

// pastOf returns what is known at a time of recorded jobs, in the order in which they came.
func pastOf(w *work.Work, at int64) []past {
	var list []past
	for _, j := range w.Jobs {
		came := j.Arrival
		if j.Queued != trace.Unknown {
			came = min(came, j.Queued)
		}
		if came > at {
			continue
		}
		p := past{Job: j, arrival: came, start: j.Start, end: j.End, walltime: j.Walltime}
		if p.end != trace.Unknown && p.end > at || j.State != trace.Ended {
			p.end = trace.Unknown
		}
		if p.start != trace.Unknown && p.start > at {
			p.start = trace.Unknown
		}
		switch {
		case p.start == trace.Unknown:
		case p.end != trace.Unknown:
			p.ran = j.Active(p.start, p.end)
		default:
			p.ran = j.Active(p.start, at)
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b past) int { return cmp.Compare(a.arrival, b.arrival) })
	return list
}
