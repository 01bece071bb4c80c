package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// A small site in which each weight and each setting has an effect.
const (
	effectiveConf = "ClusterName=c\nSlurmctldHost=h\nAccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=limits\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n" +
		"PreemptType=preempt/qos\nPreemptMode=REQUEUE\nDefMemPerCPU=2000\nMaxMemPerCPU=4000\nPriorityWeightAge=0\nNodeName=n1 CPUs=4\nPartitionName=a Nodes=n1 Default=YES\nPartitionName=b Nodes=n1 DefMemPerCPU=3000 MaxMemPerCPU=5000\n"
	effectiveQOS    = "Name|Priority|Preempt|PreemptMode|\nnormal|0||cluster|\nhigh|10|normal|cluster|\n"
	effectiveAssoc  = "Cluster|Account|User|Partition|Share|Priority|\nc|root|||1||\nc|a|||1|7|\nc|a|ann||1||\nc|a|bob||1||\n"
	effectiveShares = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\nroot|||0.000000|100|1.000000|\n a||1|1.000000|100|1.000000|\n  a|ann|1|0.500000|60|0.600000|0.5\n  a|bob|1|0.500000|40|0.400000|1.0\n"
)

// effectless returns what is said to have no effect of the small site with some texts in place of others.
func effectless(t *testing.T, changes ...string) string {
	t.Helper()
	dir, edit := t.TempDir(), strings.NewReplacer(changes...)
	for name, text := range map[string]string{"slurm.conf": effectiveConf, "qos.txt": effectiveQOS, "assoc.txt": effectiveAssoc, "sshare.txt": effectiveShares} {
		if text = edit.Replace(text); text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := dump.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	advised, _, err := d.Advised()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(slices.Concat(Effectless(d, Counting(advised.Conf, d.Config)), Unenforced(d, advised.Conf)), "\n")
}

func TestEffectless(t *testing.T) {
	const weightless = "PriorityWeightAge=0"
	for _, test := range []struct {
		changes []string
		want    string
	}{
		{nil, ""},
		{[]string{weightless, "PriorityWeightQOS=5\nPriorityWeightAssoc=5\nPriorityWeightFairshare=5\nPriorityWeightJobSize=5"}, ""},
		{[]string{weightless, "PriorityWeightQOS=5", "high|10|", "high|0|"}, "line 11: PriorityWeightQOS adds the same to each job: all QOS have Priority 0"},
		{[]string{weightless, "PriorityWeightQOS=5", "normal|0|", "normal|10|"}, "line 11: PriorityWeightQOS adds the same to each job: all QOS have Priority 10"},
		{[]string{weightless, "PriorityWeightAssoc=5", "|7|", "||"}, "line 11: PriorityWeightAssoc adds the same to each job: no association has a Priority"},
		{[]string{weightless, "PriorityWeightAssoc=5", "|Priority|\nc|root|||1||\nc|a|||1|7|", "|\nc|root|||1|\nc|a|||1|"}, ""}, // nothing tells any
		{[]string{weightless, "PriorityWeightFairshare=5", "a||1|", "a||0|", "ann|1|", "ann|0|", "bob|1|", "bob|0|"}, "line 11: PriorityWeightFairshare adds the same to each job: no association has shares (RawShares is 0 of all)"},
		{[]string{weightless, "PriorityWeightFairshare=5", "a||1|", "a||0|"}, ""},
		{[]string{weightless, "PriorityType=priority/basic\nPriorityWeightQOS=5", "high|10|", "high|0|"}, ""},
		{[]string{weightless, "PriorityWeightQOS=5", "high|10|normal|cluster|\n", "high|0|normal|clus"}, ""}, // cut off
		{[]string{"|normal|cluster|", "||cluster|"}, "line 7: PreemptType=preempt/qos has no effect: no QOS names others in Preempt"},
		{[]string{"|normal|cluster|", "||WITHIN|"}, ""},
		{[]string{"PreemptType=preempt/qos\nPreemptMode=REQUEUE\n", ""}, "Preempt of QOS high has no effect: PreemptType is preempt/none, and preempt/qos alone looks at it"},
		{[]string{"preempt/qos", "preempt/partition_prio"}, "line 7: Preempt of QOS high has no effect: PreemptType is preempt/partition_prio, and preempt/qos alone looks at it"},
		{[]string{"|Preempt|", "|PreemptList|"}, ""},
		{[]string{"cons_tres", "linear"}, "line 6: SelectTypeParameters has CR_Core_Memory: SelectType=select/linear gives jobs whole nodes all the same"},
		{[]string{"cons_tres", "linear", "CR_Core_Memory", "CR_Memory"}, ""},
		{[]string{" Default=YES", ""}, "no partition has Default=YES: jobs that name none (-p) are refused"},
		{[]string{" Default=YES", "", weightless, "JobSubmitPlugins=lua"}, ""},
		{[]string{" Default=YES", "", weightless, "Include gone.conf"}, ""},
		{[]string{"MaxMemPerCPU=4000", "MaxMemPerCPU=1000"}, "line 9: DefMemPerCPU is 2000, which is more than MaxMemPerCPU, 1000"},
		{[]string{"MaxMemPerCPU=5000", "MaxMemPerCPU=5000 DefMemPerNode=9000"}, "line 14: PartitionName=b: DefMemPerCPU=3000 and DefMemPerNode=9000: they exclude each other (man slurm.conf), and one alone counts"},
		{[]string{"MaxMemPerCPU=4000", "MaxMemPerCPU=4000\nMaxMemPerNode=9000"}, "line 11: MaxMemPerCPU=4000 and MaxMemPerNode=9000: they exclude each other (man slurm.conf), and one alone counts"},
		{[]string{"MaxMemPerCPU=5000", "MaxMemPerCPU=2500"}, "line 14: PartitionName=b: DefMemPerCPU is 3000, which is more than MaxMemPerCPU, 2500"},
		{[]string{"DefMemPerCPU=2000\nMaxMemPerCPU=4000", "DefMemPerNode=9000\nMaxMemPerNode=8000", " DefMemPerCPU=3000 MaxMemPerCPU=5000", ""}, "line 9: DefMemPerNode is 9000, which is more than MaxMemPerNode, 8000"},
		{[]string{"AccountingStorageEnforce=limits\n", "", effectiveQOS, "", effectiveAssoc, "", effectiveShares, ""}, "AccountingStorageEnforce is not set: limits of QOS and associations keep no job from starting, and jobs need no association"},
		{[]string{"AccountingStorageEnforce=limits\n", "AccountingStorageEnforce=none\n", effectiveQOS, "", effectiveAssoc, "", effectiveShares, ""}, ""},
		{[]string{"ClusterName=c\nSlurmctldHost=h\n", "", "NodeName=n1 CPUs=4\n", "", "AccountingStorageEnforce=limits\n", "", " Default=YES", "", effectiveQOS, ""}, ""}, // a part of one
	} {
		if got := effectless(t, test.changes...); got != test.want {
			t.Errorf("%q: %q, want %q", test.changes, got, test.want)
		}
	}
}

// Each weight is looked at, or it is said why nothing can be said of it here.
func TestEffectsAreWhole(t *testing.T) {
	var all []string
	for _, x := range slurm.ConfigAttributes {
		if strings.HasPrefix(x.Name, "PriorityWeight") {
			all = append(all, strings.ToLower(x.Name))
		}
	}
	var got []string
	for _, of := range effects {
		if got = append(got, strings.ToLower(of.setting)); (of.same == nil) == (of.instead == "") {
			t.Errorf("%s is either looked at, or it is said why not", of.setting)
		}
		if _, isWeight := (slurm.Weights{}).BySetting()[of.setting]; !isWeight && of.same != nil {
			t.Errorf("%s is no weight that is looked at", of.setting)
		}
	}
	slices.Sort(all)
	if slices.Sort(got); !slices.Equal(got, all) {
		t.Errorf("%q are in the table, and the weights are %q", got, all)
	}
}

// Where no association has shares, all users have one factor under each algorithm.
func TestNoShares(t *testing.T) {
	dir := t.TempDir()
	text := strings.NewReplacer("a||1|", "a||0|", "ann|1|", "ann|0|", "bob|1|", "bob|0|").Replace(effectiveShares)
	if err := os.WriteFile(filepath.Join(dir, "sshare.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dump.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, conf := range []*slurm.Conf{{DampFactor: 1}, {DampFactor: 1, NoFairTree: true}, {DampFactor: 1, DepthOblivious: true}} {
		factor := conf.Fairshare(d.Shares().Tree)
		ann, _ := factor("a", "ann", "")
		if bob, _ := factor("a", "bob", ""); ann != bob {
			t.Errorf("%s: %v and %v", conf.Algorithm().Name, ann, bob)
		}
	}
}
