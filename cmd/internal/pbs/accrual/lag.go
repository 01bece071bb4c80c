package accrual

import (
	"fairshare/cmd/internal/work"
)

// LagOf returns how old reports of use are taken to be, in seconds: DefaultLag, as
// measured with one mom; two fifths of a typical run where that is less, since mom would
// report hardly any of them otherwise. isSampled says that they may be taken to come with Samples.
func LagOf(w *work.Work) (lag float64, isSampled bool) {
	const part = .4
	typical := part * w.TypicalRun()
	return min(DefaultLag, typical), typical >= DefaultLag
}
