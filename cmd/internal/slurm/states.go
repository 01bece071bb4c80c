package slurm

import (
	"bytes"
	"slices"
)

// Fate is what a state says has become of a job.
type Fate byte

// The fates of jobs. The zero Fate is that of no state.
const (
	Waits Fate = iota + 1 // and has not started, or starts anew
	Runs                  // or holds its nodes
	IsOver
)

// JobState is a state of a job, or what it is said to do instead.
type JobState struct {
	Name            string
	Fate            Fate
	MayRunAgain     bool   // whether Slurm puts a job that ended so back into the queue
	FailsAnyway     bool   // whether a job that ended so has failed, whatever its exit status
	IsAtItsLimit    bool   // whether Slurm ended the job when its time was over
	HasLackedMemory bool   // or the kernel ended it for want of memory
	Means           string // why a job has ended so, "" where its name says all
}

// Says returns why a job has ended so, and that it may not be over, "" where its name says all.
func (s *JobState) Says() string {
	if s.MayRunAgain && s.Name != "REQUEUED" {
		return s.Means + ", and waits again if Slurm has requeued it"
	}
	return s.Means
}

// jobStates are all states of a job as Slurm's job_state_string names them (slurm_protocol_defs.c): those that a
// job has, and behind them the flags that stand in their place. A job that is COMPLETING has ended but for its
// cleaning up: it keeps its nodes.
var jobStates = []JobState{
	{Name: "PENDING", Fate: Waits},
	{Name: "RUNNING", Fate: Runs},
	{Name: "SUSPENDED", Fate: Runs},
	{Name: "COMPLETED", Fate: IsOver},
	{Name: "CANCELLED", Fate: IsOver},
	{Name: "FAILED", Fate: IsOver, FailsAnyway: true, Means: "it ended with an error"},
	{Name: "TIMEOUT", Fate: IsOver, IsAtItsLimit: true, Means: "its time limit was over"},
	{Name: "NODE_FAIL", Fate: IsOver, MayRunAgain: true, FailsAnyway: true, Means: "a node of it failed"},
	{Name: "PREEMPTED", Fate: IsOver, MayRunAgain: true, Means: "it had to make room for another job"},
	{Name: "BOOT_FAIL", Fate: IsOver, MayRunAgain: true, FailsAnyway: true, Means: "its nodes could not be booted"},
	{Name: "DEADLINE", Fate: IsOver, FailsAnyway: true, Means: "its deadline had come"},
	{Name: "OUT_OF_MEMORY", Fate: IsOver, FailsAnyway: true, HasLackedMemory: true, Means: "it took more memory than it was given"},

	{Name: "LAUNCH_FAILED", Fate: IsOver, MayRunAgain: true, FailsAnyway: true, Means: "it could not be launched"},
	{Name: "RECONFIG_FAIL", Fate: IsOver, Means: "its nodes could not be reconfigured"},
	{Name: "REVOKED", Fate: IsOver, Means: "another cluster of the federation runs it"},
	{Name: "REQUEUED", Fate: IsOver, MayRunAgain: true, Means: "it was put back into the queue"},
	{Name: "REQUEUE_FED", Fate: Waits},
	{Name: "REQUEUE_HOLD", Fate: Waits},
	{Name: "RESV_DEL_HOLD", Fate: Waits}, // held since its reservation was deleted
	{Name: "SPECIAL_EXIT", Fate: Waits},
	{Name: "EXPEDITING", Fate: Waits},
	{Name: "POWER_UP_NODE", Fate: Runs},
	{Name: "CONFIGURING", Fate: Runs},
	{Name: "RESIZING", Fate: Runs},
	{Name: "STOPPED", Fate: Runs},
	{Name: "SIGNALING", Fate: Runs},
	{Name: "STAGE_OUT", Fate: Runs},
	{Name: "COMPLETING", Fate: Runs},
}

// shownFlags are the flags that stand in the place of a state, the first that a job has (job_state_string).
var shownFlags = []string{"COMPLETING", "STAGE_OUT", "CONFIGURING", "RESIZING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "STOPPED", "REVOKED", "RESV_DEL_HOLD", "SIGNALING"}

// ShownState returns the one word by which tables name the state of a job of which JSON lists a state and its flags, "" for none.
func ShownState(words []string) string {
	for _, flag := range shownFlags {
		if slices.Contains(words, flag) {
			return flag
		}
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// noState is one without a name.
var noState = &JobState{}

// StateNamed returns the state of a name, one without a name where Slurm has none.
func StateNamed[T string | []byte](name T) *JobState {
	for i := range jobStates {
		if jobStates[i].Name == string(name) {
			return &jobStates[i]
		}
	}
	return noState
}

// StateCutOff returns the name of the state that begins with a text, and the text where there is none.
func StateCutOff(begin []byte) []byte {
	for i := range jobStates {
		if name := []byte(jobStates[i].Name); bytes.HasPrefix(name, begin) {
			return name
		}
	}
	return begin
}
