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

// A job was killed at its walltime by PBS's status, or where SIGTERM or SIGKILL ended it once it had run for all of it; a state of Slurm tells
// what did.
func TestIsKilledAtWalltime(t *testing.T) {
	for _, row := range []struct {
		exit, walltime, ran int64
		ended               int32
		want                bool
	}{
		{KilledAtWalltime, 100, 10, 0, true}, {KilledAtWalltime, Unknown, 10, 0, true}, {KilledAtWalltime, 100, 100, 7, true},
		{271, 100, 100, 0, true}, {265, 100, 103, 0, true}, {143, 100, 100, 0, true}, {137, 100, 100, 0, true},
		{271, 100, 99, 0, false}, {271, Unknown, 100, 0, false}, {271, 0, 100, 0, false}, {271, 100, 100, 7, false},
		{0, 100, 100, 0, false}, {1, 100, 100, 0, false}, {-27, 100, 100, 0, false}, {267, 100, 100, 0, false}, {Unknown, 100, 100, 0, false},
	} {
		j := &Job{Exit: row.exit, Walltime: row.walltime, Ended: row.ended}
		if got := j.IsKilledAtWalltime(float64(row.ran)); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
