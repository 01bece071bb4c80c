package work

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// FirstEligible returns how many seconds of eligible_time each job has when its clock first stands
// still (NaN where nothing tells), and how many these can be at most. The server learns only at the
// end of the first cycle that looks at a job that a limit keeps it, and until then its clock runs.
// Jobs that are otherwise alike are ordered by these seconds. If the clock of a job stood still from
// then until the job started, its last record has them. Any other job that has ended is given the
// mean of the nearest such jobs before and behind it by arrival. The list is nil if only few jobs tell.
func FirstEligible(w *Work, l Latency) (first []float64, most float64) {
	const (
		cycles = 7  // a first cycle is no longer than this many usual ones
		enough = 10 // jobs that tell
	)
	most = cycles * max(1, l.First+l.Most)
	var tell []int
	var known []float64
	for i, j := range w.Jobs {
		if grown, ok := j.eligible(); ok && grown <= most && float64(w.waitedTo(j)-j.EligibleSince()) > grown+most {
			tell, known = append(tell, i), append(known, grown)
		}
	}
	if len(tell) < enough {
		return nil, most
	}
	first = make([]float64, len(w.Jobs))
	for i, j := range w.Jobs {
		switch at, isOwn := slices.BinarySearch(tell, i); {
		case isOwn:
			first[i] = known[at]
		case j.IsEndKnown:
			before, behind := known[max(0, at-1)], known[min(at, len(known)-1)]
			first[i] = math.Floor((before + behind) / 2)
		default: // it has perhaps waited since it has less than others
			first[i] = math.NaN()
		}
	}
	return first, most
}

// eligible returns the eligible_time that a job had in the end, in seconds.
func (j *Job) eligible() (seconds float64, ok bool) {
	if len(j.Earlier())+len(j.Pauses()) > 0 {
		return 0, false
	}
	if grown, ok := j.EligibleTime(); ok {
		return float64(grown), true
	}
	of := j.rarely()
	return float64(of.listed) - 1, of.listed > 0
}

// waitedTo returns until when a job waited.
func (w *Work) waitedTo(j *Job) int64 {
	if j.Start != trace.Unknown {
		return j.Start
	}
	return w.Last
}
