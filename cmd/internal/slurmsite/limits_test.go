package slurmsite

import (
	"strings"
	"testing"
)

// Each job for which Slurm names a limit as the reason why it waits is held by that limit, as the tables
// tell, and no job is held that Slurm is about to start.
func TestLimits(t *testing.T) {
	found := 0
	for moment := range recorded {
		s := openRecorded(t, moment)
		for _, r := range s.Rows() {
			switch isLimit := strings.HasPrefix(r.Reason, "QOS") || strings.HasPrefix(r.Reason, "Assoc"); {
			case r.Rank == 0:
			case isLimit && (r.Limit == nil || r.Limit.Reason != r.Reason):
				t.Errorf("%s: job %s waits for %s, found is %v", moment, r.Job.ID, r.Reason, r.Limit)
			case isLimit:
				found++
			case r.Reason == "Resources" && r.Limit != nil:
				t.Errorf("%s: job %s is the first that waits for resources, found is %v", moment, r.Job.ID, r.Limit)
			case r.Limit != nil:
				t.Logf("%s: job %s, %s: %v", moment, r.Job.ID, r.Reason, r.Limit)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d limits are found", found)
	}
}
