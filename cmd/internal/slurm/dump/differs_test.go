package dump

import (
	"strings"
	"testing"
)

// A slurm.conf that is another one than that in force is said to be, with the settings, and one that comes to the same is not.
func TestDiffers(t *testing.T) {
	for _, test := range []struct{ old, text, want string }{
		{"", "", ""},
		{"PriorityWeightFairshare=10000", "PriorityWeightFairshare=0", "1 setting (PriorityWeightFairshare)"},
		{"PriorityWeightQOS=2000\n", "", "1 setting (PriorityWeightQOS)"},
		{"PriorityMaxAge=1-00:00:00", "PriorityMaxAge=24:00:00", ""},
		{"SelectTypeParameters=CR_Core_Memory", "SelectTypeParameters=CR_CPU", "1 setting (SelectTypeParameters)"},
		{"bf_continue,bf_max_job_user=20", "bf_max_job_user=20,BF_CONTINUE", ""},
		{"PriorityTier=2", "PriorityTier=1", "1 setting (PriorityTier of PartitionName=short)"},
		{"MaxTime=02:00:00", "MaxTime=03:00:00", "1 setting (MaxTime of PartitionName=short)"},
		{"PartitionName=short", "PartitionName=brief", "1 setting (PartitionName=brief)"},
		{"CPUs=24 Boards", "CPUs=2 Boards", "the nodes of PartitionName=gpu or their CPUs"},
		{"Licenses=matlab:4", "Licenses=matlab:5", "1 setting (Licenses)"},
		{"ClusterName=hpc\n", "ClusterName=hpc\nPriorityWieghtAge=7\n", ""}, // which check names
	} {
		d, err := Open("../../../../testdata/slurm-site/t2_busy.tgz")
		if err != nil {
			t.Fatal(err)
		}
		if was := d.Text("slurm.conf"); !strings.Contains(was, test.old) {
			t.Fatalf("slurm.conf has no %q", test.old)
		} else if test.old != "" {
			d.Set("slurm.conf", strings.Replace(was, test.old, test.text, 1))
		}
		_, remarks, err := d.Conf()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range remarks {
			if strings.Contains(r.Text, "differs from what slurmctld runs in") {
				got = r.Text
			}
		}
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%q in place of %q: %q, want %q", test.text, test.old, got, test.want)
		}
	}
}
