package dump

import "testing"

// A node gets jobs in some states, in others none; what Slurm never prints is known for that.
func TestIsUp(t *testing.T) {
	for state, want := range map[string][2]bool{
		"IDLE": {true, true}, "MIXED+PLANNED": {true, true}, "ALLOCATED+COMPLETING": {true, true}, "idle": {true, true},
		"IDLE+CLOUD+POWERED_DOWN": {true, true}, "IDLE~": {true, true}, "MIXED#": {true, true},
		"DOWN": {false, true}, "DOWN*+DRAIN": {false, true}, "IDLE+DRAIN": {false, true}, "MIXED+DRAIN": {false, true}, "IDLE*": {false, true},
		"IDLE+NOT_RESPONDING": {false, true}, "FUTURE": {false, true}, "UNKNOWN": {false, true}, "IDLE+FAIL": {false, true},
		"BANANA": {false, false}, "": {false, false},
	} {
		if is, isKnown := IsUp(state); is != want[0] || isKnown != want[1] {
			t.Errorf("%q: up %v, known %v; want %v", state, is, isKnown, want)
		}
	}
}
