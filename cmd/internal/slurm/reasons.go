package slurm

import "strings"

// ReasonFate is what of a reason that Slurm gives for a job that waits is known here.
type ReasonFate int

const (
	ReasonDecided    ReasonFate = iota // whether it holds is decided anew: what Slurm says may be old
	ReasonHeld                         // no job that ends removes it
	ReasonNever                        // nothing does
	ReasonUnmodelled                   // nothing here knows when it is over
)

// PendingReason is why a job waits, as Slurm says it.
type PendingReason struct {
	begin string // of its name without blanks
	Fate  ReasonFate
	Means string // what that is and what ends it, as a sentence; "" for a reason that is not known here
}

// reasons are those of Slurm 22.05 to 25.05 (job_reason_string), without blanks, by how they begin; of several the first one counts.
var reasons = []PendingReason{
	{"DependencyNeverSatisfied", ReasonNever, "what it waits for can no longer come about, so that it never starts unless its dependency is changed (scontrol update JobId=JOB Dependency=)"},
	{"Deadline", ReasonNever, "it could not end before its deadline (--deadline), so that it never starts"},
	{"DeadLine", ReasonNever, "it could not end before its deadline (--deadline), so that it never starts"},

	{"PartitionTimeLimit", ReasonHeld, "its time limit is longer than its partition allows, so that it starts only once it asks for less or for another partition (scontrol update JobId=JOB TimeLimit=)"},
	{"PartitionNodeLimit", ReasonHeld, "it asks for fewer or more nodes than its partition allows, so that it starts only once it asks for another number or another partition"},
	{"PartitionConfig", ReasonHeld, "its partition has not as much as it asks for, so that it starts only once it asks for less or for another partition"},
	{"AccountNotAllowed", ReasonHeld, "its partition does not let in its account (AllowAccounts, DenyAccounts), so that it starts only under another account or in another partition"},
	{"QOSNotAllowed", ReasonHeld, "its partition or its association does not let in its QOS, so that it starts only under another QOS or in another partition"},
	{"InvalidAccount", ReasonHeld, "Slurm knows no association of its user with its account, so that it starts once an administrator adds one or it is of another account"},
	{"InvalidQOS", ReasonHeld, "Slurm does not know its QOS, so that it starts once an administrator adds that or it is of another one"},
	{"AccountingPolicy", ReasonHeld, "a rule of its association or its QOS keeps it from starting, so that it starts only once it asks for something else or an administrator changes the rule"},
	{"BadConstraints", ReasonHeld, "no nodes have all that it asks for, such as features or GRES, so that it starts only once it asks for something else or such nodes are there"},
	{"Job'sQOSnotpermitted", ReasonHeld, "it may not use this QOS, so that it starts only under another one"},
	{"Job'saccountnotpermitted", ReasonHeld, "its partition does not let in its account, so that it starts only under another account or in another partition"},
	{"JobHoldMaxRequeue", ReasonHeld, "it was requeued as often as Slurm allows (MaxBatchRequeue), and is held until somebody releases it (scontrol release JOB)"},
	{"launchfailedrequeuedheld", ReasonHeld, "its start failed, and it is held until somebody releases it (scontrol release JOB)"},
	{"jobrequeuedinheldstate", ReasonHeld, "it was requeued and held (scontrol requeuehold), until somebody releases it (scontrol release JOB)"},
	{"ReservationDeleted", ReasonHeld, "the reservation that it asks for is gone, so that it starts only once it asks for another one or none (scontrol update JobId=JOB ReservationName=)"},
	{"MaxMemPerLimit", ReasonHeld, "it asks for more memory than MaxMemPerCPU or MaxMemPerNode allows, so that it starts only once it asks for less"},
	{"JobHeldAdmin", ReasonHeld, "an administrator holds it, or its priority was set to 0, until an administrator releases it (scontrol release JOB)"},
	{"JobHeldUser", ReasonHeld, "its owner holds it, until somebody releases it (scontrol release JOB)"},
	{"JobHeld", ReasonHeld, "it is held until somebody releases it (scontrol release JOB)"},
	{"SystemFailure", ReasonHeld, "Slurm or a node failed as it was to start, and it is held until somebody releases it (scontrol release JOB)"},
	{"JobLaunchFailure", ReasonHeld, "its start failed, for instance on a node or by a prolog, and it is held until somebody releases it (scontrol release JOB)"},
	{"NonZeroExitCode", ReasonHeld, "it ended with an error, and was requeued and held until somebody releases it (scontrol release JOB)"},
	{"QOSTimeLimit", ReasonHeld, "its time limit is longer than its QOS allows, so that it starts only once it asks for less or for another QOS"},

	{"PartitionDown", ReasonDecided, "its partition is DOWN, until an administrator puts it up"},
	{"PartitionInactive", ReasonDecided, "its partition is INACTIVE, until an administrator puts it up"},

	{"Priority", ReasonDecided, "others go before it in its partition: it starts after them, or earlier where backfill finds room that delays none of them"},
	{"Resources", ReasonDecided, "it is the next to start in its partition, and waits until jobs that run end and enough is free for it"},
	{"None", ReasonDecided, "Slurm has not looked at it yet"},
	{"Licenses", ReasonDecided, "the licences that it asks for are in use: it starts when jobs that have them end"},
	{"JobArrayTaskLimit", ReasonDecided, "as many tasks of its array run as it allows (% of --array): it starts when one of them ends"},
	{"Reservation", ReasonDecided, "it waits for a reservation: its own has not begun or is full, or that of others is to begin before it would end"},
	{"ReqNodeNotAvail,Maybereserved", ReasonDecided, "nodes that it needs are kept for other jobs, or for a reservation: it starts when those have started or enough nodes are free besides"},
	{"ReqNodeNotAvail(Maybereserved", ReasonDecided, "nodes that it needs are kept for other jobs, or for a reservation: it starts when those have started or enough nodes are free besides"},
	{"ReqNodeNotAvail", ReasonDecided, "nodes that it needs are down, drained or reserved: it starts when they are back or free"},
	{"NodeDown", ReasonDecided, "a node that it needs is down: it starts when that is back"},
	{"Nodesrequiredforjob", ReasonDecided, "nodes that it needs are down, drained or kept for jobs of partitions of a higher tier: it starts when enough of them are back or free"},
	{"BeginTime", ReasonDecided, "its time has not come, which its user gave (--begin), or Slurm, if it was requeued"},
	{"Dependency", ReasonDecided, "it waits for what others have to do first (--dependency)"},
	{"Cleaning", ReasonDecided, "it was requeued, and its last run is still being cleaned up: it can start after that"},
	{"Prolog", ReasonDecided, "the prolog of its nodes still runs"},
	{"SchedDefer", ReasonDecided, "Slurm does not try jobs as they come (defer): the next pass considers it"},
	{"SchedulerDefer", ReasonDecided, "Slurm does not try jobs as they come (defer): the next pass considers it"},
	{"QOSMin", ReasonDecided, "it asks for less than its QOS wants, so that it starts only once it asks for more or for another QOS"},
	{"QOSUsageThreshold", ReasonDecided, "the usage of its account is beyond what its QOS allows (UsageThreshold): it starts once that has decayed"},
	{"QOS", ReasonDecided, "it would be over a limit of its QOS: it starts when jobs that count have ended, or used time has decayed, and where it asks for more than the limit itself once an administrator changes that"},
	{"Assoc", ReasonDecided, "it would be over a limit of its association or of an account above: it starts when jobs that count have ended, or used time has decayed, and where it asks for more than the limit itself once an administrator changes that"},
	{"Grp", ReasonDecided, "it would be over a limit of a whole account or QOS: it starts when jobs that count have ended"},
	{"Max", ReasonDecided, "it would be over a limit of its association or its QOS: it starts when jobs that count have ended, or once it asks for less"},
}

// IsOfLimit reports whether it is that a job would be over a limit of a QOS, an association or an account.
func (r PendingReason) IsOfLimit() bool {
	isOf := func(begin string) bool { return strings.HasPrefix(r.begin, begin) }
	return r.Fate == ReasonDecided && (isOf("QOS") || isOf("Assoc") || isOf("Grp") || isOf("Max"))
}

// ReasonNamed returns what a reason is, in whatever letters Slurm writes it: with blanks or underscores, and with what follows its
// name. One that is not known is ReasonUnmodelled, and none at all says nothing.
func ReasonNamed(name string) PendingReason {
	name = strings.ReplaceAll(strings.ReplaceAll(name, " ", ""), "_", "")
	if name == "" {
		return PendingReason{}
	}
	for _, r := range reasons {
		if strings.HasPrefix(name, r.begin) {
			return r
		}
	}
	return PendingReason{Fate: ReasonUnmodelled}
}
