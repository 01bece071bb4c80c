package forecast

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// pastWaits are how long jobs have waited, by queue, the shortest first.
type pastWaits map[int32][]float64

func newWaits(list []past) pastWaits {
	w := pastWaits{}
	for _, p := range list {
		if p.start != trace.Unknown {
			w[p.Queue] = append(w[p.Queue], float64(max(0, p.start-p.arrival)))
		}
	}
	for _, of := range w {
		slices.Sort(of)
	}
	return w
}

// usual returns when a job starts if it waits as long as jobs of its queue have, of those that had
// not started sooner than it: the median. It is infinity where no job has waited as long.
func (w pastWaits) usual(j *UnfinishedJob, now int64) float64 {
	waited := float64(max(0, now-j.Arrival))
	of := w[j.Queue]
	k, _ := slices.BinarySearch(of, waited)
	if k == len(of) {
		return math.Inf(1)
	}
	return float64(max(now, j.Arrival)) - waited + quantile(of[k:], .5)
}
