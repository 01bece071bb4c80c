package replay

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
)

// The words for what a job waits for: when, sort --now and replay --explain use the same. Those
// of hours and limits name a time or an amount as well, and stand in hoursReason and pbs.Limit.
const (
	// Vnodes.
	WaitsForVnodes = "vnodes on which it fits"       // enough is free, but not on vnodes that fit; often with what is, in brackets
	waitsForFree   = "free "                         // and a resource: too little of it is free in the whole cluster
	limitOfVnodes  = "limit of vnodes"               // such as their max_running
	waitsForSet    = "room in one placement set of " // and the resources: it is free, but on vnodes of several
	hostInUse      = "a host to itself: PBS sends it to one in use, and fails"

	// Other jobs.
	waitsBehind = outcome.Behind       // and how many that start before it in this cycle
	notDelayed  = outcome.NotDelayed   // it fits but for what is planned
	keptFor     = ", kept for "        // notDelayed: what a limit allows
	waitsForJob = "dependency on job " // and its ID

	// Reservations.
	waitsForReservation = "reservation " // and its name: it would run into it
	notBegun            = "its reservation, which has not begun or is over"
	roomInReservation   = "room in its reservation"

	// Those that the scheduler does not look at, and who starts in its next cycle.
	stoppedQueue   = "its queue, which is stopped"
	noShares       = "shares, of which its entity has none"
	underThreshold = "job_sort_formula_threshold"
)

// IsOfLimit reports whether a job waits for a limit on jobs, or can never start for one, by the words for that.
func IsOfLimit(reason string) bool {
	reason = strings.TrimPrefix(reason, outcome.Never)
	return strings.HasPrefix(reason, "limit") && !strings.HasPrefix(reason, limitOfVnodes)
}

// StopsEligible reports whether the eligible_time of a job stands still while it waits for something, by the words for that: for a limit of
// its own user, group or project or of its array, see check.isOwn.
func StopsEligible(reason string) bool {
	isOf := func(kind string) bool { return strings.HasPrefix(reason, "limit of "+kind+" ") }
	return slices.ContainsFunc([]string{"user", "group", "project", "array"}, isOf)
}

// IsOfAnyOrder reports whether a job waits for something that keeps it whichever jobs come first: a limit that those reach which run
// already, or what an operator has stopped.
func IsOfAnyOrder(reason string) bool {
	isOfOrder := strings.Contains(reason, outcome.FromThisCycle) || strings.Contains(reason, notDelayed)
	return IsOfLimit(reason) && !isOfOrder || reason == stoppedQueue || reason == outcome.SchedulingOff
}
