package site

import (
	"bytes"
	"context"
	"encoding/csv"
	"slices"
	"time"
)

// withoutNames are the columns of an order that have no names in them.
var withoutNames = []string{"rank", "value", "state", "considered"}

// Rows returns the order of a site's jobs without what a copy without names has otherwise: of each job its place, value and
// state. It is to be compared with that of a copy.
func (at *Site) Rows(ctx context.Context) ([][]string, error) {
	orderer, ok := at.Able.(Orderer)
	if !ok {
		return nil, at.Cannot("sort")
	}
	order, err := orderer.Order(ctx, Ordering{All: true})
	if err == nil {
		err = order.Unknown
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := order.Jobs.WriteCSV(&text); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return nil, err
	}
	for i, row := range slices.Backward(rows) { // the header last, since it says which cells are kept
		kept := make([]string, 0, len(withoutNames))
		for at, cell := range row {
			if slices.Contains(withoutNames, rows[0][at]) {
				kept = append(kept, cell)
			}
		}
		rows[i] = kept
	}
	return rows[1:], nil
}

// Run is when a job starts and ends in a replay, in seconds from the begin of the record on, since a copy may have moved times;
// -1 for never.
type Run struct{ Start, End float64 }

// Runs returns when each recorded job of a site starts and ends if its record is replayed by the rules in force. It is to be
// compared with those of a copy. begin is called before the replay, and what it returns is told how far that is.
func (at *Site) Runs(ctx context.Context, begin func(what string) func(part, all float64)) ([]Run, error) {
	replayer, ok := at.Able.(Replayer)
	if !ok {
		return nil, at.Cannot("replay")
	}
	zone := time.Local
	if of, ok := at.Able.(Zoned); ok {
		var err error
		if zone, err = of.Zone(); err != nil {
			return nil, err
		}
	}
	on, err := replayer.Replay(ctx, Replaying{Zone: zone})
	if err != nil {
		return nil, err
	}
	if err := on.Use(); err != nil {
		return nil, err
	}
	on.Progress = begin("runs")
	all, err := on.Run(ctx)
	if err != nil {
		return nil, err
	}
	result := all[1].First.Result
	since := func(at float64) float64 {
		if at == 0 {
			return -1
		}
		return at - float64(on.Work.First)
	}
	runs := make([]Run, len(on.Work.Jobs))
	for i := range runs {
		runs[i] = Run{since(result.Start[i]), since(result.End[i])}
	}
	return runs, nil
}

// Differing returns how many places of two lists do not have the same, those that only one of them has included.
func Differing[T any](of, copied []T, isSame func(a, b T) bool) int {
	common := min(len(of), len(copied))
	differ := max(len(of), len(copied)) - common
	for i := range common {
		if !isSame(of[i], copied[i]) {
			differ++
		}
	}
	return differ
}
