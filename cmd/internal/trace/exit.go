package trace

import (
	"fmt"
	"strconv"
)

// Exit statuses that stand for what became of a job.
const (
	KilledAtWalltime = -29 // which PBS gives a job that it kills at its walltime
	killedAtMemory   = -27 // and at its limit of memory
	FailedInSlurm    = -1  // of a job that Slurm calls failed, and of which it tells no exit status
)

// ofPBS is what the exit statuses mean that PBS gives a job itself, by JOB_EXEC_* of its job.h and the table of its administrator's guide.
var ofPBS = map[int64]string{
	KilledAtWalltime: "killed at its walltime",
	killedAtMemory:   "killed for more memory than it was given",

	-1:  "its start failed before its files were there",
	-2:  "its start failed after its files were there",
	-3:  "its start failed, to be tried again",
	-4:  "aborted when its MOM began anew",
	-5:  "aborted when its MOM began anew: from a checkpoint, to stay on its host",
	-6:  "aborted when its MOM began anew: from a checkpoint, free to move",
	-7:  "its restart from a checkpoint failed",
	-8:  "Globus did not begin, to be tried again",
	-9:  "Globus did not begin",
	-10: "its user or group is not valid on the host",
	-11: "run again",
	-12: "checkpointed and killed",
	-13: "its password was wrong",
	-14: "requeued or deleted, since its hosts lost each other",
	-15: "requeued, to go on from a checkpoint",
	-16: "a hook failed, to be run again",
	-17: "a hook failed, deleted",
	-18: "requeued by a hook",
	-19: "deleted by a hook",
	-20: "its first host was lost",
	-21: "refused for security",
	-22: "a hook ended with an error",
	-23: "Kerberos failed",
	-24: "killed for more cpus at once than it was given",
	-25: "killed for more cpus on average than it was given",
	-26: "killed for more virtual memory than it was given",
	-28: "killed for more cpu time than it was given",
	-30: "its output and its errors could not be joined",
}

// signals are names of those that end programs.
var signals = map[int64]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ"}

// PBS adds ofShell to the number of a signal that ended a job's shell, and a shell ofProgram to that of one that ended its last program.
const ofShell, ofProgram = 256, 128

// IsKilledAtWalltime reports whether a job that ran for so many seconds was killed since its walltime was over, as far as its record tells:
// by its exit status, or by SIGTERM or SIGKILL when it had run for all of it. Slurm tells it by a state.
func (j *Job) IsKilledAtWalltime(ran float64) bool {
	if j.Exit == KilledAtWalltime {
		return true
	}
	const sigkill, sigterm = 9, 15
	isKilled := false
	for _, signal := range []int64{sigkill, sigterm} {
		isKilled = isKilled || j.Exit == ofShell+signal || j.Exit == ofProgram+signal
	}
	return isKilled && j.Ended == 0 && j.Walltime > 0 && ran >= float64(j.Walltime)
}

// ExitInWords returns an exit status of PBS with what it means, where it is one that PBS itself gives or that of a signal.
func ExitInWords(status string) string {
	n, err := strconv.ParseInt(status, 10, 64)
	switch {
	case err != nil:
	case ofPBS[n] != "":
		return fmt.Sprintf("%s (%s)", status, ofPBS[n])
	case n > ofShell && signals[n-ofShell] != "":
		return fmt.Sprintf("%s (killed by %s)", status, signals[n-ofShell])
	case n > ofProgram && signals[n-ofProgram] != "":
		return fmt.Sprintf("%s (as a shell says where a program was killed by %s)", status, signals[n-ofProgram])
	}
	return status
}
