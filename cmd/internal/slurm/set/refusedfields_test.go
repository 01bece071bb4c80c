package set

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/setup"
)

// Whatever attribute of a partition is no setting says why, and one that no partition has is told from those.
func TestAttributesThatAreNotSet(t *testing.T) {
	site, _, err := setup.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{
		"DefMemPerCPU": "counts as jobs are submitted", "MaxMemPerCPU": "counts as jobs are submitted", "OverSubscribe": "priorities change", "LLN": "is not modelled", "MaxCPUsPerNode": "is not modelled",
		"AllowGroups": "is not modelled", "Hidden": "is without effect here", "Nodes": "cannot be set here",
		"TRESBillingWeights": "limits of billing",
	}
	seen := 0
	for _, x := range slurm.PartitionAttributes {
		if setup.PartitionFieldNamed(x.Name) != nil || strings.HasPrefix(x.Name, "Priority") || x.Name == "PreemptMode" {
			continue
		}
		_, _, err := ChangeSetup(site, []string{"partition.main." + x.Name + "=1"})
		if err == nil || !strings.Contains(err.Error(), x.Name+" ") {
			t.Errorf("%s: %v", x.Name, err)
		}
		if want := words[x.Name]; want != "" {
			if seen++; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", x.Name, err, want)
			}
		}
	}
	if seen != len(words) {
		t.Errorf("%d attributes of %d are tried", seen, len(words))
	}
	if _, _, err := ChangeSetup(site, []string{"partition.main.Frobs=1"}); err == nil || !strings.Contains(err.Error(), "of a partition there are") {
		t.Error(err)
	}
}

// Of MinNodes as it is set is said what is not modelled of it, and of what stays as it is nothing.
func TestNewOmissions(t *testing.T) {
	site, _, err := setup.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for setting, isSaid := range map[string]bool{"partition.main.MinNodes=2": true, "partition.main.MinNodes=1": false, "partition.main.MaxNodes=2": false} {
		changed, _, err := ChangeSetup(site, []string{setting})
		if err != nil {
			t.Fatal(err)
		}
		if said := changed.NewOmissions(site); (len(said) == 1) != isSaid {
			t.Errorf("%s: %v", setting, said)
		}
	}
}

// MaxMemPerNode of a partition stands in place of MaxMemPerCPU, and without it what the cluster has counts again.
func TestMostMemoryIsSet(t *testing.T) {
	site, _, err := setup.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	at := site.PartitionNamed("main")
	site.MostMemory[at], site.ClusterMemory.CPU = 7000, 5000
	for value, want := range map[string][2]int64{"3000": {3000, 0}, "UNLIMITED": {0, 5000}, "0": {0, 5000}} {
		changed, _, err := ChangeSetup(site, []string{"partition.main.MaxMemPerNode=" + value})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int64{changed.Partitions[at].NodeMemory, changed.MostMemory[at]}; got != want {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
		if site.MostMemory[at] != 7000 || site.Partitions[at].NodeMemory != 0 {
			t.Fatalf("%s changes the site that it was made of", value)
		}
	}
	for _, value := range []string{"x", "-1", "4G"} {
		if _, _, err := ChangeSetup(site, []string{"partition.main.MaxMemPerNode=" + value}); err == nil {
			t.Errorf("%s is taken", value)
		}
	}
}
