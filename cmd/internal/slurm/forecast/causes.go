package forecast

import "strings"

// cause is what of a reason that Slurm gives for a job that waits is known here.
type cause int

const (
	causeDecided    cause = iota // whether it holds is decided anew: what Slurm says may be old
	causeHeld                    // no job that ends removes it
	causeNever                   // nothing does
	causeUnmodelled              // nothing here knows when it is over
)

// causes are the reasons of Slurm 22.05 to 25.05 (job_reason_string), without blanks, by how they begin. Reasons of
// limits are left out: they begin with QOS or Assoc, and are decided anew.
var causes = []struct {
	begin string
	cause cause
}{
	{"DependencyNeverSatisfied", causeNever}, {"Deadline", causeNever}, {"DeadLine", causeNever},

	{"PartitionTimeLimit", causeHeld}, {"PartitionNodeLimit", causeHeld}, {"PartitionConfig", causeHeld},
	{"AccountNotAllowed", causeHeld}, {"QOSNotAllowed", causeHeld}, {"InvalidAccount", causeHeld}, {"InvalidQOS", causeHeld}, {"AccountingPolicy", causeHeld}, {"BadConstraints", causeHeld},
	{"Job'sQOSnotpermitted", causeHeld}, {"Job'saccountnotpermitted", causeHeld}, {"JobHoldMaxRequeue", causeHeld}, {"launchfailedrequeuedheld", causeHeld}, {"jobrequeuedinheldstate", causeHeld},
	{"ReservationDeleted", causeHeld}, {"MaxMemPerLimit", causeHeld}, {"JobHeld", causeHeld}, {"SystemFailure", causeHeld}, {"JobLaunchFailure", causeHeld}, {"NonZeroExitCode", causeHeld}, {"QOSTimeLimit", causeHeld},

	{"PartitionDown", causeDecided}, {"PartitionInactive", causeDecided}, // by the State of the partition

	{"Priority", causeDecided}, {"Resources", causeDecided}, {"None", causeDecided}, {"Licenses", causeDecided}, {"JobArrayTaskLimit", causeDecided}, {"Reservation", causeDecided}, {"ReqNodeNotAvail", causeDecided},
	{"NodeDown", causeDecided}, {"Nodesrequiredforjob", causeDecided}, {"BeginTime", causeDecided}, {"Dependency", causeDecided}, {"Cleaning", causeDecided}, {"Prolog", causeDecided}, {"SchedDefer", causeDecided}, {"SchedulerDefer", causeDecided}, {"QOS", causeDecided}, {"Assoc", causeDecided}, {"Grp", causeDecided}, {"Max", causeDecided},
}

// causeOf returns what is known of a reason, in whatever letters and with blanks or underscores.
func causeOf(reason string) cause {
	reason = strings.ReplaceAll(strings.ReplaceAll(reason, " ", ""), "_", "")
	if reason == "" {
		return causeDecided
	}
	for _, c := range causes {
		if strings.HasPrefix(reason, c.begin) {
			return c.cause
		}
	}
	return causeUnmodelled
}

// isOfReservation reports whether a job waits, as Slurm says, since nodes are kept for a reservation.
func isOfReservation(reason string) bool {
	return strings.HasPrefix(reason, "Reservation") && causeOf(reason) == causeDecided || strings.HasPrefix(reason, "ReqNodeNotAvail") && strings.Contains(reason, "Reserved")
}
