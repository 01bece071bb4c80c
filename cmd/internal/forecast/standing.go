package forecast

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Judge returns what one cycle of the scheduler right now would make of the jobs of a place, by
// their IDs, of arrays in one. logs tell of reservations where the place does not; they are nil where
// there are none.
func Judge(ctx context.Context, p *pbssite.Place, at *pbs.Site, logs *pbssite.Logs, o order.Options, zone *time.Location) (map[string]Standing, []diag.Remark, error) {
	plan, _, err := order.NewPlan(at, o)
	if err != nil {
		return nil, nil, err
	}
	of, remarks, err := read(p, at, plan, nil, logs, zone, nil)
	if err == nil {
		_, err = of.leaveOut(p) // an order says it
	}
	if err != nil {
		return nil, remarks, err
	}
	list, err := Now(ctx, of)
	return byJob(list), remarks, err
}

// byJob returns what becomes of jobs by their IDs, of arrays in one.
func byJob(list []Standing) map[string]Standing {
	all := map[string]Standing{}
	starts, waits := map[string]int{}, map[string]string{}
	for _, of := range list {
		all[of.ID] = of
		array, _, isSubjob := trace.Subjob(of.ID)
		switch {
		case !isSubjob:
			continue
		case of.Starts:
			starts[array]++
		case waits[array] == "":
			waits[array] = of.Reason
		}
		sum := Standing{ID: array, Starts: starts[array] > 0, Reason: waits[array]}
		if n := starts[array]; n > 0 && waits[array] != "" {
			sum.Reason = fmt.Sprintf("%s would start, the next one waits for %s", report.Count(n, "subjob"), waits[array])
		}
		all[array] = sum
	}
	return all
}

// String says what a cycle right now makes of a job, "-" of one that it does not know.
func (s Standing) String() string {
	switch {
	case s.ID == "":
		return "-"
	case s.Starts && (s.Reason == outcome.StartsNow || s.Reason == ""):
		return "starts"
	case s.Starts, strings.HasPrefix(s.Reason, "held"), strings.HasPrefix(s.Reason, outcome.Never):
		return s.Reason
	}
	return "waits for " + s.Reason
}
