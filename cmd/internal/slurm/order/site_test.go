package order

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

func openRecorded(t *testing.T, moment string) *Site {
	t.Helper()
	s, err := Open(filepath.Join("../../../../testdata/slurm-site", moment+".tgz"))
	for _, r := range s.Remarks {
		t.Log(r.Kind, r.Text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPriorities holds the priorities that are computed anew to those that Slurm computed, each to
// the integer.
func TestPriorities(t *testing.T) {
	for moment, listed := range dumptest.Moments {
		t.Run(moment, func(t *testing.T) {
			s := openRecorded(t, moment)
			considered := 0
			for _, r := range s.Rows() {
				if r.Rank == 0 {
					continue
				}
				considered++
				if r.Stored == nil || r.Priority != r.Stored.Priority {
					t.Errorf("job %s has %v, %v is computed: %+v %+v", r.Job.ID, r.Value, r.Priority, r.Stored, r.Weighted)
				}
			}
			if considered != listed {
				t.Errorf("%d jobs are considered, sprio lists %d", considered, listed)
			}
		})
	}
}

// TestOrder holds the order to that of Slurm's own numbers: tier, priority, number.
func TestOrder(t *testing.T) {
	for moment := range dumptest.Moments {
		s := openRecorded(t, moment)
		var want []dump.StoredPriority
		want = append(want, s.Stored...)
		tier := map[string]int{"main": 1, "gpu": 1, "short": 2}
		slices.SortFunc(want, func(a, b dump.StoredPriority) int {
			if d := tier[b.Partition] - tier[a.Partition]; d != 0 {
				return d
			}
			if d := int(b.Priority - a.Priority); d != 0 {
				return d
			}
			x, _ := strconv.Atoi(a.ID)
			y, _ := strconv.Atoi(b.ID)
			return x - y
		})
		for i, r := range s.Rows()[:len(want)] {
			if r.Job.ID != want[i].ID || r.Rank != i+1 {
				t.Errorf("%s: rank %d is job %s, want %s", moment, r.Rank, r.Job.ID, want[i].ID)
			}
		}
	}
}
