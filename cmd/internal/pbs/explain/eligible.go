package explain

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
)

// standsStill reports whether the eligible_time of the job of a row does not grow: PBS itself has said so when the list was made, or the
// threshold of the formula keeps it.
func standsStill(o *order.Order, row int) bool {
	return o.List.Job(row).IsIneligible || o.IsUnderThreshold(row)
}

// SayIneligible says of the job of a row that waits why its eligible_time does not grow, and what raises the value of one that the threshold
// keeps. isOfOwn is whether it waits for a limit of its own user, group or project, as far as that is known, and local the zone of the list.
// Nothing is said where the time grows, where nothing tells, and where no value depends on it.
func (e *Explanation) SayIneligible(o *order.Order, row int, isOfOwn bool, local *time.Location) {
	isUnder := o.IsUnderThreshold(row) || e.Terms != nil && qstat.IsUnderThreshold(e.Comment)
	if o.Values == nil && e.Terms == nil || o.Place(row) == 0 && !isUnder {
		return
	}
	eligible, isTerm := e.eligible(o, row)
	switch {
	case !isTerm || !o.Plan.Site.Accrues():
	case isUnder:
		e.Ineligible = "its eligible_time does not grow while the threshold keeps it"
	case isOfOwn:
		e.Ineligible = "its eligible_time does not grow meanwhile, as under any limit of a job's own user, group or project"
	case standsStill(o, row):
		e.Ineligible = "its eligible_time does not grow, PBS says (accrue_type 1): a limit of its own user, group or project keeps it, or would beside the jobs before it"
	}
	if came, isTold := qstat.ParseTime(o.List.Queued(row), local); e.Ineligible != "" && isTold && came <= o.Plan.Now {
		e.Ineligible += fmt.Sprintf(" (it is %s, and the job came to its queue %s ago)", report.Span(eligible), report.Span(float64(o.Plan.Now-came)))
	}
	if isUnder {
		if e.Ineligible != "" {
			e.Ineligible += "; "
		}
		e.Ineligible += e.raises(o)
	}
}

// eligible returns the eligible_time of the job of a row. isTerm is false if it is no term of the formula.
func (e *Explanation) eligible(o *order.Order, row int) (seconds float64, isTerm bool) {
	at := slices.IndexFunc(e.Terms, func(t Term) bool { return t.Name == order.EligibleTime })
	if at >= 0 {
		seconds, err := strconv.ParseFloat(e.Terms[at].Value, 64)
		return seconds, err == nil
	}
	if o.Values == nil {
		return 0, false
	}
	v, isTerm := o.Values.Of(row)[order.EligibleTime]
	if isTerm {
		seconds, isTerm = v.Number()
	}
	return seconds, isTerm
}

// raises says what can raise a value while its job is kept by the threshold.
func (e *Explanation) raises(o *order.Order) string {
	isOfTree := func(t Term) bool { _, is := order.TermNamed(t.Name); return is }
	if o.Plan.Drifts() || slices.ContainsFunc(e.Terms, isOfTree) {
		return "by itself its value changes only with fairshare, as usage decays and others use more"
	}
	return "nothing that its value is made of changes while it waits"
}
