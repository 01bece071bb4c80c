package work

import (
	"math/rand/v2"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Shaken returns work that is the same but for chance: each arrival and each run time
// differs by up to some seconds. How results differ between several of them is how far
// they depend on what nobody decides ("input shaking": Tsafrir, Ouaknine and Feitelson,
// MASCOTS 2007). Subjobs of an array stay together, and what ran when the record begins
// has begun as it did.
func (w *Work) Shaken(random *rand.Rand, seconds int64) *Work {
	by := func() int64 { return random.Int64N(2*seconds+1) - seconds }
	shaken := *w
	shaken.Jobs = make([]*Job, len(w.Jobs))
	jobs, records := make([]Job, len(w.Jobs)), make([]trace.Job, len(w.Jobs))
	arrays := map[int32]int64{}
	for i, from := range w.Jobs {
		j, record := &jobs[i], &records[i]
		*j, *record = *from, *from.Job
		j.Job, j.Runs = record, slices.Clone(from.Runs)
		shaken.Jobs[i] = j
		later := by()
		if j.Array > 0 {
			if known, ok := arrays[j.Array]; ok {
				later = known
			}
			arrays[j.Array] = later
		}
		if !j.WasRunning {
			arrival := max(w.First, j.Arrival+later)
			if j.Deleted != trace.Unknown {
				arrival = min(arrival, j.Deleted)
			}
			j.Rank += float64(arrival - j.Arrival)
			j.Arrival = arrival
		}
		for k := range j.Runs {
			run := max(min(1, j.Runs[k]), j.Runs[k]+by())
			if j.Walltime > 0 && j.Runs[k] <= j.Walltime {
				run = min(run, j.Walltime) // else it would be killed
			}
			j.Runs[k] = run
		}
	}
	shaken.sort() // numbers the jobs as they were, for the order of those that arrive at once
	shaken.origin = make([]int32, len(jobs))
	for i, j := range shaken.Jobs {
		shaken.origin[i], j.Number = j.Number, int32(i)
	}
	shaken.spread()
	shaken.link()
	return &shaken
}

// Origin returns the number that a job of shaken work has in the work that it was made
// of.
func (w *Work) Origin(number int) int {
	if w.origin == nil {
		return number
	}
	return int(w.origin[number])
}

// DefaultShake returns by how many seconds arrivals and run times are shaken unless
// told: ten, or a tenth of a typical run where that is less.
func DefaultShake(w *Work) int64 {
	const most, part = 10, .1
	return int64(max(1, min(most, part*w.TypicalRun())))
}
