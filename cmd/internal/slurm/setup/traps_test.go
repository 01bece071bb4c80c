package setup

import (
	"errors"
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

// Without accounting, weights of what Slurm knows by it alone count nothing, which is said of each; a part of a slurm.conf, and one that includes
// what is not there, may have it elsewhere.
func TestUnaccounted(t *testing.T) {
	const nodes, of = "NodeName=n1 CPUs=4\nPartitionName=a Nodes=n1\n", " of 5 adds nothing: there is no accounting"
	for _, test := range []struct {
		text string
		want []string
	}{
		{nodes + "PriorityWeightFairshare=5\nPriorityWeightQOS=5\nPriorityWeightAge=5\n", []string{"PriorityWeightFairshare" + of, "PriorityWeightQOS" + of}},
		{nodes + "PriorityWeightAssoc=5\nAccountingStorageType=accounting_storage/none\n", []string{"PriorityWeightAssoc" + of}},
		{nodes + "PriorityWeightFairshare=5\nAccountingStorageType=accounting_storage/slurmdbd\n", nil},
		{nodes + "PriorityWeightFairshare=5\nInclude accounting.conf\n", nil},
		{nodes + "PriorityWeightFairshare=5\nPriorityType=priority/basic\n", nil},
		{"PriorityWeightFairshare=5\n", nil},
	} {
		conf, _, err := slurm.ParseConf(test.text, slurm.Beside{})
		if err != nil && !errors.Is(err, slurm.ErrNoNodes) {
			t.Fatal(err)
		}
		config := func(name string) (value string) {
			for line := range strings.Lines(strings.ToLower(test.text)) {
				if key, of, _ := strings.Cut(strings.TrimSpace(line), "="); key == name {
					value = of
				}
			}
			return value
		}
		conf.HasNoAccounts = config("accountingstoragetype") == "accounting_storage/none"
		if got := Unaccounted(conf, config, func(string) string { return "" }); !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s%q, want %q", test.text, got, test.want)
		}
		if counting := Counting(conf, config); (counting.Weights.Fairshare == 0) != (conf.Weights.Fairshare == 0 || len(test.want) > 0 || conf.Basic) || counting.Weights.Age != conf.Weights.Age {
			t.Errorf("%s%v, of %v", test.text, counting.Weights, conf.Weights)
		}
	}
}
