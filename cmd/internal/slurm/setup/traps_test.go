package setup

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
)

// Billing weights for what Slurm does not count keep slurmctld from starting, and nothing is said where nothing tells what it counts.
func TestUnbillable(t *testing.T) {
	conf, _, err := slurm.ParseConf("NodeName=n1 CPUs=4\nPartitionName=a Nodes=n1 TRESBillingWeights=CPU=1,Mem=0.1G,GRES/gpu=5\nPartitionName=b Nodes=n1 TRESBillingWeights=GRES/gpu:v100=2\n", slurm.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	const of = "TRESBillingWeights of partition "
	for _, test := range []struct {
		tracked string // AccountingStorageTRES, "" where nothing tells it
		want    []string
	}{
		{"", nil},
		{"cpu,mem", []string{of + "a counts gres/gpu,", of + "b counts gres/gpu:v100,"}},
		{"CPU,GRES/gpu", []string{of + "b counts gres/gpu:v100,"}},
		{"gres/gpu,gres/gpu:v100", nil},
	} {
		config := func(name string) string { return map[string]string{"accountingstoragetres": test.tracked}[name] }
		got := Unbillable(conf, config, func(string) string { return "" })
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%q: %q, want %q", test.tracked, got, test.want)
		}
	}
}
