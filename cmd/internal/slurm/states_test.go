package slurm

import (
	"strings"
	"testing"
)

// Every state and flag that Slurm's job_state_string prints is known, once, and says what becomes of the job.
func TestStates(t *testing.T) {
	printed := []string{"PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
		"LAUNCH_FAILED", "RECONFIG_FAIL", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESIZING", "CONFIGURING", "COMPLETING", "STOPPED", "REVOKED", "REQUEUE_FED", "RESV_DEL_HOLD",
		"SIGNALING", "STAGE_OUT", "POWER_UP_NODE", "EXPEDITING"}
	for _, name := range printed {
		if s := StateNamed(name); s.Name != name || s.Fate == 0 {
			t.Errorf("%s: %+v", name, s)
		} else if saysAll := name == "COMPLETED" || name == "CANCELLED"; s.Fate == IsOver && (s.Means == "") != saysAll {
			t.Errorf("%s means %q", name, s.Means)
		}
	}
	if len(jobStates) != len(printed) {
		t.Errorf("%d states, Slurm has %d", len(jobStates), len(printed))
	}
	if s := StateNamed([]byte("DONE")); s.Fate != 0 {
		t.Errorf("%+v", s)
	}
}

// Of a state and its flags in JSON, tables name a flag that says more, wherever it stands.
func TestShownState(t *testing.T) {
	for words, want := range map[string]string{
		"PENDING": "PENDING", "PENDING REQUEUED": "REQUEUED", "REQUEUED PENDING": "REQUEUED", "PENDING REQUEUE_HOLD SPECIAL_EXIT": "REQUEUE_HOLD",
		"RUNNING CONFIGURING": "CONFIGURING", "RUNNING CONFIGURING POWER_UP_NODE": "CONFIGURING", "RUNNING RESIZING": "RESIZING", "COMPLETED COMPLETING": "COMPLETING",
		"PENDING EXPEDITING": "PENDING", "NODE_FAIL LAUNCH_FAILED": "NODE_FAIL", "": "",
	} {
		if got := ShownState(strings.Fields(words)); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
	for _, flag := range shownFlags {
		if StateNamed(flag).Name != flag {
			t.Errorf("%s is no state", flag)
		}
	}
}
