package history

import (
	"testing"

	"fairshare/cmd/internal/trace"
)

// The exit statuses that PBS gives itself are below 0, and no good end; one that nothing tells says nothing.
func TestEndsBadly(t *testing.T) {
	of := &trace.Trace{}
	of.Names.List = []string{""}
	for exit, want := range map[int64]bool{0: false, 1: true, 271: true, trace.KilledAtWalltime: true, -27: true, -1: true, trace.Unknown: false} {
		if is := endsBadly(of, &trace.Job{State: trace.Ended, Exit: exit}); is != want {
			t.Errorf("exit status %d: %v, want %v", exit, is, want)
		}
	}
}
