package setup

import (
	"strings"
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

// Where RawUsage is newer than the usage of which shares are computed, usage says that it is told as sshare prints it, and of whom; where it
// is the same, nothing.
func TestUsageSaysWhoseIsNewer(t *testing.T) {
	for name, want := range map[string]string{"slurm-site/t2_busy.tgz": "usage is RawUsage as sshare has it, that of 2 users newer than the last computation of priorities", "slurm-replay/S3a/site.tgz": ""} {
		d, err := dump.Open("../../../../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list, remarks, err := ReadUsage(d)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, r := range remarks {
			if strings.Contains(r.Text, "RawUsage") {
				said += r.Text
			}
		}
		shares, differ := d.Shares(), 0
		for i, u := range list {
			if u.User != "" && u.Raw != shares.Swept.At(i).Usage {
				differ++
			}
		}
		if !strings.HasPrefix(said, want) || (said == "") != (want == "") || (differ > 0) != (want != "") {
			t.Errorf("%s: %d users differ, and it says %q", name, differ, said)
		}
	}
}
