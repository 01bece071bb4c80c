package sacct

import (
	"testing"

	"fairshare/cmd/internal/trace"
)

// What becomes of the exit status of a job of Slurm in its states.
func TestSacctExitCode(t *testing.T) {
	for _, test := range []struct {
		state, code string
		want        int64
	}{
		{"COMPLETED", "0:0", 0}, {"COMPLETED", "2:0", 2}, {"CANCELLED", "0:15", 271}, {"CANCELLED", "0:0", 0}, {"COMPLETED", "", trace.Unknown},
		{"TIMEOUT", "0:0", trace.KilledAtWalltime}, {"TIMEOUT", "", trace.KilledAtWalltime},
		{"FAILED", "1:0", 1}, {"FAILED", "0:9", 265}, {"FAILED", "0:0", trace.FailedInSlurm}, {"FAILED", "", trace.FailedInSlurm},
		{"OUT_OF_MEMORY", "0:125", 381}, {"OUT_OF_MEMORY", "0:0", trace.FailedInSlurm}, {"NODE_FAIL", "0:0", trace.FailedInSlurm}, {"NODE_FAIL", "1:0", 1},
	} {
		tr := readSacct(t, "JobID|State|Start|End|NCPUS|ExitCode\n7|"+test.state+"|2026-03-02T10:00:00|2026-03-02T11:00:00|1|"+test.code+"\n")
		if got := tr.Jobs[0].Exit; got != test.want {
			t.Errorf("%s %s: %d, want %d", test.state, test.code, got, test.want)
		}
		told := test.code
		switch test.want {
		case trace.Unknown:
			continue // none is counted
		case trace.KilledAtWalltime:
			told = "TIMEOUT"
		case trace.FailedInSlurm:
			told = "failed"
		}
		if got := tr.ExitText(tr.Jobs[0].Exit); got != told {
			t.Errorf("%s %s is told as %s, want %s", test.state, test.code, got, told)
		}
	}
}
