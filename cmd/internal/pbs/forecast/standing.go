package forecast

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/trace"
)

// Judge returns what one cycle of the scheduler right now would make of the jobs of a place, by
// their IDs, of arrays in one. logs tell of reservations where the place does not; they are nil where
// there are none. list has the jobs as an order has them, nil where it was not read yet.
func Judge(ctx context.Context, p *site.Place, at *pbs.Site, list *joblist.List, logs *site.Logs, o order.Options, zone *time.Location) (map[string]forecast.CycleResult, []diag.Remark, error) {
	plan, _, err := order.NewPlan(at, o)
	if err != nil {
		return nil, nil, err
	}
	of, remarks, err := read(p, at, plan, nil, logs, zone, nil)
	if err == nil && isOfPlaces(at) {
		var said []diag.Remark
		of, said, err = of.Under(at, plan)
		remarks = append(remarks, said...)
	}
	if err == nil && list == nil && len(p.Jobs) > 0 {
		list, _, err = p.List(order.ListOptions(plan)) // an order says what is wrong with it
	}
	if err != nil {
		return nil, remarks, err
	}
	if list != nil {
		of.leaveOut(list)
	}
	st, past := newState(of)
	results, err := forecast.Now(ctx, st, newPBS(of, past).judge)
	all := forecast.ByRow(results, "subjob", arrayOf)
	for id, is := range all {
		if of.hasOwnVnodes && is.IsRefuted() {
			all[id] = is.OfAnyOrder(replay.IsOfAnyOrder)
		}
	}
	return all, remarks, err
}

// arrayOf returns the array that a subjob is of, "" for another job.
func arrayOf(id string) string {
	array, _, isSubjob := trace.Subjob(id)
	if !isSubjob {
		return ""
	}
	return array
}
