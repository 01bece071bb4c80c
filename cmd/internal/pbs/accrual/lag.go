package accrual

import (
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// partOfRun is how old reports are taken to be at most, as a part of a typical run.
const partOfRun = .4

// LagOf returns how old reports of use are taken to be, in seconds: DefaultLag, as
// measured with one mom; two fifths of a typical run where that is less, since mom would
// report hardly any of them otherwise. isSampled says that they may be taken to come with Samples.
func LagOf(w *work.Work) (lag float64, isSampled bool) {
	typical := partOfRun * w.TypicalRun()
	return min(DefaultLag, typical), typical >= DefaultLag
}

// IsSampled reports whether reports may be taken to come with Samples by what logs tell alone, which have been read with the
// hosts of jobs: one mom has run all of them, and most for long enough.
func IsSampled(t *trace.Trace) bool {
	const least = DefaultLag / partOfRun // seconds, below which LagOf takes reports to be younger
	var runs []int64
	host := int32(-1)
	for _, j := range t.Jobs {
		switch {
		case j.HostCount == 0:
		case j.HostCount > 1 || host >= 0 && j.Hosts != host:
			return false
		default:
			host = j.Hosts
		}
		if j.Start != trace.Unknown && j.End != trace.Unknown {
			runs = append(runs, j.End-j.Start)
		}
	}
	slices.Sort(runs)
	return host >= 0 && len(runs) > 0 && runs[len(runs)/2] >= least
}
