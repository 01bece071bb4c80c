package trace

import "testing"

// Each status that PBS gives itself has its meaning, without a gap, and those of signals have theirs, by both ways of counting.
func TestExitInWords(t *testing.T) {
	for status := range ofPBS {
		if status >= 0 || status < -int64(len(ofPBS)) {
			t.Errorf("%d is none of PBS's %d", status, len(ofPBS))
		}
	}
	for status, want := range map[string]string{
		"0": "0", "1": "1", "127": "127", "128": "128", "256": "256", "-31": "-31", "": "", "x": "x", "255": "255", "512": "512",
		"-27": "-27 (killed for more memory than it was given)", "-29": "-29 (killed at its walltime)",
		"271": "271 (killed by SIGTERM)", "265": "265 (killed by SIGKILL)", "137": "137 (as a shell says where a program was killed by SIGKILL)",
	} {
		if got := ExitInWords(status); got != want {
			t.Errorf("%s: %s, want %s", status, got, want)
		}
	}
}
