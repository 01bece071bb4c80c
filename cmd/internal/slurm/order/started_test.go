package order

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/workshop"
)

// A job that sprio lists, and that the list of jobs has running or over, does not wait: it has no place in the order, and that is said.
func TestStartedBetweenPrints(t *testing.T) {
	const job = "Priority=7181 Nice=0 Account=cfd QOS=normal\n   JobState="
	for _, test := range []struct {
		state, flags string
		waits        bool
	}{
		{"RUNNING", "", false}, {"CONFIGURING", "", false}, {"COMPLETED", "", false}, {"PENDING", "", true}, {"NODE_FAIL", "", true}, {"RUNNING", "CALCULATE_RUNNING", true},
	} {
		site := filepath.Join(workshop.Testdata("slurm-now"), "24.11-busy.tgz")
		s, err := Open(dumptest.Changed(t, site, job+"PENDING", job+test.state, "PriorityFlags           = ", "PriorityFlags           = "+test.flags))
		if err != nil {
			t.Fatal(err)
		}
		row, err := Find(s.Rows(), "181")
		if err != nil {
			t.Fatal(err)
		}
		isSaid := slices.ContainsFunc(s.Remarks, func(r diag.Remark) bool { return strings.Contains(r.Text, "started between the two (181)") })
		if waits := row.Rank > 0; waits != test.waits || isSaid == test.waits {
			t.Errorf("%s %s: it has rank %d, and that it has started is said: %v", test.state, test.flags, row.Rank, isSaid)
		}
	}
}
