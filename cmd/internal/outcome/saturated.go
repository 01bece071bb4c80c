package outcome

import "fairshare/cmd/internal/trace"

// backlog returns how many jobs wait at a time of a replay.
func (r *Result) backlog(at int64) int {
	n := 0
	for i, j := range r.Work.Jobs {
		hasCome := j.Arrival <= at && !j.WasRunning && (j.Deleted == trace.Unknown || j.Deleted > at)
		if hasCome && (r.Start[i] == 0 || r.Start[i] > float64(at)) {
			n++
		}
	}
	return n
}

// IsSaturated reports whether the backlog runs away: whether many more jobs wait at the
// end of the record, or of the part that is looked at, than in its middle.
func (r *Result) IsSaturated(last int64) (middle, end int, is bool) {
	const many, times = 20, 2
	middle, end = r.backlog((r.Work.First+last)/2), r.backlog(last)
	return middle, end, end >= many && end >= times*middle
}
