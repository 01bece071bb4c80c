package accrual

import (
	"fairshare/cmd/internal/work"
)

// LagOf returns how old reports of use are taken to be, in seconds: DefaultLag, as
// measured with one mom; two fifths of a typical run where that is less, since mom would
// report hardly any of them otherwise.
func LagOf(w *work.Work) float64 {
	const part = .4
	return min(DefaultLag, part*w.TypicalRun())
}
