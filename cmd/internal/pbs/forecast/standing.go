package forecast

import (
	"context"
	"fmt"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Judge returns what one cycle of the scheduler right now would make of the jobs of a place, by
// their IDs, of arrays in one. logs tell of reservations where the place does not; they are nil where
// there are none.
func Judge(ctx context.Context, p *site.Place, at *pbs.Site, logs *site.Logs, o order.Options, zone *time.Location) (map[string]forecast.CycleResult, []diag.Remark, error) {
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
	if err == nil {
		_, err = of.leaveOut(p) // an order says it
	}
	if err != nil {
		return nil, remarks, err
	}
	st, past := newState(of)
	list, err := forecast.Now(ctx, st, newPBS(of, past).judge)
	return byJob(list), remarks, err
}

// byJob returns what becomes of jobs by their IDs, of arrays in one.
func byJob(list []forecast.CycleResult) map[string]forecast.CycleResult {
	all := map[string]forecast.CycleResult{}
	starts, waits, planned := map[string]int{}, map[string]string{}, map[string]bool{}
	for _, of := range list {
		all[of.ID] = of
		array, _, isSubjob := trace.Subjob(of.ID)
		planned[array] = planned[array] || isSubjob && of.Planned
		switch {
		case !isSubjob:
			continue
		case of.Starts:
			starts[array]++
		case waits[array] == "":
			waits[array] = of.Reason
		}
		sum := forecast.CycleResult{ID: array, Starts: starts[array] > 0, Reason: waits[array], Number: starts[array], Planned: planned[array]}
		if n := starts[array]; n > 0 && waits[array] != "" {
			sum.Reason = fmt.Sprintf("%s would start, the next one waits for %s", report.Count(n, "subjob"), waits[array])
		}
		all[array] = sum
	}
	return all
}
