package explain

import (
	"fmt"
	"slices"
	"time"

	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// hasEligible reports whether the value of jobs depends on their eligible_time, which the server tells.
func hasEligible(o *order.Order) bool {
	isIt := func(v formula.Variable) bool { return v.Name == order.EligibleTime }
	return o.Plan.Site.Accrues() && slices.ContainsFunc(o.Plan.Variables(), isIt)
}

// standsStill reports whether the eligible_time of the job of a row does not grow: PBS itself has said so when the list was made, or the
// threshold of the formula keeps it.
func standsStill(o *order.Order, row int) bool {
	return o.List.Job(row).IsIneligible || o.IsUnderThreshold(row)
}

// Ineligible says of the job of a row that waits why its eligible_time does not grow, and what raises the value of one that the threshold
// keeps. isOfOwn is whether it waits for a limit of its own user, group or project, as far as that is known, and local the zone of the list.
// It is "" where the time grows, where nothing tells, and where no value depends on it.
func Ineligible(o *order.Order, row int, isOfOwn bool, local *time.Location) string {
	isUnder := o.IsUnderThreshold(row)
	if o.Plan.Formula == nil || o.Place(row) == 0 && !isUnder {
		return ""
	}
	why := ""
	switch {
	case !hasEligible(o):
	case isUnder:
		why = "its eligible_time does not grow while the threshold keeps it"
	case isOfOwn:
		why = "its eligible_time does not grow meanwhile, as under any limit of a job's own user, group or project"
	case standsStill(o, row):
		why = "its eligible_time does not grow, PBS says (accrue_type 1): a limit of its own user, group or project keeps it, or would beside the jobs before it"
	}
	if why != "" {
		why += soFar(o, row, local)
	}
	switch {
	case !isUnder:
		return why
	case why == "":
		return raises(o)
	}
	return why + "; " + raises(o)
}

// soFar says behind another text how much of its time since it came to its queue a job was eligible for, "" where that is not told.
func soFar(o *order.Order, row int, local *time.Location) string {
	came, isTold := qstat.ParseTime(o.List.Queued(row), local)
	v, ok := o.Values.Of(row)[order.EligibleTime]
	if !isTold || !ok || o.Plan.Now < came {
		return ""
	}
	eligible, ok := v.Number()
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (it is %s, and the job came to its queue %s ago)", report.Span(eligible), report.Span(float64(o.Plan.Now-came)))
}

// raises says what can raise a value while its job is kept by the threshold.
func raises(o *order.Order) string {
	if o.Plan.UsesTree() || len(o.Plan.OtherTerms()) > 0 {
		return "by itself its value changes only with fairshare, as usage decays and others use more"
	}
	return "nothing that its value is made of changes while it waits"
}
