package forecast

import (
	"slices"

	"fairshare/cmd/internal/trace"
)

// fate is what became of a job that waited at a time.
type fate struct {
	start float64 // when it started
	ended bool    // whether it did; else it had not by start, or was deleted
}

// outcomes says what had become at a time of the jobs that waited before.
type outcomes map[string][]*trace.Job // by ID, which numbers may have again one day

func newOutcomes(t *trace.Trace) outcomes {
	o := outcomes{}
	for _, j := range t.Jobs {
		o[j.ID] = append(o[j.ID], j)
	}
	return o
}

// of returns what had become by a time of a job that waited at another time before.
func (o outcomes) of(id string, waited, by int64) fate {
	for _, j := range o[id] {
		if j.State == trace.Deleted && j.End != trace.Unknown && j.End < waited {
			continue // of another job with its number
		}
		starts := []int64{}
		for _, run := range j.Earlier() {
			starts = append(starts, run.Start)
		}
		if j.Start != trace.Unknown {
			starts = append(starts, j.Start)
		}
		slices.Sort(starts)
		for _, start := range starts {
			if start > waited && start <= by {
				return fate{float64(start), true}
			}
		}
		if j.State == trace.Deleted && j.End != trace.Unknown && j.End <= by {
			return fate{float64(j.End), false}
		}
	}
	return fate{float64(by), false}
}
