package work

import (
	"slices"

	"fairshare/cmd/internal/trace"
)

// preemptLatency returns for how long a cycle waits for a job that it preempts, as a
// record shows it: how much later than others those jobs start that start soon after they
// came, with others suspended meanwhile. Those that leave within a second of each other go together, and count once.
// It is 0 where there are none.
func preemptLatency(w *Work, l Latency, waiting func(at int64) int) float64 {
	var suspended []int64
	for _, j := range w.Jobs {
		for _, p := range j.Pauses() {
			suspended = append(suspended, p.Start)
		}
		for _, run := range j.Earlier() {
			suspended = append(suspended, run.End)
		}
	}
	slices.Sort(suspended)
	last := int64(0)
	together := suspended[:0] // the first of those that leave together
	for i, at := range suspended {
		if i == 0 || at > last+1 {
			together = append(together, at)
		}
		last = at
	}
	const soon = 120 // seconds
	var each []float64
	for _, j := range w.Jobs {
		if j.Start == trace.Unknown || j.WasRunning || j.Start-j.Arrival > soon {
			continue
		}
		from, _ := slices.BinarySearch(together, j.Arrival)
		to, _ := slices.BinarySearch(together, j.Start+1)
		if from < to {
			each = append(each, max(0, float64(j.Start-j.Arrival)-l.Of(1, waiting(j.Start)))/float64(to-from))
		}
	}
	if len(each) == 0 {
		return 0
	}
	slices.Sort(each)
	return trace.Quantile(each, .5)
}
