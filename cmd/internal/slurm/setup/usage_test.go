package setup

import (
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// The minutes that associations have used, as slurmctld was recorded to print them, and not their limits.
func TestUsedMinutes(t *testing.T) {
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	used, _ := managers(d)
	for key, want := range map[sched.AccountName][2]string{{Account: "root"}: {"39898", "1029"}, {Account: "root", User: "root"}: {"0", "0"}, {Account: "bio"}: {"12265", "973"}} {
		if u := used[key].minutes; u["cpu"] != want[0] || u["gres/gpu"] != want[1] {
			t.Errorf("%s: %v, want %v", key, u, want)
		}
	}
}
